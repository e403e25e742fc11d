"""The laboratory on the page: what it shows is what the training measured."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.lessons.learning.laboratory import Settings, ToyTraining
from tests.ui.app import html_of, matrices_of, open_page, run, set_widget, tables_of
from ui.laboratory import laboratory as module
from ui.laboratory.run import Run
from ui.server.queue import Bench, FullError, Job
from ui.state.limits import REPLICAS_VARIABLE

STEPS = 40


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, checkpoints) -> None:  # noqa: ARG001
    monkeypatch.setattr(module, "_STEPS", STEPS)
    monkeypatch.setattr("ui.server.queue.PATIENCE", 60)


def opened() -> AppTest:
    app = open_page("pages/learning.py", show="laboratory")
    for name, value in (("d_model", 16), ("n_heads", 1)):
        set_widget(app, "button_group", f"laboratory.{name}", value)
    return app


def press(app: AppTest, name: str) -> AppTest:
    app.button(key=f"laboratory.{name}").click()
    return run(app)


def trained(app: AppTest) -> AppTest:
    """Look again and again, as the page does by itself, until the training is done."""
    deadline = time.monotonic() + 60
    while "Done: " not in html_of(run(app)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return app


def settings(**changes: object) -> Settings:
    values = {"n_layers": 1, "n_heads": 1, "d_model": 16, "learning_rate": 1e-3}
    return Settings(**values | changes)  # type: ignore[arg-type]


def test_curves_maps_and_text_are_those_of_the_run() -> None:
    app = trained(press(opened(), "start"))
    points = list(ToyTraining(settings()).train(STEPS))
    accuracy, loss = tables_of(app, "x", "y", "curve")
    assert accuracy["y"].tolist() == [point.accuracy for point in points]
    np.testing.assert_allclose(loss["y"], [point.loss for point in points])
    assert loss["x"].tolist() == [1, 20, 40]
    ((_, drawn),) = matrices_of(app)
    np.testing.assert_allclose(drawn, points[-1].maps["cross"][0, 0], atol=1e-6)
    [row] = re.findall(rf">written, step {STEPS}</th>(.*?)</tr>", html_of(app))
    assert tuple(re.findall('<bdi lang="zxx">(.*?)</bdi>', row)) == points[-1].written
    app = set_widget(app, "button_group", "laboratory.attention", "encoder_self")
    ((header, drawn),) = matrices_of(app)
    np.testing.assert_allclose(drawn, points[-1].maps["encoder_self"][0, 0], atol=1e-6)
    assert header["rowLabels"] == header["columnLabels"] == ["<bos>", *"picture", "<eos>"]


def test_of_several_servers_each_has_its_own_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened().caption == []
    monkeypatch.setenv(REPLICAS_VARIABLE, "4")
    [said] = opened().caption
    assert said.value.startswith("4 servers share this site. Each has a queue of its own")


def test_it_goes_on_where_it_was() -> None:
    app = trained(press(opened(), "start"))
    app = trained(press(app, "go_on"))
    points = list(ToyTraining(settings()).train(2 * STEPS))
    loss = tables_of(app, "x", "y", "curve")[1]
    np.testing.assert_allclose(loss["y"], [point.loss for point in points])


def test_two_runs_are_compared_and_named_by_what_differs() -> None:
    app = trained(press(opened(), "start"))
    set_widget(app, "button_group", "laboratory.positions", False)
    set_widget(app, "button_group", "laboratory.norm", "post")
    app = trained(press(app, "start"))
    loss = tables_of(app, "x", "y", "curve")[1]
    first, second = loss["curve"].unique()
    assert "Positions on" in first
    assert "Norm before" in first
    assert "Positions off" in second
    assert "Norm after" in second
    assert "Heads" not in first + second
    expected = list(ToyTraining(settings(positions=False, norm="post")).train(STEPS))
    np.testing.assert_allclose(
        loss[loss["curve"] == second]["y"], [point.loss for point in expected]
    )


def test_a_second_visitor_is_told_his_place() -> None:
    forever = Run(settings(), 10**6)
    app = opened()
    module.bench().submit(forever)
    page = html_of(press(app, "start"))
    assert "You are number 1 in the queue" in page
    module.bench().stop(forever)
    trained(app)


def test_stopping_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STEPS", 10**6)
    app = press(opened(), "start")
    deadline = time.monotonic() + 60
    while not tables_of(run(app), "x", "y", "curve"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    app = press(app, "stop")
    while "Stopped after step" not in html_of(run(app)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert tables_of(app, "x", "y", "curve")
    [job] = app.session_state["laboratory.jobs"]
    assert f"Stopped after step {job.training.step}." in html_of(app)


def test_a_refused_training_leaves_the_running_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(bench: Bench, job: Job) -> None:  # noqa: ARG001
        raise FullError("40 trainings are waiting")

    monkeypatch.setattr(module, "_STEPS", 10**6)
    app = press(opened(), "start")
    [running] = app.session_state["laboratory.jobs"]
    with monkeypatch.context() as patch:
        patch.setattr(Bench, "submit", full)
        press(app, "start")
    assert running.wanted
    press(app, "start")
    assert not running.wanted
    module.bench().stop(app.session_state["laboratory.jobs"][-1])


def test_a_full_queue_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(bench: Bench, job: Job) -> None:  # noqa: ARG001
        raise FullError("40 trainings are waiting")

    app = trained(press(opened(), "start"))
    monkeypatch.setattr(Bench, "submit", full)
    for button in ("start", "go_on"):
        page = html_of(press(app, button))
        assert "Too much work is waiting" in page
        assert 'role="alert"' in page
