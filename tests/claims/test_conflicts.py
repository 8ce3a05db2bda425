import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.claims.conflicts import PairSettings, compare, find_conflicts
from aipk_core.claims.identity import claim_id
from aipk_core.claims.llm_conflicts import ModelPairJudge
from aipk_core.claims.llm_model import Reply
from aipk_core.claims.model import Claim
from aipk_core.claims.neighbours import cosine, nearest, nearest_in_cells, updated
from aipk_core.claims.pairs import ClaimPair, PairKind, pairs_by_claim
from aipk_core.errors import ModelError


def claim(text, *context, kind="sentence"):
    return Claim(claim_id(text, context, "en"), text, context, (), kind=kind)


def found(*claims, **more):
    """The pairs among claims that all lie close together."""
    vectors = np.ones((len(claims), 4), dtype=np.float32) / 2
    return find_conflicts(claims, vectors, **more)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Security fixes are released within 96 hours.", "Security fixes are released within 48 hours."),
        ("Technicians must wear a life jacket near water.", "Technicians need not wear a life jacket near water."),
        ("The battery can be replaced by the customer.", "The battery cannot be replaced by the customer."),
        ("The port of the gauge is open by default.", "The port of the gauge is closed by default."),
        ("The warranty covers damage by lightning.", "The warranty does not cover damage by lightning."),
    ],
)
def test_two_claims_that_cannot_both_be_true_are_a_conflict(one, other):
    (pair,) = found(claim(one, "Handbook"), claim(other, "Product sheet"))
    assert pair.kind is PairKind.CONFLICT
    assert pair.reasons
    assert pair.a < pair.b


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (claim("A written report follows within 5 days.", "Level A"), claim("A written report follows within 15 days.", "Level B")),
        (claim("4.6 kg", "Mass", "G2", kind="row"), claim("5.9 kg", "Mass", "G2 Alpine", kind="row")),
        (claim("The Heron G1 measures up to 18 m."), claim("The Heron G2 measures up to 35 m.")),
        (claim("The gauge weighs 4.6 kg without its mast."), claim("The gauge is sold in 12 countries.")),
        (claim("Marit Osei leads the board of Larkfield."), claim("Ilse Brandvold leads the board of Larkfield.")),
        (claim("The default value is 10.", "Size"), claim("The default value is 12.", "Weight")),
        (claim("end with a letter", "The name must", kind="item"), claim("start with a letter", "The name must", kind="item")),
        (claim("The effects of those ingress lists add up."), claim("The effects of those egress lists add up.")),
        (claim("The scope tracks quota of pods that are terminating."), claim("The scope tracks quota of pods that are not terminating.")),
        (claim("By default, egress is free; all outbound traffic passes."), claim("By default, ingress is free; all inbound traffic passes.")),
        (claim("Version 1.30 adds a new field to gauges."), claim("Version 1.31 adds a new field to gauges.")),
    ],
)  # fmt: skip
def test_claims_about_different_things_are_no_conflict(one, other):
    assert found(one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gauge weighs 4.6 kg.", "The gauge weighs 4.6 kg!"),
        ("The gauge weighs 4.6 kg without its mast.", "Without its mast, the gauge weighs 4.6 kg."),
    ],
)
def test_two_claims_that_say_the_same_are_duplicates(one, other):
    (pair,) = found(claim(one), claim(other))
    assert pair.kind is PairKind.DUPLICATE


def test_the_same_words_under_different_headings_are_no_duplicates_when_they_need_them():
    assert found(claim("4.6 kg", "Mass", "G2", kind="row"), claim("4.6 kg", "Mass", "G3", kind="row")) == []


def test_a_second_judge_may_drop_or_keep_a_conflict():
    one = claim("Security fixes are released within 96 hours.")
    other = claim("Security fixes are released within 48 hours.")
    assert found(one, other, judge=lambda a, b, pair: None) == []
    (pair,) = found(one, other, judge=lambda a, b, pair: pair)
    assert pair.judge == "rules"


def test_claims_that_lie_far_apart_are_not_compared():
    claims = [
        claim("Security fixes are released within 96 hours."),
        claim("Security fixes are released within 48 hours."),
    ]
    assert find_conflicts(claims, np.eye(2, dtype=np.float32)) == []
    assert find_conflicts(claims, np.eye(2, dtype=np.float32), PairSettings(min_similarity=-1.0)) != []


def test_pairs_are_found_by_either_claim():
    pair = ClaimPair(PairKind.CONFLICT, "a", "b", ("x",), 0.9)
    twin = ClaimPair(PairKind.DUPLICATE, "a", "c", ("x",), 0.9)
    assert pairs_by_claim([pair, twin]) == {"a": [pair, twin], "b": [pair], "c": [twin]}
    assert pairs_by_claim([pair, twin], PairKind.CONFLICT) == {"a": [pair], "b": [pair]}
    assert pair.other("a") == "b"


def unit_vectors(count, seed=0, dimensions=16):
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def pairs_of(lists):
    first, second, _ = lists.pairs()
    return list(zip(first.tolist(), second.tolist(), strict=True))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 40), st.integers(1, 5), st.integers(0, 9))
