import pytest

from aipk_core.cron import check_cron


@pytest.mark.parametrize("line", ["0 5 * * 1", "*/15 * * * *", "0 0,12 1-15/2 jan-mar MON", "30 4 * * sun,7"])
def test_cron_lines_pass(line):
    check_cron(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("daily", "5 fields"),
        ("0 0 * * * *", "5 fields"),
        ("60 0 * * *", "no minute"),
        ("0 0 0 * *", "no day of the month"),
        ("0 0 * 13 *", "no month"),
        ("0 0 * * 8", "no day of the week"),
        ("0 5-3 * * *", "ends before it begins"),
        ("*/0 * * * *", "no minute"),
        ("0 0 * * friday", "no day of the week of a cron line"),
        ("0 0 * mon *", "no month"),
    ],
)
def test_what_is_wrong_with_a_cron_line_is_said(line, message):
    with pytest.raises(ValueError, match=message):
        check_cron(line)
