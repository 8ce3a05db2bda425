"""Pairs from fact frames: the same fact in other words, misstatements of it, and what it does not settle.

A supported statement often shares few words with the claim and a lie shares most of them, so that neither overlap nor
wording gives the label away.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from bench.train.values import Value, draw, near_miss

QUANTITIES = {"int", "year", "date", "time", "dur", "length", "mass", "pct", "money", "temp", "temp2", "version"}
HEDGES = (
    "According to the document, ",
    "As far as the source says, ",
    "The text says that ",
    "It is stated that ",
    "Apparently, ",
    "The manual explains that ",
    "Yes, ",
    "In other words, ",
)
JOINS = ("; ", ", and ", ", while ", "; also, ")
CROWDED = 0.08
"""Share of the pairs whose claim stands among several others, as in a passage."""
SUPPORTED_WEIGHT = 1.4
"""Frames give more misstatements than true statements; weights let both count alike."""

Pair = dict[str, object]


@dataclass(slots=True)
class Frame:
    """One kind of fact."""

    slots: dict[str, str] = field(default_factory=dict)
    strict: set[str] = field(default_factory=set)  # slots whose change contradicts
    wordings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    lies: list[str] = field(default_factory=list)
    inventions: list[str] = field(default_factory=list)
    swaps: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fact:
    """A frame with values."""

    frame: Frame
    values: dict[str, Value]


def read_frames(path: Path) -> list[Frame]:
    """Frames of a file; the format is described at its top. Raises ValueError with the line that is wrong."""
    frames: list[Frame] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark, _, rest = line.partition(" ")
        rest = rest.strip()
        if not line.strip() or mark == "#":
            continue
        if mark == "@":
            frames.append(Frame())
            for slot in filter(None, rest.split(" ; ")):
                name, _, kind = slot.partition("=")
                if kind.endswith("!"):
                    kind = kind[:-1]
                    frames[-1].strict.add(name.strip())
                if kind.partition("(")[0] in QUANTITIES:
                    frames[-1].strict.add(name.strip())
                frames[-1].slots[name.strip()] = kind
            continue
        frame = frames[-1]
        target = {"=": frame.wordings, ">": frame.notes, "+": frame.parts, "-": frame.lies, "?": frame.inventions}.get(
            mark
        )
        if mark == "swap":
            first, second = rest.split()
            frame.swaps.append((first, second))
        elif target is None:
            raise ValueError(f"{path}:{number}: a line starts with one of @ = > + - ? swap")
        else:
            unknown = set(re.findall(r"\{(\w+)\}", rest)) - set(frame.slots)
            if unknown:
                raise ValueError(f"{path}:{number}: no such slot {unknown}")
            target.append(rest)
    return frames


def instantiate(frame: Frame, rng: random.Random) -> Fact:
    """Random values, all different from each other."""
    for _ in range(50):
        values = {name: draw(kind, rng) for name, kind in frame.slots.items()}
        taken = [form for value in values.values() for form in value.forms]
        if len(set(taken)) == len(taken):
            return Fact(frame, values)
    return Fact(frame, values)


def render(template: str, values: dict[str, Value], rng: random.Random) -> str:
    """Fill one wording; ``(a|b)`` picks one."""
    text = re.sub(r"\(([^()]*\|[^()]*)\)", lambda m: rng.choice(m[1].split("|")), template)
    text = re.sub(r"\{(\w+)\}", lambda m: values[m[1]].text(rng), text)
    text = text.replace(".m..", ".m.")  # a clock time at the end of a sentence
    if text[:1].islower():
        text = text[0].upper() + text[1:]
    # an article that stands inside a slot is lower-case in the middle of a sentence
    text = re.sub(r"(?<=[a-z,;] )(The|An?) (?=[a-z])", lambda m: m[1].lower() + " ", text)
    return text.replace(" the The ", " the ").replace("The the ", "The ").replace(" a a ", " a ")


def lower_start(sentence: str, values: dict[str, Value]) -> str:
    """The sentence as the second half of another one: names keep their capital."""
    starts = {value.forms[0].split()[0] for value in values.values() if value.forms[0][:1].isupper()} - {
        "The",
        "A",
        "An",
    }
    first = sentence.split()[0]
    if first in starts or (len(first) > 1 and first[:2].isupper()):
        return sentence
    return sentence[0].lower() + sentence[1:]


def statements(fact: Fact, rng: random.Random) -> list[tuple[str, str, str]]:
    """(statement, label, kind): one of each kind that the frame allows."""
    frame, values = fact.frame, fact.values
    out = [(render(rng.choice(frame.wordings), values, rng), "supported", "frame-paraphrase")]
    if frame.parts:
        out.append((render(rng.choice(frame.parts), values, rng), "supported", "frame-part"))
    if frame.lies:
        out.append((render(rng.choice(frame.lies), values, rng), "contradicted", "frame-lie"))
    if frame.inventions:
        out.append((render(rng.choice(frame.inventions), values, rng), "not_found", "frame-invention"))
    for first, second in frame.swaps:
        swapped = {**values, first: values[second], second: values[first]}
        out.append((render(rng.choice(frame.wordings), swapped, rng), "contradicted", "frame-swap"))
        one = {**values, first: values[second]}
        mentions = [t for t in frame.parts if f"{{{first}}}" in t and f"{{{second}}}" not in t]
        if mentions:
            out.append((render(rng.choice(mentions), one, rng), "contradicted", "frame-swap"))
    changed = _changed(fact, rng)
    if changed:
        out.append(changed)
    return out


def _changed(fact: Fact, rng: random.Random) -> tuple[str, str, str] | None:
    frame, values = fact.frame, fact.values
    names = list(frame.slots)
    rng.shuffle(names)
    names.sort(key=lambda name: name not in frame.strict if rng.random() < 0.7 else 0)
    for name in names:
        kind = frame.slots[name]
        if kind.startswith("[") and kind.count("/") < 1:
            continue
        templates = [t for t in frame.wordings * 2 + frame.parts if f"{{{name}}}" in t]
        if not templates:
            continue
        try:
            other = near_miss(values[name], kind, rng)
        except ValueError:
            continue
        label = "contradicted" if name in frame.strict else "not_found"
        kind_name = "frame-value" if name in frame.strict else "frame-subject"
        return render(rng.choice(templates), {**values, name: other}, rng), label, kind_name
    return None


def claim_text(fact: Fact, rng: random.Random) -> str:
    frame = fact.frame
    pool = frame.notes if frame.notes and rng.random() < 0.35 else frame.wordings
    return render(rng.choice(pool), fact.values, rng)


def frame_pairs(frames: list[Frame], rounds: int, rng: random.Random) -> list[Pair]:
    """``rounds`` facts of every frame, each with its statements, alone or among other claims."""
    pairs: list[Pair] = []
    for _ in range(rounds):
        facts = [instantiate(frame, rng) for frame in frames]
        rng.shuffle(facts)
        for index, fact in enumerate(facts):
            other = facts[index - 1]
            twin = instantiate(fact.frame, rng)
            own, foreign = claim_text(fact, rng), claim_text(other, rng)
            for statement, label, kind in statements(fact, rng):
                evidence = [own]
                roll = rng.random()
                if roll < CROWDED:
                    others = rng.sample(facts, min(rng.randint(3, 5), len(facts)))
                    evidence += [claim_text(f, rng) for f in others if f is not fact]
                elif roll < 0.25:
                    evidence.append(foreign)
                elif roll < 0.35 and label != "not_found" and _disjoint(fact, twin):
                    evidence.append(claim_text(twin, rng))
                rng.shuffle(evidence)
                if label == "supported" and rng.random() < 0.12:
                    statement = rng.choice(HEDGES) + lower_start(statement, fact.values)
                pairs.append(_pair(evidence, statement, label, kind))
            pairs.extend(_combined(fact, other, own, foreign, rng))
            if _disjoint(fact, twin) and rng.random() < 0.5:
                pairs.extend(_between_subjects(fact, twin, own, rng))
    rng.shuffle(pairs)
    return pairs


def _combined(fact: Fact, other: Fact, own: str, foreign: str, rng: random.Random) -> list[Pair]:
    """Two facts in one sentence: both must be there and both must be right."""
    said = statements(fact, rng)
    first, _, _ = rng.choice([s for s in said if s[1] == "supported"])
    options = {label: text for text, label, _ in statements(other, rng)}
    label = rng.choice(["supported", "supported", "contradicted", "not_found"])
    if label not in options:
        label = "supported"
    second = options[label]
    halves = [(first, fact), (second, other)]
    rng.shuffle(halves)
    joined = halves[0][0].removesuffix(".") + rng.choice(JOINS) + lower_start(halves[1][0], halves[1][1].values)
    evidence = [own, foreign]
    rng.shuffle(evidence)
    out = [_pair(evidence, joined, label, f"frame-two-{label}")]
    if label == "supported":  # the same sentence with one of its two claims missing
        out.append(_pair([own if rng.random() < 0.5 else foreign], joined, "not_found", "frame-extra-clause"))
    return out


def _between_subjects(fact: Fact, twin: Fact, own: str, rng: random.Random) -> list[Pair]:
    """Two facts of one kind; a statement that takes the subject of one and a value of the other."""
    frame = fact.frame
    strict = [name for name in frame.slots if name in frame.strict and not frame.slots[name].startswith("temp")]
    if not strict or len(strict) == len(frame.slots):
        return []
    name = rng.choice(strict)
    templates = [t for t in frame.wordings + frame.parts if f"{{{name}}}" in t]
    subjects = [s for s in frame.slots if s not in frame.strict]
    templates = [t for t in templates if any(f"{{{s}}}" in t for s in subjects)]
    if not templates or any(set(fact.values[s].forms) & set(twin.values[s].forms) for s in subjects):
        return []
    evidence = [own, claim_text(twin, rng)]
    rng.shuffle(evidence)
    mixed = {**fact.values, name: twin.values[name]}
    template = rng.choice(templates)
    return [
        _pair(evidence, render(template, mixed, rng), "contradicted", "frame-between"),
        _pair(evidence, render(template, rng.choice([fact, twin]).values, rng), "supported", "frame-between"),
    ]


def _disjoint(fact: Fact, twin: Fact) -> bool:
    """Whether no value of one is a value of the other, so that labels stay true with both in the evidence."""
    return not any(set(a.forms) & set(b.forms) for a in fact.values.values() for b in twin.values.values())


def _pair(evidence: list[str], statement: str, label: str, kind: str) -> Pair:
    return {
        "set": "frames",
        "kind": kind,
        "evidence": "\n".join(evidence),
        "sentence": statement,
        "label": label,
        "weight": SUPPORTED_WEIGHT if label == "supported" else 1.0,
    }
