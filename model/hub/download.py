"""Download a Hugging Face Hub model with the library's own downloader.

The files are collected in ``.download/NAME`` beside the finished folders, and renamed at the end: a
folder of checkpoints never holds half a model. The same command continues what was interrupted.
"""

import errno
import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from huggingface_hub import HfApi, constants, hf_hub_download, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from model.files.json_file import read_json, write_json
from model.files.regular_file import exists
from model.files.replacing import fsync
from model.hub.folder import CONFIG, TOKENIZER_FILES, check_files, memory_needed, read_settings

ENDPOINT = constants.ENDPOINT  # https://huggingface.co, or the variable HF_ENDPOINT
_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)  # OWNER/NAME
RECORD = "download.json"  # where the folder came from
UNFINISHED = ".download"  # folder of incomplete downloads; it is not a checkpoint
_LIBRARY_CACHE = ".cache"  # folder in which the library lists the files that it has downloaded

# File patterns of the weights, in order of preference. Of the first group whose first file exists,
# all files are downloaded.
_WEIGHTS = (
    ("model.safetensors",),
    ("model.safetensors.index.json", "model-*-of-*.safetensors"),
    ("pytorch_model.bin",),
    ("pytorch_model.bin.index.json", "pytorch_model-*-of-*.bin"),
)
_OTHER_FILES = (
    CONFIG,
    "generation_config.json",
    *TOKENIZER_FILES,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "target_vocab.json",
    "target.spm",
    "merges.txt",
    "README.md",
    "LICENSE*",
)


class Record(msgspec.Struct, frozen=True):
    """The content of ``download.json``."""

    model: str  # OWNER/NAME
    revision: str  # the commit, which never changes
    licence: str | None = None  # as its page names it


@dataclass(frozen=True)
class HubModel:
    """A model on the Hub before its download."""

    record: Record
    sizes: dict[str, int]  # bytes of each file that is needed

    @property
    def n_bytes(self) -> int:
        """The total size of all required files."""
        return sum(self.sizes.values())

    @property
    def address(self) -> str:
        """The address of the model's page, which states its licence and purpose."""
        return f"{ENDPOINT}/{self.record.model}"


def model_name(text: str) -> str:
    """Return OWNER/NAME of a model, from this name or from the address of its page.

    Raises:
        ValueError: it is neither.

    >>> model_name("https://huggingface.co/Helsinki-NLP/opus-mt-en-fr")
    'Helsinki-NLP/opus-mt-en-fr'
    """
    name = text.removeprefix(f"{ENDPOINT}/").strip("/")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{text} is not the name of a model: give OWNER/NAME, as in its page")
    return name


def find_model(name: str, root: Path, revision: str | None = None) -> HubModel:
    """Look up a model on the Hub, and check that it can be opened here.

    This makes the unfinished folder in ``root`` and downloads ``config.json`` into it. Files of
    another revision in that folder are removed.

    Args:
        name: OWNER/NAME.
        root: the folder in which the model's folder will be.
        revision: a branch, a tag or a commit; None for the revision with which an interrupted
            download began, or else the newest.

    Raises:
        ValueError: the Hub cannot be reached, has no such model, or does not give it to this
            visitor; the model is of a different family, has no weights or no tokenizer; or the
            disk is too small.
    """
    unfinished = _unfinished_folder(name, root)
    unfinished_record = _read_record(unfinished)
    if (
        unfinished_record is not None
        and unfinished_record.model == name
        and revision in (None, unfinished_record.revision)
    ):
        revision = unfinished_record.revision
    elif exists(unfinished):
        shutil.rmtree(unfinished)  # of a different revision

    # 1. Get the list of files
    with _errors_of_hub(name):
        info = HfApi(endpoint=ENDPOINT).model_info(name, revision=revision, files_metadata=True)
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or []}
    record = Record(name, str(info.sha), _licence(info))
    needed = _needed_files(name, sizes)

    # 2. Check that the files fit on the disk. Download the configuration, which names the
    # architecture
    model = HubModel(record, {file: sizes[file] for file in needed})
    unfinished.mkdir(parents=True, exist_ok=True)
    try:
        _check_disk(model, unfinished)
        write_json(unfinished / RECORD, record)
        with _errors_of_hub(name):
            hf_hub_download(
                name,
                CONFIG,
                revision=record.revision,
                local_dir=unfinished,
                endpoint=ENDPOINT,
            )
        read_settings(unfinished)
    except ValueError:
        if unfinished_record is None:  # otherwise the folder may also hold weights
            _remove(unfinished)
        raise
    return model


def download_model(model: HubModel, root: Path) -> Path:
    """Download a model. The folder appears in ``root`` only when it is complete.

    Args:
        model: from ``find_model`` with the same ``root``.
        root: the folder in which the model's folder will be.

    Returns:
        The folder of the model.

    Raises:
        ValueError: the connection broke, the disk is full, or the files are not complete.
    """
    name = model.record.model
    unfinished = _unfinished_folder(name, root)
    with _errors_of_hub(name):
        snapshot_download(
            name,
            revision=model.record.revision,
            local_dir=unfinished,
            allow_patterns=[*model.sizes],
            endpoint=ENDPOINT,
        )
    check_files(unfinished)
    shutil.rmtree(unfinished / _LIBRARY_CACHE, ignore_errors=True)
    for path in unfinished.iterdir():
        fsync(path)
    folder = folder_of(name, root)
    os.rename(unfinished, folder)
    fsync(root)
    _remove(unfinished)
    return folder


