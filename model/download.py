"""Download the sentence pairs of manythings.org/anki, or a translation model from the Hub.

python -m model.download fra-eng
python -m model.download Helsinki-NLP/opus-mt-en-fr
"""

import argparse
import shlex
import shutil
import ssl
import sys
import zipfile
from collections.abc import Sequence
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tqdm.utils import CallbackIOWrapper

from model.command_line import new_parser, run
from model.corpora.corpus import Corpus, read_corpus
from model.files.folder_lock import folder_lock
from model.files.path_argument import path_argument
from model.files.replacing import replacing
from model.progress import progress_bar

# Corpus name -> its model name, its options for model.train, and enough steps for a useful model.
CORPORA = {
    "fra-eng": ("en-fr", "", 9000),
    "cmn-eng": ("en-zh", " --simplified", 4000),
}
URL = "https://www.manythings.org/anki/{name}.zip"
ATTRIBUTION = """\
Sentence pairs of the Tatoeba project, https://tatoeba.org, put together by
https://www.manythings.org/anki/, licence CC BY 2.0 FR: name both wherever you share them, or a
model trained on them."""

# The server rejects Python's user agent (406 Not Acceptable). The download function of torch.hub
# cannot send a different name, has no timeout, and does not detect an incomplete file.
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; attention-explorer/0.1)"}


def download(url: str, target: Path, *, sha256: str | None = None, timeout: float = 30.0) -> Corpus:
    """Download a corpus with a progress bar. The file is written completely or not at all.

    Args:
        url: of a zip.
        target: the file to write.
        sha256: hash that the file must have; None allows any.
        timeout: seconds without data after which the download fails.

    Returns:
        The corpus.

    Raises:
        ValueError: the server cannot be reached or has no such file, the download was cut off, the
            disk is full, another process downloads the same file, or the file is not the corpus
            that was asked for.
    """
    request = Request(url, headers=_HEADERS)
    try:
        # Two downloads would write into the same unfinished file.
        with folder_lock(target), replacing(target) as unfinished:
            with urlopen(request, timeout=timeout) as response, unfinished.open("wb") as file:
                size = getattr(response, "length", None)
                with progress_bar(total=size, description=target.name, in_bytes=True) as bar:
                    shutil.copyfileobj(CallbackIOWrapper(bar.update, response, "read"), file)
            if not zipfile.is_zipfile(unfinished):
                raise ValueError("it is not a zip: it was cut off, or is your network's login page")
            return _read(unfinished, sha256)
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error)
        if isinstance(error, HTTPError):
            error.close()
        elif isinstance(error, URLError):
            reason = _unreachable(error, target)
        raise ValueError(f"cannot get {target} from {url}: {reason}") from error


def _unreachable(error: URLError, target: Path) -> str:
    """Return an error message: why the server was not reached, and what to do.

    Args:
        error: of ``urlopen``.
        target: where the file should be.
    """
    if isinstance(error.reason, ssl.SSLCertVerificationError):
        return (
            "this Python cannot verify the server's certificate "
            f"({error.reason.verify_message}), as happens with the Python of python.org on a Mac "
            "and behind a school's filter; this computer is online. Download the file with a "
            f"browser, and save it as {target}"
        )
    return f"{error.reason}. Is this computer online?"


def _read(path: Path, sha256: str | None) -> Corpus:
    """Read a corpus. Raise ValueError if the file is not a corpus or has a different hash."""
    corpus = read_corpus(path)
    if sha256 and corpus.sha256 != sha256.strip().lower():
        raise ValueError(f"its SHA-256 is {corpus.sha256}, not {sha256}")
    return corpus


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 failed, 130 stopped by Ctrl-C."""
    parser = new_parser("download", __doc__)
    parser.add_argument(
        "name",
        help=f"a corpus, {' or '.join(CORPORA)} (fra is French, cmn Chinese), or OWNER/NAME of a "
        "model of huggingface.co",
    )
    parser.add_argument(
        "--to", metavar="FOLDER", help="where to write it (data; a model into checkpoints)"
    )
    parser.add_argument("--url", help=f"where to download a corpus from ({URL})")
    parser.add_argument("--sha256", metavar="HEX", help="the hash that a corpus must have")
    parser.add_argument(
        "--revision", metavar="COMMIT", help="of a model: a commit, tag or branch (the newest)"
    )
    return run(parser, _download, arguments)


def _download(options: argparse.Namespace) -> int:
    is_model = "/" in options.name
    if not is_model and options.name not in CORPORA:
        options.parser.error(
            f"there is no corpus {options.name!r}: give {' or '.join(CORPORA)}, or OWNER/NAME of a "
            "model"
        )
    if is_model and (options.url or options.sha256):
        options.parser.error("--url and --sha256 are for a corpus: a model has --revision")
    if not is_model and options.revision:
        options.parser.error("--revision is for a model: a corpus has --sha256")
    return _download_model(options) if is_model else _download_corpus(options)


def _download_model(options: argparse.Namespace) -> int:
    """Download a model of the Hub, after a note of its size, licence and memory."""
    from model.hub.download import (
        download_model,
        find_model,
        folder_of,
        gigabytes,
        memory_of,
        model_name,
    )
    from model.hub.folder import available_memory

    # 1. Check whether the folder exists already
    name = model_name(options.name)
    root = Path(options.to or "checkpoints")
    folder = folder_of(name, root)
    if folder.exists():
        print(f"{folder} is there already; remove it first to get it again.")
        return 0

    # 2. Show what will be downloaded
    model = find_model(name, root, options.revision)
    licence = model.record.licence or "none named, so ask its authors before you share it"
    print(
        f"{name}: {gigabytes(model.n_bytes)}\n"
        f"Licence: {licence}\n"
        f"Revision: {model.record.revision}\n"
        f"Page: {model.address}\n",
        flush=True,
    )
    available = available_memory()
    needed = memory_of(model, root)
    if available is not None and needed > available:
        print(
            f"It needs {gigabytes(needed)} of memory to open, and this machine has "
            f"{gigabytes(available)} free: it can be got here and opened on a larger machine.\n",
            flush=True,
        )

    # 3. Download it
    try:
        download_model(model, root)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command continues") from None
    print(f"\n{folder} is complete.\n\nNext:\n")
    if find_spec("transformers") is None:
        print("    pip install -r requirements-hub.txt -c constraints.txt")
    print("    make app")
    return 0


def _download_corpus(options: argparse.Namespace) -> int:
    """Download a corpus, or read the one that is there, and print how to train on it."""
    target = Path(options.to or "data") / f"{options.name}.zip"
    try:
        if target.exists():
            print(f"{target} is there already; remove it first to get the newest.")
            corpus = _read(target, options.sha256)
        else:
            url = options.url or URL.format(name=options.name)
            corpus = download(url, target, sha256=options.sha256)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("nothing was written; the same command begins again") from None
    print(f"{target}: {corpus}.\nSHA-256 {corpus.sha256}\n\n{ATTRIBUTION}\n\nNext:\n")
    model_name, train_options, steps = CORPORA[options.name]
    quoted = shlex.quote(path_argument(target.as_posix()))
    print(
        f"    python -m model.train --corpus {quoted}{train_options} "
        f"--out checkpoints/my-{model_name} --steps {steps}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
