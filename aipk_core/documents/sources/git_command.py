"""Running git so that neither the user's settings, nor a repository, nor a server can make it do anything else.

No shell, no prompts, no hooks, no configuration but the cache's own, known transports only, and every command is
stopped, with its children, when its time is over.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aipk_core.errors import SourceError

# What git may know of this process: where programs, keys, proxies and certificates are. Nothing else is passed on.
_PLACES = ("PATH", "HOME", "SSH_AUTH_SOCK", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
_PROXIES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "http.followRedirects=initial",
    "protocol.ext.allow=never",
    "protocol.file.allow=always",
)

# Pieces of git's (English) messages, and what they mean for the user: code, remedy.
_MEANINGS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("could not read Username", "Authentication failed", "Permission denied", "terminal prompts disabled", "403"),
        "git-denied",
        "Use a repository that needs no password, or an SSH key that is loaded",
    ),
    (
        ("couldn't find remote ref", "not our ref", "unadvertised object"),
        "git-revision",
        "Check revision in corpus.toml",
    ),
    (
        ("dubious ownership",),
        "git-denied",
        "The repository belongs to another user; make a copy of it",
    ),
    (
        (
            "does not appear to be a git repository",
            "not found",
            "Could not resolve",
            "unable to access",
            "does not exist",
        ),
        "git-unreachable",
        "Check repository in corpus.toml and the network",
    ),
    (
        ("Connection refused", "Connection timed out", "Could not read from remote", "early EOF", "hung up"),
        "git-unreachable",
        "Check the network and try again",
    ),
)


class Git:
    """Runs git commands in one bare repository.

    Args:
        repository: its folder.
        timeout: seconds that one command may take.
        where: name of the source, for errors.
    """

    def __init__(self, repository: Path, timeout: int, where: str) -> None:
        self.repository = repository
        self.timeout = timeout
        self.where = where

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Standard output of a command.

        Raises:
            SourceError: ``git-missing``, ``timeout``, or what its message means.
        """
        code, output, errors = self._finished(arguments, stdin)
        if code:
            raise _failure(self.where, arguments, code, errors)
        return output

    def succeeds(self, *arguments: str) -> bool:
        """Whether a command that only looks something up, here and not at the server, ends well."""
        return self._finished(arguments, b"", lazy=False)[0] == 0

    def sizes(self, ids: Sequence[str]) -> list[int]:
        """Bytes of each blob.

        Raises:
            SourceError: ``git-failed`` when one is not there.
        """
        if not ids:
            return []
        stdin = "".join(f"{identity}\n" for identity in ids).encode()
        output = self.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=stdin)
        sizes = []
        for line in output.decode("ascii", "replace").splitlines():
            kind, _, size = line.partition(" ")
            if kind != "blob" or not size.isdigit():
                raise _damaged(self.where)
            sizes.append(int(size))
        return sizes

    def _finished(self, arguments: Sequence[str], stdin: bytes, lazy: bool = True) -> tuple[int, bytes, str]:
        process = _started(self.repository, arguments, lazy=lazy, stderr=subprocess.PIPE)
        try:
            output, errors = process.communicate(stdin, timeout=self.timeout)
        except subprocess.TimeoutExpired as error:
            raise SourceError(
                f"git {_command(arguments)} took longer than {self.timeout} seconds",
                code="timeout",
                where=self.where,
                remedy="Raise timeout, or ask for fewer folders",
            ) from error
        finally:
            _ended(process)
        return process.returncode, output, errors.decode("utf-8", "replace")


class BlobReader:
    """Reads blobs by their ids through one ``git cat-file`` that is started when first needed.

    Safe to use from several threads, to hand to another process, and to use again after ``close``.
    """

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def read(self, identity: str) -> bytes:
        """The bytes of a blob.

        Raises:
            SourceError: ``source-changed`` when the cache no longer holds it.
        """
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                arguments = ("cat-file", "--batch")
                self._process = _started(self.repository, arguments, lazy=False, stderr=subprocess.DEVNULL)
                self._owner = os.getpid()
            data = self._answer(self._process, identity)
        if data is None:
            self.close()
            raise SourceError(
                "a file of the commit is no longer in the cache",
                code="source-changed",
                where=str(self.repository),
                remedy="Run the command again; if that does not help, delete this folder of the cache",
            )
        return data

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            if process is not None and self._owner == os.getpid():
                _ended(process)

    def _answer(self, process: subprocess.Popen[bytes], identity: str) -> bytes | None:
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(identity.encode("ascii") + b"\n")
            process.stdin.flush()
        except (BrokenPipeError, OSError):
            return None
        fields = process.stdout.readline().split()
        if len(fields) != 3 or fields[1] != b"blob":
            return None
        size = int(fields[2])
        data = process.stdout.read(size + 1)
        return data[:size] if len(data) == size + 1 else None

    def __getstate__(self) -> dict[str, Any]:
        return {"repository": self.repository}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["repository"])  # type: ignore[misc]

    def __del__(self) -> None:
        self.close()


def _started(repository: Path, arguments: Sequence[str], lazy: bool, stderr: int) -> subprocess.Popen[bytes]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = ["git", f"--git-dir={repository}", "--no-replace-objects", "--literal-pathspecs", *settings, *arguments]
    try:
        return subprocess.Popen(  # noqa: S603 - a list of arguments, checked by the settings model
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=_environment(lazy),
            cwd=repository,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise SourceError(
            "the program git is not installed",
            code="git-missing",
            where="git",
            remedy="Install git, or use a plain folder with the files",
        ) from error


def _environment(lazy: bool) -> dict[str, str]:
    environment = {name: os.environ[name] for name in (*_PLACES, *_PROXIES) if name in os.environ}
    environment |= {
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "SSH_ASKPASS": "/bin/false",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=30",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    if not lazy:
        environment["GIT_NO_LAZY_FETCH"] = "1"
    return environment


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Make sure that a command and its children (ssh, remote helpers) are gone."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:
                continue  # what was still to be written had no reader left
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        process.wait()


def _failure(where: str, arguments: Sequence[str], code: int, errors: str) -> SourceError:
    said = " ".join(errors.split())[:500]
    for pieces, kind, remedy in _MEANINGS:
        if any(piece in errors for piece in pieces):
            return SourceError(f"git {_command(arguments)}: {said}", code=kind, where=where, remedy=remedy)
    return SourceError(
        f"git {_command(arguments)} failed ({code}): {said}",
        code="git-failed",
        where=where,
        remedy="Check repository and revision in corpus.toml",
    )


def _damaged(where: str) -> SourceError:
    return SourceError(
        "the cached repository is damaged",
        code="git-failed",
        where=where,
        remedy="Delete its folder in the cache; the next build fetches it again",
    )


def _command(arguments: Sequence[str]) -> str:
    plain = [argument for argument in arguments if not argument.startswith("-") and "=" not in argument]
    return plain[0] if plain else "git"