def test_exact_neighbours_are_those_of_a_full_comparison(count, neighbours, seed):
    vectors = unit_vectors(count, seed)
    pairs = set(pairs_of(nearest(vectors, neighbours, 0.2)))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    for i in range(count):
        for j in range(count):
            as_near = int((cosines[i] > cosines[i, j] - 0.001).sum())  # similarities are rounded
            if cosines[i, j] >= 0.201 and as_near <= neighbours:
                assert (min(i, j), max(i, j)) in pairs


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abcd"), max_size=60), st.integers(1, 4), st.integers(0, 9))
def test_lists_brought_up_to_date_equal_those_made_anew(fates, neighbours, seed):
    """Of each vector: whether it was there before, is there after, or both; some are twins of others."""
    count = len(fates)
    vectors = unit_vectors(count, seed, 4)
    vectors[count // 2 :] = vectors[: count - count // 2][::-1]
    was = np.asarray([fate in "abd" for fate in fates], dtype=bool)
    now = np.asarray([fate in "acd" for fate in fates], dtype=bool)
    before = nearest(vectors[was], neighbours, 0.1)
    kept = np.where(was, np.cumsum(was) - 1, -1)[now]
    anew = nearest(vectors[now], neighbours, 0.1)
    lists = updated(vectors[now], neighbours, 0.1, before, kept)
    assert lists.numbers.tolist() == anew.numbers.tolist()
    assert lists.similarities.tolist() == anew.similarities.tolist()


def test_similarities_are_cosines():
    vectors = unit_vectors(50)
    first, second, similarity = nearest(vectors, 3, -1.0).pairs()
    for i, j, value in zip(first, second, similarity, strict=True):
        assert cosine(value) == pytest.approx(float(vectors[i] @ vectors[j]), abs=1e-3)


def test_a_comparison_that_starts_from_an_earlier_one_judges_only_what_is_new(monkeypatch):
    from aipk_core.claims import pair_rules

    judged = []
    rules = pair_rules.judge_pair
    monkeypatch.setattr(pair_rules, "judge_pair", lambda *pair: judged.append(pair[:2]) or rules(*pair))
    texts = [f"Security fixes of series {n} are released within {n + 40} hours." for n in range(12)]
    claims = sorted((claim(text, "Handbook") for text in texts), key=lambda one: one.id)
    vectors = unit_vectors(12, 3, 2)

    def compared(numbers, before=None, marks=None):
        some = [claims[n] for n in numbers]
        marks = np.zeros(len(some), dtype=np.int64) if marks is None else marks
        return compare(some, [one.id for one in some], marks, vectors[numbers], PairSettings(3, 0.5), before=before)

    before = compared([n for n in range(12) if n != 5])
    judged.clear()
    stepwise = compared([n for n in range(12) if n != 2], before)
    assert judged
    # Those that the new one brought together, and those that move up where the one that is gone made room.
    first_time = len(judged)
    judged.clear()
    at_once = compared([n for n in range(12) if n != 2])
    assert first_time < len(judged)
    assert stepwise.findings == at_once.findings
    judged.clear()
    compared([n for n in range(12) if n != 2], at_once)
    assert judged == []
    marks = np.zeros(11, dtype=np.int64)
    marks[4] = 1
    compared([n for n in range(12) if n != 2], at_once, marks)
    assert judged
    assert all(claims[5].id in {one.id, other.id} for one, other in judged)


def test_near_copies_are_found_among_thousands_without_comparing_all():
    vectors = unit_vectors(5000, dimensions=64)
    copies = vectors[:200] + 0.02 * unit_vectors(200, 1, 64)
    together = np.concatenate([vectors, copies / np.linalg.norm(copies, axis=1, keepdims=True)])
    pairs = pairs_of(nearest_in_cells(together, 4, 0.9))
    wanted = {(number, 5000 + number) for number in range(200)}
    assert len(wanted & set(pairs)) >= 198
    assert pairs == pairs_of(nearest_in_cells(together, 4, 0.9))
    assert wanted <= set(pairs_of(nearest(together, 4, 0.9)))


class OpinionatedModel:
    name = "openai/memory"
    timeout = 1.0

    def __init__(self, reply):
        self.reply = reply
        self.asked = 0

    def ask(self, system, user, schema):
        self.asked += 1
        if isinstance(self.reply, Exception):
            raise self.reply
        return Reply(self.reply)

    def cost(self, tokens_in, tokens_out):
        return None


def judged_by(model, **more):
    one = claim("Security fixes are released within 96 hours.")
    other = claim("Security fixes are released within 48 hours.")
    opinions = {}
    judge = ModelPairJudge(model, opinions.get, opinions.__setitem__, **more)
    return [found(one, other, judge=judge)[0] for _ in range(2)]


def test_a_model_adds_its_opinion_once_and_never_unblocks():
    model = OpinionatedModel('{"contradict": false, "reason": "They speak of two years."}')
    first, again = judged_by(model)
    assert first == again
    assert first.kind is PairKind.CONFLICT
    assert first.reasons[-1] == "openai/memory sees no contradiction: They speak of two years."
    assert (first.judge, model.asked) == ("rules+openai/memory", 1)


@pytest.mark.parametrize("reply", ["", "no", '{"contradict": "maybe"}', ModelError("gone")])
def test_a_model_without_an_opinion_changes_nothing(reply):
    first, _ = judged_by(OpinionatedModel(reply))
    assert first.judge == "rules"


def test_a_model_is_asked_no_more_than_the_budget_allows():
    model = OpinionatedModel("no")
    judged_by(model, max_requests=1)
    assert model.asked == 1
