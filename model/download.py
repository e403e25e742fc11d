"""Get the sentence pairs of manythings.org/anki.

python -m model.download fra-eng
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse, InvalidURL
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tqdm import tqdm

from model.command_line import new_parser
from model.data.corpus import Corpus, read_corpus
from model.files.regular_file import open_regular
from model.files.replacing import replacing

CORPORA = {  # name -> what a model of it is called, and how it should be read
    "fra-eng": ("en-fr", ""),
    "cmn-eng": ("en-zh", " --simplified"),
}
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


def download(
    url: str, target: str | Path, *, sha256: str | None = None, timeout: float = 30.0
) -> Corpus:
    """Get a corpus over HTTP, with a progress bar.

    Args:
        url: of a zip that ``read_corpus`` takes; http or https.
        target: the file to make; it appears whole or not at all.
        sha256: what the file must hash to, in hexadecimal; None takes any.
        timeout: seconds of silence after which the line counts as cut.

    Returns:
        What the file holds.

    Raises:
        DownloadError: the server cannot be reached or has no such file, the line was cut, the disk
            is full, or what came is not the corpus that was asked for.
    """
    target = Path(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _answer(url, timeout) as answer, replacing(target) as part:
            with part.open("wb") as file:
                for chunk in _chunks(answer, target.name):
                    file.write(chunk)
            return _checked(part, url, sha256)
    except OSError as error:
        raise DownloadError(
            f"cannot write {error.filename or target}: {error.strerror}. Make room or choose "
            "another folder with --to"
        ) from error


@contextmanager
def _answer(url: str, timeout: float) -> Iterator[HTTPResponse]:
    """What the server sends; every refusal becomes a sentence."""
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"cannot download {url}: only http and https addresses")
    try:
        answer: HTTPResponse = urlopen(Request(url, headers=_HEADERS), timeout=timeout)
    except HTTPError as error:
        error.close()
        advice = ": is the address right?" if error.code in (404, 410) else ""
        raise DownloadError(
            f"the server does not hand out {url} ({error.code} {error.reason}){advice}"
        ) from error
    except InvalidURL as error:
        raise DownloadError(f"{url} is no address ({error})") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        said = getattr(reason, "strerror", None) or reason or type(reason).__name__
        raise DownloadError(f"cannot reach {url} ({said}). Is this computer online?") from error
    with answer:
        yield answer


def _chunks(answer: HTTPResponse, name: str) -> Iterator[bytes]:
    """The body as it arrives, with a progress bar; DownloadError if not all of it does."""
    announced = answer.headers.get("Content-Length", "")
    size = int(announced) if announced.isdecimal() else None
    with tqdm(total=size, unit="B", unit_scale=True, desc=name) as bar:
        try:
            while chunk := answer.read(_CHUNK):
                yield chunk
                bar.update(len(chunk))
        except (OSError, HTTPException) as error:
            raise _cut(int(bar.n), size) from error
        if size not in (None, bar.n):
            raise _cut(int(bar.n), size)


def _cut(n: int, size: int | None) -> DownloadError:
    of = "" if size is None else f" of {size:,}"
    return DownloadError(f"the line was cut after {n:,}{of} bytes. The same command tries again")


def _checked(part: Path, url: str, sha256: str | None) -> Corpus:
    """Read what has come."""
    try:
        if sha256:
            _check_hash(part, sha256)
        if not zipfile.is_zipfile(part):
            raise DownloadError("it is no zip; perhaps a page that your network puts in between")
        return read_corpus(part)
    except ValueError as error:
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
        print("\nStopped; nothing was written. The same command begins again.", file=sys.stderr)
        return 130
    print(f"{target}: {corpus}.\nSHA-256 {corpus.sha256}\n\n{ATTRIBUTION}\n\nNext:\n")
    name, way = CORPORA[options.name]
    print(
        f"    python -m model.train --corpus {target.as_posix()}{way} "
        f"--out checkpoints/my-{name} --steps 4000"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("download", __doc__)
    parser.add_argument("name", choices=CORPORA, help="the corpus: fra is French, cmn Chinese")
    parser.add_argument("--to", default="data", metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--url", help=f"another place to get it from ({URL})")
    parser.add_argument("--sha256", metavar="HEX", help="what the file must hash to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
