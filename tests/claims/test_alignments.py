"""The pairs aligned by hand: whole, consistent, and as their guideline says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.reconcile_alignments import main
from benchmarks.statistical_aligner import symmetrised
from model.heads.alignment_error_rate import agreement, read_alignments
from model.translation_model import load

FOLDER = Path(__file__).parents[2] / "benchmarks" / "alignments"
NAMES = ("en-fr.first", "en-fr.second", "en-fr")


@pytest.fixture(scope="module")
def tokenizer(shipped_checkpoint):
    return load(shipped_checkpoint).tokenizer


@pytest.mark.parametrize("name", NAMES)
def test_every_link_joins_two_words(tokenizer, name):
    pairs = read_alignments(FOLDER / f"{name}.tsv")
    assert len(pairs) == 120
    for pair in pairs:
        source, target = (
            {n for n in tokenizer.word_numbers(ids, "source") if n is not None}
            for ids in tokenizer.encode_ids([pair.source, pair.target])
        )
        assert pair.sure <= pair.possible
        assert all(i in source and j in target for i, j in pair.possible)


def test_all_files_hold_the_same_pairs():
    lines = (FOLDER / "en-fr.pairs.tsv").read_text("utf-8").splitlines()
    for name in NAMES:
        pairs = read_alignments(FOLDER / f"{name}.tsv")
        assert [f"{pair.source}\t{pair.target}" for pair in pairs] == lines


def test_the_guideline_tells_the_agreement():
    text = (FOLDER / "GUIDELINE.md").read_text("utf-8")
    [stated] = re.findall(r"agreement \(F1 of all links\) is ([\d.]+\d)", text)
    first, second = (read_alignments(FOLDER / f"{name}.tsv") for name in NAMES[:2])
    assert float(stated) == pytest.approx(agreement(first, second), abs=5e-4)


def test_the_file_is_what_its_command_makes(tmp_path, capsys):
    first, second = (str(FOLDER / f"{name}.tsv") for name in NAMES[:2])
    main(first, second, str(tmp_path / "out.tsv"))
    assert (tmp_path / "out.tsv").read_bytes() == (FOLDER / "en-fr.tsv").read_bytes()
    assert '"pairs": 120' in capsys.readouterr().out


def test_symmetrisation_by_hand():
    """Both say 0-0. 1-1 of one and 1-2 of the other grow next to what is there.

    0-0 is in both. Its neighbour 1-1 links word 1 for the first time and is taken, then 1-2, its
    neighbour, links target word 2 for the first time. 4-4 has no neighbour, and both its words are
    still without a link: the last step takes it. 4-2 has none of that and stays out.
    """
    forward = frozenset({(0, 0), (1, 1), (4, 4)})
    backward = frozenset({(0, 0), (1, 2), (4, 2)})
    assert symmetrised(forward, backward) == {(0, 0), (1, 1), (1, 2), (4, 4)}
