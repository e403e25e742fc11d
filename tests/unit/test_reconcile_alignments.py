"""The file and the numbers that two annotators' alignments become."""

import json

import pytest

from benchmarks.reconcile_alignments import agreement, main
from model.alignment.gold import AlignedPair, read_alignments

FIRST = "I see.\tJe vois.\t0-0 1-1\t\nYes.\tOui.\t0-0\t1-1\n"
SECOND = "I see.\tJe vois.\t0-0\t2-2\nYes.\tOui.\t\t0-0 1-1\n"


def test_a_link_is_sure_if_it_is_sure_for_both_and_possible_if_one_made_it(
    tmp_path, capsys
) -> None:
    paths = [str(tmp_path / name) for name in ("first.tsv", "second.tsv", "out.tsv")]
    for path, text in zip(paths, (FIRST, SECOND), strict=False):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    main(*paths)
    first_pair, second_pair = read_alignments(paths[-1])
    assert (first_pair.sure, first_pair.possible) == ({(0, 0)}, {(0, 0), (1, 1), (2, 2)})
    assert (second_pair.sure, second_pair.possible) == (set(), {(0, 0), (1, 1)})
    with open(paths[-1], encoding="utf-8") as file:
        assert file.read() == "I see.\tJe vois.\t0-0\t1-1 2-2\nYes.\tOui.\t\t0-0 1-1\n"
    # Each of them made four links, three of which both made: 2 * 3 / (4 + 4).
    expected = {"pairs": 2, "agreement": 0.75, "sure": 1, "possible": 5}
    assert json.loads(capsys.readouterr().out) == expected


def test_the_agreement_is_printed_with_four_decimals(tmp_path, capsys) -> None:
    first, second, out = (tmp_path / name for name in ("first", "second", "out"))
    first.write_text("I see.\tJe vois.\t0-0 1-1\t\n", encoding="utf-8")
    second.write_text("I see.\tJe vois.\t0-0\t\n", encoding="utf-8")
    main(str(first), str(second), str(out))
    assert '"agreement": 0.6667,' in capsys.readouterr().out  # 2 * 1 / (2 + 1)


def test_annotators_of_different_pairs_have_no_agreement() -> None:
    pair = AlignedPair("a", "b", frozenset(), frozenset())
    with pytest.raises(ValueError, match="not the same pairs: 'a' and 'c'"):
        agreement([pair], [AlignedPair("c", "b", frozenset(), frozenset())])
    with pytest.raises(ValueError, match="shorter"):
        agreement([pair, pair], [pair])
