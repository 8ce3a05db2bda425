"""Typed edits of real sentences: what keeps the truth and what breaks it, made from a dependency parse.

A keeping edit is applied before most breaking ones, so that a changed wording is no sign of truth or of a lie.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from spacy.tokens import Doc, Span, Token

from bench.train.lexicon import OPPOSITE_OF, PARTICIPLE_OF, SAME_AS
from bench.train.values import number_words

Edit = Callable[[Span, random.Random], str | None]
MODALS = {
    "must": ["may", "need not", "should not"],
    "may": ["must", "may not"],
    "should": ["must not", "need not"],
    "can": ["cannot", "must"],
}
MODALS |= {"will": ["will not", "may"], "might": ["will"], "could": ["could not"], "cannot": ["can"]}
QUANTIFIERS = {
    "all": ["some", "no", "few"],
    "every": ["no", "hardly any"],
    "some": ["all", "no"],
    "most": ["all", "few"],
    "many": ["few", "all"],
    "only": ["not only"],
}
QUANTIFIERS |= {
    "each": ["no"],
    "any": ["no"],
    "few": ["most", "all"],
    "several": ["all"],
    "both": ["neither"],
    "no": ["every"],
    "none": ["all"],
    "never": ["always"],
}
LINKS_FRONT = ("if", "when", "because", "after", "before", "while", "although", "once", "unless", "until", "since")


def with_words(span: Span, changes: dict[int, str]) -> str:
    """The span's text with tokens (by document index) replaced; an empty text drops a token."""
    parts = []
    for token in span:
        if token.i in changes:
            text = changes[token.i]
            parts.append(text + token.whitespace_ if text else "")
        else:
            parts.append(token.text_with_ws)
    return tidy("".join(parts))


def tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.;:])(?=\s|$)", r"\1", text)
    text = re.sub(r"([,;.])\s*([,;.])(?=\s|$)", r"\2", text)
    text = re.sub(r"\b([Aa]) (?=[aeio]\w)", r"\1n ", text)
    text = re.sub(r"\b([Aa])n (?=[bcdfgjklmnpqrstvwxz][a-z])", r"\1 ", text)
    text = re.sub(r"^[,;:]\s*", "", text)
    return text[:1].upper() + text[1:] if text else text


def subtree(token: Token) -> tuple[int, int]:
    return token.left_edge.i, token.right_edge.i + 1


def phrase(token: Token) -> str:
    start, end = subtree(token)
    return token.doc[start:end].text.strip(" ,;:.")


def lowered(token: Token) -> str:
    """The phrase of a token as it stands inside a sentence."""
    text = phrase(token)
    first = token.doc[token.left_edge.i]
    keep = (
        first.pos_ == "PROPN"
        or first.ent_type_
        or first.text == "I"
        or not first.text[:1].isupper()
        or first.text[1:2].isupper()
    )
    return text if keep else text[0].lower() + text[1:]


# ---- edits that keep the truth


def to_passive(span: Span, rng: random.Random) -> str | None:
    """ "The agent sends a report" → "A report is sent by the agent"."""
    root = span.root
    if root.tag_ not in {"VBZ", "VBP", "VBD", "VB"} or any(
        c.dep_ in {"neg", "prt", "auxpass", "conj", "expl"} for c in root.children
    ):
        return None
    subject = [c for c in root.lefts if c.dep_ == "nsubj" and c.pos_ in {"NOUN", "PROPN"}]
    objects = [c for c in root.rights if c.dep_ == "dobj" and c.pos_ in {"NOUN", "PROPN"}]
    helpers = [c for c in root.lefts if c.dep_ == "aux"]
    if (
        len(subject) != 1
        or len(objects) != 1
        or len(helpers) > 1
        or root.lemma_ in {"have", "be", "contain", "include", "become"}
    ):
        return None
    if any(t.dep_ in {"relcl", "poss"} for s in (subject[0], objects[0]) for t in s.children):
        return None
    if objects[0].left_edge.i != root.i + 1 or (subject[0].right_edge.i + 1 != (helpers[0].i if helpers else root.i)):
        return None
    participle = PARTICIPLE_OF.get(root.lemma_) or _regular(root.lemma_)
    many = objects[0].tag_ in {"NNS", "NNPS"} or any(c.dep_ == "conj" for c in objects[0].children)
    if helpers:
        if helpers[0].lower_ not in {"can", "must", "may", "should", "will", "could", "might"}:
            return None
        verb = f"{helpers[0].lower_} be {participle}"
    elif root.tag_ == "VBD":
        verb = f"{'were' if many else 'was'} {participle}"
    else:
        verb = f"{'are' if many else 'is'} {participle}"
    tail = span.doc[objects[0].right_edge.i + 1 : span.end].text
    before = span.doc[span.start : subject[0].left_edge.i].text
    return tidy(
        f"{before} {phrase(objects[0]) if not before else lowered(objects[0])} {verb} by {lowered(subject[0])} {tail}"
    )


