"""Models of the Hub on every page. No page says of them what is true only of our own models."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.hub_models import save_folder
from tests.ui.drawn import EN, SENTENCE, Page
from tests.ui.views import VIEWS

CARD = "---\nlicense: apache-2.0\n---\n\n* model: transformer-align\n"


@pytest.fixture(scope="module")
def t5(shared: Path) -> str:
    """Return the name of an untrained T5."""
    return save_folder("t5", shared / "hub-t5").name


@pytest.fixture(scope="module")
def marian(shared: Path) -> str:
    """Return the name of an untrained MarianMT whose card says that a head was trained to align."""
    folder = save_folder("marian", shared / "opus-mt-en-fr")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder.name


# Views of parts that only a model of this project has.
OF_THE_PAPER = re.compile(
    "five_minutes|qkv$|architecture|experiments_untrained|positions_(?!contrast)|"
    "scaling_(temperature|bench)|norms_(padding|feed_forward)|cost_draft"
)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_opens_or_says_that_it_needs_a_model_of_this_project(t5: str, view) -> None:
    link = {"sentence": SENTENCE} | view.link | {"checkpoint": t5}
    page = Page(view.page, any_link=True, **link)
    is_refused = EN("translation.not_of_the_paper") in page.html
    assert is_refused == bool(OF_THE_PAPER.match(view.name))


# A view, texts that are true of MarianMT, and texts that are only true of our models.
TEXTS = {
    ("masks", "show=batch"): (["masks.start_is_padding"], []),
    ("explorer", "panel=logit_lens"): (["logit_lens.caption_post"], ["logit_lens.caption_pre"]),
    ("explorer", "special=hidden"): (["\\<pad\\> and \\</s\\> are left out"], ["bos"]),
    ("explorer", "explorer.reading=True"): (["The decoder first reads `<pad>`"], ["bos"]),
    ("experiments", "show=contrast"): (["After “\\<pad\\>”"], ["bos"]),
    ("heads", ""): (
        ["Head 2.1 of the cross-attention was trained to align", "heads.missing"],
        ["bos"],
    ),
}


@pytest.mark.parametrize(("view", "texts"), TEXTS.items(), ids=map("-".join, TEXTS))
def test_every_claim_is_true_of_a_model_of_the_hub(marian: str, view, texts) -> None:
    page, choices = view
    link = {"sentence": SENTENCE} | dict(parse_qsl(choices)) | {"checkpoint": marian}
    shown = Page(page, any_link=True, **link).everything
    its, ours = texts
    assert [key for key in its if _beginning(key) not in shown] == []
    assert [key for key in ours if _beginning(key) in shown] == []


def _beginning(key: str) -> str:
    """Return a text of ours up to its first value; the text itself if it has no key."""
    text = EN.texts.get(key, key)
    if text == key:
        return key
    return re.split(r"\{(?!\{)[^{}]*\}(?!\})", text)[0].replace("{{", "{").replace("}}", "}")


def test_the_tree_of_a_beam_search_names_the_score_as_the_library_defines_it(marian: str) -> None:
    shown = Page("explorer", panel="beam", sentence=SENTENCE, checkpoint=marian).everything
    assert "log p / length^1" in shown
    assert "(5 + length)" not in shown


def test_the_page_says_which_language_a_multilingual_model_writes(shared: Path) -> None:
    name = save_folder("marian, several targets", shared / "opus-mt-en-mul").name
    for sentence, is_unknown in ((">>ita<< I see.", True), (">>deu<< I see.", False)):
        html = Page("explorer", checkpoint=name, sentence=sentence).html
        assert (_beginning("translation.unknown_code") in html) == is_unknown
        assert ("&gt;&gt;cmn_Hans&lt;&lt; &gt;&gt;deu&lt;&lt;" in html) == is_unknown


def test_a_model_of_the_hub_is_named_where_a_model_is_chosen(marian: str) -> None:
    app = Page("explorer", checkpoint=marian).app
    options = next(box.options for box in app.selectbox if box.label == EN("settings.checkpoint"))
    assert f"{marian} (Hugging Face Hub)" in options
    assert "en-fr" in options
