"""The one or two text files of a corpus, however they are packed."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import cast

from model.files.regular_file import open_regular


def open_sides(path: Path, stack: ExitStack) -> list[BufferedReader]:
    """Open a file of pairs, or both sides of a corpus in one archive; ``stack`` closes them.

    Args:
        path: plain text, ``.gz``, ``.zip``, ``.tar`` or ``.tar.gz``.
        stack: of what is open.

    Raises:
        OSError, BadZipFile, TarError: the file is missing or broken.
        ValueError: an archive holds no corpus, or several.
    """
    packed = stack.enter_context(open_regular(path))
    if zipfile.is_zipfile(packed):
        zipped = stack.enter_context(zipfile.ZipFile(packed))
        files = [stack.enter_context(zipped.open(name)) for name in _sides(zipped.namelist())]
        return [BufferedReader(cast(RawIOBase, file)) for file in files]
    packed.seek(0)
    if tarfile.is_tarfile(packed):
        packed.seek(0)
        archive = stack.enter_context(tarfile.TarFile.open(fileobj=packed))
        names = [member.name for member in archive if member.isfile()]
        return [cast(BufferedReader, archive.extractfile(name)) for name in _sides(names)]
    packed.seek(0)
    if packed.read(2) == b"\x1f\x8b":
        packed.seek(0)
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
        return [BufferedReader(cast(RawIOBase, unpacked))]
    packed.seek(0)
    return [packed]


def _sides(names: Sequence[str]) -> list[str]:
    """The file of pairs (that of manythings.org lies beside ``_about.txt``), or those of OPUS.

    >>> _sides(["fra-eng/fra.txt", "fra-eng/_about.txt", "__MACOSX/._fra.txt"])
    ['fra-eng/fra.txt']
    >>> _sides(["README", "Tatoeba.en-fr.fr", "Tatoeba.en-fr.en", "Tatoeba.en-fr.xml"])
    ['Tatoeba.en-fr.en', 'Tatoeba.en-fr.fr']
    """
    names = [name for name in names if "__MACOSX" not in name]
    names = [name for name in names if PurePosixPath(name).name[:1] not in ("_", ".")]
    for name in names:
        stem = name.rpartition(".")[0]  # X.en-fr
        both = [f"{stem}.{language}" for language in stem.rpartition(".")[2].split("-")]
        if len(both) == 2 and set(both) <= set(names):
            return both
    texts = [name for name in names if name.endswith((".txt", ".tsv"))]
    if len(texts) != 1:
        raise ValueError(
            "it should hold one .txt or .tsv, or two files such as X.en-fr.en and X.en-fr.fr, and "
            f"holds {', '.join(names[:9]) or 'none'}: unpack it, and give the files"
        )
    return texts
