"""The lines of Python below a figure make the same figure with the same numbers."""

from pathlib import Path

import numpy as np
import pytest

from model import load
from model.gallery.example import Example
from model.gallery.finding import save_gallery
from model.gallery.own_examples import OwnExample, pack
from model.trace.next_tokens import decoding_steps
from model.translation_model import load_transformer
from tests.server import ROOT
from tests.tolerance import assert_same
from tests.ui.drawn import SENTENCE, Page, lines_of
from tests.ui.pages.test_gallery import always
from tests.ui.test_provenance import GIVEN, MAPS
from ui.export.python_lines import lines_of_map, lines_of_patching, lines_of_ribbons

BESIDE = {
    "head": {"beside": "head", "second_layer": "1", "second_head": "2"},
    "target": {"beside": "target"},
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_and_the_grid_of_heads_have_the_numbers_of_the_files(name, files, run_lines):
    case = MAPS[name]
    page = Page("explorer", **{**GIVEN, **case.link})
    files.name = "map"
    names = run_lines(page, "map")
    assert_same(names["numbers"], files.numbers(case.measure))
    header, rows = files.tables()[case.measure]
    assert list(names["picture"].columns) == header[1:]
    assert list(names["picture"].rows) == [row[0] for row in rows]
    saved = Path(files.saved_as["map.csv"]).with_suffix(".pdf")
    assert saved.read_bytes().startswith(b"%PDF")
    files.name = "grid"
    heads = run_lines(page, "grid")["numbers"]
    assert heads.shape[:2] == (2, 3)
    for layer, head in np.ndindex(2, 3):
        assert_same(heads[layer, head], files.numbers(f"layer {layer + 1} head {head + 1}"))


PLAIN = """\
# For a notebook or a script in the project's folder, beside model/ and checkpoints/.
from model import load

t = load("checkpoints/en-fr")
trace = t.trace("I see a cat.")
# Layers and heads count from 0 here, and from 1 in the app.
picture = t.plot(trace, "cross", layer=1, head=2)
numbers = picture.numbers  # with picture.rows and picture.columns as labels
picture.save("map.pdf")"""


def test_lines_name_only_what_differs_from_the_defaults(t, trace):
    lines = lines_of_map(t, trace, kind="cross", view="head", layer=1, head=2)
    assert lines("map") == PLAIN
    options = {"cells": "value_norms", "unit": "words", "special": False, "rows": "read"}
    named = 'cells="value_norms", unit="words", special=False'
    for kind, rows in (("decoder_self", ', rows="read"'), ("encoder_self", "")):
        lines = lines_of_map(t, trace, kind=kind, view="max", layer=0, head=0, **options)
        assert f't.plot(trace, "{kind}", layer=0, view="max", {named}{rows})\n' in lines("map")


def test_lines_do_not_reveal_a_covered_row():
    page = Page("explorer", **GIVEN, **{"map.hidden_row": "2"})
    assert lines_of(page, "map") == ""
    assert lines_of(page, "grid") == ""


def test_lines_for_the_view_of_lines_give_the_heads_of_the_layer(files, run_lines):
    page = Page("explorer", **GIVEN, panel="lines")
    files.name = "lines"
    numbers = run_lines(page, "lines")["numbers"]
    for head in range(3):
        assert_same(numbers[0, head], files.numbers(f"head {head + 1}"))


def test_lines_for_ribbons_give_the_rows_of_their_map(files, run_lines):
    page = Page("welcome", sentence=SENTENCE)
    files.name = "ribbons"
    numbers = run_lines(page, "ribbons")["numbers"]
    assert_same(numbers, files.numbers("weights"))


def test_lines_for_ribbons_of_a_head_that_reads_leave_out_the_first_row(t, trace, run_in_folder):
    steps = decoding_steps(trace, t.tokenizer, reading_head=(1, 2))
    assert steps.rows == "read"
    lines = lines_of_ribbons(t, trace, view="head", layer=1, head=2, rows="read")
    assert_same(run_in_folder(lines("ribbons"))["numbers"], steps.weights)


def test_lines_name_the_token_ids_if_the_text_would_be_split_differently(t, run_in_folder):
    letters = [id for id in range(t.config.vocab_size) if len(t.tokenizer.subword(id)) == 1][:3]
    ids = [t.tokenizer.bos_id, *letters, t.tokenizer.eos_id]
    drawn = t.trace(SENTENCE, target=ids)
    lines = lines_of_map(t, drawn, kind="decoder_self", view="head", layer=0, head=1)
    assert str(ids) in lines("map")
    assert_same(run_in_folder(lines("map"))["numbers"], drawn.decoder_self[0, 1])


def test_patched_activations_have_the_scores_of_the_page(monkeypatch):
    """Uses the shipped model: an untrained one translates both sentences alike."""
    monkeypatch.chdir(ROOT)
    model = load("checkpoints/en-fr")
    first = model.trace("The animal didn't cross the street because it was too tired.")
    second = model.trace("The animal didn't cross the street because it was too wide.")
    names: dict = {}
    exec(lines_of_patching(model, first, second)("patched"), names)
    expected = model.patch(first, second)
    for kind, scores in names["numbers"].items():
        assert_same(scores, expected.heads[kind])
    assert max(scores.max() for scores in names["numbers"].values()) > 0.1


@pytest.mark.parametrize("beside", BESIDE)
def test_lines_for_two_maps_give_the_numbers_of_both(beside, files, run_lines):
    page = Page("explorer", **GIVEN, panel="compare", view="head", **BESIDE[beside])
    files.name = "compare"
    names = run_lines(page, "compare")
    assert_same(names["a"], files.numbers("A"))
    assert_same(names["b"], files.numbers("B"))
    has_difference = "A minus B" in files.tables()
    assert has_difference == ("difference" in names)
    if has_difference:
        assert_same(names["difference"], files.numbers("A minus B"))


def test_lines_for_a_pair_of_sentences_give_the_numbers_of_both_maps(files, run_lines):
    second = "You see a black dog."
    page = Page("experiments", "pair", sentence=SENTENCE, second=second, layer="2", head="3")
    files.name = "pair"
    names = run_lines(page, "pair")
    assert_same(names["a"], files.numbers("first"))
    assert_same(names["b"], files.numbers("second"))


def test_lines_for_an_example_of_the_gallery_give_the_numbers_of_its_map(
    checkpoints, monkeypatch, run_lines
):
    always(monkeypatch, "alignment", attentions=("cross",), unit="words", rows="read")
    example = Example(phenomenon="alignment", sentence=SENTENCE, attention="cross", layer=2, head=3)
    save_gallery(load_transformer(checkpoints / "en-fr"), [example])
    page = Page("gallery", show="one")
    assert_same(run_lines(page, "example")["numbers"], page.maps[0].numbers)


@pytest.mark.parametrize(
    "view",
    ["layer=2&head=3&view=head&unit=words", "attention=encoder_self&layer=1&cells=value_norms"],
)
def test_lines_for_a_teachers_example_give_the_numbers_of_its_map(view, run_lines):
    own = pack((OwnExample(SENTENCE, "Look at the last row", "", view),))
    page = Page("gallery", show="one", **{"gallery.own": own})
    assert_same(run_lines(page, "example")["numbers"], page.maps[0].numbers)


@pytest.mark.parametrize("mode", ["zero", "uniform"])
def test_lines_for_ablated_heads_give_the_changed_translation_of_the_files(mode, files, run_lines):
    page = Page("experiments", sentence=SENTENCE, ablated="c2.3", mode=mode)
    files.name = "ablations"
    names = run_lines(page, "ablations")
    assert_same(names["numbers"], files.column("tokens", "log_prob_change"))
    assert_same(names["effect"].distance, files.column("tokens", "total_variation"))


def test_lines_for_a_beam_search_use_the_same_beam(files, run_lines):
    page = Page("explorer", sentence=SENTENCE, beam="4", view="head", layer="2", head="1")
    files.name = "map"
    assert "beam=4" in lines_of(page, "map")
    assert_same(run_lines(page, "map")["numbers"], files.numbers("weights"))


def test_lines_for_positions_give_those_of_the_model(files, run_lines):
    page = Page("positions", sentence=SENTENCE, **{"positions.count": "9"})
    files.name = "matrix"
    numbers = run_lines(page, "matrix")["numbers"]
    assert numbers.shape[0] == 9
    assert_same(numbers, files.numbers("PE"))


@pytest.mark.parametrize("positions", ["on", "off"])
def test_lines_for_two_word_orders_give_the_distances_of_the_page(positions, run_lines):
    page = Page("five_minutes", step="8", **{"five_minutes.positions": positions})
    names = run_lines(page, "word_order")
    [(_, shown)] = page.matrices("five_minutes.moved")
    np.testing.assert_allclose(shown[0], names["moved"][1:-1], atol=1e-5)
    assert np.allclose(names["numbers"].min(axis=1), 0, atol=1e-9) == (positions == "off")


def test_lines_for_the_steps_of_attention_give_the_numbers_of_the_lesson(run_lines):
    page = Page("five_minutes", step="5", sentence=SENTENCE)
    results = run_lines(page, "vectors")["numbers"]
    [(_, query), (_, mixed)] = page.matrices("five_minutes.query")
    heads = [*np.ndindex(results["q"].shape[1], results["q"].shape[2])]
    assert any(
        np.allclose(query[0], results["q"][0, head, row], atol=1e-5)
        and np.allclose(mixed[0], results["head_out"][0, head, row], atol=1e-5)
        for head, row in heads
    )


def test_lines_for_a_mask_hide_the_same_cells(run_lines):
    page = Page("five_minutes", step="6", sentence=SENTENCE)
    [(_, shown)] = page.matrices("five_minutes.map")
    assert_same(np.nan_to_num(shown), run_lines(page, "mask")["numbers"])


def test_numbers_that_a_visitor_edited_have_no_lines(run_lines):
    link = {"sentence": SENTENCE, "qkv.source": "sentence"}
    page = Page("qkv", **link)
    assert "weights" in run_lines(page, "matrices")["numbers"]
    assert lines_of(Page("qkv", **link, **{"qkv.edits": "q-0-1-2=9.0"}), "matrices") == ""
