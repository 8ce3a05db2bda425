"""Makes ``aipk_core/verify/lexicon/wordnet.tsv.gz`` from the database files of Princeton WordNet 3.0.

    python scripts/build_wordnet_table.py FOLDER     # holds index.noun, data.noun, noun.exc … (Debian: wordnet-base)

Kept are words of one piece, their most frequent senses, and the relations that the verifier asks for: same sense, broader
sense, opposite, derived word. Glosses, examples and compounds are left out.
"""

from __future__ import annotations

import gzip
import sys
from collections import defaultdict
from pathlib import Path

SENSES_KEPT = 6
POS_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TARGET = Path(__file__).resolve().parent.parent / "aipk_core" / "verify" / "lexicon" / "wordnet.tsv.gz"


def main(folder: Path) -> None:
    senses: dict[str, list[str]] = defaultdict(list)
    for pos, name in POS_FILES.items():
        for line in _lines(folder / f"index.{name}"):
            parts = line.split()
            lemma, pointer_count = parts[0], int(parts[3])
            if _kept(lemma):
                offsets = parts[6 + pointer_count :]
                senses[lemma] += [f"{pos}{offset}" for offset in offsets[:SENSES_KEPT]]
    used = {sense for kept in senses.values() for sense in kept}

    broader: dict[str, list[str]] = defaultdict(list)
    heads: dict[str, list[str]] = defaultdict(list)
    members: dict[str, list[str]] = {}
    opposite: set[tuple[str, str]] = set()
    derived: set[tuple[str, str]] = set()
    pointers: list[tuple[str, str, str, int, int]] = []
    for pos, name in POS_FILES.items():
        for line in _lines(folder / f"data.{name}"):
            parts = line.split(" | ")[0].split()
            sense, count = f"{pos}{parts[0]}", int(parts[3], 16)
            members[sense] = [parts[4 + 2 * i].split("(")[0].lower() for i in range(count)]
            at = 4 + 2 * count
            for i in range(int(parts[at])):
                symbol, offset, other_pos, ends = parts[at + 1 + 4 * i : at + 5 + 4 * i]
                other = f"{'a' if other_pos == 's' else other_pos}{offset}"
                pointers.append((symbol, sense, other, int(ends[:2], 16), int(ends[2:], 16)))
    for symbol, sense, other, own_word, other_word in pointers:
        if symbol in ("@", "@i"):
            broader[sense].append(other)
        elif symbol == "&":
            heads[sense].append(other)
        elif symbol in ("!", "+", "\\") and own_word and other_word:
            pair = (members[sense][own_word - 1], members[other][other_word - 1])
            if _kept(pair[0]) and _kept(pair[1]):
                (opposite if symbol == "!" else derived).add(pair)

    numbers = {sense: number for number, sense in enumerate(sorted(used | {b for s in used for b in broader[s]}))}
    with gzip.GzipFile(TARGET, "wb", compresslevel=9, mtime=0) as out:
        out.write(f"#senses\t{len(numbers)}\n".encode())
        for lemma in sorted(senses):
            out.write(f"w\t{lemma}\t{','.join(s[0] + str(numbers[s]) for s in senses[lemma])}\n".encode())
        for sense in sorted(numbers):
            if kept := [numbers[b] for b in broader[sense] if b in numbers]:
                out.write(f"b\t{numbers[sense]}\t{','.join(map(str, kept))}\n".encode())
        for sense in sorted(numbers):
            if kept := [numbers[h] for h in heads[sense] if h in numbers]:
                out.write(f"s\t{numbers[sense]}\t{','.join(map(str, kept))}\n".encode())
        for mark, pairs in (("o", opposite), ("d", derived)):
            for a, b in sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}):
                out.write(f"{mark}\t{a}\t{b}\n".encode())
        for pos, name in POS_FILES.items():
            for line in _lines(folder / f"{name}.exc"):
                form, *lemmas = line.split()
                if _kept(form) and lemmas and _kept(lemmas[0]):
                    out.write(f"x\t{form}\t{pos}{lemmas[0]}\n".encode())


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("ascii").splitlines() if line and not line.startswith(" ")]


def _kept(lemma: str) -> bool:
    return lemma.replace("-", "").isalpha() and lemma.count("-") <= 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
