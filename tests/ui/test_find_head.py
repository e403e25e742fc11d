"""Finding a head in the explorer: signs and filter say what the analysis says."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.head_kinds.kinds import kinds_of
from model.head_kinds.syntax import marked_sentences, syntax
from model.heads.analysis import analyse, save_analysis
from tests.ui.app import blob, canvases, link_of, open_page, set_widget, text_of
from tests.ui.views import foreign
from ui.state.models import FOLDER_VARIABLE
from ui.text.markup import as_typed
from ui.text.translator import LANGUAGES, translator

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


@pytest.fixture(scope="module")
def analysis(measured, tiny_checkpoint, tmp_path_factory):
    root = tmp_path_factory.mktemp("analysed")
    shutil.copytree(tiny_checkpoint, root / "en-fr")
    save_analysis(root / "en-fr", measured)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(root))
        yield measured


def marks(app: AppTest) -> list:
    """Signs with sentences, and whether it is faint, of every head."""
    headers = [blob(component.proto)[0] for component in canvases(app)]
    [found] = [header["marks"] for header in headers if header.get("shape", [0])[0] == 2]
    return found


def faint(app: AppTest) -> list[bool]:
    return [of_head[1] for of_head in marks(app)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("analysis")
def test_every_head_has_its_signs_with_a_sentence(language):
    app = open_page(PAGE, **ENCODER, lang=language)
    found, tr = marks(app), translator(language)
    assert foreign(app, language) == []
    assert len(found) == 6
    assert [sign for sign, _ in found[1][0]] == ["−1", tr("kind.sink.sign")]
    said = [sentence for _, sentence in found[1][0]]
    assert [re.findall(r"[\d]+ %", sentence) for sentence in said] == [["76 %"], ["60 %"]]
    object_of = tr("kind.verb_object.says", share="54", n=4, baseline="32")
    assert found[3][0] == [[tr("kind.verb_object.sign"), object_of]]
    assert [chips for chips, _ in (found[0], found[2], found[4], found[5])] == [[]] * 4
    assert not any(faint(app))
    options = app.segmented_control(key="find.kind").options
    assert len(options) == 4
    assert all("(1)" in option or "（1）" in option for option in options[1:])


@pytest.mark.parametrize("kind", ["previous", "sink", "verb_object"])
def test_the_filter_leaves_what_the_analysis_calls_so(analysis, kind):
    app = set_widget(open_page(PAGE, **ENCODER), "segmented_control", "find.kind", kind)
    wanted = [
        kind in {one.kind for one in kinds_of(analysis, "encoder_self", layer, head)}
        for layer in range(2)
        for head in range(3)
    ]
    assert [not one for one in faint(app)] == wanted
    assert sum(wanted) == 1
    assert link_of(app)["find.kind"] == kind
    assert faint(open_page(PAGE, **ENCODER, **{"find.kind": kind})) == faint(app)


@pytest.mark.usefixtures("analysis")
def test_what_is_not_there_cannot_be_looked_for():
    app = open_page(PAGE, attention="decoder_self")
    assert "find.kind" not in {one.key for one in app.segmented_control}
    assert marks(app) == [[[], False]] * 6
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


def test_without_an_analysis_there_are_no_signs_and_a_word_how_to_make_one(checkpoints):
    app = open_page(PAGE, **ENCODER)
    assert marks(app) == []
    assert "python -m model.analyse --checkpoint checkpoints/en-fr" in text_of(app)
    (checkpoints / "en-fr" / "analysis.json").write_text("{", "utf-8")
    assert marks(open_page(PAGE, **ENCODER)) == []


@pytest.mark.usefixtures("analysis")
def test_below_the_filter_stands_what_the_kind_means():
    tr = translator("en")
    for kind in ("sink", "verb_object"):
        app = open_page(PAGE, **ENCODER, **{"find.kind": kind})
        assert as_typed(tr(f"kind.{kind}.means")) in [caption.value for caption in app.caption]
