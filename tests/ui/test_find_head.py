"""Finding a head in the explorer: tags and filter agree with the analysis."""

import re
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec import convert, to_builtins

from model import load
from model.heads.analysis import analyse
from model.heads.analysis_file import Analysis, save_analysis
from model.heads.kinds import MeasuredKind, kinds_of
from model.heads.syntax import marked_sentences, syntax
from tests.ui.drawn import EN, Page, opens
from tests.ui.views import foreign
from ui.frame import head_kinds
from ui.frame.head_kinds import chips, rows_of
from ui.state.address import Address
from ui.state.models import FOLDER_VARIABLE
from ui.text.translator import LANGUAGES, translator

opened = opens("explorer", attention="encoder_self")


@pytest.fixture(scope="module")
def analysis(tiny_checkpoint, tmp_path_factory):
    """Return an analysis: one encoder head is a sink and looks back, one follows verb to object."""
    t = load(tiny_checkpoint)
    values = to_builtins(analyse(t, {"I see a cat.": ["Je vois un chat."]}))
    values["syntax"] = to_builtins(syntax(t, marked_sentences("en")[:4]))
    for table in values["statistics"].values():
        for head in (head for heads in table for head in heads):
            head.update(offset_share=0.2, sink_mass=0.2)
    values["statistics"]["encoder_self"][0][1].update(offset=-1, offset_share=0.761, sink_mass=0.6)
    relation = values["syntax"]["relations"]
    for name in relation:
        relation[name]["like"] = [[False] * 3, [False] * 3]
    relation["verb_object"].update(baseline=0.325, like=[[False] * 3, [True, False, False]])
    relation["verb_object"]["heads"][1][0] = 0.54
    analysis = convert(values, Analysis)
    root = tmp_path_factory.mktemp("analysed")
    shutil.copytree(tiny_checkpoint, root / "en-fr")
    save_analysis(root / "en-fr", analysis)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(root))
        yield analysis


def marks(page: Page) -> list:
    """Return tags with sentences, and faintness, of every head. The mean of a layer has no tags."""
    return [mark for n, mark in enumerate(page.grid("grid")[0]["marks"]) if n % 4 != 3]


def means_are_faint(page: Page) -> list[bool]:
    return [faint for _, faint in page.grid("grid")[0]["marks"][3::4]]


def faint(page: Page) -> list[bool]:
    return [of_head[1] for of_head in marks(page)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("analysis")
def test_every_head_has_its_labels_with_a_sentence(language):
    page, tr = opened(lang=language), translator(language)
    signs = marks(page)
    assert foreign(page.app, language) == []
    assert [sign for sign, _ in signs[1][0]] == ["−1", tr("kind.sink.sign")]
    shares = [re.findall(r"[\d]+%", sentence) for _, sentence in signs[1][0]]
    assert shares == [["76%"], ["60%"]]
    object_of = tr("kind.verb_object.says", share="54", n=4, baseline="32")
    assert signs[3][0] == [[tr("kind.verb_object.sign"), object_of]]
    assert [bool(chips) for chips, _ in signs] == [False, True, False, True, False, False]
    assert not any(faint(page) + means_are_faint(page))


def test_the_filter_keeps_the_heads_with_the_chosen_label(analysis):
    for kind in ("previous", "sink", "verb_object"):
        page = opened().use({"find.kind": kind})
        wanted = [
            kind in {measured.kind for measured in kinds_of(analysis, "encoder_self", *head)}
            for head in np.ndindex(2, 3)
        ]
        assert [not measured for measured in faint(page)] == wanted
        assert sum(wanted) == 1
        assert means_are_faint(page) == [True, True]
        assert page.link["find.kind"] == kind
        assert faint(opened(**{"find.kind": kind})) == faint(page)


@pytest.mark.usefixtures("analysis")
def test_labels_that_no_head_has_are_not_offered():
    page = opened(attention="decoder_self")
    assert "find.kind" not in {widget.key for widget in page.app.segmented_control}
    assert marks(page) == [[[], False]] * 6
    page = opened(**{"find.kind": "junk"})
    assert not any(faint(page))
    assert "find.kind" not in page.link
    assert "find.kind" in page.app.toast[0].value


def test_without_an_analysis_there_are_no_labels_and_the_page_says_how_to_make_one(checkpoints):
    page = opened()
    assert marks(page) == []
    assert "python -m model.analyse heads --checkpoint checkpoints/en-fr" in page.text
    (checkpoints / "en-fr" / "analysis.json").write_text("{", "utf-8")
    assert marks(opened()) == []


def test_rows_are_named_by_the_token_read_where_a_head_aligns_that_token_better(t, monkeypatch):
    errors = {"weights AWI": [[0.1, 0.3]], "weights AWO": [[0.4, 0.2]]}  # of two heads
    rates = {name: SimpleNamespace(heads=heads) for name, heads in errors.items()}
    analysis = SimpleNamespace(alignment=SimpleNamespace(rates=rates))
    monkeypatch.setattr(head_kinds, "analysis_or_none", lambda _: analysis)
    first = Address(attention="cross", view="head", layer=1, head=1)
    assert head_kinds.error_rates_by_input_token(t, first) == (0.1, 0.4)
    assert rows_of(t, first) == "read"
    for change in ({"head": 2}, {"view": "mean"}, {"attention": "decoder_self"}):
        assert rows_of(t, replace(first, **change)) == "written"
    assert rows_of(t, replace(first, rows="written")) == "written"


def test_the_label_of_a_fixed_offset_contains_the_offset():
    [(chip, sentence)] = chips([MeasuredKind("fixed", 0.8, 500, offset=-2)], EN)
    assert chip == "−2"
    assert "−2" in sentence


@pytest.mark.usefixtures("analysis")
def test_an_option_names_a_sign_only_if_its_name_does_not_have_it():
    [options] = [
        widget.options for widget in opened().app.button_group if widget.key == "find.kind"
    ]
    assert options[0] == "All"
    assert [option for option in options if option.startswith("sink")] == ["sink (1)"]
    assert "−1 previous token (1)" in options