def _regular(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]", lemma):
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"


def move_clause(span: Span, rng: random.Random) -> str | None:
    """ "X if Y" ↔ "If Y, X"."""
    root = span.root
    for clause in root.children:
        if clause.dep_ != "advcl":
            continue
        start, end = subtree(clause)
        mark = span.doc[start].lower_
        if mark not in LINKS_FRONT or end - start < 3 or end - start > 25:
            continue
        inner = span.doc[start:end].text.strip(" ,")
        if start > span.start + 2 and end >= span.end - 1:
            rest = span.doc[span.start : start].text.strip(" ,")
            first = span.doc[span.start]
            rest = (
                rest
                if first.pos_ == "PROPN" or first.text[1:2].isupper() or first.text == "I"
                else rest[0].lower() + rest[1:]
            )
            return tidy(f"{inner}, {rest}.")
        if start == span.start and end < span.end - 3:
            rest = span.doc[end : span.end].text.strip(" ,.")
            return tidy(f"{rest} {inner[0].lower() + inner[1:]}.")
    return None


def move_phrase(span: Span, rng: random.Random) -> str | None:
    """A time or place phrase goes from the end to the front, or the other way round."""
    for child in span.root.children:
        if child.dep_ != "prep" or child.lower_ not in {
            "in",
            "on",
            "at",
            "during",
            "by",
            "for",
            "with",
            "from",
            "after",
            "before",
            "since",
            "within",
        }:
            continue
        start, end = subtree(child)
        if start == span.start and end < span.end - 3:
            rest = span.doc[end : span.end].text.strip(" ,.")
            return tidy(f"{rest} {lowered(child)}.")
        if end >= span.end - 1 and start > span.start + 2 and span.root.i < start:
            first = span.doc[span.start]
            rest = span.doc[span.start : start].text.strip(" ,.")
            rest = (
                rest
                if first.pos_ == "PROPN" or first.text[1:2].isupper() or first.text == "I"
                else rest[0].lower() + rest[1:]
            )
            return tidy(f"{phrase(child)}, {rest}.")
    return None


def drop_detail(span: Span, rng: random.Random) -> str | None:
    """Leave out an aside, a relative clause, a second verb or a trailing phrase: what is left still follows."""
    if any(
        t.dep_ == "neg"
        or t.lower_ in {"no", "only", "all", "every", "unless", "if", "any", "never", "without", "few", "than", "each"}
        for t in span
    ):
        return None
    options = []
    for token in span:
        start, end = subtree(token)
        if start <= span.start or end - start > 20 or token.i == span.root.i:
            continue
        if token.dep_ in {"appos", "relcl", "advmod", "npadvmod"} and token.head.i < token.i:
            options.append((start, end))
        if (
            token.dep_ == "prep"
            and token.head == span.root
            and end >= span.end - 1
            and token.lower_ in {"in", "on", "during", "with", "by", "for", "at", "after"}
        ):
            options.append((start, end))
        if token.dep_ == "conj" and token.head == span.root and end >= span.end - 1:
            links = [c for c in span.root.children if c.dep_ == "cc" and span.root.i < c.i < start + 1]
            if links and links[0].lower_ in {"and", "but"}:
                options.append((links[0].i, end))
    if not options:
        return None
    start, end = rng.choice(options)
    return tidy(
        span.doc[span.start : start].text.rstrip(" ,;(")
        + " "
        + span.doc[end : span.end].text.lstrip(" ,)")
        + ("" if end < span.end else ".")
    )


def keep_second_verb(span: Span, rng: random.Random) -> str | None:
    """ "A does X and does Y" → "A does Y"."""
    root = span.root
    subject = [c for c in root.lefts if c.dep_ in {"nsubj", "nsubjpass"}]
    second = [
        c for c in root.rights if c.dep_ == "conj" and not any(g.dep_ in {"nsubj", "nsubjpass"} for g in c.children)
    ]
    links = [c for c in root.rights if c.dep_ == "cc" and c.lower_ in {"and", "but"}]
    if (
        not subject
        or len(second) != 1
        or not links
        or second[0].tag_ != root.tag_
        or any(c.dep_ in {"aux", "auxpass", "neg"} for c in root.children)
    ):
        return None
    start, end = subtree(second[0])
    return tidy(f"{phrase(subject[0])} {span.doc[start:end].text.strip(' ,.')}.")


