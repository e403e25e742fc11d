"""The gallery: every example with what its model does now, and a link that shows it whole."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from model.gallery.example import Candidate, Example, Found
from model.gallery.gallery_file import GALLERY, save_gallery
from model.gallery.phenomena import PHENOMENA, Phenomenon
from model.pictures.colours import Colours
from model.translation_model import load_transformer
from tests.ui.app import html_of, open_page, run, set_widget, tables_of
from ui.gallery.exhibits import door, exhibits, places, places_of
from ui.gallery.tile import tile
from ui.state.limits import TOKENS_VARIABLE
from ui.text.translator import LANGUAGES, translator

COLOURS = Colours(
    paper="#000000",
    ink="#112233",
    border="#000000",
    accent="#ff0000",
    sequential=("#000000", "#ffffff"),
)
SENTENCE = "I see a cat."
_SPACE = "{http://www.w3.org/2000/svg}"


def example(name: str, head: int = 3, **more) -> Example:
    candidate = Candidate(phenomenon=name, sentence=SENTENCE, **more)
    return Example(candidate=candidate, attention="encoder_self", layer=2, head=head)


def always(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """These phenomena are there whatever the model does."""
    for name in names:
        made = Phenomenon(
            name=name,
            check=lambda *_: Found(0.5, ((1, 2),)),
            least=0,
            attentions=("encoder_self",),
            unit="subwords",
            rows="read",
        )
        monkeypatch.setitem(PHENOMENA, name, made)


@pytest.fixture
def gallery(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny model with two examples."""
    always(monkeypatch, "sink", "previous_token")
    save_gallery(
        load_transformer(checkpoints / "en-fr"), [example("sink"), example("previous_token", 1)]
    )
    return checkpoints


def test_every_example_of_the_shipped_model_is_a_card_with_an_open_door():
    app = open_page("pages/gallery.py")
    shown = list(exhibits(places_of("")))
    assert len(shown) >= 12
    page = html_of(app)
    for _, exhibit in shown:
        assert exhibit.example.candidate.phenomenon in PHENOMENA
        assert (
            page.count(translator("en")(f"gallery.{exhibit.example.candidate.phenomenon}.title"))
            == 1
        )
        assert exhibit.target_text.replace("'", "&#x27;") in page
    assert page.count('lang="en"') == page.count('lang="fr"') == len(shown)
    doors = [link.proto for link in app.get("page_link") if "Open" in link.proto.label]
    assert len(doors) == len(shown)
    assert all(door.query_string for door in doors)


def test_the_door_leads_to_the_same_map(gallery):  # noqa: ARG001
    (place, exhibit), *_ = exhibits(places())
    page, link = door(place)
    app = open_page(page, **link)
    assert not app.toast
    assert app.text_input(key="choice.sentence").value == SENTENCE
    for name, value in (("attention", "encoder_self"), ("layer", 2), ("head", 3), ("view", "head")):
        assert app.segmented_control(key=f"choice.{name}").value == value
    assert exhibit.weights.shape == (len(exhibit.rows), len(exhibit.columns))
    np.testing.assert_allclose(exhibit.weights.sum(axis=1), 1, atol=1e-5)


def test_the_door_of_a_removal_leads_to_the_experiment():
    [place] = [place for place in places_of("") if place[1].candidate.phenomenon == "needed"]
    page, link = door(place)
    assert page == "pages/experiments.py"
    app = open_page(page, **link)
    assert not app.toast
    assert app.segmented_control(key="choice.mode").value == "mean"
    assert app.text_input(key="choice.sentence").value == place[1].candidate.sentence
    assert [metric.value for metric in app.metric if metric.value.startswith("-")]


def test_one_by_one_a_slider_leads_through(gallery):  # noqa: ARG001
    app = open_page("pages/gallery.py", show="one")
    assert "An attention sink" in [heading.value for heading in app.header]
    app = set_widget(app, "select_slider", "gallery.example", "en-fr previous_token")
    assert "A previous-token head" in [heading.value for heading in app.header]
    assert "layer 2 · head 1" in html_of(app)
    [frames] = [table for table in tables_of(app, "top", "left") if "weight" not in table]
    assert frames[["top", "left"]].to_numpy().tolist() == [[1, 2]]
    link = {
        name: value[0] if isinstance(value, list) else value
        for name, value in app.query_params.items()
    }
    assert link == {"show": "one", "gallery.example": "en-fr previous_token"}
    other = open_page("pages/gallery.py", **link)
    assert other.select_slider(key="gallery.example").value == "en-fr previous_token"


