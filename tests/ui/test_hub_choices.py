"""The explorer with models of the Hub that need languages or a prefix."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.gallery.example import Evidence, Example
from model.gallery.finding import GALLERY, save_gallery
from model.gallery.phenomena import PHENOMENA, Phenomenon
from model.translation_model import load_transformer
from tests.hub_models import T5_TASKS, save_folder
from tests.tolerance import assert_same
from tests.ui.app import html_of, link_of, open_page, run
from tests.ui.drawn import EN, Page
from ui.export.python_lines import lines_of_map
from ui.frame.page import PAGES
from ui.gallery.exhibits import all_examples, exhibits, link_to
from ui.state.models import FOLDER_VARIABLE
from ui.text.languages import language_names

SENTENCE = "The cat sleeps."


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hub")
    save_folder("m2m_100", root / "m2m")
    save_folder("t5", root / "t5", task_specific_params=T5_TASKS)
    save_folder("marian, several targets", root / "opus-mt-en-mul")
    return root


@pytest.fixture(autouse=True)
def hub_is_served(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(hub))


def _language(app: AppTest, side: str):
    return app.selectbox(f"choice.{side}_language")


def test_languages_are_listed_by_name_and_stored_in_the_link():
    app = open_page(PAGES["explorer"], sentence=SENTENCE)
    assert len(_language(app, "source").options) == 100
    assert {"German", "Swahili", "Chinese", "Northern Sotho"} <= set(
        _language(app, "target").options
    )
    assert _language(app, "source").value == _language(app, "target").value == ""

    _language(app, "target").set_value("__de__")
    run(app)
    assert link_of(app)["target_language"] == "__de__"
    assert "German" in " ".join(caption.value for caption in app.caption)

    _language(app, "target").set_value("")
    run(app)
    assert "target_language" not in link_of(app)  # the link leaves out the model's own language


def test_a_link_with_languages_works_on_several_pages():
    for page in ("explorer", "experiments", "many", "welcome"):
        app = open_page(PAGES[page], source_language="__sw__", target_language="__de__")
        assert (_language(app, "source").value, _language(app, "target").value) == (
            "__sw__",
            "__de__",
        ), page


def test_a_language_that_the_model_lacks_is_replaced_by_its_own():
    app = open_page(PAGES["explorer"], sentence=SENTENCE, checkpoint="t5", target_language="__de__")
    assert "target_language" not in link_of(app)
    app = open_page(PAGES["explorer"], sentence=SENTENCE, target_language="klingon")
    assert _language(app, "target").value == ""


def test_the_target_language_of_a_marian_model_can_be_chosen():
    app = open_page(PAGES["explorer"], sentence=SENTENCE, checkpoint="opus-mt-en-mul")
    assert set(_language(app, "target").options) == {"Chinese", "French", "German"}
    assert not [box for box in app.selectbox if box.key == "choice.source_language"]
    assert "&gt;&gt;fra&lt;&lt;" not in html_of(app)  # no note asks the visitor to type a code
    _language(app, "target").set_value(">>deu<<")
    run(app)
    assert link_of(app)["target_language"] == ">>deu<<"


def test_the_prefix_of_t5_is_part_of_the_map():
    app = open_page(PAGES["explorer"], sentence=SENTENCE, checkpoint="t5", attention="encoder_self")
    box = app.text_input("choice.prefix")
    assert (box.value, box.placeholder) == ("", "translate English to French:")
    assert box.max_chars == 200  # the box shows how many of them are typed
    box.set_value("summarize:")
    run(app)
    assert link_of(app)["prefix"] == "summarize:"
    app.text_input("choice.prefix").set_value(" ")
    run(app)
    assert link_of(app)["prefix"] == " "
    app.text_input("choice.prefix").set_value("translate English to French: ")
    run(app)
    assert "prefix" not in link_of(app)


def test_languages_have_names():
    english = language_names(("zho_Hans", "zho_Hant", "deu_Latn", "cjk_Latn", "xx_YY"), "en")
    assert english == {
        "zho_Hans": "Chinese (Simplified)",
        "zho_Hant": "Chinese (Traditional)",
        "cjk_Latn": "Chokwe",
        "deu_Latn": "German",
        "xx_YY": "xx_YY",
    }
    assert [*language_names(("__zh__", "__de__", "__fr__"), "zh").values()] == [
        "德语",
        "法语",
        "汉语",
    ]
    assert set(language_names((">>cmn_Hans<<", "arb_Arab"), "en").values()) == {"Chinese", "Arabic"}


def test_an_example_of_the_gallery_opens_with_its_languages(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    always = Phenomenon(
        name="sink",
        min_strength=0,
        unit="subwords",
        rows="read",
        attentions=("encoder_self",),
        check=lambda *_: Evidence(0.5, ((0, 0),)),
    )
    monkeypatch.setitem(PHENOMENA, "sink", always)
    head = {"attention": "encoder_self", "layer": 1, "head": 1}
    german = {"source_language": "__sw__", "target_language": "__de__"}
    example = Example(phenomenon="sink", sentence=SENTENCE, **head, **german)
    save_gallery(load_transformer(hub / "m2m"), [example])
    [(prepared, exhibit)] = exhibits(all_examples())
    (hub / "m2m" / GALLERY).unlink()
    assert exhibit.languages == ("sw", "de")
    assert exhibit.labels.rows[0] == "__sw__"
    _, link = link_to(prepared)
    assert {name: link[name] for name in german} == german


def test_the_lesson_on_positions_shows_the_bias_of_t5(hub: Path):
    page = Page("positions", "contrast", any_link=True, checkpoint="t5")
    library = load_transformer(hub / "t5").model.library_model
    attention = library.encoder.block[0].layer[0].SelfAttention
    assert EN("lesson.of_t5") in page.everything
    bias = attention.compute_bias(40, 40)[0].detach()  # (H, query, key)
    shown = page.pictures[EN("positions.relative_bias")]
    [(labels, _)] = page.matrices("positions.relative_bias")
    assert labels["rowLabels"] == [str(n) for n in range(1, attention.n_heads + 1)]
    distances = [f"−{n}" for n in range(16, 0, -1)] + ["0"] + [f"+{n}" for n in range(1, 17)]
    assert labels["columnLabels"] == distances
    assert shown.shape == (attention.n_heads, 33)
    for distance in range(-16, 17):
        assert_same(shown[:, 16 + distance], bias[:, 20, 20 + distance].numpy())
    assert "Raffel et al. 2020" in page.text
    other = Page("positions", "contrast", any_link=True, checkpoint="m2m")
    assert not other.pictures


@pytest.mark.parametrize("lesson", ["masks", "norms"])
def test_lessons_say_that_formula_and_code_are_those_of_the_paper(lesson: str):
    page = Page(lesson, checkpoint="t5", any_link=True)
    assert EN("lesson.of_the_hub", name="t5") in page.text
    assert EN("lesson.of_t5") in page.text
    other = Page(lesson, checkpoint="m2m", any_link=True)
    assert EN("lesson.of_the_hub", name="m2m") in other.text
    assert EN("lesson.of_t5") not in other.text


CHOSEN = {
    "m2m": lambda t: t.with_languages("__fr__", "__de__"),
    "t5": lambda t: t.with_prefix("translate English to German:"),
    "opus-mt-en-mul": lambda t: t.with_languages(target=">>deu<<"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_python_lines_load_the_model_with_the_choices_of_the_page(name, hub, tmp_path, monkeypatch):
    (tmp_path / "checkpoints").symlink_to(hub)
    monkeypatch.chdir(tmp_path)
    plain = load_transformer(hub / name)
    t = CHOSEN[name](plain)
    trace = t.trace(SENTENCE, target="Die Katze.")
    names: dict = {}
    exec(lines_of_map(t, trace, kind="cross", view="head", layer=0, head=1)("map"), names)
    assert names["trace"].src_tokens == trace.src_tokens
    assert_same(names["numbers"], trace.cross[0, 1])
    assert trace.src_tokens != plain.trace(SENTENCE, target="Die Katze.").src_tokens


def test_python_lines_name_no_choice_that_nobody_made(hub):
    t = load_transformer(hub / "m2m")
    trace = t.trace(SENTENCE, target="Le chat.")
    lines = lines_of_map(t, trace, kind="cross", view="head", layer=0, head=1)("map")
    assert "t = load('checkpoints/m2m')\n" in lines.replace('"', "'")
