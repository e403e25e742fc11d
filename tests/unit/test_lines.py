"""Text files of all editors are split into lines of any length."""

import tracemalloc

import pytest

from model.alignment.gold import read_alignments
from model.corpora.corpus import read_corpus, stream_corpora
from model.corpora.lines import numbered_lines, stream_lines
from model.corpora.references import read_references


@pytest.mark.parametrize("content", [b"Hi.\tSalut.\rYes.\tOui.\r", b"Hi.\tSalut.\nYes.\tOui.\n"])
def test_carriage_returns_of_an_old_mac_end_lines(content, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    assert read_corpus(path).pairs == [("Hi.", "Salut."), ("Yes.", "Oui.")]
    assert read_references(path) == {"Hi.": ["Salut."], "Yes.": ["Oui."]}


def test_a_late_line_feed_ends_lines_in_a_file_that_began_with_carriage_returns(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\rb " + b"so " * 500 + b"\tx\nYes.\tOui.\n")
    assert read_corpus(path).pairs == [("Yes.", "Oui.")]


def test_a_file_with_carriage_returns_only_is_read_as_a_whole_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("model.corpora.lines.MAX_FILE_BYTES", 15)
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"Hi.\tSalut.\rYes.\tOui.\r")
    with pytest.raises(ValueError, match="cut it into parts"):
        read_corpus(path)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_alignments_are_read_from_any_editor(line_end, mark, tmp_path):
    path = tmp_path / "gold.tsv"
    lines = ["# by hand", "", "Hi.\tSalut.\t0-0\t1-1", "Yes.\tOui.\t0-0\t", ""]
    path.write_bytes((mark + line_end.join(lines)).encode())
    pairs = [(pair.source, pair.target) for pair in read_alignments(path)]
    assert pairs == [("Hi.", "Salut."), ("Yes.", "Oui.")]


def test_lines_are_numbered_from_1_and_empty_lines_count():
    assert numbered_lines(b"\xef\xbb\xbfa\n\n \nb\n") == [(1, "a"), (4, "b")]
    with pytest.raises(UnicodeDecodeError):
        numbered_lines(b"\xff")


CHINESE = "中" * 600 + "\t文\n"  # no zero byte, by which UTF-16 could be recognised


@pytest.mark.parametrize(
    "content",
    [
        *(
            "Go.\tVa !\n".encode(f"utf-{size}")
            for size in ("16-le", "16-be", "32", "32-le", "32-be")
        ),
        # without the first lines, so no line is valid UTF-8
        b"Go.\tVa !\nCaf\xe9.\tUn caf\xe9.\n"[10:],
    ],
)
def test_a_text_that_is_not_utf_8_is_reported(content, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    for read in (read_corpus, lambda path: list(stream_corpora([[path]]))):
        with pytest.raises(ValueError, match=r"pairs\.tsv.* (?:UTF-8|that encoding)"):
            read(path)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_unicode_text_of_a_spreadsheet_is_read(encoding, line_end, tmp_path):
    """It is UTF-16 with a byte order mark. A chunk may end within a character."""
    path = tmp_path / "pairs.txt"
    sources = ["Go.", "😀" * 600, "中" * 600, *(f"Line {n}." for n in range(9000))]
    text = "".join(f"{source}\tVa !{line_end}" for source in sources)
    path.write_bytes(("\ufeff" + text).encode(encoding))
    assert [source for source, _ in read_corpus(path).pairs] == sources
    assert list(read_references(path)) == sources


def test_half_a_character_of_utf_16_is_undecodable(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_bytes("\ufeffGo.\tVa !\nI\ud83d.\tJe.\n".encode("utf-16-le", "surrogatepass"))
    corpus = read_corpus(path)
    assert corpus.pairs == [("Go.", "Va !")]
    assert corpus.dropped == {"undecodable": 1}


def test_zero_bytes_are_not_text(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\tb\n" + b"x" * 995 + b"\0")
    with pytest.raises(ValueError, match=r"pairs\.tsv: it is a binary file: give the file with"):
        read_corpus(path)


def test_a_line_without_an_end_is_not_read_to_its_end(tmp_path, monkeypatch):
    """The file has 100 GB, but is sparse, so it needs no space on the disk."""
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"I see.\tJe vois.\n" * 1000)
    with path.open("r+b") as file:
        file.truncate(100 * 10**9)
    monkeypatch.setattr("model.corpora.lines.MAX_FILE_BYTES", 20_000_000)
    with path.open("rb") as file, pytest.raises(ValueError, match="one line fills"):
        list(stream_lines(file, max_bytes=float("inf")))
    with path.open("rb") as file, pytest.raises(ValueError, match="more than 10 MB"):
        list(stream_lines(file, max_bytes=10_000_000))


def test_an_endless_line_counts_as_too_long_and_the_next_line_is_read(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"Go.\tVa !\n" + b"x\t" + b"y" * 5_000_000 + b"\nStop.\tArr\xc3\xaate.\n")
    tracemalloc.start()
    corpus = read_corpus(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.pairs == [("Go.", "Va !"), ("Stop.", "Arrête.")]
    assert corpus.dropped == {"over-long": 1}
    assert peak < 3 * 5_000_000, "the file, and no copies of its line"
