"""The gallery: every example with what its model does now, and a link to it in full size."""

import base64
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from model.gallery.example import Evidence, Example
from model.gallery.finding import GALLERY, save_gallery
from model.gallery.phenomena import PHENOMENA, Phenomenon
from model.pictures.colours import Colours
from model.pictures.map_svg import tile
from model.pictures.tokens import display
from model.translation_model import load_transformer
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, Page
from tests.ui.saved_files import Files
from ui.frame.page import PAGES
from ui.gallery.exhibits import all_examples, examples_of, exhibits, link_to, look
from ui.state.models import FOLDER_VARIABLE

CELL = 1, 2
_PLAIN = {"paper": "#000000", "ink": "#112233", "border": "#000000", "accent": "#ff0000"}
COLOURS = Colours(**_PLAIN, sequential=("#000000", "#ffffff"), diverging=(), categorical=())
_SPACE = "{http://www.w3.org/2000/svg}"


def example(name: str, head: int) -> Example:
    head_fields = {"attention": "encoder_self", "layer": 2, "head": head}
    return Example(phenomenon=name, sentence=SENTENCE, **head_fields)


def always(patch: pytest.MonkeyPatch, name: str, **changed: object) -> None:
    """Let a phenomenon be found whatever the model does."""
    settings = {
        "min_strength": 0,
        "unit": "subwords",
        "rows": "read",
        "attentions": ("encoder_self",),
        "check": lambda *_: Evidence(0.5, (CELL,)),
        **changed,
    }
    patch.setitem(PHENOMENA, name, Phenomenon(name=name, **settings))


