"""Get the sentence pairs of manythings.org/anki.

python -m model.download fra-eng
"""

import argparse
import shutil
import sys
import zipfile
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tqdm import tqdm

from model.command_line import new_parser, run
from model.corpora.corpus import Corpus, read_corpus
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

# The server turns Python's own name away (406 Not Acceptable). torch.hub's download sends no name
# but its own, has no timeout, and takes a file that was cut off for whole.
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; attention-explorer/0.1)"}


def download(url: str, target: Path, *, sha256: str | None = None, timeout: float = 30.0) -> Corpus:
    """Get a corpus, with a progress bar; returns what it holds.

    The file appears whole or not at all. ValueError where the server cannot be reached or has no
    such file, the line was cut (``timeout`` seconds of silence), the disk is full, or what came is
    not the corpus that was asked for: a zip that ``read_corpus`` takes, of this hash.
    """
    request = Request(url, headers=_HEADERS)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            with urlopen(request, timeout=timeout) as answer, part.open("wb") as file:
                size = getattr(answer, "length", None)
                with tqdm.wrapattr(answer, "read", total=size, desc=part.stem) as body:
                    shutil.copyfileobj(body, file)
            if not zipfile.is_zipfile(part):
                raise ValueError("what came is no zip: cut off, or a page of your network's own")
            return _read(part, sha256)
    except (OSError, HTTPException, ValueError) as error:
        said = str(error)
        if isinstance(error, HTTPError):
            error.close()
        elif isinstance(error, URLError):
            said = f"{error.reason}. Is this computer online?"
        raise ValueError(f"cannot get {target} from {url}: {said}") from error


def _read(path: Path, sha256: str | None) -> Corpus:
    corpus = read_corpus(path)
    if sha256 and corpus.sha256 != sha256.strip().lower():
        raise ValueError(f"its SHA-256 is {corpus.sha256}, not {sha256}")
    return corpus


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 failed, 130 stopped by Ctrl-C."""
    parser = new_parser("download", __doc__)
    parser.add_argument("name", choices=CORPORA, help="the corpus: fra is French, cmn Chinese")
    parser.add_argument("--to", default="data", metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--url", help=f"another place to get it from ({URL})")
    parser.add_argument("--sha256", metavar="HEX", help="what the file must hash to")
    return run(parser, _download, arguments)


def _download(options: argparse.Namespace) -> int:
    target = Path(options.to) / f"{options.name}.zip"
    try:
        if target.exists():
            print(f"{target} is there already; remove it first to get the newest.")
            corpus = _read(target, options.sha256)
        else:
            url = options.url or URL.format(name=options.name)
            corpus = download(url, target, sha256=options.sha256)
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


if __name__ == "__main__":
    sys.exit(main())
