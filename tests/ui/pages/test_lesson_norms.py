"""Lesson: every control changes the pictures, which show the model's numbers."""

from html import escape

import numpy as np
import pytest
import torch

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.lessons.norms import (
    as_two_convolutions,
    batch_norm,
    change_one_position,
    draw_batch,
    ffn_input,
    firing,
    layer_norm,
    measure_start,
    padding_change,
    strongest_units,
)
from model.pictures.tokens import display
from model.trace.residual_stream import additions, norms
from tests.conftest import tiny_model
from tests.ui.app import blob
from tests.ui.drawn import EN, SENTENCE, opens

_lesson = opens("norms")
BOTH_STACKS = pytest.mark.parametrize("stack", ["encoder", "decoder"])


def _tokens(trace, stack: str) -> list[str]:
    return display(trace.src_tokens if stack == "encoder" else trace.tgt_tokens)


def _sublayers(steps) -> list[str]:
    return [
        EN("norms.place", layer=step.layer + 1, sublayer=EN(f"norms.sublayer_{step.sublayer}"))
        for step in steps
    ]


@BOTH_STACKS
@pytest.mark.parametrize("measure", ["norm", "added", "share", "cosine"])
def test_the_residual_stream_is_that_of_the_sentence(trace, stack, measure):
    page = _lesson("stream", **{"norms.measure": measure}).use({"norms.stream_stack": stack})
    steps = additions(trace, stack)
    before = [norms(step.before) for step in steps]
    added = [norms(step.added) for step in steps]
    values = {
        "norm": [before[0], *(norms(step.after) for step in steps)],
        "added": added,
        "share": [a / b for a, b in zip(added, before, strict=True)],
        "cosine": [step.cosine for step in steps],
    }
    columns = _sublayers(steps)
    if measure == "norm":
        columns = [EN("norms.enters"), *columns]
    drawn = {EN(f"norms.measure.{measure}"): np.stack(values[measure], axis=1)}
    page.matrices_are("norms.stream", drawn, rows=_tokens(trace, stack), columns=columns)
    [(header, _)] = page.matrices("norms.stream")
    assert header["caption"] == EN(f"norms.caption_{measure}")
    assert "This model is pre-norm" in page.text


def test_of_a_post_norm_model_the_page_says_how_much_a_norm_changes(checkpoints, tokenizer):
    save_checkpoint(checkpoints / "post", tiny_model(tokenizer, norm="post"), tokenizer, {})
    steps = additions(load(checkpoints / "post").trace(SENTENCE), "encoder")
    largest = max(abs(step.after - step.before - step.added).max() for step in steps)
    text = _lesson("stream", checkpoint="post").text
    assert EN("norms.sum_post", remainder=f"{largest:.2g}") in text


@BOTH_STACKS
def test_a_click_on_the_stream_shows_the_path_of_its_token(trace, stack):
    page = _lesson("stream", **{"norms.measure": "cosine"}).use({"norms.stream_stack": stack})
    page.click("norms.stream", [0, 3, 1])
    steps = additions(trace, stack)
    columns = {
        EN("norms.before"): [norms(step.before)[3] for step in steps],
        EN("norms.added"): [norms(step.added)[3] for step in steps],
    }
    [chart] = page.charts()
    chart.columns_are(columns, _sublayers(steps), ("norms.sublayer", "norms.length"))
    token = _tokens(trace, stack)[3]
    assert EN("norms.token_way", token=escape(token)) in page.html
    assert page.link["norms.stream_token"] == "3"
    assert page.link["norms.measure"] == "cosine"


@pytest.mark.parametrize(
    ("n_padding", "seed", "row", "column", "labels"),
    [
        (
            3,
            1,
            1,
            2,
            ["A1", "A2", "A3", "PAD", "PAD", "PAD", "B1", "B2", "PAD", "PAD", "PAD", "PAD"],
        ),
        (0, 8, 4, 0, ["A1", "A2", "A3", "B1", "B2", "PAD"]),
    ],
)
def test_both_norms_are_computed_for_the_random_batch(n_padding, seed, row, column, labels):
    page = _lesson("padding").use({"norms.padding": n_padding, "norms.batch_seed": seed})
    page.click("norms.layer", [0, row, column])
    x = draw_batch(seed, lengths=(3, 2), n_padding=n_padding, d_model=5).flatten(0, 1)
    labels = [EN("norms.pad") if label == "PAD" else label for label in labels]
    for name, norm, together in (
        ("layer", layer_norm, x[row]),
        ("batch", batch_norm, x[:, column]),
    ):
        drawn = {EN("norms.input"): x, EN(f"norms.{name}"): norm(x)}
        page.matrices_are(f"norms.{name}", drawn, rows=labels)
        sentence = EN(
            f"norms.{name}_mean",
            n=len(together),
            mean=_with_minus(f"{together.mean():.2f}"),
            deviation=f"{together.std(correction=0):.2f}",
            value=_with_minus(f"{x[row, column]:.0f}"),
            result=_with_minus(f"{norm(x)[row, column]:.2f}"),
        )
        assert sentence in page.text
    # the link leaves out the default, 1-2
    assert page.link.get("norms.cell", "1-2") == f"{row}-{column}"


def test_a_link_to_a_number_outside_the_batch_shows_the_last_number():
    page = _lesson("padding", **{"norms.padding": "0", "norms.cell": "6-5"})
    x = draw_batch(0, lengths=(3, 2), n_padding=0, d_model=5).flatten(0, 1)
    mean = f"{x[5].mean():.2f}"
    assert _with_minus(mean) in page.text
    [_, (_, shown)] = page.matrices("norms.layer")
    assert shown.shape == (6, 5)
    header, _ = blob(page.component("norms.layer").proto)
    assert header["clicked"][1:] == [5, 4]


