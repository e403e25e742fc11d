"""The loss without heads, the progress of an analysis, and its file."""

import copy
import io
import json
import shutil
import weakref
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from model import CheckpointError, compare, progress
from model import analyse as command
from model.alignment.error_rate import METHODS
from model.alignment.gold import read_alignments
from model.checkpoint.checkpoint import CONFIG, WEIGHTS
from model.checkpoint.fingerprint import fingerprint
from model.command_line import as_recorded
from model.heads import analysis as module
from model.heads.analysis import N_POINTS, Analyser, analyse
from model.heads.analysis_file import PruningPoint, read_analysis, save_analysis
from model.heads.statistics import head_statistics
from model.interventions.ablation import HEAD_MEANS
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel, load_transformer

REFERENCES = {"I am.": ["Je suis.", "J'y suis."], "Go!": ["Va !"]}
LINKS = "I am.\tJe suis.\t0-0 1-1 2-2\t\n"
ON_HALVES = {"on the other half": 0.5}
BY_PEOPLE = {
    name: ON_HALVES | {"both ways": [ON_HALVES | {"place": index}]}
    for name, index in (("best head", "1.2"), ("best layer", "1"))
}
HUMAN = {"corpus": "c", "pairs": 9, "error_rates": dict.fromkeys(METHODS, BY_PEOPLE)}
INPUTS = {
    "sentences": "--pairs pairs.tsv --sentences 500",
    "alignments": "more.tsv",
    "human": "human.json",
}
FILES = {
    "pairs.tsv": "I am.\tJe suis.\nGo!\tVa !\n",
    "others.tsv": "I am.\tJe suis.\nGo!\tVa !\n",
    "long.tsv": f"I am.\tJe suis.\nGo!\t{'Va ' * 61}\n{'I am ' * 61}\tVa.\nWe go.\tVa !\n",
    "links.tsv": LINKS,
    "more.tsv": LINKS + "Go!\tVa !\t0-0 1-1\t\n",
    "none.tsv": "# none\n",
    "long_links.tsv": LINKS + f"Go!\t{'Va ' * 61}\t0-0\t\n",
    "y.json": '{"aligner": "eflomal", "error_rate": 0.25}',
    "odd.json": '{"corpus": "c"}',
    "nobody.json": json.dumps(HUMAN),
    "others.json": json.dumps(HUMAN | {"model": "of others"}),
}


