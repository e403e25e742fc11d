"""Lesson: it shows what the model computed."""

import re

import numpy as np
import pytest

from model.lessons.qkv.classroom import classroom_attention
from model.lessons.qkv.walkthrough import RESULTS, attention_of, walk
from model.pictures.tokens import display
from tests.tolerance import assert_same
from tests.ui.app import blob
from tests.ui.drawn import EN, SENTENCE, Page, opens
from ui.lessons.qkv.steps import STEPS

_lesson = opens("qkv", layer="2")
MAPS = {"product", "scores", "masked_scores", "weights"}
OF_ONE_HEAD = {"q", "k", "v", "head_out"} | MAPS
SHOWN = {  # step -> names from left to right, the result last
    "project": ["x", "W_Q", "q_flat"],
    "split": ["q_split"],
    "transpose": ["q_split", "q"],
    "product": ["q", "k", "product"],
    "scale": ["product", "scores"],
    "mask": ["scores", "masked_scores"],
    "softmax": ["masked_scores", "weights"],
    "mix": ["weights", "v", "head_out"],
    "merge": ["head_out", "merged"],
    "output": ["merged", "W_O", "attn_out"],
}


def _worksheet(page: Page) -> str:
    [worksheet] = [block.value for block in page.app.code if block.language != "python"]
    return worksheet


@pytest.fixture(scope="module")
def results(t, trace):
    """Return the results of layer 2, without the batch axis."""
    return {
        kind: {n: x[0].numpy() for n, x in walk(attention_of(t.model, trace, kind, 1)).items()}
        for kind in ("encoder_self", "decoder_self", "cross")
    }


def _numbers(results: dict[str, np.ndarray], name: str, head: int, t, kind: str) -> np.ndarray:
    """Return the numbers that the picture with this name shows."""
    if name.startswith("W_"):
        block = (t.model.encoder if kind == "encoder_self" else t.model.decoder).blocks[1]
        attention = block.cross_attention if kind == "cross" else block.self_attention
        return getattr(attention, name.lower()).weight.detach().numpy().T
    if name in OF_ONE_HEAD:
        return results[name][head]
    return results[name].reshape(len(results[name]), -1)


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_every_step_shows_the_numbers_of_the_model(t, trace, results, kind):
    page = _lesson(attention=kind, head="2")
    queries, keys = (
        display(trace.src_tokens if source else trace.tgt_tokens)
        for source in (kind == "encoder_self", kind != "decoder_self")
    )
    for step, names in SHOWN.items():
        page.use({"qkv.step": step})
        for (header, shown), name in zip(page.matrices("qkv.matrices"), names, strict=True):
            assert header["title"] == name.removesuffix("_flat").removesuffix("_split")
            expected = _numbers(results[kind], name, 1, t, kind)
            assert_same(shown, expected, largest=np.abs(results[kind]["product"]).max())
            rows = keys if name[0] in "kv" else queries
            assert header["rowLabels"] == ([] if name.startswith("W_") else [*rows])
            assert header["columnLabels"] == ([*keys] if name in MAPS else [])
            assert header["caption"] == (EN("grid.head_number", n=2) if name in OF_ONE_HEAD else "")
        assert RESULTS[names[-1]].code in "\n".join(code.value for code in page.app.code)
        assert EN(f"qkv.story.{step}") in page.text
        hides_nothing = step == "mask" and kind != "decoder_self"
        assert (EN("qkv.nothing_hidden") in page.text) == hides_nothing
        shapes = re.findall(r'class="shape">(?:<[^>]+>)*(\w+)', page.html)
        tensors = [name for name in names if not name.startswith("W_")]
        assert shapes[-len(tensors) :] == tensors


