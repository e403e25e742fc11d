"""Maps from other programs: in any accepted form, the page holds their numbers."""

import base64
import json
import re

import numpy as np
import pytest
import torch

from model import show
from model.pictures.show import as_maps

ROWS = ("Je", "dors", "</s>")
COLUMNS = ("I", "am", "asleep", "</s>")


def softmax(*shape: int):
    """Return random weights whose rows each sum to 1."""
    scores = np.random.default_rng(5).normal(size=shape)
    return (np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).astype(np.float32)


def analysis_in(page) -> dict:
    [text] = re.findall(r'<script type="application/json" id="analysis">(.*?)</script>', page.html)
    return json.loads(text)


MAPS = softmax(2, 5, 3, 4)  # layers, heads, rows, columns


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (MAPS[0, 0], MAPS[:1, :1]),
        (MAPS[0], MAPS[:1]),
        (MAPS, MAPS),
        (MAPS[0, 0].tolist(), MAPS[:1, :1]),
        ([list(row) for row in MAPS[0, 0]], MAPS[:1, :1]),  # numbers of NumPy
        ([list(head) for head in MAPS[0]], MAPS[:1]),
        ([list(layer) for layer in torch.tensor(MAPS)], MAPS),
        ([MAPS[0], MAPS[1]], MAPS),
        (torch.tensor(MAPS, requires_grad=True), MAPS),
        # cross_attentions: a tensor (batch, heads, rows, columns) for each layer
        (tuple(torch.tensor(MAPS[:, None])), MAPS),
        (torch.tensor(MAPS[:, None]), MAPS),
        # cross_attentions of ``generate``: one row at a time
        (tuple(tuple(torch.tensor(MAPS[:, None, :, [row]])) for row in range(3)), MAPS),
    ],
)
def test_weights_in_every_form_become_layers_heads_rows_and_columns(given, expected):
    maps = as_maps(given)
    assert np.array_equal(maps, expected)
    assert maps.dtype == np.float32


def test_numbers_of_lower_precision_are_accepted():
    maps = as_maps(torch.tensor(MAPS).bfloat16())
    assert np.allclose(maps, MAPS, atol=1 / 256)


def test_a_step_of_self_attention_sees_no_later_key():
    steps = [[torch.full((1, 1, 1, n), 1 / n)] for n in (1, 2, 3)]
    third = np.float32(1 / 3)
    assert as_maps(steps).tolist() == [[[[1, 0, 0], [0.5, 0.5, 0], [third, third, third]]]]


def test_the_page_contains_all_maps_and_their_labels():
    analysis = analysis_in(show(MAPS, ROWS, COLUMNS, name="opus-mt-en-fr", layer=1, head=3))
    [attention] = analysis["attentions"]
    weights = np.frombuffer(base64.b64decode(attention["weights"]), dtype="<f4")
    assert np.array_equal(weights.reshape(attention["shape"]), MAPS)
    assert attention["queries"] == {"written": list(ROWS)}
    assert attention["keys"] == list(COLUMNS)
    assert (analysis["start"]["layer"], analysis["start"]["head"]) == (1, 3)
    assert analysis["words"]["attention.cross"] == "opus-mt-en-fr"


def test_the_page_can_be_shown_and_saved(tmp_path):
    page = show(MAPS, ROWS, COLUMNS)
    assert page._repr_html_().startswith("<iframe ")
    assert page.save(tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    assert "layers: 2 · heads: 5 · 3 rows, 4 columns" in page.html


def test_labels_of_rows_are_also_used_for_columns():
    [attention] = analysis_in(show(softmax(3, 3), ROWS))["attentions"]
    assert attention["keys"] == attention["queries"]["written"] == list(ROWS)


@pytest.mark.parametrize(
    ("tokens", "labels"),
    [
        (("I", "am", "asleep"), ["I", "am", "asleep"]),
        (("▁I", "▁as", "leep"), ["I", "as", "·leep"]),
        (("ĠI", "Ġas", "leep"), ["I", "as", "·leep"]),
        (("a", "", " "), ["a", "∅", "␣"]),
        ((1, 2, 3), ["1", "2", "3"]),
    ],
)
def test_invisible_labels_become_visible(tokens, labels):
    [attention] = analysis_in(show(softmax(3, 3), tokens))["attentions"]
    assert attention["keys"] == labels


NONE = "attn_implementation"
MISTAKES = [
    (MAPS, "Je dors", COLUMNS, "rows is one text: give a list of tokens"),
    (MAPS, ROWS, "I am asleep", "columns is one text: give a list of tokens"),
    (MAPS, COLUMNS, ROWS, "swapped, give show(weights, columns, rows)"),
    (MAPS, ROWS[:2], COLUMNS, "3 rows and 4 columns, but there are labels for 2 rows and 4"),
    (MAPS * 9, ROWS, COLUMNS, "after the softmax"),
    (MAPS - 1, ROWS, COLUMNS, "after the softmax"),
    (MAPS * np.nan, ROWS, COLUMNS, "a weight is NaN"),
    (MAPS[:0], ROWS, COLUMNS, "not (0, 5, 3, 4)"),
    (MAPS[0, 0, 0], ROWS, COLUMNS, "not (4,)"),
    (None, ROWS, COLUMNS, NONE),
    ((None, None), ROWS, COLUMNS, NONE),
    ([], ROWS, COLUMNS, "these are not"),
    ("weights", ROWS, COLUMNS, "these are not"),
    ([[0.5], [0.25, 0.75]], ROWS, COLUMNS, "these are not"),
    ([MAPS[0], MAPS[1, :3]], ROWS, COLUMNS, "an array of numbers, or a list of arrays of equal"),
    (np.stack([MAPS, MAPS], axis=1), ROWS, COLUMNS, "2 sentences in this batch"),
    ([[MAPS[0]], [MAPS[0]]], ROWS, COLUMNS, "each step of a generation"),
    ([list(torch.tensor(MAPS[0], requires_grad=True))], ROWS, COLUMNS, "these are not"),
]


@pytest.mark.parametrize(("weights", "rows", "columns", "reason"), MISTAKES)
def test_maps_that_cannot_be_drawn_get_one_message(weights, rows, columns, reason):
    with pytest.raises(ValueError, match=re.escape(reason)) as raised:
        show(weights, rows, columns)
    assert "\n" not in str(raised.value)


def test_for_a_whole_model_output_the_message_names_the_needed_part():
    output = type("Output", (), {"cross_attentions": (MAPS,)})()
    with pytest.raises(ValueError, match=r"such as output\.cross_attentions"):
        show(output, ROWS, COLUMNS)


def test_too_many_cells_are_refused_before_a_page_is_made(monkeypatch):
    monkeypatch.setattr("model.pictures.show.MAX_CELLS", MAPS.size - 1)
    with pytest.raises(ValueError, match=f"{MAPS.size} cells, and at most {MAPS.size - 1}"):
        show(MAPS, ROWS, COLUMNS)


@pytest.mark.parametrize("choice", [{"layer": 2}, {"head": 5}])
def test_a_layer_or_head_that_does_not_exist_is_refused(choice):
    with pytest.raises(ValueError, match="choose one of 0, 1"):
        show(MAPS, ROWS, COLUMNS, **choice)
