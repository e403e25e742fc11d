"""The tour: the steps for a model, their texts, and their pages."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from model.heads.analysis_file import PruningPoint
from tests.ui.drawn import EN, Page
from ui.export.tables import Labels
from ui.frame.page import PAGES
from ui.state.address import Address
from ui.state.models import PageRun
from ui.text.translator import LANGUAGES, translator
from ui.tour import facts as facts_module
from ui.tour import tour
from ui.tour.facts import Known, of_map, of_removal, ratio
from ui.tour.steps import sentence_of, steps_with

ALIGNER = ("cross", 1, 2)
# The last map is the best, but the table does not contain it.
_HITS = {"read.2.3": 0.671, "alti": 0.72, "random": 0.11, "read.1.1": 0.9}
BELIEVED = {name: SimpleNamespace(hit=SimpleNamespace(value=hit)) for name, hit in _HITS.items()}
RATES = {"weights AWI": SimpleNamespace(heads=[[0.9, 0.8, 0.7], [0.6, 0.5, 0.107]])}
ANALYSIS = SimpleNamespace(
    alignment=SimpleNamespace(pairs=120, rates=RATES, human=None),
    pruning=SimpleNamespace(
        gradient=[PruningPoint(0, 54.22), PruningPoint(24, 40.0)],
        removal=[PruningPoint(0, 54.22), PruningPoint(24, 51.71)],
    ),
    sentences=500,
    faithfulness=SimpleNamespace(sentences=300, masked=SimpleNamespace(maps=BELIEVED)),
)
KNOWN = Known(ANALYSIS, ANALYSIS.alignment, ALIGNER)
STEPS = {step.name: step for step in steps_with(KNOWN)}
VIEWS = ([1], [2, 3], [4], [5], [6, 7], [8])  # numbers of the steps that show the same view


def _sentence(name: str, facts: dict, address: Address | None = None, tr=EN) -> str:
    step = STEPS[name]
    config = SimpleNamespace(n_layers=4, n_heads=8)
    run = SimpleNamespace(address=address or Address(**step.view), config=config)
    return sentence_of(step, run, KNOWN, facts, tr)


def test_steps_whose_numbers_were_not_measured_are_left_out():
    names = [step.name for step in steps_with(None)]
    assert names == ["sentence", "row", "heads"]
    all_heads = [PruningPoint(0, 54.22)]
    pruning = SimpleNamespace(gradient=all_heads, removal=all_heads)
    less = KNOWN._replace(analysis=SimpleNamespace(pruning=pruning, faithfulness=None))
    assert [step.name for step in steps_with(less)][-1] == "result"
    assert [*STEPS][3:] == ["aligner", "switch", "result", "why", "believe"]


def test_a_step_tells_the_numbers_of_the_shown_map_and_none_for_another_view():
    weights = np.array([[0.25, 0.5, 0.25], [0.1, 0.2, 0.7]], dtype=np.float32)
    facts = of_map(weights, Labels(["Il", "dort"], ["He", "sleeps", "now"]))
    assert facts["row_number"] == 1
    words = {"row": "dort", "column": "now", "percent": 70}
    view = Address(**STEPS["row"].view)
    for layer in (3, 1):
        address = replace(view, layer=layer)
        assert _sentence("row", facts, address) == EN("tour.row", **words, layer=layer)
    for other in ({"rows": "read"}, {"attention": "encoder_self"}, {"view": "max"}):
        assert _sentence("row", facts, replace(view, **other)) == EN("tour.any_row")
    assert _sentence("row", {}) == _sentence("aligner", {}) == EN("tour.nothing")
    numbers = {"layer": 2, "head": 3, "pairs": 120, "rate": "11"}
    assert _sentence("aligner", facts) == EN("tour.aligner", **numbers, by_people="")
    row = EN("experiments.row.cross", n=2)
    assert _sentence("switch", {}) == EN("tour.switch", row=row, head=3)
    hits = {"hit": "67", "best": "72", "chance": "11"}
    assert _sentence("believe", {}) == EN("tour.believe", **hits, n=300)
    assert _sentence("heads", facts) == EN("tour.heads", layers=4, heads=8)


@pytest.mark.parametrize(("places", "known"), [("2.3 2.3", True), ("2.3 1.1", False)])
def test_error_rates_on_links_by_people_are_given_only_for_the_same_head(places, known):
    ways = [{"place": head} for head in places.split()]
    best_head = {"on the other half": 0.2351, "both ways": ways}
    human = SimpleNamespace(pairs=447, error_rates={"weights AWI": {"best head": best_head}})
    alignment = SimpleNamespace(pairs=120, rates=RATES, human=human)
    by_people = EN("tour.aligner_people", pairs=447, rate="24") if known else ""
    numbers = {"layer": 2, "head": 3, "pairs": 120, "rate": "11"}
    step = STEPS["aligner"]
    run = SimpleNamespace(address=Address(**step.view), config=SimpleNamespace(n_layers=4))
    text = sentence_of(step, run, KNOWN._replace(alignment=alignment), {"row": "x"}, EN)
    assert text == EN("tour.aligner", **numbers, by_people=by_people)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (-2.44, {"lost": True, "change": "−2.44", "times": "11"}),
        (0.0, {"lost": False, "change": "0.00", "times": "1.0"}),
        (0.1, {"lost": False, "change": "+0.10", "times": "1.1"}),
    ],
)
def test_the_effect_of_a_removal_is_given_as_a_change_and_as_a_factor(
    change, told, t, trace, monkeypatch
):
    log_probs = np.zeros(3)
    effect = SimpleNamespace(log_probs=log_probs + change / 3, text="Autre chose.")
    before = replace(trace, log_probs=log_probs)
    monkeypatch.setattr(facts_module, "remember", lambda _name, _key, compute: compute())
    monkeypatch.setattr(facts_module, "ablation_effect", lambda *_: effect)
    address = Address(show="", mode="zero", ablated="c1.2-c2.3")
    heads = {"ablated": (("cross", 0, 1), ALIGNER)}
    assert of_removal(before, PageRun(address, t)) == heads | {"same": False} | told
    # The tour says nothing about a view of other heads or of another experiment.
    for other in ({"ablated": ""}, {"mode": "mean"}, {"show": "scoreboard"}):
        assert of_removal(before, PageRun(replace(address, **other), t)) == {}


def test_a_factor_that_nobody_could_read_has_an_upper_limit():
    assert ratio(1e6) == ratio(100.0)
    assert ratio(100.0).startswith("26,881,171,418,161,356,094,253,400,435,962,903,554,686,976")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tour_tells_what_switching_the_head_off_really_changed(language):
    tr = translator(language)
    same = {"ablated": (ALIGNER,), "same": True, "lost": True, "change": "−0.15", "times": "1.2"}
    lost = {"ablated": (ALIGNER,), "same": False, "lost": True, "change": "−3.00", "times": "20"}
    gained = {"ablated": (ALIGNER,), "same": False, "lost": False, "change": "0.1", "times": "1.1"}
    changed = {**same, "ablated": (ALIGNER, ("cross", 0, 5))}
    assert _sentence("result", same, tr=tr) == tr("tour.result.same", change="−0.15")
    assert _sentence("result", lost, tr=tr) == tr("tour.result.lost", times="20")
    assert _sentence("result", gained, tr=tr) == tr("tour.result.gained", times="1.1")
    assert _sentence("result", changed, tr=tr) == tr("tour.result.others")
    assert _sentence("result", {}, tr=tr) == tr("tour.result.none")
    numbers = {"heads": 96, "removed": 24, "sentences": 500, "before": "54.2", "after": "51.7"}
    for facts, outcome in ((same, "same"), (lost, "changed"), (changed, "any"), ({}, "any")):
        assert _sentence("why", facts, tr=tr) == tr(f"tour.why.{outcome}", **numbers)


def test_the_tour_knows_a_model_from_its_analysis(t, monkeypatch):
    monkeypatch.setattr(facts_module, "read_analysis", {t: ANALYSIS}.__getitem__)
    assert facts_module.measured(PageRun(Address(), t)) == KNOWN


def test_the_tour_opens_the_page_and_view_of_each_step(monkeypatch):
    monkeypatch.setattr(tour, "measured", lambda _: KNOWN)
    page = Page("heads").press("tour.begin")  # the tour can begin on any page
    for n, step in enumerate(STEPS.values(), start=1):
        if n > 1:
            page.click("tour", n)
        page.app.switch_page(PAGES[step.page])  # a browser would have followed to this page
        [data] = page.data("tour")
        assert (data["at"], data["of"]) == (n, len(STEPS))
        # Steps on the same view follow each other without the server.
        on_this_view = next(numbers for numbers in VIEWS if n in numbers)
        assert [bubble["n"] for bubble in data["steps"]] == on_this_view
        assert {bubble["target"] for bubble in data["steps"]} == {
            [*STEPS.values()][number - 1].target for number in on_this_view
        }
        assert EN(f"heading.{step.page}") in page.html
        choices = {name: step.view[name] for name in ("attention", "view") if name in page.link}
        assert choices.items() <= page.link.items()
    assert page.link["ablated"] == "c2.3"
    page.click("tour", 3).app.switch_page(PAGES["explorer"])
    assert page.run().data("tour")[0]["at"] == 3
    assert "view" not in page.link  # the step "aligner" had set it
    assert not page.click("tour", "leave").data("tour")


def test_a_model_without_an_analysis_has_a_short_tour_and_another_page_ends_it():
    page = Page("welcome")
    assert not page.data("tour")
    [data] = page.press("tour.begin").data("tour")
    assert (data["at"], data["of"], len(data["steps"])) == (1, 3, 1)
    assert data["steps"][0]["text"] == EN("tour.sentence")
    assert not page.go("explorer").go("welcome").data("tour")
    assert "tour.take" not in {button.key for button in page.app.button}
    page = Page("welcome").press("tour.dismiss")  # valid for the whole visit
    assert "tour.take" not in {button.key for button in page.app.button}


def test_a_model_without_an_aligning_head_has_no_measurements(t, monkeypatch):
    monkeypatch.setattr(facts_module, "read_analysis", {t: ANALYSIS}.__getitem__)
    monkeypatch.setattr(facts_module, "best_awi_head", lambda _: None)
    assert facts_module.measured(PageRun(Address(), t)) is None


def test_the_steps_of_the_aligning_head_show_its_map_and_what_changes_without_it():
    aligner, switch, result = (STEPS[name].view for name in ("aligner", "switch", "result"))
    assert (aligner["attention"], aligner["layer"], aligner["head"]) == ("cross", 2, 3)
    assert (aligner["view"], aligner["panel"]) == ("head", "map")
    assert (switch["layer"], switch["mode"], switch["ablated"]) == (2, "zero", "")
    assert (result["layer"], result["mode"], result["ablated"]) == (2, "zero", "c2.3")
    assert STEPS["believe"].view == {"show": "scoreboard"}
