from aipk_core.errors import AipkError, CorpusError, DocumentError


def test_an_error_is_one_line_with_place_code_and_remedy():
    error = CorpusError("unknown key 'titel'", where="corpora/a/corpus.toml", remedy="Correct the file")
    assert str(error) == "corpora/a/corpus.toml: unknown key 'titel' [corpus-invalid]. Correct the file."


def test_line_breaks_in_untrusted_text_are_folded():
    assert "\n" not in str(DocumentError("bad\nthing", where="a\r\nb"))


def test_an_error_is_json_ready():
    error = DocumentError("needs a password", code="encrypted", where="a.pdf")
    assert error.to_dict() == {"code": "encrypted", "message": "needs a password", "where": "a.pdf", "remedy": ""}
    assert isinstance(error, AipkError)
