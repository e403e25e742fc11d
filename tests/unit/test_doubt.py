"""Which thresholds decide that a translation is doubted."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import doubt
from benchmarks.doubt import Signs, best_thresholds, doubted
from model.evaluation.doubt import DoubtFile, Measured, Thresholds

THRESHOLDS = Thresholds(perplexity=1.5, short_perplexity=1.8, attention=0.2)


@pytest.mark.parametrize(
    ("perplexity", "is_short", "attention", "is_doubtful"),
    [
        (1.5, False, 0.2, False),
        (1.51, False, 0.2, True),
        (1.5, False, 0.19, True),
        (1.51, False, 0.19, True),
        (1.0, False, math.inf, False),  # without a content word no word is lost
        (1.8, True, 0.2, False),  # a short source has a threshold of its own
        (1.81, True, 0.2, True),
        (1.5, True, 0.19, True),
    ],
)
def test_one_sign_is_enough_and_a_threshold_itself_is_none(
    perplexity: float, is_short: bool, attention: float, is_doubtful: bool
) -> None:
    signs = Signs(perplexity, is_short, attention, is_wrong=False)
    assert signs.are_doubtful(THRESHOLDS) is is_doubtful


def test_hits_and_false_alarms_are_counted_apart() -> None:
    judged = [
        Signs(1.6, False, 0.5, is_wrong=True),
        Signs(1.1, False, 0.1, is_wrong=True),
        Signs(1.1, False, 0.5, is_wrong=True),
        Signs(1.6, False, 0.5, is_wrong=False),
        Signs(1.1, False, 0.5, is_wrong=False),
    ]
    counted = doubted(judged, THRESHOLDS)
    assert counted == Measured(wrong=3, wrong_doubted=2, right=2, right_doubted=1)


def test_the_most_hits_win_and_of_equals_the_fewest_false_alarms() -> None:
    wrong = [Signs(1.42, False, 0.9, is_wrong=True), Signs(1.72, False, 0.9, is_wrong=True)]
    right = [Signs(value, False, 0.9, is_wrong=False) for value in (1.36, 1.0, 1.0, 1.0)]
    # 1.40 finds both wrong translations and doubts no right one. Of equally good thresholds the
    # last one wins, so the two others, which find nothing, are 2.0 and 0.35.
    assert best_thresholds(wrong + right, 0.25) == Thresholds(1.4, 2.0, 0.35)


def test_no_more_right_translations_are_doubted_than_allowed() -> None:
    wrong = [Signs(1.22, False, 0.9, is_wrong=True)]
    right = [Signs(value, False, 0.9, is_wrong=False) for value in (1.32, 1.0)]
    assert best_thresholds(wrong + right, 0.5) == Thresholds(1.2, 2.0, 0.35)  # half: one of two
    assert best_thresholds(wrong + right, 0.49) == Thresholds(2.0, 2.0, 0.35)  # none may be doubted


def test_a_lost_word_is_found_by_the_attention_that_it_gets() -> None:
    judged = [Signs(1.0, False, 0.22, is_wrong=True), Signs(1.0, False, 0.26, is_wrong=False)]
    assert best_thresholds(judged, 0.0) == Thresholds(2.0, 2.0, 0.25)


def test_a_short_source_has_a_perplexity_of_its_own() -> None:
    judged = [
        Signs(1.62, True, 0.9, is_wrong=True),
        Signs(1.58, True, 0.9, is_wrong=False),
        Signs(1.32, False, 0.9, is_wrong=True),
        Signs(1.28, False, 0.9, is_wrong=False),
    ]
    assert best_thresholds(judged, 0.0) == Thresholds(1.3, 1.6, 0.35)


@pytest.mark.parametrize(
    ("perplexity", "threshold"),
    # 1.09 would need a lower threshold, so this wrong translation is not doubted
    [(1.11, 1.1), (2.01, 2.0), (1.09, None)],
)
def test_a_threshold_of_the_perplexity_is_between_1_1_and_2(perplexity, threshold) -> None:
    judged = [Signs(perplexity, False, 9.0, is_wrong=True), Signs(1.0, False, 9.0, is_wrong=False)]
    chosen = best_thresholds(judged, 0.0)
    counts = doubted(judged, chosen)
    assert (counts.wrong_doubted == 1) is (threshold is not None)
    assert threshold is None or chosen.perplexity == threshold


def test_without_any_allowed_threshold_a_sentence_says_what_helps() -> None:
    with pytest.raises(ValueError, match="no threshold has so few false alarms: allow more"):
        best_thresholds([Signs(9.0, False, 0.9, is_wrong=False)], 0.5)


# sentence, which is its own translation here; perplexity; verdict
LISTS = {
    "typed": [("a", 1.22, "W"), ("b", 1.0, "R"), ("c", 1.0, "N")],
    "thresholds": [("d", 1.52, "W"), ("e", 1.27, "R"), ("f", 1.57, "R")],
    "visitors": [("g", 1.92, "W"), ("h", 1.42, "W"), ("i", 1.97, "R"), ("j", 1.42, "R")],
}


@pytest.fixture
def judged(monkeypatch, tmp_path) -> Path:
    """Return a folder of three judged lists, and load a model that copies every sentence."""
    for name, rows in LISTS.items():
        lines = [f"{sentence}\t{sentence}\t{verdict}\n" for sentence, _, verdict in rows]
        (tmp_path / f"en-fr-{name}.tsv").write_text("".join(lines), encoding="utf-8")
    perplexities = {sentence: value for rows in LISTS.values() for sentence, value, _ in rows}
    model = SimpleNamespace(
        folder=tmp_path,
        languages=("en", "fr"),
        trace=lambda sentence: SimpleNamespace(source_text=sentence, target_text=sentence),
    )
    monkeypatch.setattr(doubt, "_JUDGED", tmp_path)
    monkeypatch.setattr(doubt, "load_transformer", lambda _: model)
    monkeypatch.setattr(doubt, "read_analysis", lambda _: None)
    monkeypatch.setattr(doubt, "best_awi_head", lambda _: (0, 0))
    monkeypatch.setattr(doubt, "content_words", lambda *_: [])
    monkeypatch.setattr(doubt, "perplexity", lambda trace: perplexities[trace.target_text])
    monkeypatch.setattr(doubt, "fingerprint_of", lambda _: "x")
    return tmp_path


def _saved(monkeypatch) -> list[DoubtFile]:
    """Run the command; return what it saves."""
    saved: list[DoubtFile] = []
    monkeypatch.setattr(doubt, "save_doubt", lambda _, content: saved.append(content))
    assert doubt.main(["--checkpoint", "x", "--false-alarms", "0.25"]) == 0
    return saved


@pytest.mark.usefixtures("judged")
def test_two_lists_choose_the_thresholds_and_a_third_measures_them(monkeypatch, capsys) -> None:
    # Of the four right translations, one may be doubted; it is that of "f". The list `typed` alone
    # would choose 1.2, `thresholds` alone 2.0, and all three lists together 1.9.
    [saved] = _saved(monkeypatch)
    assert saved.thresholds == Thresholds(2.0, 1.5, 0.35)
    assert saved.measured == Measured(wrong=2, wrong_doubted=1, right=2, right_doubted=1)
    assert capsys.readouterr().out.splitlines() == [
        "perplexity above 2.0, of a short source above 1.5, "
        "or a word with less than 0.35 of any token's attention",
        "wrong and doubted: 1 of 2 (9-91 %)",
        "right and doubted: 1 of 2 (9-91 %)",
    ]


@pytest.mark.usefixtures("judged")
def test_the_word_that_gets_the_least_attention_is_a_sign(monkeypatch) -> None:
    """The sentence "d" is wrong, and one of its three words is lost."""

    def words(trace: SimpleNamespace, head: tuple[int, int]) -> list[SimpleNamespace]:
        assert head == (0, 0)
        least = 0.12 if trace.source_text == "d" else 0.17
        return [SimpleNamespace(most_attention=value) for value in (0.9, least, 0.9)]

    monkeypatch.setattr(doubt, "content_words", words)
    [saved] = _saved(monkeypatch)
    # With perplexity alone, "d", which is wrong, would be doubted only together with "f", which is
    # right.
    assert saved.thresholds == Thresholds(2.0, 2.0, 0.15)


@pytest.mark.usefixtures("judged")
def test_a_tenth_of_the_right_translations_may_be_doubted_without_an_option(monkeypatch) -> None:
    shares: list[float] = []
    monkeypatch.setattr(
        doubt, "best_thresholds", lambda _, share: shares.append(share) or THRESHOLDS
    )
    monkeypatch.setattr(doubt, "save_doubt", lambda *_: None)
    assert doubt.main(["--checkpoint", "x"]) == 0
    assert shares == [0.1]


def test_a_translation_that_nobody_judged_is_reported_with_its_sentence(judged, capsys) -> None:
    (judged / "en-fr-thresholds.tsv").write_text("a cat\tun chat\tR\n", encoding="utf-8")
    assert doubt.main(["--checkpoint", "x"]) == 1
    told = "thresholds: the model now writes 'a cat' for 'a cat': have the translations judged"
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("judged")
def test_if_the_heads_of_a_model_were_not_measured_a_message_says_what_to_do(
    monkeypatch, capsys
) -> None:
    monkeypatch.setattr(doubt, "best_awi_head", lambda _: None)
    assert doubt.main(["--checkpoint", "x"]) == 1
    assert "has no alignment head: run python -m model.analyse heads" in capsys.readouterr().err


def test_a_missing_judged_list_is_reported_before_anything_is_translated(
    judged, monkeypatch, capsys
) -> None:
    (judged / "en-fr-thresholds.tsv").unlink()
    monkeypatch.setattr(doubt, "_signs", lambda *_: pytest.fail("translated"))
    assert doubt.main(["--checkpoint", "x"]) == 1
    told = capsys.readouterr().err
    assert "benchmarks/typed/judged/en-fr-thresholds.tsv is missing" in told
    assert "python -m benchmarks.typed --list thresholds" in told


@pytest.mark.parametrize("line", ["a\ta", "a\ta\tr", "a\ta\tW\tx", ""])
def test_a_line_without_a_verdict_is_reported_with_its_number(line, judged, capsys) -> None:
    (judged / "en-fr-visitors.tsv").write_text(f"g\tg\tW\n{line}\n", encoding="utf-8")
    assert doubt.main(["--checkpoint", "x"]) == 1
    assert "benchmarks/typed/judged/en-fr-visitors.tsv, line 2: expected" in capsys.readouterr().err
