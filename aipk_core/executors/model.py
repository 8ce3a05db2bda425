"""Shards, their folder, and what every executor promises.

    <folder>/<name>.in        the payload, written by the one who plans
    <folder>/<name>.out       the result, written by the worker
    <folder>/<name>.receipt   digest and size of the result, written after it; or the error, if the function failed

All three are written beside their place and renamed, so that what stands under a name is whole. Names hold nothing but the
content: no clock, no host, no number of workers.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast

from aipk_core.errors import AipkError, StoreError
from aipk_core.hashing import digest, digest_bytes
from aipk_core.store.manifest import write_atomically

Work = Callable[[str], bytes]
"""What is mapped: payload (JSON text) to result; the same payload always gives the same result."""

WORK = {
    "embed": "aipk_core.stages.shard_work:embed_shard",
    "extract": "aipk_core.stages.shard_work:extract_shard",
    "load": "aipk_core.stages.shard_work:load_shard",
}
"""Name -> ``module:function``. A message from a broker can ask for these and for nothing else."""

MAX_PAYLOAD_BYTES = 64 << 20


@dataclass(frozen=True)
class Shard:
    """One piece of work: a name of ``WORK`` and its payload."""

    work: str
    payload: str

    @cached_property
    def name(self) -> str:
        return digest("shard", self.work, self.payload)


class Executor(Protocol):
    """A way to get shards done."""

    name: str

    def map(self, shards: Sequence[Shard]) -> Iterator[tuple[Shard, bytes]]:
        """Every shard with its result, each once, in any order. The caller commits what it gets before it asks for more.

        Raises:
            AipkError: what a shard's function raised, or ``workers-failed`` when nobody works.
        """
        ...


class ShardFolder:
    """The folder in which shards wait and results lie."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ask(self, shard: Shard) -> None:
        """Put the payload where workers find it."""
        data = json.dumps([shard.work, shard.payload], ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(data) > MAX_PAYLOAD_BYTES:
            raise StoreError(
                f"a shard has {len(data)} bytes, more than {MAX_PAYLOAD_BYTES}",
                code="shard-too-large",
                where=shard.work,
            )
        path = self.folder / f"{shard.name}.in"
        if not path.exists():
            write_atomically(path, data)

    def waiting(self) -> list[str]:
        """Names of the shards that have no receipt."""
        names = sorted(path.stem for path in self.folder.glob("[!.]*.in"))
        return [name for name in names if not self.has(name)]

    def has(self, name: str) -> bool:
        return (self.folder / f"{name}.receipt").exists()

    def compute(self, name: str) -> None:
        """Do the shard called ``name``, unless it is done: what a worker does.

        An error of the work itself becomes its receipt; whoever planned the shard raises it.
        """
        if self.has(name):
            return
        source = self.folder / f"{name}.in"
        try:
            work, payload = json.loads(source.read_bytes().decode("utf-8", "surrogatepass"))
        except FileNotFoundError:
            return  # it was done by another worker, and its result is committed already
        receipt: dict[str, object]
        try:
            result = work_named(work)(payload)
            write_atomically(self.folder / f"{name}.out", result)
            receipt = {"sha256": digest_bytes(result), "bytes": len(result)}
        except AipkError as error:
            receipt = {"error": error.to_dict()}
        write_atomically(self.folder / f"{name}.receipt", json.dumps(receipt).encode())

    def take(self, shard: Shard) -> bytes | None:
        """The result of ``shard``; ``None`` when there is none yet, or what lies there is damaged and was thrown away.

        Raises:
            AipkError: what the shard's function raised.
        """
        try:
            receipt = json.loads((self.folder / f"{shard.name}.receipt").read_bytes())
            if "error" in receipt:
                fields = {name: str(receipt["error"].get(name, "")) for name in ("code", "where", "remedy")}
                self._forget(shard.name, "receipt")
                raise AipkError(str(receipt["error"]["message"]), **fields)
            result = (self.folder / f"{shard.name}.out").read_bytes()
            if digest_bytes(result) == receipt["sha256"]:
                return result
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._forget(shard.name, "receipt")
        return None

    def committed(self, shard: Shard) -> None:
        """The result is in the store: nobody needs the files any more."""
        self._forget(shard.name, "in", "receipt", "out")

    def _forget(self, name: str, *kinds: str) -> None:
        for kind in kinds:
            (self.folder / f"{name}.{kind}").unlink(missing_ok=True)


def work_named(name: str) -> Work:
    """The function that ``name`` of ``WORK`` stands for.

    Raises:
        StoreError: there is none (code ``shard-unknown``).
    """
    if name not in WORK:
        raise StoreError(
            f"there is no work called '{name[:60]}'", code="shard-unknown", remedy="Use one version of aipk"
        )
    module, _, function = WORK[name].partition(":")
    return cast(Work, getattr(importlib.import_module(module), function))
