"""Open corpus files: plain or compressed text, and archives of manythings.org or OPUS."""

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from model.corpora.lines import READABLE_FORMATS
from model.files.file_format import INSPECTED_BYTES, recognise, recognise_beginning
from model.files.regular_file import open_regular

_UNPACKING: Mapping[str, Callable[..., Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "xz": lzma.open,
}
_BESIDE = (".json", ".html", ".md")  # files that archives have beside the corpus


def open_sides(path: str | Path, stack: ExitStack) -> list[BufferedReader]:
    """Open a file of pairs, or an archive with two files of parallel sentences.

    Args:
        path: a plain file, one packed with gzip, bzip2 or xz, a zip or a tar archive; the content
            decides, not the name.
        stack: closes all that is opened.

    Returns:
        One file with both columns, or a file for each side.

    Raises:
        ValueError: it is an archive without a corpus, or something else; the message names it.
    """
    packed = stack.enter_context(open_regular(path))
    file_format = recognise(packed)
    if file_format and file_format.name not in ("zip", "tar", *READABLE_FORMATS, *_UNPACKING):
        raise ValueError(f"it is {file_format}")

    if zipfile.is_zipfile(packed):
        zip_archive = stack.enter_context(zipfile.ZipFile(packed))
        names = _sides(zip_archive.namelist(), zip_archive.open)
        members = [stack.enter_context(zip_archive.open(name)) for name in names]
        return [_buffered(member) for member in members]

    packed.seek(0)
    if tarfile.is_tarfile(packed):
        packed.seek(0)
        tar_archive = stack.enter_context(tarfile.TarFile.open(fileobj=packed))

        def open_member(name: str) -> BufferedReader:
            return cast(BufferedReader, tar_archive.extractfile(name))

        names = _sides([member.name for member in tar_archive if member.isfile()], open_member)
        return [open_member(name) for name in names]

    packed.seek(0)
    if file_format and file_format.name in _UNPACKING:
        unpacked = stack.enter_context(_UNPACKING[file_format.name](packed))
        return [_buffered(unpacked)]
    return [packed]


def _sides(names: Sequence[str], open_member: Callable[[str], IO[bytes]]) -> list[str]:
    """Return the members of an archive that hold the corpus. Raise ValueError if there are none.

    Args:
        names: of all members that are files.
        open_member: opens one of them.

    Raises:
        ValueError: none can be the corpus. If one of them has a known format, the message says so.
    """
    try:
        return corpus_members(names)
    except ValueError:
        for name in names:
            with open_member(name) as member:
                file_format = recognise_beginning(member.read(INSPECTED_BYTES))
            if file_format and PurePosixPath(name).suffix not in _BESIDE:
                raise ValueError(f"it holds {name}, which is {file_format}") from None
        raise


def corpus_members(names: Sequence[str]) -> list[str]:
    """Return the members of an archive that hold the corpus.

    The archive of manythings.org holds a file of pairs beside ``_about.txt``; one of OPUS holds a
    file for each side.

    >>> corpus_members(["fra-eng/fra.txt", "fra-eng/_about.txt", "__MACOSX/._fra.txt"])
    ['fra-eng/fra.txt']
    >>> corpus_members(["README", "Tatoeba.en-fr.fr", "Tatoeba.en-fr.en", "Tatoeba.en-fr.xml"])
    ['Tatoeba.en-fr.en', 'Tatoeba.en-fr.fr']

    Raises:
        ValueError: no member, or more than one, can be the corpus.
    """
    names = [name for name in names if "__MACOSX" not in name]
    names = [name for name in names if not PurePosixPath(name).name.startswith(("_", "."))]

    for name in names:
        stem = name.rpartition(".")[0]  # such as Tatoeba.en-fr
        languages = stem.rpartition(".")[2].split("-")
        sides = [f"{stem}.{language}" for language in languages]
        if len(sides) == 2 and set(sides) <= set(names):
            return sides

    texts = [name for name in names if name.endswith((".txt", ".tsv", ".csv"))]
    if len(texts) != 1:
        raise ValueError(
            "it should hold one .txt, .tsv or .csv, or two files such as X.en-fr.en and "
            f"X.en-fr.fr, and holds {', '.join(names[:9]) or 'none'}: unpack it, and give the files"
        )
    return texts


def _buffered(file: IO[bytes]) -> BufferedReader:
    return BufferedReader(cast(RawIOBase, file))
