"""The splitter as a spaCy pipeline component, ``nlp.add_pipe("aipk_sentences")``."""

from __future__ import annotations

from bisect import bisect_right

from spacy.language import Language
from spacy.tokens import Doc

from aipk_core.text.sentences import split_sentences

COMPONENT = "aipk_sentences"


class SentenceComponent:
    """Sets ``is_sent_start`` of every token from ``split_sentences``.

    A token starts a sentence when a sentence boundary lies at or before it and after the token before it. Where
    spaCy's tokens are coarser than the splitter's boundaries ("end.Next" as one token), the boundary moves to the next token.
    """

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def __call__(self, doc: Doc) -> Doc:
        starts = [span.start for span in split_sentences(doc.text, self.lang)]
        previous = -1
        for token in doc:
            current = bisect_right(starts, token.idx) - 1 if not token.is_space else previous
            token.is_sent_start = token.i == 0 or current > previous
            previous = max(previous, current)
        return doc


@Language.factory(COMPONENT, assigns=["token.is_sent_start"], default_config={"lang": ""})  # type: ignore[untyped-decorator]
def create_sentence_component(nlp: Language, name: str, lang: str) -> SentenceComponent:
    """The component for ``nlp.add_pipe``; ``lang`` is a BCP 47 tag and defaults to the pipeline's language."""
    return SentenceComponent(lang or nlp.lang)
