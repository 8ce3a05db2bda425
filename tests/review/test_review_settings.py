"""The table ``[review]`` of corpus.toml."""

import pytest
from canal import write_corpus

from aipk_core.corpus import load_corpus
from aipk_core.errors import CorpusError
from aipk_core.stages.review import policy_of

CHECKS = 'checks = ["numbers"]'


def test_a_sample_policy_is_read(tmp_path):
    review = f'policy = "sample"\n{CHECKS}\nsample_percent = 12.5\nmax_error_percent = 1\nsample_seed = "may"'
    policy = policy_of(load_corpus(write_corpus(tmp_path, review)))
    assert (policy.name, policy.checks) == ("sample", ("numbers",))
    assert (policy.sample.percent, policy.sample.max_error_percent, policy.sample.seed) == (12.5, 1.0, "may")


@pytest.mark.parametrize(
    "review",
    [
        'policy = "sample"',
        'policy = "auto"',
        f'policy = "manual"\n{CHECKS}',
        f'policy = "sample"\n{CHECKS}\nsample_percent = 0',
        f'policy = "sample"\n{CHECKS}\nmax_error_percent = 100',
        f'policy = "sample"\n{CHECKS}\nconfidence_percent = 20',
        "people_needed = 3",
        'people = { ana = "boss" }',
        'people = { ana = "reviewer" }',
        'people_needed = 2\npeople = { ana = "approver" }',
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path, review):
    with pytest.raises(CorpusError):
        load_corpus(write_corpus(tmp_path, review))
