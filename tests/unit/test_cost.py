"""Table 1 equals numbers that are computed in the comments; the timed layers use a test's clock.

The clock only counts the runs that are measured, so no result depends on real time.
"""

import time
from unittest.mock import Mock

import pytest
import torch

from model.lessons import cost
from model.lessons.cost import TIMED, complexities, measure_layers, timed_layers
from model.lessons.scaling import measure_costs
from model.timing import quickest_run


def test_the_table_of_complexities_is_that_computed_by_hand():
    """Work, steps and path for n = 10 tokens of d = 4 numbers, with k = 3 and r = 5."""
    table = complexities(n=10, d=4, k=3, r=5)
    costs = {name: (row.work, row.steps, row.path) for name, row in table.items()}
    assert costs == {
        "self": (400, 1, 1),  # 10 · 10 · 4
        "recurrent": (160, 10, 10),  # 10 · 4 · 4
        "convolution": (480, 1, 3),  # 3 · 10 · 4 · 4; 3 · 3 < 10 <= 3 · 3 · 3
        "restricted": (200, 1, 2),  # 5 · 10 · 4; 10 / 5
    }
    assert complexities(n=11, d=4, k=3, r=5)["restricted"].path == 3
    wide = complexities(n=7, d=4, k=2, r=100)  # the window is wider than the sequence
    assert wide["restricted"] == wide["self"]
    for n, k, path in ((1, 2, 1), (8, 2, 3), (9, 2, 4), (243, 3, 5)):
        assert complexities(n=n, d=1, k=k, r=1)["convolution"].path == path
    for wrong in ({"n": 0}, {"d": 0}, {"k": 1}, {"r": 0}):
        with pytest.raises(ValueError, match="at least"):
            complexities(**{"n": 1, "d": 1, "k": 2, "r": 1} | wrong)


def set_clock(monkeypatch: pytest.MonkeyPatch, runs) -> None:
    """Replace the clock: it starts at 1000, and each timed run takes this number of seconds."""
    now, times = 1000.0, []
    for seconds in runs:
        times += [now, now + seconds]
        now += seconds + 7.0
    monkeypatch.setattr(time, "perf_counter", iter(times).__next__)


def test_the_fastest_run_of_a_score_function_counts(monkeypatch):
    set_clock(monkeypatch, [0.5, 0.25, 0.75, 4.0, 3.0, 2.0])
    function = Mock()
    costs = list(measure_costs({"one": function, "two": function}, n=5, d_k=3, repeats=3))
    monkeypatch.undo()
    assert costs == [("one", 0.25), ("two", 2.0)]
    seen = [tuple(x.shape for x in call.args) for call in function.call_args_list]
    # each pair of shapes once without timing, then three times with timing
    assert seen == [((5, 3), (5, 3))] * 8


@pytest.mark.parametrize(
    ("runs", "repeats", "quickest", "measured"),
    [
        ([0.03, 0.02, 0.01], 3, 0.01, 3),
        ([0.04, 0.07, 0.01], 3, 0.04, 2),  # stops when the total reaches 0.1 seconds
        ([0.04, 0.05, 0.02], 3, 0.02, 3),
        ([5.0, 0.01], 2, 5.0, 1),
    ],
)
def test_slow_runs_are_repeated_less_often(runs, repeats, quickest, measured, monkeypatch):
    set_clock(monkeypatch, runs)
    run = Mock()
    seconds = quickest_run(run, repeats=repeats, max_seconds=0.1)
    monkeypatch.undo()
    assert seconds == pytest.approx(quickest)
    assert run.call_count == 1 + measured


def test_each_layer_gets_one_sequence_and_the_same_one_every_time(monkeypatch):
    quickest = Mock(return_value=2.5)
    monkeypatch.setattr(cost, "quickest_run", quickest)
    for _ in range(2):
        timings = list(measure_layers([3, 5], d=8, repeats=4))
        assert timings == [((name, n), 2.5) for n in (3, 5) for name in TIMED]
    # the timed function is partial(layer, x)
    inputs = [call.args[0].args[0] for call in quickest.call_args_list]
    assert [x.shape for x in inputs] == [(1, n, 8) for n in (3, 5) for _ in TIMED] * 2
    assert all(map(torch.equal, inputs[: len(timings)], inputs[len(timings) :]))
    assert {call.kwargs["repeats"] for call in quickest.call_args_list} == {4}


@pytest.mark.parametrize(
    ("name", "feels", "weights"),
    [
        ("self", range(13), None),
        # as many weights as the same computation in one step
        ("recurrent", range(2, 13), 2 * (6 * 6 + 6)),
        ("at_once", [2], None),
        ("convolution", [1, 2, 3], None),  # a kernel of width 3
        ("restricted", range(11), 4 * (6 * 6 + 6)),  # a window of eight positions on each side
    ],
)
def test_a_change_at_position_2_reaches_these_positions(name, feels, weights):
    torch.manual_seed(0)
    layer = timed_layers(6)[name]
    x = torch.randn(1, 13, 6, generator=torch.Generator().manual_seed(1))
    changed = x.clone()
    changed[0, 2] += 1
    with torch.no_grad():
        outs = layer(x), layer(changed)
    before, after = (out[0] if isinstance(out, tuple) else out for out in outs)
    if name == "convolution":  # the channels of a convolution are the first axis
        before, after = before.mT, after.mT
    assert before.shape == x.shape
    assert (after - before)[0].abs().amax(dim=1).nonzero().flatten().tolist() == list(feels)
    assert weights is None or weights == sum(p.numel() for p in layer.parameters())
