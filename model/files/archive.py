"""A zip that somebody sent, unpacked with care: nothing in it is believed before it is seen.

What the list of its contents says is looked at first, all of it. What is then unpacked is counted
byte by byte, since a list can lie: a few kilobytes can hold gigabytes. A file is only written under
a name that the caller knows, so that no name of the zip decides where anything is written.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from model.files.checkpoint_error import CheckpointError

MOST_FILES = 300
_AT_ONCE = 1_000_000  # bytes: a zip's list of contents is read whole, however long it claims to be
_CHUNK = 65_536  # bytes
_LONGEST_NAME = 60  # characters of a name that are repeated to its sender
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # bits of a zip: with a password, strongly, its list as well
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".npy", ".npz", ".joblib")
_LEFT_OUT = (".DS_Store", "Thumbs.db", "desktop.ini")  # what systems put in unasked
_NOT_IN_NAMES = frozenset('\\:*?"<>|')  # a drive, another step, or nothing that Windows can write
_UNREADABLE = (OSError, ValueError, EOFError, RuntimeError, BadZipFile, struct.error, zlib.error)

Fault = Literal[
    "no_zip",
    "damaged",
    "too_many",
    "too_large",
    "too_much",
    "password",
    "compression",
    "no_file",
    "unsafe",
    "twice",
    "pickle",
    "unknown",
    "no_root",
    "no_room",
]
SENTENCES: dict[Fault, str] = {
    "no_zip": "This is no zip file: make a zip of the checkpoint's folder.",
    "damaged": "The zip is cut off or damaged: make it again, and send it whole.",
    "too_many": "The zip holds more than {limit} files, and a checkpoint has a few: make a zip of "
    "its folder alone.",
    "too_large": "{name} is larger than {limit} MB, the most that it may have here: open a smaller "
    "model.",
    "too_much": "The checkpoint is larger than {limit} MB, the most that is taken here: open a "
    "smaller model, or zip only what it needs: config.json, model.safetensors and tokenizer.json.",
    "password": "The zip has a password: make it again without one.",
    "compression": "{name} is compressed in a way that is not read here: make the zip again, "
    "without options.",
    "no_file": "{name} is a link or a device, no file: put the file itself into the zip.",
    "unsafe": "The name {name} leads out of the folder, or is no plain name: make a zip of the "
    "checkpoint's folder alone.",
    "twice": "{name} is in the zip twice: make the zip again.",
    "pickle": "{name} can run a program when it is read, and is not opened. Save the weights as "
    "model.safetensors.",
    "unknown": "{name} is no file of a checkpoint: take it out of the zip.",
    "no_root": "There is no config.json at the top of the zip, or in the one folder that it holds: "
    "make a zip of the checkpoint's folder.",
    "no_room": "There is no room on the server's disk: try again later.",
}


class ArchiveError(CheckpointError):
    """A zip that is not unpacked; nothing of it stays on the disk.

    Args:
        fault: what is wrong with it.
        name: of the file that it is about, as the zip says it.
        limit: what is the most, in words.
    """

    def __init__(self, fault: Fault, *, name: str = "", limit: str = "") -> None:
        self.fault, self.name, self.limit = fault, readable(name), limit
        super().__init__(SENTENCES[fault].format(name=self.name, limit=limit))


def readable(text: str, longest: int = _LONGEST_NAME) -> str:
    r"""What somebody sent, for a sentence: not too long, all of it seen, none of it turned round.

    >>> print(readable("model\u202e.bin"), readable("a" * 99, 3))
    model�.bin aa…
    """
    shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in text[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def unpack(
    file: BinaryIO,
    folder: Path,
    *,
    root: str,
    may_have: Callable[[str], int | None],
    limit: int,
) -> None:
    """Write the files of a zip into a folder.

    Args:
        file: the zip.
        folder: an empty one.
        root: the file that stands at the top, or in the one folder in which all others are too.
        may_have: bytes that the file of a name may have, its folder left out; 0: it stays in the
            zip; None: it does not belong there.
        limit: most bytes of the zip, and of all its files together.

    Raises:
        ArchiveError: something is wrong with the zip. What was written until then stays.
    """
    if file.seek(0, SEEK_END) > limit:
        raise ArchiveError("too_much", limit=megabytes(limit))
    try:
        archive = ZipFile(_Bites(file))
    except _UNREADABLE as error:
        raise ArchiveError("no_zip") from error
    with archive:
        entries = _checked(archive.infolist())
        top = _top(entries, root)
        wanted = _wanted(entries, top, may_have)
        if sum(entry.file_size for entry, _ in wanted.values()) > limit:
            raise ArchiveError("too_much", limit=megabytes(limit))
        room = limit
        for name, (entry, most) in wanted.items():
            room -= _write(archive, entry, folder / name, min(most, room))


def megabytes(n: int) -> str:
    """A limit for a sentence.

    >>> megabytes(1_500_000), megabytes(64_000_000)
    ('1.5', '64')
    """
    return f"{n / 1e6:.3g}"


class _Bites:
    """A file of which nobody reads more than ``_AT_ONCE`` bytes at once.

    A zip says itself how long the list of its contents is, and its reader makes an object of each
    entry: of a list of 50 MB a million.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, n: int | None = None) -> bytes:
        content = self._file.read(_AT_ONCE + 1 if n is None or n < 0 else min(n, _AT_ONCE + 1))
        if len(content) > _AT_ONCE:
            raise BadZipFile("too much is asked for at once")
        return content


