"""The page "Learning" shows what the snapshots compute and what the folders hold."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from model.checkpoint.checkpoint import HISTORY, CheckpointError, save_checkpoint
from model.checkpoint.snapshots import SNAPSHOTS, load_snapshot, save_snapshot, snapshot_path
from model.heads.timeline import Timeline, read_snapshots, timeline
from model.lessons.learning.almost_learned import almost_learned_step
from model.maps.measures import most_decided
from model.pictures.tokens import display
from model.trace.next_tokens import perplexity
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.transformer.heads import KINDS
from model.translation_model import TranslationModel, load_transformer
from tests.conftest import tiny_model
from tests.tolerance import assert_same
from tests.ui.app import record_training
from tests.ui.drawn import EN, SENTENCE, Page, causal, opens
from tests.ui.saved_files import Files
from ui.learning.curves import _ago
from ui.learning.snapshots import models_with_snapshots, open_snapshots
from ui.text.markup import gloss, side
from ui.text.translator import translator

_page = opens("learning")
FIXED = ("The cat sleeps on the red chair.", "The mailman bites the dog.")
STEPS = [0, 3, 8]
STEP, BESIDE = "learning.step.en-fr.3", "learning.beside.en-fr.3"
LINES = (
    {"step": 3, "epochs": 0.5, "loss": 5.5, "seconds": 60, "learning_rate": 0.1, "dev_bleu": 7.25},
    {"step": 8, "epochs": 1.5, "loss": 4.5, "seconds": 180, "learning_rate": 0.05, "dev_bleu": 9.5},
)


def write_history(folder: Path, *lines: dict[str, float]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / HISTORY).write_text(text, encoding="utf-8")


def learn(folder: Path, tokenizer) -> Path:
    """Write snapshots of three steps, of which the last is the model itself."""
    for step, seed in zip(STEPS, (2, 3, 0), strict=True):
        save_snapshot(folder, step, tiny_model(tokenizer, seed=seed))
    write_history(folder, *LINES)
    return folder


@pytest.fixture(scope="module", autouse=True)
def few_sentences() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ui.learning.snapshots.SENTENCES", FIXED)
        yield


@pytest.fixture(scope="module")
def t(shared: Path, tokenizer, texts_are_short: None):  # noqa: ARG001
    return load_transformer(learn(shared / "en-fr", tokenizer))


@pytest.fixture(scope="module")
def steps(t) -> list[Trace]:
    """Return the traces in which each snapshot reads the translation of the last one."""
    return _read(t)


@pytest.fixture
def folder(checkpoints: Path, tokenizer) -> Path:
    """Return a copy of the folder with snapshots, which the test may change."""
    return learn(checkpoints / "en-fr", tokenizer)


def _read(t, sentence: str = SENTENCE) -> list[Trace]:
    """Return the trace of each snapshot that reads a sentence and the model's translation."""
    snapshots = [load_snapshot(t.folder, t.config, step) for step in STEPS]
    return read_snapshots(t, snapshots, sentence, t.trace(sentence).tgt_ids)


def _own(t, step: int) -> Trace:
    """Return the trace of the translation that the snapshot of this step writes itself."""
    return trace_pair(Trace, load_snapshot(t.folder, t.config, step), t.tokenizer, SENTENCE)


def _expect_curves(page: Page, name: str, expected: np.ndarray) -> None:
    [chart] = [
        candidate
        for candidate in page.charts(table="curves")
        if "step" in candidate.tables["curves"]
    ]
    table = chart.tables["curves"]
    titles = EN("learning.step"), EN(f"learning.measure.{name}")
    assert (chart.titles["step"], chart.titles["value"]) == titles
    layers, heads = (
        [EN(f"grid.{axis}_number", n=n) for n in (1, 2, 3)] for axis in ("layer", "head")
    )
    assert_same(table["value"], expected.ravel())
    assert [*zip(table["step"], table["layer"], table["head"], strict=True)] == [
        (STEPS[n], layers[layer], heads[head]) for n, layer, head in np.ndindex(expected.shape)
    ]