def test_keys_and_values_are_computed_like_queries(results):
    page = _lesson(head="3", **{"qkv.step": "project"})
    for part in "kv":
        page.use({"qkv.part": part})
        (source, x), (weight, _), (_, shown) = page.matrices("qkv.matrices")
        assert (source["title"], weight["title"]) == ("keys_from", f"W_{part.upper()}")
        assert_same(x, results["cross"]["keys_from"])
        assert_same(shown, results["cross"][f"{part}_flat"])
    page.use({"qkv.step": "transpose"})
    assert_same(page.matrices("qkv.matrices")[1][1], results["cross"]["v"][2])
    assert f"S<small>{len(x)}</small>" in page.html


def test_what_to_try_names_the_number_of_its_step():
    number = [*STEPS].index("product") + 1
    assert EN("try.qkv") == f"Go to step {number}"
    assert f"Go to step {number} and click a cell" in EN.section("qkv", "try")


def test_the_buttons_go_through_the_steps():
    page = _lesson().press("qkv.on")
    assert page.control("qkv.step").value == [*STEPS][1]
    page.press("qkv.back").press("qkv.back")
    assert page.control("qkv.step").value == next(iter(STEPS))


def test_the_numbers_of_the_classroom_example_are_small_and_exact():
    page = _lesson().use({"qkv.source": "classroom", "qkv.step": "product"})
    assert page.pictures["product"].tolist() == [[1, 0, 2], [5, 3, 1], [3, 0, 3]]
    assert "Σ_i q[0, 1, i] · k[0, 1, i]" in _worksheet(page)
    assert _worksheet(page).splitlines()[-1].strip() == "= 3"
    assert "Framed: 0 · 0 + 3 · 1 + 1 · 0 = 3" in page.html.replace("\N{NO-BREAK SPACE}", " ")
    assert not page.app.get("text_input")
    page.use({"qkv.head": 2})
    product = walk(classroom_attention("cross"))["product"][0, 1]
    assert_same(page.pictures["product"], product)


def test_the_lesson_opens_with_the_classroom_example_even_if_a_sentence_was_chosen_before():
    page = Page("welcome").use({"choice.sentence": SENTENCE}).go("qkv")
    assert page.control("qkv.source").value == page.link["qkv.source"] == "classroom"
    other = Page("qkv", **page.link)  # this link contains a sentence as well
    assert other.control("qkv.source").value == "classroom"
    assert other.press("reset").control("qkv.source").value == "classroom"
    # links of older versions
    for link in ({"sentence": SENTENCE}, {"layer": "1"}, {"checkpoint": "torn"}):
        page = Page("qkv", **link)
        assert page.control("qkv.source").value == "sentence"
        assert page.press("reset").control("qkv.source").value == "classroom"
    # "sentence" is what the last of these links means, but now the page's own link has to say so
    page.use({"qkv.source": "sentence"})
    assert Page("qkv", **page.link).control("qkv.source").value == "sentence"


def _expect_marked(page: Page, step: str, name: str, row: int, column: int) -> None:
    header, _ = blob(page.component("qkv.matrices").proto)
    assert header["clicked"] == [SHOWN[step].index(name), row, column]


def test_a_clicked_number_is_marked_in_the_next_steps_too():
    page = _lesson(head="2", **{"qkv.step": "product"}).click("qkv.matrices", [2, 3, 2])
    assert page.link["qkv.picked"] == "product-1-3-2"
    assert "q[1, 3, i] · k[1, 2, i]" in _worksheet(page)
    for step, name in (("scale", "product"), ("mask", "masked_scores"), ("softmax", "weights")):
        page.use({"qkv.step": step})
        assert f"{name}[1, 3, 2]" in _worksheet(page)
        _expect_marked(page, step, name, 3, 2)
    # the same query and key, in another head
    assert "weights[2, 3, 2]" in _worksheet(page.use({"choice.head": 3}))
    # a step without this number marks the second number in the second row of its result
    page.use({"qkv.step": "merge"})
    assert "merged[1, 1]" in _worksheet(page)
    _expect_marked(page, "merge", "merged", 1, 1)
    # heads stand side by side, each with 22 columns
    page.use({"qkv.step": "split"}).click("qkv.matrices", [0, 3, 25])
    assert page.link["qkv.picked"] == "q_split-3-1-3"
    _expect_marked(page, "split", "q_split", 3, 25)
    # this matrix is not split into heads
    page.use({"qkv.step": "project"}).click("qkv.matrices", [0, 3, 1])
    assert page.link["qkv.picked"] == "x-3-1"
    assert "x[3, 1]" in _worksheet(page)


