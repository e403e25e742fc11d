"""The laboratory shows what the training measured."""

import re
from dataclasses import asdict

import numpy as np
import pytest
from streamlit.testing.v1.element_tree import Button

from model.lessons.learning.laboratory import (
    RunSettings,
    RunState,
    ToyTraining,
    untrained_state,
)
from tests.tolerance import assert_same
from tests.ui.drawn import EN, Page, opens
from tests.ui.pages.test_work import end_before_drawing, started_job
from tests.ui.saved_files import Files
from tests.waiting import until
from ui.laboratory import laboratory as module
from ui.server.queue import FullError, WorkQueue
from ui.state.limits import REPLICAS_VARIABLE

STEPS = 20
SMALL = {"d_model": 16, "n_heads": 1}
opened = opens("learning", show="laboratory")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, shared) -> None:  # noqa: ARG001
    monkeypatch.setattr(module, "STEPS_PER_START", STEPS)
    monkeypatch.setattr("ui.server.queue.SECONDS_UNTIL_LEFT", 60)


def chosen(**settings: object) -> dict[str, object]:
    return {f"laboratory.{name}": value for name, value in settings.items()}


def trained(page: Page, button: str = "start") -> Page:
    page.press(f"laboratory.{button}")
    # The page runs again by itself. If a training ends during a run, the buttons, which are drawn
    # first, still are those of a running training.
    until(lambda: "Done: " in page.run().html and not _go_on(page).disabled)
    return page


def _go_on(page: Page) -> Button:
    return page.app.button(key="laboratory.go_on")


def learned(steps: int, **changes: object) -> list[RunState]:
    values = {"n_layers": 1, "n_heads": 1, "d_model": 16, "learning_rate": 1e-3}
    training = ToyTraining(RunSettings(**values | changes))
    return [point for _ in range(steps) if (point := training.advance())]


def _expect_curves(page: Page, runs: dict[str, list[RunState]]) -> None:
    for chart, measure in zip(page.charts(), ("accuracy", "loss"), strict=True):
        shown, steps = (chart.series("curves", "curve", axis) for axis in "yx")
        assert [*shown] == [*runs]
        for name, points in runs.items():
            expected = [getattr(point, measure) for point in points]
            np.testing.assert_allclose(shown[name], expected, rtol=1e-4)
            assert steps[name].tolist() == [point.step for point in points]
        titles = EN("laboratory.step"), EN(f"laboratory.unit_{measure}")
        assert (chart.titles["x"], chart.titles["y"]) == titles


def test_before_a_training_the_page_shows_the_model_that_it_would_start_from():
    page = opened()
    assert page.link.keys() == {"sentence", "show"}  # each setting has its default
    page.use(chosen(**SMALL))
    for seed in (0, 4):
        page.use(chosen(seed=seed))
        values = {"n_layers": 1, "n_heads": 1, "d_model": 16, "learning_rate": 1e-3}
        state = untrained_state(RunSettings(**values, seed=seed))
        [weights] = state.maps["cross"][0]
        word = [*"picture"]
        page.matrices_are(
            "laboratory.maps.0.1",
            {EN("grid.head_number", n=1): weights},
            rows=[*word[::-1], "<eos>"],
            columns=["<bos>", *word, "<eos>"],
            largest=40,
        )
        assert page.headers[-1] == EN("laboratory.untrained")
        assert EN("laboratory.written") not in page.html  # random weights write nonsense
        assert page.charts() == []  # there are no curves yet
    assert EN("laboratory.untrained") not in trained(page).headers


def test_the_page_runs_again_by_itself_when_a_training_has_ended(monkeypatch):
    end_before_drawing(monkeypatch, module)
    page = opened().use(chosen(**SMALL)).press("laboratory.start")
    assert "Done: " in page.html
    disabled = {
        name: page.app.button(key=f"laboratory.{name}").disabled for name in ("stop", "go_on")
    }
    assert disabled == {"stop": True, "go_on": False}