def test_each_step_shows_its_own_translation_and_maps_over_the_same_target(t, steps, files: Files):
    page, head = _page(), most_decided(steps[-1].cross)
    where = {"attention": EN("attention.cross"), "layer": head[0] + 1, "head": head[1] + 1}
    files.name = "timeline"
    for step, trace in zip(STEPS, steps, strict=True):
        page.use({STEP: step})
        tokens = [*display(trace.next_tokens)], [*display(trace.src_tokens)]
        page.maps[0].is_(trace.cross[head], *tokens)
        header, grid = page.grid("learning.grid")
        # the maps of the grid have 16 bits per number
        np.testing.assert_allclose(grid, trace.cross, atol=1e-4)
        assert (header["queries"], header["keys"]) == tokens
        titles = EN("map.title_head", **where), EN("grid.title"), EN("learning.measures")
        assert page.headers == [*titles]
        text = _own(t, step).target_text or EN("translation.empty")
        label = EN("learning.written_at", step=step)
        assert gloss(label, text, lang=None, titled=True) in page.html
        assert EN("learning.perplexity", n=f"{perplexity(trace):,.1f}") in page.text
        bleu = {3: "7.2", 8: "9.5"}.get(step, "")
        assert (EN("learning.bleu_at", bleu=bleu) in page.text) == bool(step)
        values = files.json()
        assert (values["step"], values["layer"], values["head"]) == (step, head[0] + 1, head[1] + 1)
        assert (values["target"], values["target_origin"]) == (steps[-1].target_text, "final")


def test_the_page_opens_at_the_step_at_which_the_sentence_is_almost_learned(steps, monkeypatch):
    readings = dict(zip(STEPS, steps, strict=True))
    assert _page().app.session_state[STEP] == almost_learned_step(readings)
    monkeypatch.setattr("ui.learning.timeline.almost_learned_step", lambda _: STEPS[1])
    page = _page()
    assert page.app.session_state[STEP] == STEPS[1]
    assert "data-opens-later" in page.html  # the first play begins at the first step
    linked = opens("learning", **{STEP: STEPS[0]})()
    assert linked.app.session_state[STEP] == STEPS[0]
    assert "data-opens-later" not in linked.html


def test_the_page_says_if_the_snapshots_are_of_another_model(checkpoints, tokenizer, monkeypatch):
    shutil.copytree(checkpoints / "en-fr", checkpoints / "small")
    small = load_transformer(learn(checkpoints / "small", tokenizer))
    facts = {
        "name": "small",
        "selected": "en-fr",
        "layers": small.config.n_layers,
        "heads": small.config.n_heads,
        "d_model": small.config.d_model,
        "parameters": f"{small.n_parameters / 1e6:.1f}",
    }
    sentence = EN("learning.other_model", **facts)
    assert sentence in _page().text  # about en-fr, which has no snapshots
    assert sentence not in _page(checkpoint="small").text
    selected = SimpleNamespace(n_parameters=9_400_000, languages=small.languages)
    monkeypatch.setattr("ui.learning.timeline.open_any_model", lambda _: selected)
    sentence = EN("learning.smaller_model", selected_parameters="9.4", **facts)
    assert sentence in _page().text

    # Why the translation is not in the language of the selected model
    reason = EN("learning.other_languages", name="small", selected="en-fr")
    assert reason not in _page().html
    selected.languages = ("en", "zh")
    assert reason in _page().html


def test_of_several_models_with_snapshots_the_visitor_chooses_one(checkpoints, folder):
    shutil.copytree(folder, checkpoints / "small")
    page = _page()
    assert page.control("learning.model").value == "en-fr"
    page.use({"learning.model": "small"})
    assert "learning.step.small.3" in page.app.session_state


def test_translations_are_marked_with_the_language_of_the_model(steps, monkeypatch):
    monkeypatch.setattr(TranslationModel, "languages", ("de", "it"))
    html = _page(**{STEP: "3"}).html
    final = EN("learning.final"), steps[-1].target_text or EN("translation.empty")
    assert gloss(*final, lang="it") in html
    assert html.count('class="gloss"') == html.count('<bdi lang="it">') == 2


def test_head_target_and_attention_can_be_changed(t, steps):
    page = _page(**{STEP: "3", "learning.place": "2-3"})
    assert page.headers[0].endswith("layer 2 · head 3")
    assert page.click("learning.grid", [1, 2]).link["learning.place"] == "1-2"
    assert page.headers[0].endswith("layer 1 · head 2")
    own = _own(t, 3)
    page.use({"learning.target": "own"})
    np.testing.assert_allclose(page.grid("learning.grid")[1], own.cross, atol=1e-4)
    queries = [*display(own.next_tokens)]
    assert page.grid("learning.grid")[0]["queries"] == queries
    assert page.maps[0].queries == queries
    page.use({"learning.target": "final"})
    for kind in ("encoder_self", "decoder_self"):
        page.use({"learning.attention": kind})
        weights = steps[1].attention(kind).weights
        np.testing.assert_allclose(page.grid("learning.grid")[1], weights, atol=1e-4)
        shown = causal(weights[0, 1]) if kind == "decoder_self" else weights[0, 1]
        assert_same(page.maps[0].numbers, shown)
        layer, head = most_decided(steps[-1].attention(kind).weights)
        headers = _page(**{"learning.attention": kind}).headers
        assert headers[0].endswith(f"layer {layer + 1} · head {head + 1}")
    page = _page(**{"learning.place": "junk"})
    assert "learning.place" not in page.link
    layer, head = most_decided(steps[-1].cross)
    title = f"layer {layer + 1} · head {head + 1}"
    assert page.headers[0].endswith(title)
    for no_head in ([0, 2], [2, 0]):
        assert page.click("learning.grid", no_head).headers[0].endswith(title)