@pytest.fixture
def t(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TranslationModel:
    """Return a model with the inputs of an analysis.

    Its BLEU is constant; other tests check BLEU.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module.Analyser, "_bleu", lambda *_: 1.0)
    t = load_transformer(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))
    files = FILES | {"human.json": json.dumps(HUMAN | {"model": fingerprint(t.model)})}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    return t


def run(words: str) -> int:
    """Return the exit status of a subcommand such as "heads pairs.tsv --sentences 1"."""
    subcommand, pairs, *options = words.split()
    return command.main([subcommand, "--checkpoint", "tiny", "--pairs", pairs, *options])


def measured(words: str):
    """Run a subcommand, and return the analysis that it has written."""
    assert run(words) == 0
    return json.loads(Path("tiny/analysis.json").read_text("utf-8"))


def test_each_part_of_an_analysis_reports_how_many_of_its_steps_are_done(t, monkeypatch):
    """A part with n steps reports 0, ..., n - 1.

    By the test's clock the analysis takes 3.6 s, which are rounded to 4.
    """
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=iter([100.0, 103.6]).__next__))
    reports: list[tuple[str, int, int]] = []
    links = read_alignments("links.tsv")
    analysis = analyse(
        t, REFERENCES, alignments=links, report=lambda *report: reports.append(report)
    )
    assert analysis.seconds == 4
    assert (analysis.sentences, analysis.alignment.pairs) == (2, 1)
    assert (analysis.checkpoint, analysis.model) == ("tiny", fingerprint(t.model))
    for measured_heads in analysis.importance.lost_log_prob.values():
        assert np.array_equal(measured_heads, np.round(measured_heads, 5))
    counts = {
        part: [(n, total) for _, n, total in of_part]
        for part, of_part in groupby(reports, lambda report: report[0])
    }
    curves = [f"pruning, {name}" for name in ("gradient", "removal", "random")]
    sizes = {"statistics": 2, "gradients": 1, "heads ablated": 18, "alignment": 1}
    assert counts.keys() == sizes.keys() | set(curves)
    for part, counted in counts.items():
        total = sizes.get(part, 17)
        assert counted == [(n, total) for n in range(total)]


@pytest.mark.parametrize(
    ("asked", "given", "also"),
    [
        (command, "--split test --corpus /far/a.en /far/a.fr --sentences 7", ""),
        (command, "--pairs /far/p --sentences 500 --alignments /far/l --baseline /far/y", ""),
        (compare, "--split dev --corpus /far/a /far/b", ""),
    ],
)
def test_the_recorded_command_has_all_options_but_no_folder(monkeypatch, asked, given, also):
    expected = "heads --checkpoint /far/a" if asked is command else "--checkpoints /far/a b/c"
    monkeypatch.setattr(asked, "run", lambda parser, _, words: parser.parse_args(words))
    read = asked.main([*expected.split(), *given.split()])
    whose = (
        expected.removeprefix("heads ").replace("/far", "checkpoints").replace("b/", "checkpoints/")
    )
    assert as_recorded(read) == f"{read.parser.prog} {whose} {given.replace('/far/', '')}{also}"


@pytest.mark.parametrize("option", ["--baseline y.json", "--human h.json"])
def test_results_of_other_programs_need_aligned_pairs(option, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(f"heads p.tsv {option}")
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert f"{option.split()[0]} needs --alignments FILE" in last_line


@pytest.mark.parametrize(
    "words",
    [
        "means p.tsv --alignments a.tsv",
        "faithfulness p.tsv --alignments a.tsv",
        "alignments p.tsv",
        "heads p.tsv --sentences 0",
    ],
)
def test_a_subcommand_refuses_options_that_it_would_ignore_and_missing_ones(
    words, tiny_checkpoint, tmp_path
):
    (tmp_path / "p.tsv").write_text("I am.\tJe suis.\n", encoding="utf-8")
    subcommand, _, *options = words.split()
    given = ["--checkpoint", str(tiny_checkpoint), "--pairs", str(tmp_path / "p.tsv")]
    with pytest.raises(SystemExit, match="2"):
        command.main([subcommand, *given, *options])


@pytest.mark.usefixtures("t")
def test_mean_outputs_can_be_measured_without_an_analysis():
    assert run("means pairs.tsv") == 0
    assert Path("tiny", HEAD_MEANS).exists()
    assert not Path("tiny/analysis.json").exists()


@pytest.mark.usefixtures("t")
def test_alignments_can_be_measured_again_without_changing_the_rest():
    again = "alignments pairs.tsv --alignments more.tsv"
    assert run(again) == 1  # no analysis exists yet
    before = measured("heads pairs.tsv")
    assert before["alignment"] is None
    after = measured(f"{again} --human human.json")
    assert after["alignment"].pop("human") == json.loads(Path("human.json").read_text("utf-8"))
    assert after["alignment"].keys() == {"pairs", "rates", "halves"}
    assert after["inputs"] == INPUTS
    unchanged = before.keys() - {"alignment", "inputs", "occurrences"}
    assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}


@pytest.mark.usefixtures("t")
def test_the_faithfulness_of_maps_is_added_and_kept(capsys):
    assert run("faithfulness pairs.tsv") == 1
    assert "make it with python -m model.analyse heads" in capsys.readouterr().err
    before = measured("heads pairs.tsv")
    after = measured("faithfulness pairs.tsv")
    faithfulness = after.pop("faithfulness")
    assert after == before
    assert faithfulness["masked"]["maps"].keys() == faithfulness["replaced"]["maps"].keys()
    assert {"alti", "read.2.3", "random"} < faithfulness["masked"]["maps"].keys()
    assert measured("heads pairs.tsv")["faithfulness"] == faithfulness


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    ("long", "part", "short"),
    [
        ("faithfulness pairs.tsv", "measure_faithfulness", "heads pairs.tsv --alignments more.tsv"),
        ("heads pairs.tsv --alignments more.tsv", "analyse", "faithfulness pairs.tsv"),
        (
            "alignments pairs.tsv --alignments more.tsv",
            "measure_alignment",
            "faithfulness pairs.tsv",
        ),
    ],
)
def test_a_measurement_keeps_results_that_another_process_saved_meanwhile(
    long, part, short, monkeypatch
):
    measured("heads pairs.tsv")
    measure = getattr(command, part)

    def measure_while_another_saves(*arguments: object, **named: object) -> object:
        monkeypatch.setattr(command, part, measure)
        measured(short)
        return measure(*arguments, **named)

    monkeypatch.setattr(command, part, measure_while_another_saves)
    after = measured(long)
    assert after["faithfulness"] is not None
    assert after["alignment"] is not None


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--alignments more.tsv --human others.json", "others.json"),
        ("--alignments more.tsv --human nobody.json", "nobody.json"),
        ("--alignments more.tsv --human odd.json", "benchmarks.human_alignments"),
        ("--alignments more.tsv --baseline odd.json", "benchmarks.statistical_aligner"),
        ("--alignments none.tsv", "none.tsv"),
        ("--alignments long_links.tsv", "'Go!' and 'Va Va"),
    ],
)
def test_impossible_measurements_are_refused_before_anything_is_measured(options, message, capsys):
    assert run(f"heads pairs.tsv {options}") == 1
    assert message in capsys.readouterr().err
    assert not Path("tiny", HEAD_MEANS).exists()


@pytest.mark.usefixtures("t")
def test_alignments_of_sentences_outside_the_analysis_are_refused(capsys):
    measured("heads pairs.tsv")
    assert run("alignments pairs.tsv --alignments more.tsv --sentences 1") == 1
    assert "sentences and not of 1: make it anew" in capsys.readouterr().err


@pytest.mark.usefixtures("t")
def test_results_of_other_programs_are_kept_for_the_same_pairs_and_weights(capsys):
    beside = "--baseline y.json --human human.json"
    first = measured(f"heads pairs.tsv --alignments links.tsv {beside}")
    assert first["alignment"]["baseline"]["error_rate"] == 0.25
    capsys.readouterr()
    assert measured("alignments pairs.tsv --alignments links.tsv") == first
    assert "alignment:   0% 0/1" in capsys.readouterr().err


@pytest.mark.usefixtures("t")
def test_new_pairs_drop_the_baseline_and_other_weights_the_rates_by_people():
    beside = "--baseline y.json --human human.json"
    measured(f"heads pairs.tsv --alignments links.tsv {beside}")
    other = measured("alignments pairs.tsv --alignments more.tsv")
    assert other["alignment"].keys() == {"pairs", "rates", "halves", "human"}
    assert other["inputs"] == INPUTS
    other["alignment"]["human"]["model"] = "of others"
    Path("tiny/analysis.json").write_text(json.dumps(other), "utf-8")
    last = measured("alignments pairs.tsv --alignments more.tsv")
    assert last["alignment"].keys() == {"pairs", "rates", "halves"}
    assert last["inputs"].keys() == {"sentences", "alignments"}


@pytest.mark.usefixtures("t")
def test_a_pair_that_is_too_long_on_either_side_is_left_out(capsys):
    assert measured("heads long.tsv")["sentences"] == 2
    assert "2 of 4 sentences are left out: over 61 tokens" in capsys.readouterr().err


def test_each_part_of_an_analysis_reports_its_progress_from_the_start(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress.progress_bar() as bar:
        report = command._reporter(bar)
        for part in ("masked", "replaced"):
            for n in range(3):
                report(part, n, 4)
    lines = [line.partition(" [")[0] for line in log.getvalue().splitlines()]
    counts = ["masked:   0% 0/4", "masked:  25% 1/4", "masked:  50% 2/4"]
    counts += [count.replace("masked", "replaced") for count in counts]
    assert [line for line in lines if "/4" in line][: len(counts)] == counts


@pytest.fixture
def analyser(tiny_checkpoint: Path) -> Analyser:
    return Analyser(load_transformer(tiny_checkpoint), REFERENCES, lambda *_: None)


def test_the_first_reference_is_read_and_no_trace_is_kept(analyser, monkeypatch):
    """The traces of 500 sentences would take 1.7 GB."""
    encode = analyser.t.tokenizer.encode_ids
    sources, targets = ["I am.", "Go!"], ["Je suis.", "Va !"]
    assert analyser.pairs == list(zip(encode(sources), encode(targets), strict=True))
    analyser.t = copy.copy(analyser.t)
    made: list[weakref.ref] = []
    given = []

    def trace(source: str, target: str):
        assert [ref() for ref in made[:-1]] == [None] * len(made[:-1])
        result = TranslationModel.trace(analyser.t, source, target=target)
        given.append((source, target))
        made.append(weakref.ref(result))
        return result

    analyser.sources, analyser.first_targets = sources * 2, targets * 2
    monkeypatch.setattr(analyser.t, "trace", trace)
    head_statistics(analyser.traces())
    assert given == list(zip(sources, targets, strict=True)) * 2


def test_a_pruning_curve_removes_sixteenths(analyser, monkeypatch):
    """Of 18 heads, point n removes the first 18 n / 16 of the order, rounded."""
    order = all_heads(analyser.t.config)[::-1]
    seen = []
    bleu = lambda removed: seen.append(removed) or 40.126 - len(removed)  # noqa: E731
    monkeypatch.setattr(analyser, "_bleu", bleu)
    curve = analyser.pruning_curve("random", order)
    removed = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18]
    assert len(removed) == N_POINTS + 1
    assert curve == [PruningPoint(n, round(40.126 - n, 2)) for n in removed]
    assert seen == [order[:n] for n in removed]


def test_the_loss_without_each_head_is_measured(analyser, monkeypatch):
    heads = all_heads(analyser.t.config)
    index = {frozenset([head]): n for n, head in enumerate(heads)} | {frozenset(): -1}
    monkeypatch.setattr(analyser, "_bleu", lambda removed: 30.0 - index[frozenset(removed)])
    monkeypatch.setattr(module, "ablations_of", lambda _, removed, _mode: removed)
    log_prob = lambda *given: -5.0 - 2 * index[frozenset(given[-1])]  # noqa: E731
    monkeypatch.setattr(module, "mean_log_prob", log_prob)
    lost_bleu, lost_log_prob = analyser.by_removal()
    assert lost_bleu == {head: n + 1 for n, head in enumerate(heads)}
    assert lost_log_prob == {head: 2 * (n + 1) for n, head in enumerate(heads)}


SHIPPED = Path(__file__).parents[2] / "checkpoints" / "en-fr"
LACKING = {
    "a head of the statistics": lambda a: a.statistics["cross"][1].pop(),
    "a layer of the statistics": lambda a: a.statistics["decoder_self"].pop(),
    "a head of an importance": lambda a: a.importance.lost_bleu["encoder_self"][0].pop(),
    "a layer of an importance": lambda a: a.importance.gradient["cross"].pop(),
    "a head of the rates": lambda a: a.alignment.rates["norms AWO"].heads[3].pop(),
    "a layer of the rates": lambda a: a.alignment.rates["weights AWI"].layers.pop(),
    "a head of a relation": lambda a: a.syntax.relations.subject_verb.like[1].pop(),
    "a head of the occurrences": lambda a: a.occurrences["cross"][1].pop(),
    "a point of a curve": lambda a: a.pruning.random.pop(),
    "the place of a point": lambda a: a.pruning.removal.__setitem__(2, PruningPoint(7, 1.0)),
}


@pytest.mark.parametrize("missing", LACKING)
def test_an_analysis_without_a_field_is_damaged(missing, tmp_path):
    for name in (CONFIG, WEIGHTS):
        (tmp_path / name).symlink_to(SHIPPED / name)
    analysis = read_analysis(SHIPPED)
    LACKING[missing](analysis)
    save_analysis(tmp_path, analysis)
    with pytest.raises(CheckpointError, match="heads are missing"):
        read_analysis(tmp_path)