def folder_of(name: str, root: Path) -> Path:
    """Return the folder of a Hub model, named NAME for the model OWNER/NAME."""
    return root / name.rpartition("/")[2]


def memory_of(model: HubModel, root: Path) -> int:
    """Return the number of bytes of memory that the opened model needs.

    Args:
        model: from ``find_model`` with the same ``root``.
        root: the folder in which the model's folder will be.
    """
    settings = read_settings(_unfinished_folder(model.record.model, root))
    weights = [file for patterns in _WEIGHTS for file in _matching(model.sizes, patterns)]
    return memory_needed(sum(model.sizes[file] for file in weights), settings)


def gigabytes(n_bytes: int) -> str:
    """Return a size as text, in GB or MB.

    >>> gigabytes(2_400_000_000), gigabytes(310_000_000)
    ('2.4 GB', '310 MB')
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def _unfinished_folder(name: str, root: Path) -> Path:
    return folder_of(name, root / UNFINISHED)


def _read_record(folder: Path) -> Record | None:
    """Return the record of a folder; None if it is missing or damaged."""
    if not exists(folder / RECORD):
        return None
    try:
        return read_json(folder / RECORD, Record, remedy="")
    except ValueError:
        return None


def _needed_files(name: str, files: Collection[str]) -> list[str]:
    """Return the required files among all files of a model.

    Args:
        name: of the model.
        files: all of its files.

    Raises:
        ValueError: it has no weights or no tokenizer that can be opened here.
    """
    weights = [_matching(files, patterns) for patterns in _WEIGHTS if patterns[0] in files]
    if not weights:
        raise ValueError(
            f"{name} has no weights for PyTorch, neither model.safetensors nor pytorch_model.bin: "
            "choose a different model"
        )
    if CONFIG not in files:
        raise ValueError(f"{name} has no {CONFIG}: choose a different model")
    if not _matching(files, TOKENIZER_FILES):
        raise ValueError(f"{name} has no files of a tokenizer: choose a different model")
    return [*weights[0], *_matching(files, _OTHER_FILES)]


def _matching(files: Collection[str], patterns: Collection[str]) -> list[str]:
    return [file for file in files if any(fnmatch(file, pattern) for pattern in patterns)]


def _licence(info: Any) -> str | None:
    """Return the licence on the model's page; None if it names none."""
    licence = getattr(info.card_data, "license", None)
    names = licence if isinstance(licence, list) else [licence]
    return ", ".join(str(name) for name in names if name) or None


def _check_disk(model: HubModel, unfinished: Path) -> None:
    """Raise ValueError if the disk has too little space for the missing files."""
    missing = model.n_bytes - _bytes_in(unfinished)
    free = shutil.disk_usage(unfinished).free
    if missing > free:
        raise ValueError(
            f"{model.record.model} needs {gigabytes(missing)} on the disk, and there are "
            f"{gigabytes(free)} free: make room, or choose a folder on a different disk with --to"
        )


def _bytes_in(folder: Path) -> int:
    """Return the size of all downloaded files, complete or not."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _remove(unfinished: Path) -> None:
    """Remove an unfinished folder, and its parent folder if that is empty."""
    shutil.rmtree(unfinished, ignore_errors=True)
    with suppress(OSError):  # a different model is being downloaded
        unfinished.parent.rmdir()


@contextmanager
def _errors_of_hub(name: str) -> Iterator[None]:
    """Convert errors of the connection to the Hub to a ValueError of one sentence."""
    page = f"{ENDPOINT}/{name}"
    try:
        yield
    except GatedRepoError as error:  # before RepositoryNotFoundError, which is its base class
        raise ValueError(
            f"{name} is given only to those who agree to its conditions: agree at {page}, and log "
            "in here with hf auth login"
        ) from error
    except RevisionNotFoundError as error:
        raise ValueError(f"{name} has no such revision: see {page}/commits/main") from error
    except RepositoryNotFoundError as error:
        raise ValueError(
            f"{ENDPOINT} has no model {name}, or it is private: compare the name with its page"
        ) from error
    except (
        httpx2.TransportError,
        OfflineModeIsEnabled,
        LocalEntryNotFoundError,
        HfHubHTTPError,
    ) as error:
        answer = error if isinstance(error, HfHubHTTPError) else error.__cause__
        if isinstance(answer, HfHubHTTPError):
            raise ValueError(
                f"{ENDPOINT} answered {answer.response.status_code} for {name}: try again later, "
                "the same command continues"
            ) from error
        raise ValueError(
            f"cannot reach {ENDPOINT} to get {name}: is this computer online? The same command "
            "continues; or copy the folder from a different computer into checkpoints/"
        ) from error
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise ValueError(
            f"the disk is full: make room, and the same command continues to get {name}"
        ) from error