def test_two_steps_are_shown_beside_each_other(steps, t):
    page = _page(**{STEP: "8"}).use({BESIDE: 3})
    head = most_decided(steps[-1].cross)
    late, early = steps[2].cross[head], steps[1].cross[head]
    for shown, expected in zip(page.maps, (late, early, late - early), strict=True):
        assert_same(shown.numbers, expected, largest=1)
    for letter, step in (("A", 8), ("B", 3)):
        name = EN("learning.side", step=step)
        assert side(letter, name, steps[-1].target_text, lang=None) in page.html
    page.use({"learning.target": "own"})  # the two snapshots write different words
    assert len(page.maps) == 2
    assert "The difference is not shown:" in page.text
    assert_same(page.maps[1].numbers, _own(t, 3).cross[head])


def test_the_curves_of_all_heads_are_those_of_the_timeline(t, steps):
    page = _page(**{"learning.pairs": "yours"})
    of_sentence = timeline([[trace] for trace in steps], "cross")
    for measure in ("entropy", "positional", "agreement"):
        page.use({"learning.measure.True": measure})
        _expect_curves(page, measure, getattr(of_sentence, measure))
    page.use({"learning.measure.True": "names"})  # this sentence has no name
    assert EN("learning.nothing_to_measure") in page.text
    page.use({"learning.pairs": "fixed", "learning.attention": "encoder_self"})
    traces = list(zip(*(_read(t, sentence) for sentence in FIXED), strict=True))
    _expect_curves(page, "positional", timeline(traces, "encoder_self").positional)
    long = " ".join([SENTENCE] * 4)  # every step gets the sentence that is cut at the limit
    assert t.trace(long).truncated
    page.use({"choice.sentence": long, "learning.attention": "decoder_self"})
    page.use({"learning.pairs": "yours"})
    of_long = timeline([[trace] for trace in _read(t, long)], "decoder_self")
    _expect_curves(page, "positional", of_long.positional)


@pytest.mark.usefixtures("t")
def test_the_page_says_which_head_first_stays_above_a_level_and_from_which_step(monkeypatch):
    zeros = np.zeros((3, 2, 3))  # (snapshots, layers, heads)
    positional = {kind: zeros.copy() for kind in KINDS}
    positional["encoder_self"][:2, 0, 0] = 1  # not to the end
    positional["decoder_self"][1:, 1, 2] = 0.9
    positional["cross"][1:, 0, 1] = 0.95  # from the same step, and larger
    names = zeros.copy()
    names[:, 1, 1] = 0.49  # less than half of the weight
    measured = {
        kind: Timeline(zeros, positional[kind], zeros, names=names, n_rows=1, n_names=1)
        for kind in KINDS
    }
    monkeypatch.setattr("ui.learning.measures.measure", lambda _: measured)
    first = EN("learning.when", attention=EN("attention.cross"), layer=1, head=2, step="3")
    page = _page()
    assert EN("learning.when_positional", answer=first) in page.text
    assert EN("learning.when_names", answer=EN("learning.when_never")) in page.text
    names[2, 1, 0] = 0.5
    first = EN("learning.when", attention=EN("attention.cross"), layer=2, head=1, step="8")
    assert EN("learning.when_names", answer=first) in page.run().text


def test_odd_sentences_and_a_model_that_writes_nothing_are_shown(folder, tokenizer):
    for sentence, refused in ((" ", True), ("word " * 999, True), ("<b>x</b> $x$ 🙂", False)):
        page = _page(sentence=sentence)
        assert ('role="alert"' in page.html) == refused
    keys = display(load_transformer(folder).trace(sentence).src_tokens)
    assert page.grid("learning.grid")[0]["keys"] == [*keys]
    silent = tiny_model(tokenizer, seed=1)
    save_checkpoint(folder, silent, tokenizer, {})
    save_snapshot(folder, 8, silent)
    page, own = _page(), _own(load_transformer(folder), 8)
    assert own.target_text.strip() == ""
    assert page.app.session_state[STEP] == 8  # the last step
    assert page.grid("learning.grid")[1].shape == own.cross.shape
    assert EN("learning.nothing_to_measure") in page.text


