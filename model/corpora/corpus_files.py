"""Open corpus files: plain text, .gz, and archives of manythings.org or OPUS."""

import gzip
import tarfile
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO, cast

from model.files.regular_file import open_regular

_GZIP_MARK = b"\x1f\x8b"


def open_sides(path: str | Path, stack: ExitStack) -> list[BufferedReader]:
    """Open a file of pairs, or an archive with two files of parallel sentences.

    Args:
        path: a plain file, a ``.gz``, a ``.zip`` or a ``.tar``; the content decides, not the name.
        stack: closes all that is opened.

    Returns:
        One file with both columns, or a file for each side.
    """
    packed = stack.enter_context(open_regular(path))
    beginning = packed.peek(2)[:2]

    if zipfile.is_zipfile(packed):
        zip_archive = stack.enter_context(zipfile.ZipFile(packed))
        names = corpus_members(zip_archive.namelist())
        members = [stack.enter_context(zip_archive.open(name)) for name in names]
        return [_buffered(member) for member in members]

    packed.seek(0)
    if tarfile.is_tarfile(packed):
        packed.seek(0)
        tar_archive = stack.enter_context(tarfile.TarFile.open(fileobj=packed))
        names = corpus_members([member.name for member in tar_archive if member.isfile()])
        return [cast(BufferedReader, tar_archive.extractfile(name)) for name in names]

    packed.seek(0)
    if beginning == _GZIP_MARK:
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
        return [_buffered(unpacked)]
    return [packed]


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

    texts = [name for name in names if name.endswith((".txt", ".tsv"))]
    if len(texts) != 1:
        raise ValueError(
            "it should hold one .txt or .tsv, or two files such as X.en-fr.en and X.en-fr.fr, and "
            f"holds {', '.join(names[:9]) or 'none'}: unpack it, and give the files"
        )
    return texts


def _buffered(file: IO[bytes] | gzip.GzipFile) -> BufferedReader:
    return BufferedReader(cast(RawIOBase, file))
