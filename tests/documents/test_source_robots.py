"""robots.txt: who may read what."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.sources.robots import Robots


def allows(text: str, path: str, agent: str = "aipk/1.0") -> bool:
    return Robots(text, agent).allows(f"https://example.org{path}")


def test_an_empty_file_allows_everything() -> None:
    assert allows("", "/anything")
    assert allows("User-agent: *\nDisallow:\n", "/anything")


def test_the_longest_rule_decides_and_allow_wins_a_tie() -> None:
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nDisallow: /x\nAllow: /x\n"
    assert not allows(text, "/a/z")
    assert allows(text, "/a/b/z")
    assert not allows(text, "/a/b/c")
    assert allows(text, "/x")
    assert allows(text, "/robots.txt")


def test_the_own_group_replaces_the_general_one() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: AIPK\nDisallow: /private\n"
    assert allows(text, "/public")
    assert not allows(text, "/private/page")
    assert not allows(text, "/public", agent="someone")


def test_groups_of_one_name_add_up() -> None:
    text = "User-agent: aipk\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: aipk\nDisallow: /c"
    assert [allows(text, path) for path in ("/a", "/c", "/d")] == [False, False, True]


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/*.pdf$", "/a/b.pdf", True),
        ("/*.pdf$", "/a/b.pdf?x", False),
        ("/*.pdf", "/a/b.pdf?x", True),
        ("/a*c*e", "/abcde", True),
        ("/a*c*e", "/abde", False),
        ("/a$", "/ab", False),
        ("/a*a$", "/a", False),
        ("*", "/anything", True),
        ("/fish", "/fisherman", True),
        ("/caf%c3%a9", "/caf%C3%A9/menu", True),
        ("/café", "/caf%C3%A9", True),
        ("/a?b=*&c", "/a?b=1&c", True),
    ],
)
def test_wildcards(rule: str, path: str, matches: bool) -> None:
    assert allows(f"User-agent: *\nDisallow: {rule}", path) is not matches


def test_comments_byte_order_marks_and_nonsense_are_passed_over() -> None:
    text = "\ufeff# hello\nDisallow: /before-any-group\nnonsense\nUser-Agent : * # all\nDISALLOW: /x # not this\r\nSitemap: /s"
    assert allows(text, "/before-any-group")
    assert not allows(text, "/x")


def test_a_delay_is_read_and_bounded() -> None:
    assert Robots("User-agent: *\nCrawl-delay: 2.5\n", "aipk").delay == 2.5
    assert Robots("User-agent: *\nCrawl-delay: 99999\n", "aipk").delay == 60
    assert Robots("User-agent: *\nCrawl-delay: soon\n", "aipk").delay == 0


def test_many_stars_take_no_time() -> None:
    begin = time.monotonic()
    assert allows("User-agent: *\nDisallow: /" + "*a" * 2000 + "$", "/" + "a" * 1999 + "b" * 2000)
    assert time.monotonic() - begin < 1


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_is_read(text: str, path: str) -> None:
    Robots(text, "aipk").allows("https://example.org/" + path)
