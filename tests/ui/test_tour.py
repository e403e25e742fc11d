"""The tour: which steps a model has, what they say, and where they lead."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.heads.importance import Spare
from tests.ui.app import ROOT, html_of, open_page, run
from ui.components import tour as component
from ui.state.address import Address
from ui.text.translator import LANGUAGES, translator
from ui.tour import words
from ui.tour.facts import of_map
from ui.tour.measured import Measured
from ui.tour.steps import steps_with
from ui.tour.words import sentence_of

ALIGNER = ("cross", 1, 2)
KNOWN = Measured(
    aligner=ALIGNER, rate=0.107, pairs=120, spare=Spare(24, 54.22, 51.71), sentences=500
)
TR = translator("en")
STEPS = {step.name: step for step in steps_with(ALIGNER, spare=True)}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """What the component was told, newest last."""
    told: list[dict] = []
    monkeypatch.setattr(component, "_tour", lambda **what: told.append(what))
    return told


@pytest.fixture(autouse=True)
def four_layers_of_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "config_of", lambda _: SimpleNamespace(n_layers=4, n_heads=8))


def _said(name: str, facts: dict, address: Address | None = None, tr=TR) -> str:
    step = STEPS[name]
    return sentence_of(step, address or Address(**step.view), KNOWN, facts, tr)


def test_what_was_not_measured_is_left_out():
    names = [step.name for step in steps_with(None, spare=True)]
    assert names == ["sentence", "row", "heads"]
    assert [step.name for step in steps_with(ALIGNER, spare=False)][-1] == "result"
    assert [step.name for step in steps_with(ALIGNER, spare=True)][-1] == "why"


def test_a_row_is_told_by_its_own_numbers():
    weights = np.array([[0.25, 0.5, 0.25], [0.1, 0.2, 0.7]], dtype=np.float32)
    facts = of_map(weights, ["Il", "dort"], ["He", "sleeps", "now"])
    assert facts["cells"] == (3, 5)
    text = _said("row", facts)
    assert text == TR("tour.row", row="dort", column="now", percent=70, layer=3)


def test_of_another_view_nothing_is_said_that_may_not_be_so():
    facts = of_map(np.eye(2, dtype=np.float32), ["a", "b"], ["c", "d"])
    view = Address(**STEPS["row"].view)
    assert _said("row", facts, replace(view, layer=1)) != TR("tour.any_row")
    for other in ({"rows": "read"}, {"attention": "encoder_self"}, {"view": "max"}):
        assert _said("row", facts, replace(view, **other)) == TR("tour.any_row")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happened_is_what_is_told(language):
    tr = translator(language)
    alone = {"ablated": (ALIGNER,), "same": True, "change": "−0.15"}
    another = alone | {"same": False, "change": "−3.00"}
    more = alone | {"ablated": (ALIGNER, ("cross", 0, 5))}
    said = [_said("result", facts, tr=tr) for facts in (alone, another, more, {})]
    assert said[0] == tr("tour.result.same", change="−0.15")
    assert said[1] == tr("tour.result.changed", change="−3.00")
    assert said[2:] == [tr("tour.result.others"), tr("tour.result.none")]
    numbers = {"heads": 96, "removed": 24, "sentences": 500, "before": "54.2", "after": "51.7"}
    for facts, outcome in ((alone, "same"), (another, "changed"), (more, "any"), ({}, "any")):
        assert _said("why", facts, tr=tr) == tr(f"tour.why.{outcome}", **numbers)


@pytest.mark.usefixtures("checkpoints")
def test_a_model_without_an_analysis_has_a_short_tour(shown):
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    assert shown == []
    app.button(key="tour.begin").click()
    run(app)
    data = shown[-1]["data"]
    assert (data["at"], data["of"], len(data["steps"])) == (1, 3, 1)
    assert data["steps"][0]["text"] == TR("tour.sentence")


@pytest.mark.usefixtures("checkpoints")
def test_it_begins_on_the_start_page_wherever_the_visitor_is(shown):
    app = open_page("pages/heads.py")
    app.button(key="tour.begin").click()
    run(app)
    assert TR("heading.welcome") in html_of(app)
    assert shown[-1]["data"]["at"] == 1


@pytest.mark.usefixtures("checkpoints")
def test_who_goes_elsewhere_has_left(shown):
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    app.button(key="tour.begin").click()
    run(app)
    assert shown
    run(app.switch_page("pages/explorer.py"))
    shown.clear()
    run(app.switch_page("app.py"))
    assert shown == []
    assert not app.exception


@pytest.mark.usefixtures("checkpoints")
def test_the_invitation_is_dismissed_for_the_visit():
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    app.button(key="tour.dismiss").click()
    run(app)
    assert "tour.take" not in {button.key for button in app.button}


def test_where_nothing_can_be_shown_the_tour_says_so():
    assert _said("row", {}) == _said("aligner", {}) == TR("tour.nothing")
