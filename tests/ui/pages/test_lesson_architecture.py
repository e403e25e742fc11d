"""Lesson: boxes, walk and numbers belong to the checkpoint."""

import re
from pathlib import Path

import numpy as np

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.lessons.architecture import (
    WalkStep,
    diagram_boxes,
    mean_attention,
    next_step,
    previous_step,
)
from model.pictures.tokens import display, display_subword
from model.trace.next_tokens import next_tokens
from tests.conftest import tiny_model
from tests.ui.drawn import EN, Page, opens
from ui.frame.page import PAGES
from ui.lessons.architecture.details import page_of, text_key
from ui.text.markup import candidate_list

_lesson = opens("architecture")


def _figure(page: Page) -> dict:
    [figure] = page.data("architecture")
    return figure


def _picked(page: Page) -> str:
    figure = _figure(page)
    box = figure["boxes"][figure["reached"]]
    return f"{box['stack']}.{box['kind']}"


def _click_box(page: Page, part: str) -> Page:
    return page.click("architecture.figure", part)


def test_the_figure_shows_the_architecture_of_the_checkpoint(t, trace):
    page = _lesson().use({"architecture.source": 2, "architecture.target": 1})
    figure, boxes = _figure(page), diagram_boxes(t.model)
    for name, tokens in (("source", trace.src_tokens), ("target", trace.tgt_tokens)):
        options = [f"{n} · {token}" for n, token in enumerate(display(tokens), start=1)]
        assert page.control(f"architecture.{name}").options == options
    tokens = {
        "encoder.tokens": display(trace.src_tokens)[2],
        "decoder.tokens": display(trace.tgt_tokens)[1],
        "decoder.next_token": display(trace.next_tokens)[1],
    }
    for box, part in zip(figure["boxes"], boxes, strict=True):
        position = part.stack, part.kind, part.in_block
        assert (box["stack"], box["kind"], box["in_block"]) == position
        own = f"{part.n_parameters:,}" if part.n_parameters else ""
        assert box["count"] == (EN("architecture.shared") if part.shared_with else own)
        name = EN(f"architecture.part_{text_key(part)}")
        assert box["label"] == tokens.get(part.name, name)
        parted = [box["label"], *([name] * (part.name in tokens)), *([box["count"]] if own else [])]
        assert box["spoken"].startswith(", ".join(parted))
        assert box["spoken"].endswith(part.stack)
    assert (figure["n_layers"], figure["reached"]) == (2, 0)
    facts = f"{t.n_parameters:,} parameters", "2 + 2 layers, 3 heads", "d_model 66, d_ff 37"
    assert figure["facts"] == ["en-fr", *facts, "pre-norm"]


def test_a_post_norm_checkpoint_is_drawn_and_visited_in_its_own_order(checkpoints, tokenizer):
    save_checkpoint(checkpoints / "post", tiny_model(tokenizer, norm="post"), tokenizer, {})
    page = _lesson(checkpoint="post")
    boxes = diagram_boxes(load(checkpoints / "post").model)
    assert [b["kind"] for b in _figure(page)["boxes"]] == [p.kind for p in boxes]
    assert "post-norm" in _figure(page)["facts"]
    for part in boxes:
        assert _picked(_click_box(page, part.name)) == part.name


def test_every_box_shows_its_shapes_its_parameters_and_a_lesson(t, trace):
    page = _lesson(layer="2")
    for part in diagram_boxes(t.model):
        _click_box(page, part.name)
        assert _picked(page) == part.name
        html, text = page.html, page.text
        shapes = {
            name: [int(size) for size in re.findall(r"<small>(\d+)</small>", axes)]
            for name, axes in re.findall(r'class="shape"><b[^>]*>(\w+)</b>(.*?)</span>', html)
        }
        assert [*shapes] == [record.split(".")[-1] for record in part.records]
        for record, sizes in zip(part.records, shapes.values(), strict=True):
            batch = [] if record.endswith(".position") else [1]  # the same for each sentence
            assert sizes == [*batch, *trace.records[record.format(layer=1)].shape]
        assert (EN("architecture.numbers") in text) == bool(part.records)
        if part.shared_with:
            assert "**shared**" in text
        elif part.n_parameters:
            total = part.n_parameters * part.repeats
            assert f"**{part.n_parameters:,} parameters**" in text
            assert f"{100 * total / t.n_parameters:.1f}% of the model" in text
        else:
            assert EN("architecture.learned_nothing") in text
        start, _ = t.tokenizer.ends
        assert EN(f"architecture.about_{text_key(part)}", start=start) in text
        heading = "block_place" if part.in_block else "place"
        columns = {"part": EN(f"architecture.part_{text_key(part)}"), "layer": 2, "n": part.repeats}
        title = EN(f"architecture.{heading}_{part.stack}", **columns)
        assert title in page.headers
        label = EN("architecture.more", page=EN(f"page.{page_of(part)}"))
        link = [
            element.proto.page
            for element in page.app.get("page_link")
            if element.proto.label == label
        ]
        assert link == [Path(PAGES[page_of(part)]).stem]