@pytest.mark.usefixtures("checkpoints")
def test_without_examples_it_says_what_to_do():
    for show in ({}, {"show": "one"}):
        assert "python -m model.find_examples" in html_of(open_page("pages/gallery.py", **show))


def test_examples_of_other_weights_and_of_a_missing_checkpoint_are_not_shown(gallery):
    copy = gallery / "copy"
    shutil.copytree(gallery / "en-fr", copy)
    assert {name for name, _ in places()} == {"en-fr", "copy"}
    content = (copy / GALLERY).read_text("utf-8")
    (copy / GALLERY).write_text(content.replace('"model": "', '"model": "other'), "utf-8")
    assert {name for name, _ in places()} == {"en-fr"}
    shutil.rmtree(copy)
    (gallery / "torn" / GALLERY).write_text(content, "utf-8")
    (gallery / "en-fr" / GALLERY).write_text("{", "utf-8")
    assert places() == []
    run(open_page("pages/gallery.py"))


def test_of_two_models_the_chosen_one_shows_its_own_examples(gallery, files):
    shutil.copytree(gallery / "en-fr", gallery / "copy")
    for checkpoint in ("", "copy"):
        app = open_page("pages/gallery.py", show="one", checkpoint=checkpoint)
        assert len(app.select_slider(key="gallery.example").options) == 2
        name = f"{checkpoint or 'en-fr'} sink"
        app = set_widget(app, "select_slider", "gallery.example", name)
        assert app.select_slider(key="gallery.example").value == name
        assert json.loads(files.write["example.json"]())["checkpoint"] == name.split()[0]


def test_who_chose_a_model_without_examples_sees_those_of_another(gallery):
    shutil.copytree(gallery / "en-fr", gallery / "a-model")
    (gallery / "a-model" / GALLERY).unlink()
    app = open_page("pages/gallery.py", checkpoint="a-model")
    assert translator("en")("gallery.sink.title") in html_of(app)


def test_what_this_server_is_too_small_for_is_left_out(gallery, monkeypatch):  # noqa: ARG001
    monkeypatch.setenv(TOKENS_VARIABLE, "3")
    assert list(exhibits(places())) == []
    for show in ({}, {"show": "one"}):
        said = html_of(open_page("pages/gallery.py", **show))
        assert translator("en")("gallery.not_shown") in said


def test_what_the_model_no_longer_does_is_not_shown(gallery, monkeypatch):  # noqa: ARG001
    monkeypatch.setitem(
        PHENOMENA,
        "sink",
        Phenomenon(
            name="sink", check=lambda *_: Found(0.1), least=0.5, attentions=("encoder_self",)
        ),
    )
    assert [place[1].candidate.phenomenon for place, _ in exhibits(places())] == ["previous_token"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phenomenon_has_its_title_and_two_sentences(language):
    texts = translator(language).texts
    for name in PHENOMENA:
        assert texts[f"gallery.{name}.title"]
        said = texts[f"gallery.{name}.look"]
        assert len(re.findall(r"[.;:](?=\s|$)|[。；：]", said)) >= 2, said
        assert not {sign for sign in said if sign.isdigit()}, "numbers come from the model"


def drawn(weights, rows, columns, cells, *, causal=False) -> ElementTree.Element:
    url = tile(
        np.array(weights), rows=rows, columns=columns, cells=cells, causal=causal, colours=COLOURS
    )
    return ElementTree.fromstring(base64.b64decode(url.split(",")[1]))


def test_cells_that_the_model_cannot_see_stay_empty():
    root = drawn([[1, 0], [0.5, 0.5]], ["a", "b"], ["a", "b"], [], causal=True)
    assert [one.get("fill") for one in root.iter(f"{_SPACE}rect")] == ["#ffffff"] + ["#808080"] * 2


def test_a_tile_has_a_rectangle_for_each_cell_and_a_frame_for_each_mark():
    weights = np.array([[0, 1, 0.5], [1.00001, 0, 0.25]])
    root = drawn(weights, ["<b>", "&"], ["a", "b", "c" * 40], [(1, 2)])
    fills = [one.get("fill") for one in root.iter(f"{_SPACE}rect")]
    assert fills == ["#000000", "#ffffff", "#808080", "#ffffff", "#000000", "#404040", "none"]
    frame = list(root.iter(f"{_SPACE}rect"))[-1]
    framed = list(root.iter(f"{_SPACE}rect"))[5]
    assert [frame.get(at) for at in "xy"] == [framed.get(at) for at in "xy"]
    assert [text.text for text in root.iter(f"{_SPACE}text")] == [
        "<b>",
        "&",
        "a",
        "b",
        "c" * 11 + "…",
    ]
