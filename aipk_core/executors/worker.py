"""A worker without a broker: does its share of the shards that wait in a folder, and ends.

    python -m aipk_core.executors.worker FOLDER --parts 4 --part 0

Kubernetes gives the part as ``JOB_COMPLETION_INDEX``. A worker owns the shards whose names fall to its part, so two
workers do the same shard only when one is started again.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from aipk_core.executors.model import ShardFolder


def main() -> None:
    """Read the command line and work."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--part", type=int, default=int(os.environ.get("JOB_COMPLETION_INDEX", "0")))
    options = parser.parse_args()
    work(options.folder, options.part, options.parts)


def work(folder: Path, part: int, parts: int) -> int:
    """Do the shards of ``folder`` that fall to ``part`` of ``parts``, and return how many there were."""
    shards = ShardFolder(folder)
    mine = [name for name in shards.waiting() if int(name[:8], 16) % parts == part]
    for name in mine:
        shards.compute(name)
    return len(mine)


if __name__ == "__main__":
    main()