def test_numbers_of_a_link_that_the_attention_does_not_have_are_ignored(trace, results):
    n_queries = len(trace.tgt_tokens)
    page = _lesson(head="2", **{"qkv.step": "product", "qkv.picked": f"product-1-{n_queries}-0"})
    assert "product[1, 1, 1]" in _worksheet(page)
    # three heads with 22 columns
    edits = f"q-3-0-0=1.0,q-0-{n_queries}-0=1.0,q-0-0-22=1.0"
    page = _lesson(any_link=True, head="1", **{"qkv.step": "product", "qkv.edits": edits})
    assert_same(page.pictures["product"], results["cross"]["product"][0], largest=100)


@pytest.mark.parametrize(
    ("projected", "attention", "query"),
    [("q", "cross", 3), ("k", "encoder_self", 3), ("k", "cross", 0), ("v", "cross", 0)],
)
def test_the_softmax_row_belongs_to_the_query_of_a_clicked_number(projected, attention, query):
    """The token of a key is that of a query only in self-attention."""
    page = _lesson(attention=attention, **{"qkv.step": "split", "qkv.part": projected})
    page.click("qkv.matrices", [0, 3, 25])  # position 3, head 1
    page.use({"qkv.edit_matrix": "k"})
    [(softmax_row, _)] = page.matrices("qkv.before")
    assert softmax_row["caption"] == f"weights[0, {query}]"


def _box(page: Page, cell: str):
    [box] = [
        widget for widget in page.app.number_input if widget.key.startswith(f"qkv.value.{cell}")
    ]
    return box


def _edit(page: Page, cell: str, value: float) -> Page:
    _box(page, cell).set_value(value)
    return page.run()


def test_an_edited_number_changes_the_softmax_and_can_be_restored():
    page = _lesson().use({"qkv.source": "classroom", "qkv.step": "softmax"})
    attention = classroom_attention("cross")
    keys = display(attention.key_tokens)
    before = walk(attention)["weights"][0, 0].numpy()
    assert _box(page, "q.0.0.0").value == 1
    _edit(page, "q.0.0.0", 4.0)
    after = walk(attention, {("q", 0, 0, 0): 4.0})["weights"][0, 0].numpy()
    assert_same(page.pictures["weights"], after)
    for when, weights in (("before", before), ("after", after)):
        row = {"rows": display(attention.query_tokens)[:1], "columns": keys}
        page.matrices_are(f"qkv.{when}", {EN(f"qkv.{when}"): weights[:1]}, **row)
    assert EN("qkv.moved", change=f"{np.abs(after - before).max():.4f}") in page.text
    page.use({"qkv.edit_matrix": "k", "qkv.row.3": 2})
    _edit(page, "k.0.2.0", -1.0)
    edits = {("q", 0, 0, 0): 4.0, ("k", 0, 2, 0): -1.0}
    assert_same(page.pictures["weights"], walk(attention, edits)["weights"][0, 0])
    assert page.link["qkv.edits"] == "q-0-0-0=4.0,k-0-2-0=-1.0"
    page.press("qkv.reset")
    assert_same(page.pictures["weights"], before)
    _edit(page, "k.0.2.0", 4.0)
    page.use({"choice.attention": "encoder_self"})  # the edit was of the other attention
    assert "qkv.edits" not in page.link


def test_layer_and_head_are_kept_from_the_explorer(results):
    page = Page("explorer", sentence=SENTENCE)
    page.use({"choice.attention": "encoder_self", "choice.layer": 2, "choice.view": "head"})
    page.use({"choice.head": 3}).go("qkv").use({"qkv.source": "sentence"})
    page.use({"qkv.step": "softmax"})
    assert_same(page.pictures["weights"], results["encoder_self"]["weights"][2])
