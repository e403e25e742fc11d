"""Get the sentence pairs of manythings.org/anki, and go on where a cut line left off.

python -m model.download fra-eng
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPException, HTTPResponse, InvalidURL
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tqdm import tqdm

from model.data.corpus import Corpus, read_corpus
from model.files.json_file import LARGEST, decode
from model.files.regular_file import open_regular, read_regular
from model.files.replacing import bring_to_disk, write_text

CORPORA = {"fra-eng": "en-fr", "cmn-eng": "en-zh"}  # name -> what a model of it is called
URL = "https://www.manythings.org/anki/{name}.zip"
ATTRIBUTION = """\
Sentence pairs of the Tatoeba project, https://tatoeba.org, put together by
https://www.manythings.org/anki/, licence CC BY 2.0 FR: name both wherever you share them, or a
model trained on them."""

# The server turns Python's own name away (406 Not Acceptable).
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; attention-explorer/0.1)"}
_CHUNK = 1 << 16


class DownloadError(ValueError):
    """A file that could not be had; the message says why and what to do."""


class _LineCutError(Exception):
    """The line was cut: worth another try."""


@dataclass(frozen=True)
class _Version:
    """Which state of which file the server sends, as far as it says.

    Args:
        url: where the file is.
        mark: its strong ETag, else its Last-Modified, else None: then no part of it is ever
            put together with another.
        size: bytes of the whole file, if announced.
    """

    url: str
    mark: str | None
    size: int | None


class _Part:
    """The beginning of a file, and beside it a note of the version that it belongs to."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self._note = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that are here."""
        return self.path.stat().st_size if self.path.is_file() else 0

    @property
    def version(self) -> _Version | None:
        """The noted version; None if there is no readable note."""
        try:
            return decode(read_regular(self._note, LARGEST), _Version)
        except (OSError, ValueError):
            return None

    def begin(self, version: _Version) -> None:
        """Forget what is here: the bytes to come are the first of this version."""
        self.path.write_bytes(b"")
        write_text(self._note, json.dumps(asdict(version)))

    def discard(self) -> None:
        """Remove the part and its note."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """The part becomes the file, at once and whole."""
        bring_to_disk(self.path)
        self.path.replace(target)
        self._note.unlink(missing_ok=True)


def download(
    url: str,
    target: str | Path,
    *,
    sha256: str | None = None,
    tries: int = 5,
    pause: float = 1.0,
    timeout: float = 30.0,
) -> Corpus:
    """Get a corpus over HTTP, with a progress bar.

    What has arrived is kept in ``target.part`` until all of it is here and has been read; the
    next call goes on from there, if the server still has the same version of the file.

    Args:
        url: of a zip that ``read_corpus`` takes; http or https.
        target: the file to make; it appears whole or not at all.
        sha256: what the file must hash to, in hexadecimal; None takes any.
        tries: how often to connect, at least 1, before giving up on a line that gets cut.
        pause: seconds before the second try; doubled before each one after it.
        timeout: seconds of silence after which the line counts as cut.

    Returns:
        What the file holds.

    Raises:
        DownloadError: the server cannot be reached or has no such file, the line was cut too
            often, the disk is full, or what came is not the corpus that was asked for.
    """
    target = Path(target)
    part = _Part(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tqdm(unit="B", unit_scale=True, desc=target.name) as bar:
            _fetch(url, part, bar, tries=tries, pause=pause, timeout=timeout)
        corpus = _checked(part, url, sha256)
        part.finish(target)
    except OSError as error:
        raise DownloadError(
            f"cannot write {error.filename or part.path}: {error.strerror}. Make room or choose "
            "another folder with --to; the same command then goes on with what is there"
        ) from error
    return corpus


def _fetch(url: str, part: _Part, bar: Any, *, tries: int, pause: float, timeout: float) -> None:
    """Connect again and again until the part is complete."""
    for attempt in range(1, tries + 1):
        try:
            return _attempt(url, part, bar, timeout)
        except _LineCutError as cut:
            if attempt == tries:
                raise DownloadError(
                    f"gave up on {url} after {tries} tries: {cut}. {part.size:,} bytes are kept; "
                    "the same command goes on from there"
                ) from cut
            bar.write(f"{cut}: trying again ({attempt + 1} of {tries})", file=sys.stderr)
            time.sleep(pause * 2 ** (attempt - 1))
    raise ValueError(f"tries must be at least 1, got {tries}")


def _attempt(url: str, part: _Part, bar: Any, timeout: float) -> None:
    """Connect once and append what comes; _LineCutError if that does not complete the part."""
    noted = part.version
    headers = {}
    if noted and noted.url == url and noted.mark and part.size:
        if part.size == noted.size:  # all is here; only the last check was cut off
            return
        headers = {"Range": f"bytes={part.size}-", "If-Range": noted.mark}
    with _open(url, headers, part, timeout) as response:
        start, version = _what_comes(response, url)
        if start == 0:
            part.begin(version)
        elif (start, version) != (part.size, noted):
            part.discard()
            raise _LineCutError("the file has changed on the server")
        bar.total, bar.initial, bar.n = version.size, start, start
        with part.path.open("ab") as file:
            for chunk in _chunks(response):
                file.write(chunk)
                bar.update(len(chunk))
    if version.size is not None and part.size != version.size:
        raise _LineCutError(f"the line was cut after {part.size:,} of {version.size:,} bytes")


def _open(url: str, headers: dict[str, str], part: _Part, timeout: float) -> HTTPResponse:
    """Send the request; every refusal becomes a sentence."""
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"cannot download {url}: only http and https addresses")
    try:
        response: HTTPResponse = urlopen(Request(url, headers=_HEADERS | headers), timeout=timeout)
        return response
    except HTTPError as error:
        error.close()
        if error.code == 416:  # the part is no beginning of what is there now
            part.discard()
            raise _LineCutError("the file has changed on the server") from error
        if error.code in (408, 429) or error.code >= 500:
            raise _LineCutError(f"the server answers {error.code} {error.reason}") from error
        advice = ": is the address right?" if error.code in (404, 410) else ""
        raise DownloadError(
            f"the server does not hand out {url} ({error.code} {error.reason}){advice}"
        ) from error
    except URLError as error:
        raise _unreachable(url, error.reason) from error
    except InvalidURL as error:
        raise DownloadError(f"{url} is no address ({error})") from error
    except (OSError, HTTPException) as error:
        raise _LineCutError(f"the line was cut before an answer came ({_reason(error)})") from error


def _unreachable(url: str, reason: object) -> Exception:
    """A line that hangs may come back; a server that is not there will not."""
    if isinstance(reason, TimeoutError | ConnectionResetError):
        return _LineCutError(f"no answer ({_reason(reason)})")
    return DownloadError(
        f"cannot reach {url} ({_reason(reason)}). Is this computer online? The same command goes "
        "on with what is there"
    )


def _reason(error: object) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def _what_comes(response: HTTPResponse, url: str) -> tuple[int, _Version]:
    """Position of the first byte to come, and the version of the file it belongs to."""
    etag = response.headers.get("ETag", "")
    mark = etag if etag.startswith('"') else response.headers.get("Last-Modified")
    if response.status != 206:
        length = response.headers.get("Content-Length")
        return 0, _Version(url, mark, int(length) if length else None)
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
    if not found:
        raise DownloadError(f"the server of {url} sends a part without saying which")
    return int(found[1]), _Version(url, mark, None if found[2] == "*" else int(found[2]))


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    """The body as it arrives; a line cut on the way is no trouble with the disk."""
    while True:
        try:
            chunk = response.read(_CHUNK)
        except (OSError, HTTPException) as error:
            raise _LineCutError(f"the line was cut ({_reason(error)})") from error
        if not chunk:
            return
        yield chunk


def _checked(part: _Part, url: str, sha256: str | None) -> Corpus:
    """Read the complete part; it is removed if it is not what was wanted."""
    try:
        if sha256:
            _check_hash(part.path, sha256)
        if not zipfile.is_zipfile(part.path):
            raise DownloadError("it is no zip; perhaps a page that your network puts in between")
        return read_corpus(part.path)
    except ValueError as error:
        part.discard()
        raise DownloadError(f"what came from {url} cannot be used: {error}") from error


def _check_hash(path: Path, sha256: str) -> None:
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256.strip().lower():
        raise DownloadError(f"its SHA-256 is {digest}, not {sha256}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 failed, 130 stopped by Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    target = Path(options.to) / f"{options.name}.zip"
    try:
        if target.exists():
            print(f"{target} is there already; remove it first to get the newest.")
            if options.sha256:
                _check_hash(target, options.sha256)
            corpus = read_corpus(target)
        else:
            url = options.url or URL.format(name=options.name)
            corpus = download(url, target, sha256=options.sha256)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            f"\nStopped; what has arrived is kept in {target}.part. The same command goes on.",
            file=sys.stderr,
        )
        return 130
    print(f"{target}: {corpus}.\nSHA-256 {corpus.sha256}\n\n{ATTRIBUTION}\n\nNext:\n")
    print(
        f"    python -m model.train --corpus {target.as_posix()} "
        f"--out checkpoints/my-{CORPORA[options.name]} --steps 4000"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m model.download",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=CORPORA, help="the corpus: fra is French, cmn Chinese")
    parser.add_argument("--to", default="data", metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--url", help=f"another place to get it from ({URL})")
    parser.add_argument("--sha256", metavar="HEX", help="what the file must hash to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
