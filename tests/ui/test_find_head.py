"""Finding a head in the explorer: signs and filter say what the analysis says."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.head_kinds.kinds import kinds_of
from model.head_kinds.syntax import marked_sentences, syntax
from model.heads.analysis import analyse, save_analysis
from tests.ui.app import blob, canvases, html_of, open_page, run, text_of

PAGE = "pages/explorer.py"
ENCODER = {"attention": "encoder_self"}


@pytest.fixture(scope="module")
def measured(tiny_checkpoint):
    """One head of the encoder is a sink that looks back, another looks from verbs to objects."""
    t = load(tiny_checkpoint)
    found = analyse(t, {"I see a cat.": ["Je vois un chat."]})
    found["syntax"] = syntax(t, marked_sentences("en")[:4])
    for table in found["statistics"].values():
        for head in (head for heads in table for head in heads):
            head.update(offset_share=0.2, sink_mass=0.2)
    found["statistics"]["encoder_self"][0][1].update(offset=-1, offset_share=0.761, sink_mass=0.6)
    relation = found["syntax"]["relations"]
    for name in relation:
        relation[name]["like"] = [[False] * 3, [False] * 3]
    relation["verb_object"].update(baseline=0.325, like=[[False] * 3, [True, False, False]])
    relation["verb_object"]["heads"][1][0] = 0.54
    return json.loads(json.dumps(found))


@pytest.fixture
def analysis(checkpoints, measured):
    save_analysis(checkpoints / "en-fr", measured)
    return measured


def marks(app: AppTest) -> list:
    """Signs with sentences, and whether it is faint, of every head."""
    headers = [blob(component.proto)[0] for component in canvases(app)]
    [found] = [header["marks"] for header in headers if header.get("shape", [0])[0] == 2]
    return found


def faint(app: AppTest) -> list[bool]:
    return [of_head[1] for of_head in marks(app)]


@pytest.mark.usefixtures("analysis")
def test_every_head_has_its_signs_with_a_sentence():
    app = open_page(PAGE, **ENCODER)
    found = marks(app)
    assert len(found) == 6
    assert found[1][0] == [
        [
            "−1",
            "Previous token: its largest weight stands there in 76 % of the rows that can look "
            "there (1 sentences)",
        ],
        [
            "sink",
            "Sink: 60 % of its attention goes to special tokens and punctuation (1 sentences)",
        ],
    ]
    [[sign, says]] = found[3][0]
    assert (sign, "54 % of 4 marked sentences" in says, "32 %" in says) == ("V→O", True, True)
    assert [chips for chips, _ in (found[0], found[2], found[4], found[5])] == [[]] * 4
    assert not any(faint(app))


@pytest.mark.parametrize("kind", ["previous", "sink", "verb_object"])
def test_the_filter_leaves_what_the_analysis_calls_so(analysis, kind):
    app = open_page(PAGE, **ENCODER)
    app.segmented_control(key="find.kind").set_value(kind)
    app = run(app)
    wanted = [
        kind in {one.kind for one in kinds_of(analysis, "encoder_self", layer, head)}
        for layer in range(2)
        for head in range(3)
    ]
    assert [not one for one in faint(app)] == wanted
    assert sum(wanted) == 1
    assert app.query_params["find.kind"] in (kind, [kind])
    assert faint(open_page(PAGE, **ENCODER, **{"find.kind": kind})) == faint(app)


@pytest.mark.usefixtures("analysis")
def test_only_kinds_that_there_are_can_be_looked_for():
    control = open_page(PAGE, **ENCODER).segmented_control(key="find.kind")
    assert control.options == [
        "All",
        "−1 previous token (1)",
        "sink (1)",
        "V→O the verb's object (1)",
    ]
    app = open_page(PAGE, attention="decoder_self")
    assert "find.kind" not in {one.key for one in app.segmented_control}
    assert marks(app) == [[[], False]] * 6


@pytest.mark.usefixtures("analysis")
def test_a_link_that_asks_for_what_is_not_there_shows_all():
    app = open_page(PAGE, **ENCODER, **{"find.kind": "junk"})
    assert not any(faint(app))
    assert "find.kind" not in app.query_params
    assert "find.kind" in app.toast[0].value


@pytest.mark.usefixtures("analysis")
def test_the_head_that_is_large_is_told_in_a_sentence():
    place = {"layer": "1", "head": "2", "view": "head"}
    said = "Measured of this head"
    assert said in text_of(open_page(PAGE, **ENCODER, **place))
    assert said not in text_of(open_page(PAGE, **ENCODER, **place | {"head": "1"}))
    assert said not in text_of(open_page(PAGE, **ENCODER))


@pytest.mark.usefixtures("checkpoints")
def test_without_an_analysis_there_are_no_signs_and_a_word_how_to_make_one():
    app = open_page(PAGE, **ENCODER)
    assert marks(app) == []
    assert "python -m model.analyse --checkpoint checkpoints/en-fr" in text_of(app)


def test_a_damaged_analysis_does_not_break_the_explorer(checkpoints):
    (checkpoints / "en-fr" / "analysis.json").write_text("{", "utf-8")
    app = open_page(PAGE, **ENCODER)
    assert marks(app) == []
    assert "Traceback" not in html_of(app)
