"""What the analysis is told, what it tells on its way, and the command that stands in its file."""

from __future__ import annotations

import json
import shutil
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from model import analyse as command
from model import compare
from model.checkpoint.mark import mark
from model.command_line import as_recorded
from model.heads import analysis as module
from model.heads.alignment_error_rate import read_alignments
from model.heads.analysis import _rounded, analyse
from model.heads.chosen_on_halves import READINGS
from model.heads.means import HEAD_MEANS
from model.translation_model import TranslationModel, load_transformer

pytestmark = pytest.mark.usefixtures("short_texts")

REFERENCES = {"I am.": ["Je suis.", "J'y suis."], "Go!": ["Va !"]}
LINKS = "I am.\tJe suis.\t0-0 1-1 2-2\t\n"


@pytest.fixture
def t(tiny_checkpoint: Path, tmp_path: Path) -> TranslationModel:
    return load_transformer(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))


def test_progress_counts_from_nothing_to_all_of_it(
    t: TranslationModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part begins at 0 and ends one before its end; the clock moves on by 3.6 seconds."""
    (tmp_path / "links.tsv").write_text(LINKS, "utf-8")
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=iter([100.0, 103.6]).__next__))
    monkeypatch.setattr(module.Analyser, "_bleu", lambda *_: 1.0)
    told: list[tuple[str, int, int]] = []
    found = analyse(
        t,
        REFERENCES,
        alignments=read_alignments(tmp_path / "links.tsv"),
        report=lambda *what: told.append(what),
    )
    assert found["seconds"] == 4
    assert (found["sentences"], found["alignment"]["pairs"]) == (2, 1)
    parts = {what: [(n, of) for _, n, of in some] for what, some in groupby(told, lambda x: x[0])}
    curves = [f"pruning, {name}" for name in ("gradient", "removal", "random")]
    sizes = {"statistics": 2, "gradients": 1, "heads ablated": 18, "alignment": 1}
    assert parts.keys() == sizes.keys() | set(curves)
    for what, counted in parts.items():
        of = sizes.get(what, 17)
        assert counted == [(n, of) for n in range(of)]


def test_numbers_are_rounded_wherever_they_stand() -> None:
    given = {"a": [1.234567, {"b": 2.0000049}], "c": 7, "d": "1.234567", "e": True}
    assert _rounded(given) == {"a": [1.23457, {"b": 2.0}], "c": 7, "d": "1.234567", "e": True}


PAIRS = "--pairs /far/pairs.tsv"
SPLIT = "--split test --corpus /far/a.en /far/a.fr"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (PAIRS, "--pairs pairs.tsv --sentences 500"),
        (f"{SPLIT} --sentences 7", "--split test --corpus a.en a.fr --sentences 7"),
        (
            f"{PAIRS} --alignments /far/l.tsv",
            "--pairs pairs.tsv --alignments l.tsv --sentences 500",
        ),
        (
            f"{PAIRS} --baseline /far/y.json",
            "--pairs pairs.tsv --baseline y.json --sentences 500",
        ),
    ],
)
def test_the_command_in_the_file_has_all_that_was_given_and_no_folder(
    given: str, expected: str
) -> None:
    parser = command._parser()
    options = parser.parse_args(["--checkpoint", "/far/en-fr", *given.split()])
    assert as_recorded(parser, options) == (
        f"python -m model.analyse --checkpoint checkpoints/en-fr {expected}"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [(PAIRS, "--pairs pairs.tsv"), (SPLIT, "--split test --corpus a.en a.fr")],
)
def test_so_has_the_command_of_a_comparison(given: str, expected: str) -> None:
    parser = compare._parser()
    options = parser.parse_args([*given.split(), "--checkpoints", "/far/a", "b/c"])
    assert as_recorded(parser, options) == (
        f"python -m model.compare --checkpoints checkpoints/a checkpoints/c {expected}"
    )


@pytest.mark.parametrize(("links", "baseline"), [(True, True), (True, False), (False, False)])
def test_alignments_and_a_baseline_are_taken_where_they_are_given(
    links: bool, baseline: bool, t: TranslationModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = t.folder.parent
    (folder / "pairs.tsv").write_text("I am.\tJe suis.\nGo!\tVa !\n", "utf-8")
    (folder / "links.tsv").write_text(LINKS, "utf-8")
    (folder / "y.json").write_text('{"aligner": "eflomal", "error_rate": 0.25}', "utf-8")
    seen: dict[str, Any] = {}

    def analysed(_t: object, references: dict, *, alignments: list, report: Any) -> dict[str, Any]:
        report("some", 3, 7)
        seen.update(references=references, alignments=alignments)
        return {"alignment": {"rates": {}} if alignments else None}

    monkeypatch.setattr(command, "analyse", analysed)
    monkeypatch.setattr(command, "add_to_card", lambda *_: None)
    words = ["--checkpoint", str(t.folder), "--pairs", str(folder / "pairs.tsv")]
    words += ["--alignments", str(folder / "links.tsv")] if links else []
    words += ["--baseline", str(folder / "y.json")] if baseline else []
    assert command.main(words) == 0
    assert list(seen["references"]) == ["I am.", "Go!"]
    assert [pair.source for pair in seen["alignments"]] == (["I am."] if links else [])
    written = json.loads((t.folder / "analysis.json").read_text("utf-8"))
    parser = command._parser()
    assert written["command"] == as_recorded(parser, parser.parse_args(words))
    found = written["alignment"]
    assert (found is not None) == links
    assert ("baseline" in (found or {})) == baseline


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--baseline y.json", "--baseline needs --alignments FILE"),
        ("--human h.json", "--human needs --alignments FILE"),
        ("--alignments-only", "--alignments-only needs --alignments FILE"),
        ("--alignments-only --means-only", "not allowed with argument"),
    ],
)
def test_options_that_do_nothing_or_harm_are_refused(
    given: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without pairs, --alignments-only took the error rates away."""
    with pytest.raises(SystemExit) as caught:
        command.main(["--checkpoint", "none", *PAIRS.split(), *given.split()])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


HUMAN = {
    "corpus": "c",
    "pairs": 9,
    "error_rates": {
        reading: {
            name: {
                "on the other half": 0.5,
                "both ways": [{"place": place, "on the other half": 0.5}],
            }
            for name, place in (("best head", "1.2"), ("best layer", "1"))
        }
        for reading in READINGS
    },
}


def test_alignments_alone_are_measured_again_and_all_else_stays(
    t: TranslationModel, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = t.folder.parent
    (folder / "pairs.tsv").write_text("I am.\tJe suis.\nGo!\tVa !\n", "utf-8")
    (folder / "links.tsv").write_text(LINKS + "Go!\tVa !\t0-0 1-1\t\n", "utf-8")
    human = HUMAN | {"model": mark(t.model)}
    (folder / "human.json").write_text(json.dumps(human), "utf-8")
    words = ["--checkpoint", str(t.folder), "--pairs", str(folder / "pairs.tsv")]
    again = [*words, "--alignments", str(folder / "links.tsv"), "--alignments-only"]
    assert command.main(again) == 1
    assert "has no analysis of 2 sentences" in capsys.readouterr().err
    assert command.main(words) == 0
    before = json.loads((t.folder / "analysis.json").read_text("utf-8"))
    assert before["alignment"] is None
    assert command.main([*again, "--human", str(folder / "human.json")]) == 0
    after = json.loads((t.folder / "analysis.json").read_text("utf-8"))
    kept = before.keys() - {"alignment", "command"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["alignment"].keys() == {"pairs", "rates", "halves", "human"}
    assert after["alignment"]["human"] == human
    assert after["command"] == (
        "python -m model.analyse --checkpoint checkpoints/tiny --pairs pairs.tsv "
        "--alignments links.tsv --human human.json --sentences 500"
    )
    assert command.main([*again, "--sentences", "1"]) == 1
    for others in (HUMAN, HUMAN | {"model": "of others"}):
        (folder / "human.json").write_text(json.dumps(others), "utf-8")
        assert command.main([*again, "--human", str(folder / "human.json")]) == 1
        assert "does not say that it was measured on the weights" in capsys.readouterr().err
    (folder / "human.json").write_text('{"corpus": "c"}', "utf-8")
    assert command.main([*again, "--human", str(folder / "human.json")]) == 1
    assert "not what benchmarks.human_alignments prints" in capsys.readouterr().err


def test_what_is_not_measured_again_stays_with_its_command(t: TranslationModel) -> None:
    """A baseline of as many pairs, links of people on these weights, and other sentences' names."""
    folder = t.folder.parent
    for name in ("pairs.tsv", "others.tsv"):
        (folder / name).write_text("I am.\tJe suis.\nGo!\tVa !\n", "utf-8")
    (folder / "links.tsv").write_text(LINKS, "utf-8")
    (folder / "more.tsv").write_text(LINKS + "Go!\tVa !\t0-0 1-1\t\n", "utf-8")
    (folder / "y.json").write_text('{"aligner": "eflomal", "error_rate": 0.25}', "utf-8")
    (folder / "human.json").write_text(json.dumps(HUMAN | {"model": mark(t.model)}), "utf-8")

    def measured(pairs: str, links: str, *more: str) -> dict[str, Any]:
        words = [
            "--checkpoint",
            t.folder,
            "--pairs",
            folder / pairs,
            "--alignments",
            folder / links,
        ]
        assert command.main([*map(str, words), *more]) == 0
        found: dict[str, Any] = json.loads((t.folder / "analysis.json").read_text("utf-8"))
        return found

    beside = ["--baseline", str(folder / "y.json"), "--human", str(folder / "human.json")]
    first = measured("pairs.tsv", "links.tsv", *beside)
    assert measured("pairs.tsv", "links.tsv", "--alignments-only") == first
    assert measured("others.tsv", "links.tsv", "--alignments-only") == first
    other = measured("pairs.tsv", "more.tsv", "--alignments-only")
    assert other["alignment"].keys() == {"pairs", "rates", "halves", "human"}
    assert other["command"] == (
        "python -m model.analyse --checkpoint checkpoints/tiny --pairs pairs.tsv "
        "--alignments more.tsv --human human.json --sentences 500"
    )
    other["alignment"]["human"]["model"] = "of others"
    (t.folder / "analysis.json").write_text(json.dumps(other), "utf-8")
    last = measured("pairs.tsv", "more.tsv", "--alignments-only")
    assert last["alignment"].keys() == {"pairs", "rates", "halves"}
    assert "--human" not in last["command"]


def test_pairs_that_are_none_take_nothing_away(
    t: TranslationModel, capsys: pytest.CaptureFixture[str]
) -> None:
    (t.folder / "pairs.tsv").write_text("I am.\tJe suis.\n", "utf-8")
    (t.folder / "links.tsv").write_text("# none\n", "utf-8")
    words = ["--checkpoint", t.folder, "--pairs", t.folder / "pairs.tsv"]
    assert command.main([*map(str, words), "--alignments", str(t.folder / "links.tsv")]) == 1
    assert "there is no pair in" in capsys.readouterr().err


def test_texts_that_are_too_long_end_no_measurement(
    t: TranslationModel, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair is left out for either side; what was aligned by hand is named before all else."""
    (t.folder / "links.tsv").write_text(LINKS + f"Go!\t{'Va ' * 61}\t0-0\t\n", "utf-8")
    lines = ["I am.\tJe suis.", f"Go!\t{'Va ' * 61}", f"{'I am ' * 61}\tVa.", "We go.\tVa !"]
    (t.folder / "pairs.tsv").write_text("\n".join(lines), "utf-8")
    words = ["--checkpoint", str(t.folder), "--pairs", str(t.folder / "pairs.tsv")]
    assert command.main([*words, "--alignments", str(t.folder / "links.tsv")]) == 1
    assert "the aligned pair 'Go!' and 'Va Va" in capsys.readouterr().err
    assert not (t.folder / HEAD_MEANS).exists()
    assert command.main(words) == 0
    assert "2 of 4 sentences are left out: over 61 tokens" in capsys.readouterr().err
    assert json.loads((t.folder / "analysis.json").read_text("utf-8"))["sentences"] == 2


def test_the_bar_shows_what_is_done_and_how_much_of_it() -> None:
    shown = []
    bar = SimpleNamespace(set_description=shown.append, refresh=lambda: shown.append("again"))
    command._reporter(bar)("some", 3, 7)  # type: ignore[arg-type]
    assert (shown, bar.n, bar.total) == (["some", "again"], 3, 7)