def _with_minus(number: str) -> str:
    return number.replace("-", "−")


def test_padding_after_the_sentence_changes_batch_norm_only(t, trace):
    x = torch.tensor(trace.records["encoder.embedded"])
    with torch.no_grad():
        pads = torch.full((1, 32), t.tokenizer.pad_id)
        padding = t.model.src_embedding(pads, first=len(x))[0]
    moved = [padding_change(batch_norm, x, padding[:n]) for n in range(33)]
    curves = {EN("norms.layer"): np.zeros(33), EN("norms.batch"): moved}
    page = _lesson("padding")
    page.charts()[0].curves_are(curves, np.arange(33), ("norms.padding_axis", "norms.change"))
    assert EN("norms.padding_effect", n=32, layer="0", batch=f"{moved[-1]:.2g}") in page.text


def test_a_long_sentence_leaves_less_room_for_padding(t):
    sentence = "I " * ((t.config.max_length - 2) // 2)
    page = _lesson("padding", sentence=sentence)
    free = t.config.max_length - len(t.trace(sentence).src)
    n_values = free + 1  # with 0, 1, ... positions of padding
    assert len(page.charts()[0].tables["curves"]) == 2 * n_values


@BOTH_STACKS
def test_the_gradients_of_both_stacks_are_shown(stack):
    page = _lesson("order", **{"norms.order_seed": "5", "norms.order_depth": "4"})
    _pre_drawing, _post_drawing, chart = page.use({"norms.order_stack": stack}).charts()
    post = measure_start("post", 4, 5)[stack].gradients
    pre = measure_start("pre", 4, 5)[stack].gradients
    curves = {EN("norms.post"): post, EN("norms.pre"): pre}
    chart.curves_are(curves, range(1, 5), ("norms.layer_axis", "norms.gradient"), log="y")
    slopes = {"post": f"{post[-1] / post[0]:.3g}", "pre": f"{pre[-1] / pre[0]:.3g}"}
    assert EN("norms.slope", **slopes) in page.text


def test_deep_post_norm_decoders_have_small_first_gradients():
    """The experiment that the page suggests."""
    page = _lesson("order", **{"norms.order_seed": "5"})
    depths = page.control("norms.order_depth").options
    assert depths == ["2", "4", "6", "8", "12", "16", "24"]

    def gradients(depth: int) -> np.ndarray:
        chart = page.use({"norms.order_depth": depth}).charts()[2]
        return chart.series("curves", "curve", "y")["post-norm"]

    shallow = gradients(2)
    deep = gradients(24)
    assert deep[0] < shallow[0] / 100
    assert deep[-1] > 100 * deep[0]


@BOTH_STACKS
@pytest.mark.parametrize(("measure", "layer"), [("gradients", 0), ("spread", -1)])
def test_the_network_without_the_residual_path_is_measured(stack, measure, layer):
    page = _lesson("path", **{"norms.path_depth": "12", "norms.path_seed": "2"})
    gradients, spread = page.use({"norms.path_stack": stack}).charts()
    chart = gradients if measure == "gradients" else spread
    with_path = getattr(measure_start("pre", 12, 2)[stack], measure).numpy()
    without_path = getattr(measure_start("none", 12, 2)[stack], measure).numpy()
    curves = {
        EN("norms.path_pre"): np.where(with_path > 0, with_path, np.nan),
        EN("norms.path_none"): np.where(without_path > 0, without_path, np.nan),
    }
    chart.curves_are(curves, range(1, 13), ("norms.layer_axis", f"norms.{measure}"), log="y")
    numbers = {"kept": f"{with_path[layer]:.2g}", "cut": f"{without_path[layer]:.2g}"}
    assert EN(f"norms.{measure}_now", **numbers) in page.text


@pytest.mark.parametrize(("stack", "layer"), [("encoder", 1), ("decoder", 2)])
def test_active_units_and_changed_outputs_are_shown(t, trace, stack, layer):
    page = _lesson("feed_forward").use({"choice.layer": layer, "norms.ffn_stack": stack})
    page.click("norms.units", [0, 2, 5])
    assert page.link["norms.ffn_token"] == "2"
    tokens = _tokens(trace, stack)

    # the units that are most active for the clicked token
    hidden = trace.records[f"{stack}.{layer - 1}.ffn.hidden"]
    units = strongest_units(hidden, 2, 12)
    drawn = {EN("norms.strongest", n=12, token=tokens[2]): hidden[:, units]}
    page.matrices_are("norms.units", drawn, rows=tokens, columns=[str(n + 1) for n in units])

    # the share of active units, and the outputs that change with the clicked token
    share_chart, change_chart = page.charts()
    share = {EN("norms.share"): firing(hidden)}
    share_chart.columns_are(share, tokens, ("norms.token", "norms.share"))
    x = ffn_input(t.model, trace, stack, layer - 1)
    ffn = getattr(t.model, stack).blocks[layer - 1].feed_forward
    change = change_one_position(ffn, x, 2, seed=0)
    moved = {EN("norms.output_change"): change}
    change_chart.columns_are(moved, tokens, ("norms.token", "norms.output_change"))
    percent = f"{100 * firing(hidden).mean():.0f}"
    assert EN("norms.firing", share=percent, d_ff=37) in page.text
    assert f"changes by **{float(change[2]):.3g}**" in page.text

    # the same layer written as two convolutions
    out = torch.tensor(trace.records[f"{stack}.{layer - 1}.ffn.ffn_out"])
    assert (as_two_convolutions(ffn, x) - out).abs().max() < 1e-5
    assert f"(numbers up to {float(out.abs().max()):.3g})" in page.text