@pytest.fixture
def gallery(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the tiny model with two examples."""
    for name in ("sink", "previous_token"):
        always(monkeypatch, name)
    examples = [example("sink", 3), example("previous_token", 1)]
    save_gallery(load_transformer(checkpoints / "en-fr"), examples)
    return checkpoints


def test_every_example_of_the_shipped_model_is_a_card_with_a_link(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE)
    page, shown = Page("gallery"), list(exhibits(examples_of("")))
    assert len(shown) >= 12
    links = [link.proto for link in page.app.get("page_link") if "Open" in link.proto.label]
    assert len(links) == len(shown)
    units = {
        exhibit.example.phenomenon: (link_to(position)[1].get("unit"), exhibit)
        for position, exhibit in shown
    }
    assert units["alignment"][0] == units["alignment"][1].about["unit"] == "words"
    [position] = [position for position, _ in shown if position[1].phenomenon == "needed"]
    path, link = link_to(position)  # the example of a removed head leads to the page "Experiments"
    assert path == PAGES["experiments"]
    page = Page("experiments", **link)
    assert not page.app.toast
    assert page.control("choice.mode").value == "mean"
    assert page.control("choice.sentence").value == position[1].sentence
    assert [value for value in page.metrics if value.startswith("−")]


def test_the_link_of_an_example_leads_to_the_same_map(gallery):
    (position, exhibit), *_ = exhibits(all_examples())
    trace = load_transformer(gallery / "en-fr").trace(SENTENCE)
    assert_same(exhibit.weights, trace.encoder_self[1, 2])
    path, link = link_to(position)
    assert path == PAGES["explorer"]
    page = Page("explorer", **link)
    assert not page.app.toast
    assert page.control("choice.sentence").value == SENTENCE
    for name, value in (("attention", "encoder_self"), ("layer", 2), ("head", 3), ("view", "head")):
        assert page.control(f"choice.{name}").value == value
    assert_same(page.maps[0].numbers, exhibit.weights)


def test_a_slider_goes_through_the_examples_one_by_one(gallery, files: Files):
    page = Page("gallery", show="one")
    assert EN("gallery.sink.title") in page.headers
    page.use({"gallery.example": "en-fr previous_token"})
    assert EN("gallery.previous_token.title") in page.headers
    _, (_, exhibit) = exhibits(all_examples())
    assert look(exhibit, EN).split(".")[0] in page.html
    trace = load_transformer(gallery / "en-fr").trace(SENTENCE)
    tokens = display(trace.src_tokens)
    [chart] = page.maps
    chart.is_(trace.encoder_self[1, 0], tokens, tokens)
    assert chart.description["frames"] == [[*CELL]]
    values = files.json("example")
    assert [values[name] for name in ("attention", "layer", "head")] == ["encoder_self", 2, 1]
    assert "layer 2 · head 1" in page.html
    assert page.link == {"show": "one", "gallery.example": "en-fr previous_token"}


def test_a_teacher_presents_the_examples_one_by_one(gallery):  # noqa: ARG001
    page = Page("gallery").press("tour.walk")
    for n, (_, exhibit) in enumerate(exhibits(all_examples()), start=1):
        if n > 1:
            page.click("tour", n)
        [walk] = page.data("tour")
        assert (walk["at"], walk["of"]) == (n, 2)
        assert walk["steps"][0]["text"] == look(exhibit, EN)
        assert EN(f"gallery.{exhibit.example.phenomenon}.title") in page.headers
    page.use({"choice.show": ""}).use({"choice.show": "one"})
    assert not page.data("tour")  # the page with all examples ended the presentation


@pytest.mark.parametrize(
    ("lost", "change", "times"), [(2, "−2.000", "7"), (-0.5, "+0.500", "1"), (0.0, "0.000", "1")]
)
def test_the_text_of_a_removed_head_says_what_the_translation_loses(
    lost, change, times, gallery, monkeypatch
):
    names = "removable", "needed"
    for name in names:
        always(monkeypatch, name, check=lambda *_: Evidence(1.0, (CELL,), lost))
    save_gallery(load_transformer(gallery / "en-fr"), [example(name, 1) for name in names])
    removable, needed = (look(exhibit, EN) for _, exhibit in exhibits(all_examples()))
    assert removable == EN("gallery.removable.look", percent=100, change=change)
    assert needed == EN("gallery.needed.look", lost=f"{lost:.2f}", times=times)


def test_each_model_shows_its_own_examples_or_those_of_another(gallery, files: Files):
    shutil.copytree(gallery / "en-fr", gallery / "copy")
    assert {name for name, _ in all_examples()} == {"en-fr", "copy"}
    for checkpoint in ("", "copy"):
        page = Page("gallery", show="one", checkpoint=checkpoint)
        assert len(page.control("gallery.example").options) == 2
        page.use({"gallery.example": f"{checkpoint or 'en-fr'} previous_token"})
        assert files.json("example")["checkpoint"] == (checkpoint or "en-fr")
    content = (gallery / "copy" / GALLERY).read_text("utf-8")
    (gallery / "copy" / GALLERY).unlink()
    assert EN("gallery.sink.title") in Page("gallery", checkpoint="copy").html
    # an example that was found with other weights
    other = content.replace('"model": "', '"model": "other')
    (gallery / "copy" / GALLERY).write_text(other, "utf-8")
    assert {name for name, _ in all_examples()} == {"en-fr"}
    (gallery / "torn" / GALLERY).write_text(content, "utf-8")
    (gallery / "en-fr" / GALLERY).write_text("{", "utf-8")
    assert all_examples() == []
    for show in ({}, {"show": "one"}):
        assert "python -m model.find_examples" in Page("gallery", **show).html


def test_an_example_that_no_longer_holds_or_is_too_long_is_left_out(gallery, monkeypatch):  # noqa: ARG001
    with monkeypatch.context() as patch:
        patch.setenv("ATTENTION_EXPLORER_TOKENS", "3")
        assert list(exhibits(all_examples())) == []
        for show in ({}, {"show": "one"}):
            assert EN("gallery.not_shown") in Page("gallery", **show).html
    always(monkeypatch, "sink", check=lambda *_: Evidence(0.1), min_strength=0.5)
    assert [position[1].phenomenon for position, _ in exhibits(all_examples())] == [
        "previous_token"
    ]


def drawn(weights, rows, columns, cells, *, causal=False) -> tuple[list, list[str]]:
    """Return the rectangles and texts of a small map."""
    options = {"query_tokens": rows, "key_tokens": columns, "framed": cells, "causal": causal}
    url = tile(np.array(weights), **options, colours=COLOURS)
    root = ElementTree.fromstring(base64.b64decode(url.split(",")[1]))
    texts = [text.text for text in root.iter(f"{_SPACE}text")]
    return [*root.iter(f"{_SPACE}rect")], texts


def test_a_tile_has_a_rectangle_for_each_cell_and_a_frame_for_each_mark():
    weights = [[0, 1, 0.5], [1.00001, 0, 0.25]]
    boxes, texts = drawn(weights, ["<b>", "&"], ["a", "b", "c" * 40], [(1, 2)])
    fills = [rectangle.get("fill") for rectangle in boxes]
    assert fills == ["#000000", "#ffffff", "#808080", "#ffffff", "#000000", "#404040", "none"]
    x, y = ([float(rectangle.get(at)) for rectangle in boxes] for at in "xy")
    assert (x[6], y[6]) == (x[5], y[5])
    assert x[0] == x[3] < x[1] == x[4] < x[2]
    assert y[0] == y[1] == y[2] < y[3] == y[4]
    assert texts == ["a", "b", "c" * 11 + "…", "<b>", "&"]
    seen, _ = drawn([[1, 0], [0.5, 0.5]], ["a", "b"], ["a", "b"], [], causal=True)
    assert [rectangle.get("fill") for rectangle in seen] == ["#ffffff"] + ["#808080"] * 2
