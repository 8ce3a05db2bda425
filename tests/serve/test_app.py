"""The server seen from outside: with the official ``openai`` client, and with requests that no client would send."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import openai
import pytest
from answer_doubles import ScriptedBackend

from aipk_core.answer.model import Enforcement, Message, Mode
from aipk_core.errors import EmbedderError, ModelError
from aipk_core.serve.app import ServeSettings
from aipk_core.serve.desks import Desks

Start = Callable[..., str]

QUESTION = "How long are camera recordings kept?"
TRUE = "Camera recordings are kept for 45 days."
LIE = "Camera recordings are kept for 99 days and sold to Zanzibar Films."


_open: list[openai.OpenAI] = []


@pytest.fixture(autouse=True)
def closed_clients() -> Iterator[None]:
    yield
    while _open:
        _open.pop().close()


def client(address: str) -> openai.OpenAI:
    _open.append(openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0, timeout=60))
    return _open[-1]


def ask(address: str, question: Any = QUESTION, **options: Any) -> Any:
    messages = [{"role": "user", "content": question}]
    return client(address).chat.completions.create(model="saltmarsh", messages=messages, **options)


def test_the_openai_client_gets_an_answer_with_its_source_sentence(start: Start) -> None:
    address = start()
    assert [model.id for model in client(address).models.list()] == ["saltmarsh"]
    assert client(address).models.retrieve("saltmarsh").owned_by == "aipk"
    reply = ask(address)
    assert reply.choices[0].message.content.startswith(TRUE)
    assert reply.choices[0].finish_reason == "stop"
    report = reply.model_extra["_aipk"]
    assert report["coverage"] == 1.0
    assert report["refusal"] is None
    assert report["units"][0]["verdict"] == "supported"
    citation = report["citations"][0]
    assert citation["quote"] == TRUE
    assert citation["url"] == "https://ferries.example/safety-procedure#records"
    page = httpx.get(address + citation["source"]).text
    assert f'<mark id="cited">{TRUE}</mark>' in page


def test_a_stream_carries_the_report_before_it_says_stop(start: Start) -> None:
    chunks = list(ask(start(), stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text.startswith(TRUE)
    reports = [index for index, chunk in enumerate(chunks) if "_aipk" in (chunk.model_extra or {})]
    stops = [index for index, chunk in enumerate(chunks) if chunk.choices and chunk.choices[0].finish_reason]
    assert len(reports) == len(stops) == 1
    assert reports[0] < stops[0]
    assert chunks[reports[0]].model_extra["_aipk"]["coverage"] == 1.0
    assert chunks[-1].usage.total_tokens == 0
    assert chunks[-1].choices == []


def test_a_question_that_the_sources_do_not_answer_is_refused(start: Start) -> None:
    reply = ask(start(), "What does the Heron 12 cost?")
    assert reply.choices[0].message.content.startswith("I don't know")
    report = reply.model_extra["_aipk"]
    assert report["refusal"]["code"] == "not-in-sources"
    assert report["coverage"] is None
    assert report["citations"] == []


def test_what_is_blocked_is_in_no_byte_of_the_response(start: Start) -> None:
    for mode in (Mode.STRICT_RENDER, Mode.STRICT_VERIFY, Mode.NORMAL):
        address = start(ServeSettings(mode=mode), backend=ScriptedBackend(LIE))
        for stream in (False, True):
            body = {"messages": [{"role": "user", "content": QUESTION}], "stream": stream}
            response = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=60)
            assert response.status_code == 200
            assert "Zanzibar" not in response.text
            assert "unsupported" in response.text


def test_a_client_may_ask_for_stricter_answers_and_not_for_laxer_ones(start: Start) -> None:
    lax = start(ServeSettings(mode=Mode.NORMAL, enforcement=Enforcement.OBSERVE), backend=ScriptedBackend(LIE))
    assert "Zanzibar" in ask(lax).choices[0].message.content
    wanted = {"aipk": {"mode": "strict-render", "enforcement": "block"}}
    assert "Zanzibar" not in ask(lax, extra_body=wanted).choices[0].message.content
    strict = start(backend=ScriptedBackend(LIE))
    wanted = {"aipk": {"mode": "normal", "enforcement": "observe"}}
    report = ask(strict, extra_body=wanted).model_extra["_aipk"]
    assert (report["mode"], report["enforcement"]) == ("strict-render", "block")


def test_settings_reach_the_model_as_they_were_sent(start: Start) -> None:
    backend = ScriptedBackend("I don't know.")
    address = start(backend=backend)
    ask(address, temperature=0, top_p=0.5, max_completion_tokens=77, stop=["END"], seed=3)
    sampling = backend.samplings[-1]
    assert (sampling.temperature, sampling.top_p, sampling.max_tokens) == (0.0, 0.5, 77)
    assert (sampling.stop, sampling.seed) == (("END",), 3)
    ask(address, temperature=0.7, max_tokens=5)
    assert (backend.samplings[-1].temperature, backend.samplings[-1].max_tokens) == (0.7, 5)


def test_parts_nulls_and_unknown_fields_are_understood(start: Start) -> None:
    address = start()
    parts = [{"type": "text", "text": "How long are camera"}, {"type": "text", "text": "recordings kept?"}]
    assert TRUE in ask(address, parts).choices[0].message.content
    body = {
        "model": None,
        "messages": [
            {"role": "developer", "content": None},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "user", "content": QUESTION, "name": None},
        ],
        "temperature": None,
        "stream": None,
        "max_tokens": None,
        "tools": [{"type": "function", "function": {"name": "anything", "parameters": {}}}],
        "tool_choice": "auto",
        "user": "somebody",
        "new_field": {"of": ["tomorrow"]},
    }
    response = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=60)
    assert TRUE in response.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"", None),
        (b"{", None),
        (b"\xff\xfe", None),
        (b"[]", None),
        (b"[" * 100_000, None),
        (b'{"messages": NaN}', None),
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages[0]"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": "x"}] * 300}, "messages"),
        ({"messages": [{"role": "user", "content": "x"}], "temperature": "hot"}, "temperature"),
        ({"messages": [{"role": "user", "content": "x"}], "temperature": True}, "temperature"),
        ({"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}, "max_tokens"),
        ({"messages": [{"role": "user", "content": "x"}], "n": 2}, "n"),
        ({"messages": [{"role": "user", "content": "x"}], "stream": "yes"}, "stream"),
        ({"messages": [{"role": "user", "content": "x"}], "stop": list("abcde")}, "stop"),
        ({"messages": [{"role": "user", "content": "x"}], "tool_choice": "required"}, "tool_choice"),
        (
            {"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}},
            "response_format",
        ),
        ({"messages": [{"role": "user", "content": "x"}], "aipk": {"mode": "loose"}}, "aipk.mode"),
        ({"messages": [{"role": "user", "content": "x"}], "model": ["m"]}, "model"),
    ],
)
def test_bad_requests_get_an_error_object_and_a_status(start: Start, body: Any, param: str | None) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = httpx.post(f"{start()}/v1/chat/completions", content=content, timeout=60)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["param"] == param
    assert error["message"]


def test_wrong_places_get_error_objects_too(start: Start) -> None:
    address = start()
    with pytest.raises(openai.NotFoundError) as caught:
        client(address).chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "x"}])
    assert caught.value.code == "model_not_found"
    assert "saltmarsh" in str(caught.value)
    assert httpx.get(f"{address}/nowhere").json()["error"]["code"] == "not_found"
    assert httpx.get(f"{address}/v1/chat/completions").status_code == 405
    assert httpx.get(f"{address}/source/saltmarsh/none.md").status_code == 404
    assert httpx.get(f"{address}/source/none/crew-handbook.md").status_code == 404
    assert httpx.get(f"{address}/source/saltmarsh/crew-handbook.md?start=x").status_code == 400
    assert httpx.get(f"{address}/static/..%2fapp.py").status_code == 404


def test_a_dead_model_is_an_error_with_a_status_and_never_an_answer(start: Start) -> None:
    for code, status in (("model-unavailable", 502), ("model-timeout", 504), ("model-rate-limited", 429)):
        address = start(backend=ScriptedBackend(ModelError("no reply", code=code)))
        for stream in (False, True):
            with pytest.raises(openai.APIStatusError) as caught:
                list(ask(address, stream=stream))
            assert caught.value.status_code == status
            assert caught.value.code == code


def test_an_error_late_in_a_stream_reaches_the_client(start: Start) -> None:
    def late(_: Sequence[Message]) -> str:
        time.sleep(0.5)
        raise ModelError("it broke")

    address = start(ServeSettings(keep_alive_seconds=0.1), backend=ScriptedBackend(late))
    with pytest.raises(openai.APIError, match="it broke"):
        list(ask(address, stream=True))


def test_a_dead_embedder_is_an_error_and_an_unexpected_one_says_nothing_private(start: Start) -> None:
    address = start(backend=ScriptedBackend(EmbedderError("gone")))
    with pytest.raises(openai.InternalServerError) as caught:
        ask(address)
    assert caught.value.status_code == 503
    address = start(backend=ScriptedBackend(RuntimeError("secret path /home/somebody")))
    response = httpx.post(
        f"{address}/v1/chat/completions", json={"messages": [{"role": "user", "content": QUESTION}]}, timeout=60
    )
    assert response.status_code == 500
    assert "secret" not in response.text
    assert response.json()["error"]["code"] == "internal_error"


def test_a_waiting_stream_is_kept_alive(start: Start) -> None:
    def slow(_: Sequence[Message]) -> str:
        time.sleep(0.6)
        return "I don't know."

    address = start(ServeSettings(keep_alive_seconds=0.1), backend=ScriptedBackend(slow))
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}
    with httpx.stream("POST", f"{address}/v1/chat/completions", json=body, timeout=60) as response:
        lines = list(response.iter_lines())
    assert sum(line.startswith(":") for line in lines) >= 3
    assert [line for line in lines if line.startswith("data:")][-1] == "data: [DONE]"


def test_requests_do_not_wait_for_each_other(start: Start) -> None:
    together = threading.Barrier(4, timeout=20)

    def meet(_: Sequence[Message]) -> str:
        together.wait()  # passes only when four calls are inside at the same time
        return "I don't know."

    address = start(backend=ScriptedBackend(meet))
    done: list[str] = []
    threads = [threading.Thread(target=lambda: done.append(ask(address).id)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(set(done)) == 4


def test_health_answers_while_every_worker_is_busy_and_further_requests_are_told_so(start: Start) -> None:
    release = threading.Event()

    def wait(_: Sequence[Message]) -> str:
        release.wait(timeout=20)
        return "I don't know."

    address = start(ServeSettings(workers=1, waiting=0), backend=ScriptedBackend(wait))
    thread = threading.Thread(target=lambda: ask(address))
    thread.start()
    time.sleep(0.5)
    try:
        assert httpx.get(f"{address}/health", timeout=30).json()["status"] == "ok"
        with pytest.raises(openai.APIStatusError) as caught:
            ask(address)
        assert caught.value.status_code == 503
        assert caught.value.code == "server_busy"
        assert caught.value.response.headers["retry-after"]
    finally:
        release.set()
        thread.join(timeout=20)


def test_an_answer_that_takes_too_long_is_given_up(start: Start) -> None:
    def slow(_: Sequence[Message]) -> str:
        time.sleep(3)
        return TRUE

    address = start(ServeSettings(answer_seconds=0.3), backend=ScriptedBackend(slow))
    with pytest.raises(openai.APIStatusError) as caught:
        ask(address)
    assert caught.value.status_code == 504


def test_search_is_bounded_and_names_its_sources(start: Start) -> None:
    address = start()
    for kind in ("claims", "chunks"):
        found = httpx.post(f"{address}/v1/retrieve", json={"query": QUESTION, "limit": 3, "kind": kind}, timeout=60)
        data = found.json()["data"]
        assert len(data) == 3
        assert all(entry["document"] and entry["package"] == "saltmarsh" for entry in data)
        assert httpx.get(address + data[0]["source"]).status_code == 200
    for bad in (
        {"query": QUESTION, "limit": 10**6},
        {"query": ""},
        {"query": "x" * 5_000},
        {"query": "x", "kind": "all"},
    ):
        assert httpx.post(f"{address}/v1/retrieve", json=bad, timeout=60).status_code == 400


def test_several_packages_are_models_of_their_own_and_one_together(start: Start, two_desks: Desks) -> None:
    address = start(desks=two_desks)
    names = [model.id for model in client(address).models.list()]
    assert names == ["all-packages", "saltmarsh", "procedure"]
    for name, question, package in (
        ("procedure", QUESTION, "procedure"),
        ("saltmarsh", "How many employees does the company have?", "saltmarsh"),
        ("all-packages", "How many employees does the company have?", "saltmarsh"),
    ):
        messages: Any = [{"role": "user", "content": question}]
        reply = client(address).chat.completions.create(model=name, messages=messages)
        assert reply.model == name
        report = (reply.model_extra or {})["_aipk"]
        assert report["coverage"] == 1.0
        assert report["citations"][0]["package"] == package
        assert httpx.get(address + report["citations"][0]["source"]).status_code == 200
    messages = [{"role": "user", "content": "How many employees does the company have?"}]
    alone = client(address).chat.completions.create(model="procedure", messages=messages)
    assert (alone.model_extra or {})["_aipk"]["refusal"] is not None


def test_a_claim_of_another_package_does_not_count_as_a_citation(start: Start, two_desks: Desks) -> None:
    from ferry_company import claims

    head_office = next(claim for claim in claims() if "head office" in claim.text)
    backend = ScriptedBackend(f"{head_office.text} [{head_office.id}]")
    address = start(desks=two_desks, backend=backend)
    messages: Any = [{"role": "user", "content": "Where is the head office?"}]
    good = client(address).chat.completions.create(model="saltmarsh", messages=messages)
    assert (good.model_extra or {})["_aipk"]["refusal"] is None
    bad = client(address).chat.completions.create(model="procedure", messages=messages)
    assert (bad.model_extra or {})["_aipk"]["refusal"] is not None
