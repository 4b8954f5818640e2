"""Traces of a run that a server keeps."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, List, NamedTuple, Optional

from ._errors import BadDataError, InvalidArgumentError, IoError, NotFoundError
from ._progress import Progress, ProgressChoice, ProgressLine, teller

_RUN = re.compile(r"(https?://[^/?#]+)/(?:api/v1/)?runs/([0-9a-f]{16})/?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIECE_BYTES = 1 << 20
_MOST_LIST_BYTES = 256 << 20


class _File(NamedTuple):
    name: str
    bytes: int
    sha256: str


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token is for the server that was named, and for no other that it names."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


class _Run:
    """Asks the server about one run."""

    def __init__(self, url: str, token: Optional[str], ca_file: Optional[str]) -> None:
        found = _RUN.fullmatch(url)
        if found is None:
            raise InvalidArgumentError(f"{url} is no address of a run: http://HOST:PORT/runs/ID is one")
        self.id = found[2]
        self._url = f"{found[1]}/api/v1/runs/{found[2]}"
        if token and not re.fullmatch(r"[!-~]+", token):
            raise InvalidArgumentError("a token is one word of plain letters, digits and signs")
        self._headers = {} if not token else {"Authorization": f"Bearer {token}"}
        handlers: List[Any] = [_NoRedirect]
        if url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca_file)))
        self._opener = urllib.request.build_opener(*handlers)

    def open(self, what: str) -> Any:
        request = urllib.request.Request(f"{self._url}/{what}", headers=self._headers)
        try:
            return self._opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise IoError(f"{self._url}: the server cannot be reached: {getattr(error, 'reason', error)}") from error

    def files(self) -> List[_File]:
        """What was sent whole, and no code: that is no trace."""
        with self.open("files") as answer:
            text = answer.read(_MOST_LIST_BYTES)
        try:
            listed = json.loads(text)["files"]
            files = [_File(one["name"], one["bytes"], one["sha256"]) for one in listed]
            sound = all(isinstance(name, str) and isinstance(size, int) and size >= 0 for name, size, _ in files)
            sound = sound and all(isinstance(one.sha256, str) and _SHA256.fullmatch(one.sha256) for one in files)
        except (ValueError, KeyError, TypeError, RecursionError):
            sound = False
        if not sound:
            raise BadDataError(f"{self._url}/files: the answer is no list of files of a rankscope server")
        return [one for one in files if not one.name.startswith(".")]

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        try:
            said = json.loads(error.read(1 << 16))["error"]["message"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError, http.client.HTTPException):
            said = f"it answers {error.code}"
        if 300 <= error.code < 400:
            said += ", which leads elsewhere: name the server itself"
        if error.code in (401, 403):
            said += "; rankscope.fetch(..., token=) or $RANKSCOPE_TOKEN says who asks"
        return (NotFoundError if error.code == 404 else IoError)(f"{self._url}: {said}")


def _path_below(folder: str, name: str) -> str:
    parts = name.split("/")
    is_plain = name.isprintable() and "\\" not in name and len(name.encode("utf-8", "replace")) <= 1024
    if not is_plain or any(part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 240 for part in parts):
        raise BadDataError(f"the server names a file {name[:200]!r}, which is none of a run")
    path = os.path.join(folder, *parts)
    # A link that lies in the folder leads out of it.
    if os.path.commonpath([os.path.realpath(folder), os.path.realpath(path)]) != os.path.realpath(folder):
        raise BadDataError(f"{path}: a link on the way to it leads out of {folder}")
    return path


def _has(path: str, bytes_there: int, sha256: str) -> bool:
    if not os.path.isfile(path) or os.path.getsize(path) != bytes_there:
        return False
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(_PIECE_BYTES), b""):
            digest.update(piece)
    return digest.hexdigest() == sha256


def fetch(
    run: str,
    folder: Optional[str] = None,
    *,
    token: Optional[str] = None,
    ca_file: Optional[str] = None,
    progress: ProgressChoice = None,
) -> str:
    """The folder with the traces of a server's run, which are fetched where they are not there yet.

    `run` is the address of its page, or of it in the API. `folder` is made; without one it is `run-ID` in the folder of now. What
    lies there already with the same content is not fetched again, and each file appears whole or not. `token` is one that may
    read ($RANKSCOPE_TOKEN without), `ca_file` has certificates that are trusted beside the system's.

        job = rankscope.open(rankscope.fetch("http://127.0.0.1:8723/runs/0123456789abcdef"))
    """
    server = _Run(run, token or os.environ.get("RANKSCOPE_TOKEN"), ca_file)
    folder = folder or f"run-{server.id}"
    files = server.files()
    if not files:
        raise NotFoundError(f"{run}: no file of the run has come yet")
    total = sum(one.bytes for one in files)
    line = ProgressLine("fetching")
    tell = teller(progress, line)
    done = 0
    try:
        for number, one in enumerate(files):
            path = _path_below(folder, one.name)

            def told(of_file: int, at: int = number, before: int = done) -> None:
                if tell is not None:
                    tell(Progress(at, len(files), before + of_file, total))

            if not _has(path, one.bytes, one.sha256):
                _fetch_file(server, one, path, told)
            done += one.bytes
    finally:
        line.end()
    return folder


def _fetch_file(server: _Run, one: _File, path: str, told: Any) -> None:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    except OSError as error:
        raise IoError(f"{path}: its folder cannot be made: {error.strerror}") from error
    pending = f"{path}.{os.getpid()}.part"
    digest = hashlib.sha256()
    got = 0
    try:
        with server.open("files/" + urllib.parse.quote(one.name)) as answer, open(pending, "wb") as file:
            while got <= one.bytes and (piece := answer.read(_PIECE_BYTES)):
                file.write(piece)
                digest.update(piece)
                got += len(piece)
                told(got)
        if digest.hexdigest() != one.sha256:
            raise IoError(f"{path}: what arrived is not what the server has; fetch it again")
        os.replace(pending, path)
    except http.client.HTTPException as error:
        raise IoError(f"{path}: the server broke off; fetch it again") from error
    except OSError as error:
        raise error if isinstance(error, IoError) else IoError(f"{path}: {error.strerror or error}") from error
    finally:
        if os.path.exists(pending):
            os.remove(pending)