def _checked(entries: Sequence[ZipInfo]) -> list[ZipInfo]:
    """The files among them, without what systems add; ArchiveError if one is nothing plain."""
    if len(entries) > MOST_FILES:
        raise ArchiveError("too_many", limit=str(MOST_FILES))
    for entry in entries:
        name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
        if not _is_plain(name):
            raise ArchiveError("unsafe", name=name)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ArchiveError("no_file", name=name)
        if entry.flag_bits & _ENCRYPTED:
            raise ArchiveError("password")
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ArchiveError("compression", name=name)
    return [entry for entry in entries if not entry.is_dir() and not _is_left_out(entry)]


def _is_plain(name: str) -> bool:
    """Whether a path has only steps downwards, in signs that can be seen."""
    steps = name.removesuffix("/").split("/")
    return (
        name.isprintable()
        and not set(name) & _NOT_IN_NAMES
        and all(step.strip(" .") and step == step.strip() for step in steps)
    )


def _is_left_out(entry: ZipInfo) -> bool:
    folder, _, _ = entry.orig_filename.partition("/")
    return folder == "__MACOSX" or entry.orig_filename.rpartition("/")[2] in _LEFT_OUT


def _top(entries: Sequence[ZipInfo], root: str) -> str:
    """The folder that holds all, with a slash behind it; empty where the files lie at the top."""
    folders = [entry.orig_filename.removesuffix(root) for entry in entries if _ends(entry, root)]
    found = min(folders, key=len, default=None)
    if found is None or found.count("/") > 1:
        pickled = [entry.orig_filename for entry in entries if _is_pickle(entry.orig_filename)]
        raise ArchiveError("pickle", name=pickled[0]) if pickled else ArchiveError("no_root")
    return found


def _ends(entry: ZipInfo, name: str) -> bool:
    return f"/{entry.orig_filename}".endswith(f"/{name}")


def _is_pickle(name: str) -> bool:
    return name.lower().endswith(_PICKLES)


def _wanted(
    entries: Sequence[ZipInfo], top: str, may_have: Callable[[str], int | None]
) -> dict[str, tuple[ZipInfo, int]]:
    """What is unpacked: its name without the folder -> the entry, and bytes that it may have."""
    found: dict[str, tuple[ZipInfo, int]] = {}
    for entry in entries:
        whole = entry.orig_filename
        name = whole.removeprefix(top)
        most = may_have(name) if whole.startswith(top) else None
        if most is None:
            raise ArchiveError("pickle" if _is_pickle(whole) else "unknown", name=whole)
        if entry.file_size > most > 0:
            raise ArchiveError("too_large", name=name, limit=megabytes(most))
        if name in found:
            raise ArchiveError("twice", name=name)
        found[name] = entry, most
    return {name: (entry, most) for name, (entry, most) in found.items() if most}


def _write(archive: ZipFile, entry: ZipInfo, path: Path, most: int) -> int:
    """Unpack one file, no more than ``most`` bytes of it; returns how many it has."""
    written = 0
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as target:
            for chunk in _content(archive, entry):
                written += target.write(chunk)
                if written > most:
                    raise ArchiveError("too_large", name=path.name, limit=megabytes(most))
    except OSError as error:
        raise ArchiveError("no_room") from error
    if written != entry.file_size:
        raise ArchiveError("damaged")
    return written


def _content(archive: ZipFile, entry: ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(entry) as source:
            while chunk := source.read(_CHUNK):
                yield chunk
    except _UNREADABLE as error:
        raise ArchiveError("damaged") from error