def other_words(span: Span, rng: random.Random) -> str | None:
    changes = {t.i: rng.choice(SAME_AS[t.lower_]) for t in span if _replaceable(t) and rng.random() < 0.8}
    contractions = {"not": "n't"}
    for token in span:
        if (
            token.lower_ in contractions
            and token.i > span.start
            and token.nbor(-1).lower_ in {"is", "are", "was", "does", "do", "did", "were"}
        ):
            changes[token.nbor(-1).i] = ""
            changes[token.i] = f"{token.nbor(-1).text}n't"
    return with_words(span, changes) if changes else None


def _replaceable(token: Token) -> bool:
    """A word whose synonym fits here: the lists give verbs, and "about" is a number word only before a number."""
    word = token.lower_
    if word not in SAME_AS or token.ent_type_ in {"PERSON", "ORG", "GPE", "WORK_OF_ART"}:
        return False
    if word in {"about", "around", "roughly"}:
        return token.i + 1 < len(token.doc) and token.nbor().tag_ == "CD"
    verbs = {
        "use",
        "start",
        "begin",
        "end",
        "finish",
        "help",
        "show",
        "need",
        "build",
        "change",
        "stop",
        "halt",
        "state",
        "attempt",
        "try",
        "keep",
        "fix",
        "repair",
        "construct",
        "reduce",
    }
    if word in verbs | {form + "s" for form in verbs}:
        return token.pos_ == "VERB"
    return word not in {"well", "close"}


def digits_as_words(span: Span, rng: random.Random) -> str | None:
    back = {number_words(n): str(n) for n in range(2, 100)}
    for token in span:
        if (
            token.text.isdigit()
            and 1 < int(token.text) <= 100
            and token.ent_type_ not in {"DATE"}
            and not re.search(r"\d[.:/-]|[.:/-]\d", _around(token))
        ):
            return with_words(span, {token.i: number_words(int(token.text))})
        if token.lower_ in back and token.tag_ == "CD":
            return with_words(span, {token.i: back[token.lower_]})
        if re.fullmatch(r"\d{1,3}(,\d{3})+", token.text):
            return with_words(span, {token.i: token.text.replace(",", "")})
    return None


def _around(token: Token) -> str:
    return token.doc[max(token.i - 1, 0) : token.i + 2].text


# ---- edits that break it


def other_number(span: Span, rng: random.Random) -> str | None:
    options = [
        t for t in span if t.text.isdigit() or (t.tag_ == "CD" and t.lower_ in {number_words(n) for n in range(2, 20)})
    ]
    if not options:
        return None
    token = rng.choice(options)
    if not token.text.isdigit():
        n = next(k for k in range(2, 20) if number_words(k) == token.lower_)
        return with_words(span, {token.i: number_words(rng.choice([k for k in range(2, 15) if k != n]))})
    n = int(token.text)
    near = (
        [n + 1, n - 1, n * 10, n + 10, n * 2, int(token.text[::-1])]
        if not 1500 <= n <= 2100
        else [n + 1, n - 1, n + 10, n - 10, n + 3, n - 100]
    )
    return with_words(span, {token.i: str(rng.choice([k for k in near if k != n and k > 0]))})


def other_version(span: Span, rng: random.Random) -> str | None:
    """A version, flag, path or mixed identifier with one part changed."""
    options = [t for t in span if re.search(r"\d\.\d|--\w|\w[-_/.]\w|[a-z][A-Z]|[A-Z]\d", t.text) and not t.like_url]
    if not options:
        return None
    token = rng.choice(options)
    text = token.text
    digits = list(re.finditer(r"\d+", text))
    if digits:
        spot = rng.choice(digits)
        return with_words(
            span, {token.i: text[: spot.start()] + str(int(spot[0]) + rng.choice([1, 2, 3])) + text[spot.end() :]}
        )
    parts = re.split(r"([-_/.]|(?<=[a-z])(?=[A-Z]))", text)
    words = [k for k, part in enumerate(parts) if part and part.isalpha()]
    donors = [
        "Timeout",
        "Policy",
        "Name",
        "Size",
        "Limit",
        "Config",
        "Source",
        "Target",
        "Mode",
        "Group",
        "Status",
        "Agent",
    ]
    if len(words) < 2:
        return None
    donor = rng.choice(donors)
    parts[rng.choice(words)] = donor if re.search("[A-Z]", text) else donor.lower()
    return with_words(span, {token.i: "".join(parts)})