def test_missing_damaged_and_removed_snapshots_get_a_message(family, folder):
    shutil.copytree(folder / SNAPSHOTS, family / "en-fr-bahdanau" / SNAPSHOTS)
    assert models_with_snapshots() == ["en-fr"]  # recurrent models have no timeline
    t = load_transformer(folder)
    snapshot_path(folder, 3).write_bytes(b"torn")
    assert "3.safetensors are cut off" in _page().html
    for step in (0, 3):
        snapshot_path(folder, step).unlink()
    assert models_with_snapshots() == []  # a single snapshot shows no learning
    shutil.rmtree(folder / SNAPSHOTS)
    assert "--snapshots 12" in _page().html
    with pytest.raises(CheckpointError, match="has been removed"):
        open_snapshots(t)


CURVES = ("loss", "dev_bleu", "learning_rate")


def test_curves_show_the_history_on_every_axis(folder):
    third_line = {
        "step": 12,
        "epochs": 2.0,
        "loss": 5.25,
        "seconds": 240,
        "learning_rate": 0.09,
        "dev_bleu": 8.5,
    }
    page = _page(show="curves")
    for lines in (LINES, (*LINES[:2], third_line)):
        write_history(folder, *lines)
        for axis, x in (("step", [3, 8, 12]), ("minutes", [1, 3, 4]), ("epochs", [0.5, 1.5, 2])):
            page.use({"learning.axis": axis})
            for chart, curve in zip(page.charts(), CURVES, strict=True):
                titles = f"learning.axis.{axis}", f"learning.unit_{curve}"
                values = [line[curve] for line in lines]
                chart.curves_are({"en-fr": values}, x[: len(lines)], titles)
        assert EN("learning.no_lines") in page.text  # about the speed


def test_a_running_training_is_followed(checkpoints, folder):
    other = checkpoints / "new"
    other.mkdir()
    write_history(other, LINES[0])
    with (other / HISTORY).open("a", encoding="utf-8") as file:
        file.write('{"step": 4, "lo')  # a line that is being written
    page = _page(show="curves")
    assert page.control("learning.runs").value == ["en-fr", "new"]
    assert "new: running, last entry " in page.html
    assert page.charts()[0].series("curves", "curve", "y")["new"].tolist() == [5.5]
    write_history(other, LINES[0], LINES[1] | {"loss": 4.25})
    assert page.run().charts()[0].series("curves", "curve", "y")["new"].tolist() == [5.5, 4.25]
    before = time.time() - 3 * 86_400
    os.utime(other / HISTORY, (before, before))
    assert "new: stopped, last entry 3 days ago" in page.run().html
    assert page.control("learning.runs").value == ["en-fr", "new"]
    shutil.rmtree(folder)
    assert page.run().control("learning.runs").value == ["new"]
    shutil.rmtree(other)
    assert "(history.jsonl)" in page.run().html


@pytest.mark.usefixtures("folder")
def test_a_training_is_read_again_every_few_seconds_until_it_has_stopped(checkpoints, monkeypatch):
    history = checkpoints / "new" / HISTORY
    history.parent.mkdir()
    write_history(history.parent, LINES[0])
    seconds_between_runs: list[float | None] = []

    def fragment(draw, *, run_every):
        seconds_between_runs.append(run_every)

        def draw_after_the_end(*arguments):
            os.utime(history, (0, 0))
            draw(*arguments)

        return draw_after_the_end

    monkeypatch.setattr("ui.learning.curves.fragment", fragment)
    assert "new: stopped, last entry " in _page(show="curves").html
    assert seconds_between_runs == [4.0, None]


