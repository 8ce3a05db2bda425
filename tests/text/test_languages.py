from __future__ import annotations

import pytest

from aipk_core.text.languages import detect_language, primary_language


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("en", "en"),
        ("de-AT", "de"),
        ("zh-Hant-TW", "zh"),
        ("pt_BR", "pt"),
        ("EN-us", "en"),
        ("deu", "de"),
        ("", "und"),
        ("x!", "und"),
    ],
)
def test_primary_language(tag: str, language: str) -> None:
    assert primary_language(tag) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The ferry leaves the harbour at noon, and it is never late."),
        ("de", "Die Fähre verlässt den Hafen um zwölf, und sie ist nie zu spät."),
        ("fr", "Le bateau quitte le port à midi et il n'est pas en retard."),
        ("es", "El barco sale del puerto a las doce y no llega tarde."),
        ("it", "Il traghetto parte dal porto a mezzogiorno e non è in ritardo."),
        ("ru", "Паром выходит из порта в полдень."),
        ("ko", "배는 정오에 항구를 떠납니다."),
        ("zh", "渡轮中午离开港口，从不晚点。"),
        ("ja", "フェリーは正午に港を出ます。"),
        ("ar", "تغادر العبارة الميناء عند الظهر."),
        ("hi", "नौका दोपहर को बंदरगाह छोड़ती है।"),
        ("th", "เรือออกจากท่าเวลาเที่ยง"),
        ("und", "12345 --- !!!"),
        ("und", ""),
    ],
)
def test_detect_language(language: str, text: str) -> None:
    assert detect_language(text) == language


def test_names_in_another_script_do_not_decide() -> None:
    assert detect_language("The word 港 means harbour, and it is written with one character.") == "en"
