"""The lines of Python below a figure compute the numbers of its saved files."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike

from model.pictures.tokens import display
from tests.hub_models import save_folder
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, Page, lines_of
from tests.ui.saved_files import Files
from tests.ui.views import LINK, VIEWS

Names = dict[str, Any]  # after the lines were executed


class Case(NamedTuple):
    """A figure, and where its numbers are after its lines were executed."""

    page: str  # a key of PAGES
    show: str  # the view
    figure: str
    # the numbers of each saved table: (n,) is its last column, (rows, columns) all but its first
    expected: Callable[[Names], Sequence[ArrayLike]]
    changed: dict[str, str]  # controls; empty if no control changes the numbers


def _joined(names: Names) -> list[ArrayLike]:
    """Return the numbers of all curves of one chart, one after the other."""
    return [np.concatenate([*names["numbers"].values()])]


def _matrices(names: Names) -> list[ArrayLike]:
    return [*names["numbers"].values()]


def _matrix(names: Names) -> list[ArrayLike]:
    return [names["numbers"]]


def _hatched(visible: np.ndarray) -> np.ndarray:
    return np.where(visible, 1.0, np.nan)


def _other_ways(names: Names) -> list[ArrayLike]:
    waves, learned, rotation = names["numbers"].values()
    missing = np.full((len(waves) - len(learned), learned.shape[1]), np.nan)
    return [waves, np.concatenate([learned, missing]), rotation]


def _distance(names: Names, p: int) -> list[ArrayLike]:
    products, formula = names["numbers"].values()
    n = len(products)
    row = np.full(2 * n - 1, np.nan)
    row[n - 1 - p : 2 * n - 1 - p] = products[p]
    return [products, np.concatenate([formula, row])]


def _dimension(names: Names) -> list[ArrayLike]:
    rows, sweeps = names["rows"], names["numbers"]
    charts = [np.concatenate([rows[False], rows[True]])]
    for measure in ("variance", "entropy", "gradient"):
        charts.append(np.concatenate([getattr(sweeps[divided], measure) for divided in sweeps]))
    return charts


def _temperature(names: Names, at: int) -> list[ArrayLike]:
    weights, at_1 = names["numbers"], names["numbers"][10]
    sizes = names["gradient_size"](names["weights"])
    return [np.concatenate([at_1, weights[at]]), names["entropy"](weights), sizes]


def _scores(names: Names) -> list[ArrayLike]:
    answers = names["answers"].values()
    weights = np.stack([*names["numbers"].values()])
    gradients = [answer.gradient for answer in answers]
    return [weights, gradients, np.stack([answer.output for answer in answers])]


def _feed_forward(names: Names) -> list[ArrayLike]:
    return [names["numbers"], names["firing"](names["hidden"]), names["changes"]]


def _norms(names: Names) -> list[ArrayLike]:
    x = names["x"]
    return [x, names["numbers"]["layer"], x, names["numbers"]["batch"]]


def _path(names: Names) -> list[ArrayLike]:
    starts = names["starts"].values()
    return [
        np.concatenate([start.gradients for start in starts]),
        np.concatenate([start.spread for start in starts]),
    ]


CASES = [
    Case(
        "masks",
        "editor",
        "mask",
        lambda names: [_hatched(names["numbers"])],
        {"masks.flipped": "0-3,1-2"},
    ),
    Case(
        "masks", "editor", "mask", lambda names: [_hatched(names["numbers"])], {"masks.open": "1"}
    ),
    Case("masks", "editor", "losses", _matrix, {"masks.flipped": "0-3,1-2"}),
    Case("masks", "editor", "losses", _matrix, {"masks.open": "1", "masks.flipped": "1-2"}),
    Case(
        "masks",
        "padding",
        "padding",
        lambda names: [np.where(names["effect"].visible, names["numbers"], np.nan)],
        {
            "masks.padding_layer": "2",
            "masks.padding_head": "1",
            "masks.n_padding": "3",
            "masks.hidden_columns": "1,7",
        },
    ),
    Case("positions", "addition", "addition", _joined, {"sentence": "She sleeps."}),
    Case("positions", "contrast", "other_ways", _other_ways, {}),
    Case("positions", "waves", "waves", _joined, {"positions.wave_count": "20"}),
    Case("positions", "waves", "wavelengths", _matrix, {}),
    Case(
        "positions",
        "helix",
        "helix",
        _matrix,
        {"positions.helix_n": "20", "positions.helix_wave": "0"},
    ),
    Case(
        "positions",
        "counter",
        "counter",
        _matrices,
        {"positions.counter_count": "9", "positions.shown": "sign"},
    ),
    Case(
        "norms",
        "stream",
        "stream",
        lambda names: [names["numbers"], np.ravel(names["way"], "F")],
        {"norms.measure": "share", "norms.stream_stack": "decoder", "norms.stream_token": "2"},
    ),
    Case(
        "norms",
        "stream",
        "stream",
        lambda names: [names["numbers"], np.ravel(names["way"], "F")],
        {"norms.measure": "added"},
    ),
    Case(
        "norms",
        "stream",
        "stream",
        lambda names: [names["numbers"], np.ravel(names["way"], "F")],
        {"norms.measure": "cosine"},
    ),
    Case(
        "norms",
        "feed_forward",
        "feed_forward",
        _feed_forward,
        {"layer": "1", "norms.ffn_stack": "decoder", "norms.ffn_token": "2"},
    ),
    Case(
        "norms",
        "padding",
        "layer_and_batch",
        _norms,
        {"norms.padding": "3", "norms.batch_seed": "5"},
    ),
    Case("norms", "padding", "padding", _joined, {"sentence": "She sleeps."}),
    Case("norms", "order", "order", _joined, {"norms.order_depth": "2", "norms.order_seed": "5"}),
    Case("norms", "path", "path", _path, {"norms.path_depth": "2", "norms.path_stack": "encoder"}),
    Case(
        "scaling", "dimension", "dimension", _dimension, {"scaling.d_k": "8", "scaling.seed": "5"}
    ),
    Case(
        "scaling",
        "bench",
        "scores",
        _scores,
        {
            "scaling.choice": "hard",
            "scaling.scope": "local",
            "scaling.reach": "1",
            "scaling.parameters": "5",
            "scaling.query": "2",
            "attention": "decoder_self",
        },
    ),
    Case(
        "cost",
        "table",
        "table",
        lambda names: [np.concatenate([*layers.values()]) for layers in names["numbers"].values()],
        {"cost.d": "64", "cost.k": "5", "cost.r": "4"},
    ),
    Case("cost", "memory", "memory", _matrix, {}),
    Case("cost", "memory", "limit", _matrix, {"cost.repeat": "3"}),
]


def _check(files: Files, expected: Sequence[ArrayLike]) -> None:
    """Compare the numbers of the lines with those of all saved tables, in their order."""
    tables = files.tables()
    assert len(tables) == len(expected)
    for (name, (_, rows)), numbers in zip(tables.items(), expected, strict=True):
        numbers = np.asarray(numbers, dtype=float)
        saved = [row[-1] for row in rows] if numbers.ndim == 1 else files.numbers(name)
        assert_same(numbers, np.array(saved, dtype=float))


def _open(case: Case, changed: dict[str, str]) -> Page:
    return Page(case.page, case.show, **{"sentence": SENTENCE} | changed)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page}-{case.figure}")
def test_a_figure_of_a_lesson_has_the_numbers_of_its_files(case, files, run_in_folder):
    """With the first value of each control and with changed controls."""
    files.name = case.figure
    lines = {}
    for changed in ({}, case.changed):
        page = _open(case, changed)
        lines[str(changed)] = lines_of(page, case.figure)
        _check(files, case.expected(run_in_folder(lines_of(page, case.figure))))
    assert len({*lines.values()}) == len(lines), "the changed controls do not change the lines"


@pytest.mark.parametrize(
    ("changed", "row"),
    [
        ({"attention": "encoder_self"}, 1),
        ({"attention": "decoder_self", "layer": "1", "head": "2", "masks.row": "0"}, 0),
        ({"attention": "cross", "masks.other.2": "She sleeps.", "masks.row": "2"}, 2),
    ],
)
def test_a_padded_batch_has_the_numbers_of_the_files(changed, row, files, run_lines):
    page = Page("masks", "batch", sentence=SENTENCE, **changed)
    files.name = "batch"
    names = run_lines(page, "batch")
    batch = names["batch"]
    kind = changed["attention"]
    padding = (batch.tgt_padding if kind == "decoder_self" else batch.src_padding)[row]
    masks = [np.broadcast_to(padding, (names["numbers"]["scores"].shape[0], len(padding)))]
    if kind == "decoder_self":
        masks += [batch.causal, batch.causal & padding]
    hatched = [_hatched(mask) for mask in (batch.src_padding, batch.tgt_padding, *masks)]
    _check(files, [*hatched, *_matrices(names)])


@pytest.mark.parametrize("p", [20, 3])
def test_products_of_positions_have_the_numbers_of_the_files(p, files, run_lines):
    page = Page("positions", "distance", **{"positions.p": str(p)} if p != 20 else {})
    files.name = "distance"
    names = run_lines(page, "distance")
    _check(files, _distance(names, p))
    assert f'["products"][{p}]' in lines_of(page, "distance")


@pytest.mark.parametrize(("p", "k"), [(3, 5), (10, -4)])
def test_a_rotation_has_the_numbers_of_the_files(p, k, files, run_lines):
    changed = {} if (p, k) == (3, 5) else {"positions.from": str(p), "positions.k": str(k)}
    page = Page("positions", "rotation", **changed)
    files.name = "rotation"
    m_k, before, after = run_lines(page, "rotation")["numbers"].values()
    dials, *matrices = files.tables()
    for name, numbers in zip(matrices, (m_k, before[:, None], after[:, None]), strict=True):
        assert_same(numbers, files.numbers(name))
    angles = files.numbers(dials)  # of the clock hands, before and after
    assert_same(np.sin(angles[:, 0]), before[::2])
    assert_same(np.cos(angles[:, 1]), after[1::2])


@pytest.mark.parametrize(("temperature", "at"), [(4.0, 14), (1.0, 10), (0.5, 8)])
def test_weights_at_a_temperature_have_the_numbers_of_the_files(temperature, at, files, run_lines):
    changed = {} if temperature == 4.0 else {"scaling.temperature": str(temperature)}
    page = Page("scaling", "temperature", sentence=SENTENCE, **changed)
    files.name = "temperature"
    assert files.about()["temperature"] == temperature
    names = run_lines(page, "temperature")
    assert float(names["temperatures"][at]) == pytest.approx(temperature)
    _check(files, _temperature(names, at))


def test_a_later_query_of_the_decoder_sees_no_later_key(files, run_lines):
    changed = {"attention": "decoder_self", "layer": "1", "head": "2", "scaling.query": "2"}
    page = Page("scaling", "temperature", sentence=SENTENCE, **changed)
    files.name = "temperature"
    names = run_lines(page, "temperature")
    assert len(names["k"]) == 3
    _check(files, _temperature(names, 14))


def test_the_bias_of_t5_has_the_numbers_of_the_files(shared, files, run_lines):
    name = save_folder("t5", shared / "hub-t5").name
    page = Page("positions", "contrast", checkpoint=name)
    files.name = "relative_bias"
    _check(files, _matrix(run_lines(page, "relative_bias")))


def test_the_whole_machine_has_as_many_parameters_as_its_boxes_say(files, run_lines):
    page = Page("architecture", sentence=SENTENCE)
    files.name = "machine"
    names = run_lines(page, "machine")
    counts = files.column("boxes", "parameters")
    boxes = zip(names["numbers"].values(), names["boxes"], counts, strict=True)
    for number, box, count in boxes:
        assert count == (
            f"{number:,}" if number else EN("architecture.shared") if box.shared_with else ""
        )
    assert sum(box.n_parameters * box.repeats for box in names["boxes"]) == names["t"].n_parameters


@pytest.mark.parametrize("changed", [{}, {"cost.bits": "3"}])
def test_a_draft_has_the_tokens_of_the_files(changed, files, run_lines):
    page = Page("cost", "draft", sentence=SENTENCE, **changed)
    files.name = "draft"
    names = run_lines(page, "draft")
    subword = names["t"].tokenizer.subword
    for column, ids in names["numbers"].items():
        saved = files.column("draft", column)
        assert [*display([subword(id) for id in ids])] == [*saved][: len(ids)]
        assert not any(saved[len(ids) :])


@pytest.mark.parametrize("changed", [{}, {"masks.task": "sum", "masks.seed": "3"}])
def test_trained_models_have_the_losses_of_the_files(changed, files, run_lines, monkeypatch):
    monkeypatch.setattr("ui.lessons.masks.cheating.N_STEPS", 20)
    monkeypatch.setattr("ui.lessons.masks.cheating.N_ROWS", 2)
    page = Page("masks", "cheating", **changed).press("masks.train").finished()
    files.name = "cheating"
    names = run_lines(page, "cheating")
    losses, shares = files.tables()
    saved = [row[-1] for row in files.tables()[losses][1]]
    np.testing.assert_allclose(np.concatenate([*names["numbers"].values()]), saved, rtol=1e-5)
    targets = [row.target for row in names["written"]]
    alone = [
        names["share_right"]([row.by_itself[mask] for row in names["written"]], targets)
        for mask in names["MASKS"]
    ]
    assert [row[-1] for row in files.tables()[shares][1]][1::2] == alone


# Why a figure has no lines: view and figure -> reason. Measured times have none either, but are
# drawn only after a click: tests/ui/pages/test_lesson_cost.py and test_lesson_scaling.py.
GUESSED = "the lines would give away what a class has to guess"
TYPED = "the visitor changes its numbers by hand"
NOT_YET = "nobody has written its lines; the library has all that they need"
WITHOUT = {
    ("five_minutes_heads", "heads"): GUESSED,
    ("explorer_hidden_row", "grid"): GUESSED,
    ("explorer_hidden_row", "map"): GUESSED,
    ("experiments_ablations", "guess"): GUESSED,
    ("qkv", "change"): TYPED,
    ("qkv_classroom", "change"): TYPED,
    ("qkv_classroom", "matrices"): TYPED,
    ("experiments_ablations", "ablated"): NOT_YET,
    ("experiments_contrast", "contrast"): NOT_YET,
    ("experiments_contrast", "parts"): NOT_YET,
    ("experiments_left_out", "left_out"): NOT_YET,
    ("experiments_links", "link"): NOT_YET,
    ("experiments_revealed", "ablated"): NOT_YET,
    ("experiments_revealed", "each_head"): NOT_YET,
    ("experiments_scoreboard", "scoreboard"): NOT_YET,
    ("experiments_untrained", "untrained"): NOT_YET,
    ("learning_laboratory", "laboratory_1"): NOT_YET,
    ("many", "heads_of_list"): NOT_YET,
    ("explorer_beam", "beam"): NOT_YET,
    ("explorer_cell", "cell"): NOT_YET,
    ("explorer_logit_lens", "logit_lens"): NOT_YET,
    ("explorer_space", "space"): NOT_YET,
    ("explorer_steps", "step"): NOT_YET,
}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_each_figure_has_lines_or_is_an_exception(view):
    page = Page(view.page, any_link=True, **LINK | view.link)
    without = {name for name in view.figures if not lines_of(page, name)}
    assert without == {name for name in view.figures if (view.name, name) in WITHOUT}
