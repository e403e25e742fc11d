"""Every line of a corpus is a pair, or is left out and counted under a reason."""

import pytest

from model.corpora.cleaning import MAX_CHARACTERS
from model.corpora.corpus import read_corpus


@pytest.mark.parametrize("side", [0, 1])
def test_either_side_makes_a_line_over_long_or_undecodable(side, tmp_path):
    """Bytes are counted before spaces are merged. A zero byte is never text."""
    path = tmp_path / "pairs.tsv"
    good = [b"x" * 700, b"y" * 700]
    lines = [good]
    for column in (b"a" + b" " * 99_999, b"a" + b" " * 100_000, b"a\0b", b"\xff"):
        lines.append([column if n == side else b"x" for n in range(2)])
    path.write_bytes(b"\n".join(b"\t".join(columns) for columns in lines))
    corpus = read_corpus(path)
    assert len(corpus.pairs) == 2
    assert corpus.pairs[1][side] == "a"
    assert corpus.dropped == {"over-long": 1, "undecodable": 2}


LONGEST = "a" * MAX_CHARACTERS


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ("repeated", ["Go.\tVa\u202f!"]),  # the same pair once the narrow space is replaced
        ("undecodable", ["caf\udce9\tcaf\udce9"]),  # encoded in Latin-1
        ("without a partner", ["", "no tab"]),
        ("empty", ["\tVa !", "Go.\t  "]),
        ("over-long", [f"{LONGEST}a\tx", f"x\t{LONGEST}a"]),
    ],
)
def test_a_line_that_is_left_out_is_counted_under_its_reason(reason, lines, tmp_path):
    path = tmp_path / "pairs.tsv"
    sound = ["Go.\tVa !", "Go.\tPars !", f"{LONGEST}\t{LONGEST}"]
    path.write_bytes("\n".join([*sound, *lines]).encode(errors="surrogateescape"))
    corpus = read_corpus(path)
    assert corpus.pairs == [tuple(line.split("\t")) for line in sound]
    assert corpus.dropped == {reason: len(lines)}
    assert str(corpus) == f"3 pairs; lines left out: {len(lines)} {reason}"


def test_the_summary_lists_all_reasons(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"Go.\tVa !\nGo.\tVa !\nno tab\n\tVa !\n\nHi.\t\n")
    summary = "1 pairs; lines left out: 2 empty, 1 repeated, 2 without a partner"
    assert str(read_corpus(path)) == summary