def test_the_numbers_are_those_of_the_chosen_token(trace):
    page = _click_box(_lesson(layer="2"), "encoder.ffn").use({"architecture.source": 3})
    for layer in (2, 1):
        page.use({"choice.layer": layer})
        for name in ("resid_mid", "ffn.hidden", "resid_post"):
            vector = trace.records[f"encoder.{layer - 1}.{name}"][3]
            written = " ".join(f"{x:.2f}".replace("-", "−") for x in vector[:4])
            length = f"<small>norm {np.linalg.norm(vector):.1f}</small>"
            assert f"<code>{written} …</code>{length}" in page.html
        assert _figure(page)["layer"] == layer - 1
    _click_box(page, "encoder.tokens")
    token = trace.src[3]
    text = EN("architecture.token", token=display_subword(token.text), id=token.id, size="433")
    assert text in page.html


def test_the_page_says_which_tokens_the_chosen_token_attends_to(t, trace):
    page = _lesson(layer="2").use({"architecture.target": 1})
    for part in diagram_boxes(t.model):
        if part.name in ("encoder.self", "decoder.self", "decoder.cross"):
            _click_box(page, part.name)
            weights = mean_attention(trace, part, WalkStep(part.name, 1, 1, 1))
            keys = trace.tgt_tokens if part.name == "decoder.self" else trace.src_tokens
            largest = np.argsort(-weights, kind="stable")[:3]
            listed = [
                (display(keys)[key], float(weights[key]), False)
                for key in largest
                if weights[key] > 0  # the second row of the decoder sees two keys
            ]
            label = EN("architecture.looks_at")
            assert candidate_list(listed, label=label, lang=t.languages[0]) in page.html


def test_next_and_back_go_through_all_boxes_up_to_the_next_token(t, trace):
    page = _lesson()
    assert page.app.button(key="architecture.back").disabled
    stop, boxes = WalkStep("encoder.tokens", 1, 1, 0), diagram_boxes(t.model)
    for _ in range(9):
        stop = next_step(stop, boxes, len(trace.next_tokens))
        page.press("architecture.next")
        assert _picked(page) == stop.box
        if stop.box.endswith((".self", ".ffn")):
            assert _figure(page)["layer"] == stop.layer
    assert page.link["architecture.part"] == stop.box
    assert _picked(page.press("architecture.back")) == previous_step(stop, boxes).box


def test_the_next_token_is_one_of_the_most_probable_and_is_read_then(t, trace):
    """The experiment that the page suggests."""
    page = _click_box(_lesson(), "decoder.softmax")
    best = next_tokens(trace, t.tokenizer, 0, k=5)
    listed = [(display_subword(c.subword), c.probability, c.chosen) for c in best]
    assert sum(chosen for *_, chosen in listed) == 1
    label = EN("architecture.candidates", k=5)
    assert candidate_list(listed, label=label, lang=t.languages[1]) in page.html
    page.press("architecture.next").press("architecture.next")
    assert _picked(page) == "decoder.tokens"
    assert page.app.selectbox(key="architecture.target").value == 1
    page.use({"architecture.target": len(trace.next_tokens) - 1})
    assert not page.app.button(key="architecture.next").disabled
    assert _click_box(page, "decoder.next_token").app.button(key="architecture.next").disabled


def test_the_choice_of_layer_and_box_survives_boxes_without_layers_and_a_shorter_sentence(trace):
    page = _click_box(_lesson(layer="2"), "encoder.self")
    _click_box(_click_box(page, "decoder.softmax"), "decoder.cross")
    assert page.control("choice.layer").value == 2
    ends = {"source": len(trace.src) - 1, "target": len(trace.tgt_tokens) - 1}
    page.use({f"architecture.{name}": end for name, end in ends.items()})
    page.use({"choice.sentence": "I"})
    assert _picked(page) == "decoder.cross"
    assert page.control("architecture.source").value < ends["source"]
    page.use({"choice.sentence": ""})
    assert not page.data("architecture")
    assert EN("architecture.questions") in page.headers