def flip_polarity(span: Span, rng: random.Random) -> str | None:
    root = span.root
    negations = [t for t in span if t.dep_ == "neg" and t.head in {root, *root.children}]
    if negations:
        token = rng.choice(negations)
        before = token.nbor(-1) if token.i > span.start else None
        if token.lower_ == "n't" and before is not None and before.lower_ in {"ca", "wo"}:
            return with_words(span, {token.i: "", before.i: {"ca": "can ", "wo": "will "}[before.lower_]})
        if token.lower_ == "n't" and before is not None:
            return with_words(span, {token.i: "", before.i: before.text + " "})
        return with_words(span, {token.i: "always" if token.lower_ == "never" else ""})
    helper = [c for c in root.lefts if c.dep_ in {"aux", "auxpass"}]
    if root.lemma_ == "be" or helper:
        target = helper[0] if helper else root
        return with_words(span, {target.i: f"{target.text} not"})
    if root.tag_ in {"VBZ", "VBP", "VBD"}:
        support = {"VBZ": "does not", "VBP": "do not", "VBD": "did not"}[root.tag_]
        return with_words(span, {root.i: f"{support} {root.lemma_}"})
    return None


def opposite(span: Span, rng: random.Random) -> str | None:
    options = [
        t
        for t in span
        if t.lower_ in OPPOSITE_OF and t.pos_ in {"VERB", "ADJ", "ADV", "NOUN", "ADP", "SCONJ", "PRON", "DET"}
    ]
    if not options:
        return None
    token = rng.choice(options)
    other = rng.choice(OPPOSITE_OF[token.lower_])
    return with_words(span, {token.i: other.capitalize() if token.text[0].isupper() else other})


def opposite_denied(span: Span, rng: random.Random) -> str | None:
    """ "is optional" → "is not mandatory": two changes that cancel out."""
    root = span.root
    clear = {
        "enabled",
        "disabled",
        "optional",
        "mandatory",
        "possible",
        "impossible",
        "valid",
        "invalid",
        "public",
        "private",
        "visible",
        "hidden",
    }
    clear |= {
        "stable",
        "unstable",
        "safe",
        "secure",
        "insecure",
        "available",
        "unavailable",
        "encrypted",
        "unencrypted",
        "alive",
        "dead",
        "known",
        "unknown",
    }
    options = [c for c in root.children if c.dep_ in {"acomp"} and c.lower_ in clear and c.lower_ in OPPOSITE_OF]
    if root.lemma_ != "be" or not options or any(t.dep_ == "neg" for t in span):
        return None
    return with_words(span, {root.i: f"{root.text} not", options[0].i: OPPOSITE_OF[options[0].lower_][0]})


def other_modal(span: Span, rng: random.Random) -> str | None:
    options = [
        t for t in span if t.lower_ in MODALS and t.dep_ == "aux" and not any(c.dep_ == "neg" for c in t.head.children)
    ]
    return with_words(span, {t.i: rng.choice(MODALS[t.lower_])}) if options and (t := rng.choice(options)) else None


def other_quantifier(span: Span, rng: random.Random) -> str | None:
    options = [t for t in span if t.lower_ in QUANTIFIERS]
    return (
        with_words(span, {t.i: rng.choice(QUANTIFIERS[t.lower_])}) if options and (t := rng.choice(options)) else None
    )


def swap_arguments(span: Span, rng: random.Random) -> str | None:
    """Subject and object (or agent) change places."""
    for verb in [t for t in span if t.pos_ == "VERB"]:
        left = [c for c in verb.lefts if c.dep_ in {"nsubj", "nsubjpass"} and c.pos_ in {"NOUN", "PROPN"}]
        right = [c for c in verb.rights if c.dep_ == "dobj" and c.pos_ in {"NOUN", "PROPN"}]
        right += [
            g
            for c in verb.rights
            if c.dep_ in {"agent", "prep"} and c.lower_ in {"by", "to", "from", "into", "than"}
            for g in c.children
            if g.dep_ == "pobj" and g.pos_ in {"NOUN", "PROPN"}
        ]
        if left and right and left[0].lemma_ != right[0].lemma_:
            return _exchange(span, left[0], right[0])
    return None