def test_a_training_that_was_continued_with_other_settings_has_a_mark_there(folder, files):
    """The lines of the history are at steps 3 and 8, and after 1 and 3 minutes."""
    first = {"from_step": 0, "steps": 5, "seed": 7}
    record_training(folder, settings_history=[first, first | {"from_step": 8, "steps": 9}])
    page = _page(show="curves")
    assert EN("learning.continued", steps="8") in page.html
    assert EN("learning.continued_note") in page.text
    assert "below" not in EN("learning.continued_note")  # the settings are in a closed box
    for axis, x in (("step", 8), ("minutes", 3)):
        page.use({"learning.axis": axis})
        for chart in page.charts()[: len(CURVES)]:
            assert chart.tables["mark"]["x"].tolist() == [x]
    assert files.json("loss")["continued_at"] == [8]
    record_training(folder, settings_history=[first])
    page = _page(show="curves")
    assert "mark" not in page.charts()[0].tables
    assert EN("learning.continued_note") not in page.text


def test_settings_their_changes_and_a_damaged_history_are_shown(checkpoints, folder):
    first = {"from_step": 0, "steps": 5, "seed": 7}
    record_training(folder, settings_history=[first, first | {"from_step": 5, "steps": 8}])
    (checkpoints / "torn" / HISTORY).write_text("no line\n")
    page = _page(show="curves").use({"learning.runs": ["torn", "en-fr"]})
    assert "is damaged" in page.html
    assert "en-fr: finished, 8 steps." in page.html
    table = page.app.dataframe[0].value
    assert list(table.columns) == ["setting", "from step 0", "from step 5"]
    assert table.to_numpy().tolist() == [["steps", "5", "8"], ["seed", "7", ""]]
    assert [*page.charts()[0].series("curves", "curve", "y")] == ["en-fr"]


def test_a_duration_is_written_in_the_largest_unit_of_which_there_are_at_least_two():
    tr = translator("en")
    texts = [_ago(seconds, tr) for seconds in (119, 120, 7199, 7200, 172_799, 172_800)]
    numbers = [int(re.findall(r"\d+", text)[0]) for text in texts]
    assert numbers == [119, 2, 120, 2, 48, 2]
    assert ["second" in texts[0], "hour" in texts[3], "day" in texts[5]] == [True] * 3


def _with(**changed: object) -> Page:
    page = _page()
    return page.use(changed) if changed else page


@pytest.mark.parametrize(
    "changed",
    [{}, {STEP: 3}, {STEP: 8, "learning.target": "own"}, {"learning.attention": "decoder_self"}],
)
@pytest.mark.usefixtures("t")
def test_the_lines_of_a_step_have_the_numbers_of_the_files(changed, files: Files, run_lines):
    page = _with(**changed)
    files.name = "timeline"
    assert_same(run_lines(page, "timeline")["numbers"], files.numbers("weights"))
    files.name = "grid"
    numbers = run_lines(page, "grid")["numbers"]
    for layer, head in np.ndindex(numbers.shape[:2]):
        assert_same(numbers[layer, head], files.numbers(f"layer {layer + 1} head {head + 1}"))


@pytest.mark.parametrize("target", ["final", "own"])
@pytest.mark.usefixtures("t")
def test_the_lines_of_two_steps_have_the_numbers_of_both(target, files: Files, run_lines):
    page = _with(**{STEP: 3, BESIDE: 8, "learning.target": target})
    files.name = "timeline"
    names = run_lines(page, "timeline")
    assert_same(names["a"], files.numbers("A"))
    assert_same(names["b"], files.numbers("B"))
    assert ("difference" in names) == ("A minus B" in files.tables())


@pytest.mark.parametrize("sentences", ["fixed", "yours"])
@pytest.mark.parametrize("kind", ["cross", "encoder_self"])
@pytest.mark.usefixtures("t")
def test_the_lines_of_the_measures_have_the_numbers_of_the_files(
    sentences, kind, files: Files, run_lines, monkeypatch
):
    monkeypatch.setattr("model.heads.timeline.SENTENCES", FIXED)
    page = _with(**{"learning.attention": kind})
    measure = f"learning.measure.{kind == 'cross'}"
    page = page.use({"learning.pairs": sentences, measure: "entropy"})
    files.name = "measures"
    numbers = run_lines(page, "measures")["numbers"]
    [table] = files.tables().values()
    assert_same(numbers.ravel(), [row[-1] for row in table[1]])


@pytest.mark.parametrize("axis", ["step", "epochs", "minutes"])
@pytest.mark.usefixtures("t")
def test_the_lines_of_a_curve_have_the_numbers_of_the_files(axis, files: Files, run_lines):
    page = Page("learning", "curves").use({"learning.axis": axis})
    for curve in ("loss", "dev_bleu"):
        files.name = curve
        names = run_lines(page, curve)
        points = [point for name in names["numbers"] for point in names["numbers"][name]]
        [table] = files.tables().values()
        assert_same(points, [row[1:] for row in table[1]])
