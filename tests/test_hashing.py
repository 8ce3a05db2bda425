import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.hashing import digest, digest_file, digest_lines

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.lists(json_values, max_size=4), st.lists(json_values, max_size=4))
def test_equal_values_and_only_equal_values_have_equal_digests(one, other):
    def same(a, b):
        # 1 == True in Python, but not in JSON
        return repr(a) == repr(b) if not isinstance(a, dict | list) else a == b and str(a) == str(b)

    if digest(*one) == digest(*other):
        assert one == other
    elif same(one, other):
        raise AssertionError("equal values, different digests")


def test_the_order_of_keys_does_not_matter_but_that_of_items_does():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest([1, 2]) != digest([2, 1])


def test_parts_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest_lines(["ab", "c"]) != digest_lines(["a", "bc"])


@pytest.mark.parametrize("value", [0.5, [1, [2.0]], {"a": {"b": 1.5}}])
def test_floats_are_refused(value):
    with pytest.raises(TypeError, match="floats"):
        digest(value)


def test_a_file_is_digested_like_its_bytes(tmp_path):
    data = bytes(range(256)) * 10_000
    (tmp_path / "a").write_bytes(data)
    assert digest_file(tmp_path / "a") == hashlib.sha256(data).hexdigest()