def swap_listed(span: Span, rng: random.Random) -> str | None:
    """Two numbers or two names of one sentence change places."""
    numbers = [t for t in span if t.tag_ == "CD" and t.text[:1].isdigit()]
    if len(numbers) >= 2 and numbers[0].text != numbers[1].text:
        a, b = rng.sample(numbers, 2)
        if a.text != b.text:
            return with_words(span, {a.i: b.text, b.i: a.text})
    names = [
        e for e in span.doc.ents if span.start <= e.start and e.end <= span.end and e.label_ in {"PERSON", "ORG", "GPE"}
    ]
    for a in names:
        for b in names:
            if (
                a.start < b.start
                and a.label_ == b.label_
                and a.text != b.text
                and a.root.head != b.root
                and b.root.head != a.root
            ):
                return _exchange_spans(span, (a.start, a.end), (b.start, b.end))
    return None


def swap_cause(span: Span, rng: random.Random) -> str | None:
    """ "X because Y" → "Y because X"; the same for before, after, unless, until."""
    for clause in span.root.children:
        if clause.dep_ != "advcl" or not any(
            c.dep_ in {"nsubj", "nsubjpass"} and c.pos_ != "PRON" for c in clause.children
        ):
            continue
        start, end = subtree(clause)
        link = span.doc[start].lower_
        if (
            link not in {"because", "before", "after", "unless", "until", "once"}
            or start <= span.root.i
            or end < span.end - 1
        ):
            continue
        first = span[0]
        rest = span.doc[span.start : start].text.strip(" ,.")
        rest = rest if first.pos_ == "PROPN" or rest[1:2].isupper() else rest[0].lower() + rest[1:]
        return tidy(f"{span.doc[start + 1 : end].text.strip(' ,.')} {link} {rest}.")
    return None


def break_condition(span: Span, rng: random.Random) -> str | None:
    """A condition is denied, turned round or dropped."""
    for clause in span.root.children:
        if clause.dep_ != "advcl":
            continue
        start, end = subtree(clause)
        mark = span.doc[start].lower_
        if mark not in {"if", "when", "unless", "once", "until"} or end - start > 20:
            continue
        inner = span.doc[start + 1 : end].text.strip(" ,.")
        rest = tidy(
            span.doc[span.start : start].text.strip(" ,.") + " " + span.doc[end : span.end].text.strip(" ,.")
        ).strip(" ,.")
        new = rng.choice(["whether or not", "even if not every time", "unless" if mark != "unless" else "only if", ""])
        if new == "even if not every time":
            return tidy(f"{rest} in all cases, whatever happens.")
        return tidy(f"{rest} {new} {inner}.") if new else tidy(f"{rest}.")
    return None


def _exchange(span: Span, a: Token, b: Token) -> str | None:
    return _exchange_spans(span, subtree(a), subtree(b))


def _exchange_spans(span: Span, a: tuple[int, int], b: tuple[int, int]) -> str | None:
    doc = span.doc
    if a > b:
        a, b = b, a
    if a[1] > b[0] or a[0] < span.start or b[1] > span.end:
        return None
    first, second = doc[a[0] : a[1]].text, doc[b[0] : b[1]].text
    head = doc[a[0]]
    if a[0] == span.start and head.pos_ not in {"PROPN"} and not first[1:2].isupper():
        first = first[0].lower() + first[1:]
    return tidy(f"{doc[span.start : a[0]].text} {second} {doc[a[1] : b[0]].text} {first} {doc[b[1] : span.end].text}")


KEEPING: dict[str, Edit] = {
    "passive": to_passive,
    "clause-order": move_clause,
    "phrase-order": move_phrase,
    "part": drop_detail,
    "second-verb": keep_second_verb,
    "synonym": other_words,
    "number-form": digits_as_words,
    "double-negation": opposite_denied,
}
BREAKING: dict[str, tuple[Edit, str]] = {
    "number": (other_number, "contradicted"),
    "identifier": (other_version, "contradicted"),
    "polarity": (flip_polarity, "contradicted"),
    "antonym": (opposite, "contradicted"),
    "modality": (other_modal, "unsupported"),
    "quantifier": (other_quantifier, "unsupported"),
    "arguments": (swap_arguments, "contradicted"),
    "listed": (swap_listed, "contradicted"),
    "cause": (swap_cause, "contradicted"),
    "condition": (break_condition, "unsupported"),
}


def usable(sentence: Span) -> bool:
    """A plain declarative sentence of a size that an edit can hold."""
    words = [t for t in sentence if t.is_alpha]
    text = sentence.text
    return (
        6 <= len(words) <= 38
        and len(sentence) <= 48
        and text[:1].isupper()
        and text.rstrip().endswith(".")
        and "\n" not in text.strip()
        and sentence.root.pos_ in {"VERB", "AUX"}
        and not text.rstrip().endswith(("...", ":"))
    )


def sentences_of(doc: Doc) -> list[Span]:
    return [sentence for sentence in doc.sents if usable(sentence)]
