"""The word-aligned sentence pairs: complete, consistent, and as the guideline says."""

import re
from pathlib import Path

import pytest

from benchmarks.reconcile_alignments import agreement, main
from benchmarks.statistical_aligner import symmetrised
from model.alignment.error_rate import alignment_error_rate
from model.alignment.gold import read_alignments
from model.alignment.word_links import align_words, best_aligner
from model.heads.analysis_file import read_analysis
from model.tokenizers.byte_level.pre_tokenizer import word_ends
from model.translation_model import load_transformer

FOLDER = Path(__file__).parents[2] / "benchmarks" / "alignments"
LANGUAGES = [("en-fr", 120, "GUIDELINE.md"), ("en-zh", 80, "GUIDELINE.en-zh.md")]


@pytest.mark.parametrize(("languages", "n", "guideline"), LANGUAGES)
def test_both_annotators_linked_all_pairs_and_their_agreement_is_the_published_number(
    languages, n, guideline, tmp_path, capsys
):
    """Each link joins two words of its pair. The command makes the third file of the other two."""
    first, second, both = (
        FOLDER / f"{languages}{annotator}.tsv" for annotator in (".first", ".second", "")
    )
    lines = (FOLDER / f"{languages}.pairs.tsv").read_text("utf-8").splitlines()
    assert len(lines) == n
    for path in (first, second, both):
        pairs = read_alignments(path)
        assert [f"{pair.source}\t{pair.target}" for pair in pairs] == lines
        for pair in pairs:
            n_source, n_target = (len(word_ends(text)) for text in (pair.source, pair.target))
            assert pair.sure <= pair.possible
            assert all(i < n_source and j < n_target for i, j in pair.possible)
    main(str(first), str(second), str(tmp_path / "out.tsv"))
    assert (tmp_path / "out.tsv").read_bytes() == both.read_bytes()
    assert f'"pairs": {n}' in capsys.readouterr().out
    text = (FOLDER / guideline).read_text("utf-8")
    [stated] = re.findall(r"agreement \(F1 of all links\) is ([\d.]+\d)", text)
    measured = agreement(read_alignments(first), read_alignments(second))
    assert float(stated) == pytest.approx(measured, abs=5e-4)


@pytest.mark.parametrize("languages", [languages for languages, _, _ in LANGUAGES])
def test_the_stored_links_have_the_error_rate_of_the_analysis(languages):
    t = load_transformer(FOLDER.parents[1] / "checkpoints" / languages)
    alignment = read_analysis(t.folder).alignment
    aligner = best_aligner(alignment)
    results = []
    for pair in read_alignments(FOLDER / f"{languages}.tsv"):
        trace = t.trace(pair.source, target=pair.target)
        results.append((align_words(t, trace, aligner).links, pair))
    measured = alignment.rates[aligner.method].heads[aligner.layer][aligner.head]
    assert alignment_error_rate(results) == pytest.approx(measured, abs=0.005)
    assert aligner.error_rate < 0.1


def test_symmetrisation_keeps_the_links_that_its_rules_give_by_hand():
    """Links 0-0, 1-1, 1-2 and 4-4 are taken, and 4-2 is left out.

    0-0 is in both directions. 1-1 is a neighbour of it and links word 1 for the first time. 1-2 is
    a neighbour of that and links target word 2 for the first time. 4-4 has no neighbour. Neither of
    its words has a link yet, so the last step takes it. 4-2 fulfils none of these conditions.
    """
    forward = frozenset({(0, 0), (1, 1), (4, 4)})
    backward = frozenset({(0, 0), (1, 2), (4, 2)})
    assert symmetrised(forward, backward) == {(0, 0), (1, 1), (1, 2), (4, 4)}
