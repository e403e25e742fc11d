"""Corpus files in all usual forms, and damaged ones."""

import gzip
import hashlib
import lzma
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from model.alignment.gold import read_alignments
from model.corpora.corpus import read_corpus, stream_corpora
from model.corpora.references import read_references

PAIRS = [("Go.", "Va !"), ("Hi.", "Salut !"), ("Be brave.", "Sois brave.")]
TWO_COLUMNS = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
THREE_COLUMNS = "".join(f"{source}\t{target}\tCC-BY 2.0\n" for source, target in PAIRS)

# The names and contents of the files of two archives.
MANYTHINGS = {"fra.txt": TWO_COLUMNS, "_about.txt": "terms\tof use", ".fra.txt": "x\ty"}
OPUS = {
    "README": "x",
    "T.en-fr.xml": "<x>",
    "T.en-fr.en": "\n".join(source for source, _ in PAIRS),
    "T.en-fr.fr": "\n".join(target for _, target in PAIRS),
}


def make_zip(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


@pytest.mark.parametrize("text", [TWO_COLUMNS, THREE_COLUMNS, TWO_COLUMNS.replace("\n", "\r\n")])
@pytest.mark.parametrize("name", ["fra-eng.zip", "pairs.tsv", "pairs.txt", "pairs.tsv.gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_of_pairs_is_read(tmp_path, name, text, mark):
    path = tmp_path / name
    if name.endswith("zip"):
        make_zip(path, fra__txt=mark + text, _about__txt="terms\tof use")
    else:
        content = (mark + text).encode()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    corpus = read_corpus(path)
    assert corpus.pairs == PAIRS
    assert not corpus.dropped
    assert corpus.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert str(corpus) == "3 pairs"
    assert list(stream_corpora([[path]])) == PAIRS


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("shorter", [0, 1])
def test_either_of_two_parallel_files_may_be_shorter(tmp_path, ending, shorter):
    paths = [tmp_path / f"train.en{ending}", tmp_path / f"train.fr{ending}"]
    for n, path in enumerate(paths):
        content = b"one\ttwo\nb" if n == shorter else b"one\ttwo\nb\nc\nd\n"
        path.write_bytes(gzip.compress(content) if ending else content)
    corpus = read_corpus(*paths)
    # in two parallel files, a tab is only a space
    assert corpus.pairs == [("one two", "one two"), ("b", "b")]
    assert corpus.dropped == {"without a partner": 2}
    assert list(stream_corpora([paths])) == [*corpus.pairs, *["without a partner"] * 2]
    both = paths[0].read_bytes() + paths[1].read_bytes()
    assert corpus.sha256 == hashlib.sha256(both).hexdigest()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the corpus .*pairs\.tsv"):
        read_corpus(tmp_path / "pairs.tsv")


@pytest.mark.parametrize("paths", [(), ("a", "b", "c")])
def test_a_corpus_must_be_one_file_or_two(paths):
    with pytest.raises(ValueError, match=f"not {len(paths)}"):
        read_corpus(*paths)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"only one column\n"])
def test_a_file_without_a_pair_is_refused(content, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"no sentence pair in .*pairs\.tsv"):
        read_corpus(path)


def test_a_file_in_latin_1_is_refused(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes("I see.\tJe vois à côté.\n\nYes.\tDéjà.\n".encode("cp1252"))
    with pytest.raises(ValueError, match=r"pairs\.tsv is not valid UTF-8"):
        read_corpus(path)


@pytest.mark.parametrize("kind", ["zip", "gz"])
def test_truncated_and_damaged_archives_are_refused(kind, tmp_path):
    """Random numbers hardly compress, so the damage hits data. A block cannot begin with 0xff."""
    numbers = random.Random(0)
    text = "".join(f"{numbers.random()}\t{numbers.random()}\n" for _ in range(500))
    path = tmp_path / f"pairs.tsv.{kind}"
    if kind == "zip":
        make_zip(path, fra__txt=text)
        first = 30 + len("fra.txt")  # position of the first compressed byte
    else:
        path.write_bytes(gzip.compress(text.encode()))
        first = 10
    whole = path.read_bytes()
    assert len(read_corpus(path).pairs) == 500
    truncated = whole[: len(whole) // 2]
    damaged = whole[:first] + b"\xff" + whole[first + 1 :]
    for content in (truncated, damaged):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"cannot read the corpus .*tsv\.{kind}"):
            read_corpus(path)


def test_an_archive_with_no_corpus_or_two_is_refused(tmp_path):
    for members in ({}, {"a__txt": "x\ty", "b__txt": "x\ty"}):
        with pytest.raises(ValueError, match=r"hold one \.txt, \.tsv or \.csv"):
            read_corpus(make_zip(tmp_path / "x.zip", **members))


def test_two_archives_that_each_hold_two_sides_are_refused(tmp_path):
    sides = {name: OPUS[name] for name in ("T.en-fr.en", "T.en-fr.fr")}
    archive = make_zip(tmp_path / "x.zip", **sides)
    assert read_corpus(archive).pairs == PAIRS
    with pytest.raises(ValueError, match="each of two files should hold one side"):
        read_corpus(archive, archive)


@pytest.mark.parametrize("folder", ["", "corpus/"])
@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize("members", [MANYTHINGS, OPUS], ids=["manythings", "opus"])
def test_archives_of_manythings_and_of_opus_are_read(tmp_path, folder, kind, members):
    packed = tmp_path / f"x.{kind}"
    for name, text in members.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            for name in members:
                archive.write(tmp_path / name, folder + name)
    else:
        with tarfile.open(packed, "w:gz" if kind == "tar.gz" else "w") as archive:
            for name in members:
                archive.add(tmp_path / name, folder + name)
    assert read_corpus(packed).pairs == PAIRS


@pytest.mark.parametrize("kind", ["zip", "gz", "tsv"])
def test_a_corpus_larger_than_the_memory_limit_is_refused(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("model.corpora.corpus.MAX_FILE_BYTES", 1_000_000)
    path = tmp_path / f"bomb.{kind}"
    just_small_enough = (b"a\t" + b"b" * 997 + b"\n") * 1000  # 1000 lines of 1000 bytes

    def write(content: bytes) -> None:
        if kind == "zip":
            make_zip(path, fra__txt=content.decode())
        else:
            path.write_bytes(gzip.compress(content) if kind == "gz" else content)

    write(just_small_enough)
    assert read_corpus(path).pairs == [("a", "b" * 997)]
    write(just_small_enough + b"\n")
    with pytest.raises(ValueError, match=r"cannot read the corpus .*bomb.*more than 1 MB"):
        read_corpus(path)


def test_lack_of_memory_is_not_reported_as_a_fault_of_the_file(tmp_path, monkeypatch):
    def without_memory(*_) -> None:
        raise MemoryError

    path = tmp_path / "pairs.tsv.xz"
    path.write_bytes(lzma.compress(b"I see.\tJe vois.\n"))
    monkeypatch.setattr(lzma.LZMAFile, "readinto", without_memory)
    with pytest.raises(MemoryError):
        read_corpus(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_or_device_is_refused_without_waiting(tmp_path):
    pipe = tmp_path / "pipe.tsv"
    folder = tmp_path / "folder.tsv"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (pipe, folder, Path("/dev/zero")):
        with pytest.raises(ValueError, match="cannot read the corpus"):
            read_corpus(path)
    for read in (read_references, read_alignments):
        with pytest.raises(ValueError, match="cannot read"):
            read(pipe)
