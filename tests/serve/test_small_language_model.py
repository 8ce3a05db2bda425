"""The whole way with a real language model: aipk-serve, LiteLLM, llama.cpp, and the ``openai`` client in front."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import openai
import pytest
from local_model import MODEL, local_model, missing

pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(missing()), reason=missing() or "ready")]

QUESTIONS = ("How long are camera recordings kept?", "How many Heron 12 ferries have been sold?")
ACCEPTED = {"supported", "not_factual", "refusal"}


@contextmanager
def aipk_serve(*arguments: str) -> Iterator[str]:
    """The console script as a process of its own; gives the address that it prints."""
    command = [sys.executable, "-c", "from aipk_core.serve.command import main; main()", *arguments, "--port", "0"]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1,localhost", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            address = next((line.split()[-1] for line in iter(process.stdout.readline, "") if "OpenAI API" in line), "")
            assert address, "aipk-serve did not start"
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_a_small_model_is_held_to_the_claims(ferry_file: Path, tmp_path: Path) -> None:
    with (
        local_model() as base,
        aipk_serve(
            *(str(ferry_file), "--model", MODEL, "--api-base", base, "--enforcement", "observe"),
            *("--max-tokens", "64", "--prompt-claims", "4", "--cache-dir", str(tmp_path)),
        ) as address,
        openai.OpenAI(base_url=address, api_key="none", max_retries=0, timeout=200) as client,
    ):
        for question in QUESTIONS:  # asked for more strictly than the server would by itself
            reply = client.chat.completions.create(
                model="saltmarsh",
                messages=[{"role": "user", "content": question}],
                temperature=0,
                extra_body={"aipk": {"enforcement": "block"}},
            )
            report = (reply.model_extra or {})["_aipk"]
            assert (report["mode"], report["enforcement"], report["engine"]) == ("strict-render", "block", MODEL)
            assert reply.usage is not None
            assert reply.usage.completion_tokens > 0
            _check_nothing_unsupported(reply.choices[0].message.content or "", report)
        chunks = list(
            client.chat.completions.create(
                model="saltmarsh", messages=[{"role": "user", "content": QUESTIONS[0]}], temperature=0, stream=True
            )
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        reports = [chunk.model_extra["_aipk"] for chunk in chunks if "_aipk" in (chunk.model_extra or {})]
        assert text.strip()
        assert len(reports) == 1
        assert reports[0]["enforcement"] == "observe"
        assert reports[0]["units"] or reports[0]["refusal"]
        assert sum(reports[0]["counts"].values()) == len(reports[0]["units"])


def _check_nothing_unsupported(text: str, report: dict[str, object]) -> None:
    """What enforcement ``block`` promises: every unit is accepted, or there is a refusal and not a word more."""
    units = report["units"]
    assert isinstance(units, list)
    if report["refusal"] is None:
        assert all(unit["verdict"] in ACCEPTED for unit in units)
        assert any(unit["verdict"] == "supported" and unit["citations"] for unit in units)
        assert report["coverage"] == 1.0
    else:
        assert units == []
        assert report["citations"] == []
        assert text.startswith("I don't know")