def test_curves_maps_and_text_are_those_of_the_training(files: Files):
    page = trained(opened().use(chosen(d_model=16, n_heads=2, seed=3)))
    points = learned(STEPS, n_heads=2, seed=3)
    _expect_curves(page, {EN("laboratory.run", n=1): points})
    row = re.findall(rf">{EN('laboratory.written')}</th>(.*?)</tr>", page.html)[0]
    assert tuple(re.findall('<bdi lang="zxx">(.*?)</bdi>', row)) == points[-1].written
    word = [*"picture"]
    source, target = ["<bos>", *word, "<eos>"], word[::-1]
    sides = {
        "cross": ([*target, "<eos>"], source),
        "encoder_self": (source, source),
        "decoder_self": ([*target, "<eos>"], ["<bos>", *target]),
    }
    for kind, (rows, columns) in sides.items():
        page.use({"laboratory.attention": kind})
        maps = enumerate(points[-1].maps[kind][0], start=1)
        shown = {EN("grid.head_number", n=n): weights for n, weights in maps}
        page.matrices_are("laboratory.maps.0.1", shown, rows=rows, columns=columns, largest=40)
    files.name = "laboratory_1"
    assert_same(files.numbers("layer 1 head 1"), points[-1].maps["decoder_self"][0, 0], largest=40)
    page = trained(page, "go_on")  # training continues where it stopped
    _expect_curves(page, {EN("laboratory.run", n=1): learned(2 * STEPS, n_heads=2, seed=3)})


def test_two_trainings_are_compared_and_named_by_their_differences(monkeypatch, files: Files):
    page = trained(opened().use(chosen(**SMALL)))
    other = {"positions": False, "norm": "post"}
    page = trained(page.use(chosen(**other)))
    names = [
        " · ".join([EN("laboratory.run", n=n), f"Positions {on}", f"Norm {norm}"])
        for n, on, norm in ((1, "on", "before (pre)"), (2, "off", "after (post)"))
    ]
    runs = dict(zip(names, (learned(STEPS), learned(STEPS, **other)), strict=True))
    _expect_curves(page, runs)
    assert page.headers[:2] == names
    page = trained(page, "go_on")  # the newest training continues
    runs[names[1]] = learned(2 * STEPS, **other)
    _expect_curves(page, runs)
    about = files.json("laboratory_loss")
    assert [about[f"norm of run {n}"] for n in (1, 2)] == ["pre", "post"]
    monkeypatch.setattr(WorkQueue, "submit", _full)
    for button in ("start", "go_on"):
        assert "Too many jobs are waiting" in page.press(f"laboratory.{button}").html


def _full(*_: object) -> None:
    raise FullError("40 trainings are waiting")


def test_every_setting_reaches_the_training(monkeypatch):
    started = []
    monkeypatch.setattr(module, "submit", lambda job, _: started.append(job.settings))
    values = {
        "task": "sort", "n_layers": 2, "n_heads": 4, "d_model": 32, "learning_rate": 3e-3,
        "positions": False, "causal_mask": False, "norm": "post", "label_smoothing": 0.1,
        "seed": 7,
    }  # fmt: skip
    page = opened().use(chosen(**values)).press("laboratory.start")
    Page("learning", **page.link).press("laboratory.start")
    for settings in started:
        assert values.items() <= asdict(settings).items()
    assert len(started) == 2
    assert page.app.caption == []
    monkeypatch.setenv(REPLICAS_VARIABLE, "4")  # with several servers, each has its own queue
    assert page.run().app.caption[0].value == EN("laboratory.replicas", n=4)


def test_a_waiting_visitor_sees_the_position_in_the_queue_and_stopping_keeps_the_results(
    monkeypatch,
):
    monkeypatch.setattr(module, "STEPS_PER_START", 10**6)
    other = started_job(module.work_queue())
    page = opened().use(chosen(**SMALL)).press("laboratory.start")
    assert "You are number 1 in the queue" in page.html
    assert page.headers[-1] == EN("laboratory.untrained")  # until the first results
    assert not page.app.button(key="laboratory.stop").disabled
    module.work_queue().stop(other)
    other.may.release()
    until(lambda: page.run().charts())
    # the curve shows how far the training is: its axis ends where the training will end
    assert [chart.values["x_end"] for chart in page.charts()] == [10**6] * 2
    [running] = page.app.session_state["laboratory.jobs"]
    with monkeypatch.context() as patch:
        patch.setattr(WorkQueue, "submit", _full)
        page.press("laboratory.start")  # a refused training does not end the running one
    assert not running.stop_requested
    page.press("laboratory.stop")
    assert running.stop_requested
    until(lambda: "Stopped after step" in page.run().html)
    assert EN("laboratory.state_stopped", step=running.training.step) in page.html
    assert page.charts()
    page.press("laboratory.start").press("laboratory.stop")
    [_, newest] = page.app.session_state["laboratory.jobs"]
    assert newest.stop_requested
