"""Commands in pipelines: a reader that leaves early is no error, and a character that cannot be shown ends nothing."""

import os
import subprocess
import sys

COMMAND = "import sys; from aipk_core.cli import main; sys.argv = ['aipk', *sys.argv[1:]]; main()"
PRINTING = """
import typer
from aipk_core.cli.console import out, reporting_errors

@reporting_errors
def command(code: int) -> None:
    for number in range(20_000):
        {print}(f"line {{number}}")
    raise typer.Exit(code)

app = typer.Typer()
app.command()(command)
app()
"""


def run_and_leave(code, *arguments):
    """Start Python, read one line of what it prints and close the pipe; the exit code and standard error."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    return process.wait(timeout=60), errors


def test_a_reader_that_leaves_early_is_no_error():
    for way in ("print", "out.print"):
        assert run_and_leave(PRINTING.format(print=way), "1") == (0, ""), way


def test_the_exit_code_of_a_command_that_printed_everything_stays():
    code = PRINTING.format(print="print").replace("20_000", "2")
    done = subprocess.run([sys.executable, "-c", code, "1"], capture_output=True, check=False, timeout=60)
    assert done.returncode == 1


def test_a_terminal_without_unicode_and_an_argument_that_is_no_text():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "inspect", b"f\xc3\xbcr \xff.aipk"],
        capture_output=True,
        env=environment,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert b"[package-missing]" in done.stderr
    assert b"Traceback" not in done.stderr
