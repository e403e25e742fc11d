"""Lesson: every control changes what is drawn, to what the model says."""

from html import escape

import numpy as np
import pytest
import torch

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
from tests.ui.drawn import EN, opens

_lesson = opens("norms")


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stream_is_that_of_the_sentence(trace, stack):
    page = _lesson("stream", **{"norms.measure": "share"}).use({"norms.stream_stack": stack})
    page.click("norms.stream", [0, 3, 1])
    steps = additions(trace, stack)
    tokens = display(trace.src_tokens if stack == "encoder" else trace.tgt_tokens)
    parts = [(step.layer + 1, EN(f"norms.sublayer_{step.sublayer}")) for step in steps]
    places = [EN("norms.place", layer=layer, sublayer=name) for layer, name in parts]
    before, added = ([norms(getattr(one, part)) for one in steps] for part in ("before", "added"))
    measures = {
        "norm": [before[0], *(norms(step.after) for step in steps)],
        "added": added,
        "share": [a / b for a, b in zip(added, before, strict=True)],
        "cosine": [step.cosine for step in steps],
    }
    for measure, values in measures.items():
        page.use({"norms.measure": measure})
        columns = [EN("norms.enters"), *places] if measure == "norm" else places
        shown = {EN(f"norms.measure.{measure}"): np.stack(values, axis=1)}
        page.matrices_are("norms.stream", shown, rows=tokens, columns=columns)
        [(said, _)] = page.matrices("norms.stream")
        assert said["caption"] == EN(f"norms.caption_{measure}")
    way = {"norms.before": np.stack(before)[:, 3], "norms.added": np.stack(added)[:, 3]}
    [token] = page.charts()
    titles = "norms.sublayer", "norms.length"
    token.columns_are({EN(key): values for key, values in way.items()}, places, titles)
    assert EN("norms.token_way", token=escape(tokens[3])) in page.html
    assert "This model is pre-norm" in page.text
    told = {"norms.measure": "cosine", "norms.stream_token": "3"}
    assert told.items() <= page.link.items()


def test_both_norms_of_the_drawn_batch():
    page = _lesson("padding", **{"norms.padding": "3", "norms.batch_seed": "1"})
    for n_padding, seed, (row, column) in ((3, 1, (1, 2)), (0, 8, (4, 0))):
        page.use({"norms.padding": n_padding, "norms.batch_seed": seed})
        page.click("norms.layer", [0, row, column])
        x = draw_batch(seed, lengths=(3, 2), n_padding=n_padding, d_model=5).flatten(0, 1)
        pad = [EN("norms.pad")] * n_padding
        labels = ["A1", "A2", "A3", *pad, "B1", "B2", EN("norms.pad"), *pad]
        for name, norm, of in (("layer", layer_norm, x[row]), ("batch", batch_norm, x[:, column])):
            shown = {EN("norms.input"): x, EN(f"norms.{name}"): norm(x)}
            page.matrices_are(f"norms.{name}", shown, rows=labels)
            numbers = {"mean": of.mean(), "value": x[row, column], "result": norm(x)[row, column]}
            told = {key: f"{number:.2f}".replace("-", "−") for key, number in numbers.items()}
            told |= {"n": len(of), "deviation": f"{of.std(correction=0):.2f}"}
            told["value"] = told["value"].removesuffix(".00")
            assert EN(f"norms.{name}_mean", **told) in page.text
    assert page.link["norms.cell"] == "4-0"


def test_padding_behind_the_sentence_moves_batch_norm_alone(t, trace):
    x = torch.tensor(trace.records["encoder.embedded"])
    with torch.no_grad():
        pads = torch.full((1, 32), t.tokenizer.pad_id)
        padding = t.model.src_embedding(pads, first=len(x))[0]
    moved = [padding_change(batch_norm, x, padding[:n]) for n in range(33)]
    curves = {EN("norms.layer"): np.zeros(33), EN("norms.batch"): moved}
    page = _lesson("padding")
    page.charts()[0].curves_are(curves, np.arange(33), ("norms.padding_axis", "norms.change"))
    assert EN("norms.padding_effect", n=32, layer="0", batch=f"{moved[-1]:.2g}") in page.text
    full = "I " * ((t.config.max_length - 2) // 2)  # there is no room behind it
    page.use({"choice.sentence": full})
    room = t.config.max_length - len(t.trace(full).src)
    assert len(page.charts()[0].tables["curves"]) == 2 * (room + 1)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_gradients_are_measured(stack):
    page = _lesson("order", **{"norms.order_seed": "5", "norms.order_depth": "4"})
    assert len(page.charts()) == 3  # two drawings of a block
    page.use({"norms.order_stack": stack})
    found = {w: measure_start(w, 4, 5)[stack].gradients for w in ("post", "pre")}
    curves = {EN(f"norms.{wiring}"): values for wiring, values in found.items()}
    titles = "norms.layer_axis", "norms.gradient"
    page.charts()[2].curves_are(curves, range(1, 5), titles, log="y")
    slopes = {wiring: f"{float(values[-1] / values[0]):.3g}" for wiring, values in found.items()}
    assert EN("norms.slope", **slopes) in page.text
    shallow, deep = (  # what the page proposes to try
        page.use({"norms.order_depth": n}).charts()[2].series("curves", "curve", "y")["post-norm"]
        for n in (2, 24)
    )
    if stack == "decoder":
        assert deep[0] < shallow[0] / 100
        assert deep[-1] > 100 * deep[0]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_without_the_path(stack):
    page = _lesson("path", **{"norms.path_depth": "12", "norms.path_seed": "2"})
    page.use({"norms.path_stack": stack})
    with_, without = (measure_start(wiring, 12, 2)[stack] for wiring in ("pre", "none"))
    for chart, measure in zip(page.charts(), ("gradients", "spread"), strict=True):
        values = [getattr(one, measure).numpy() for one in (with_, without)]
        names = EN("norms.path_pre"), EN("norms.path_none")
        curves = {n: np.where(v > 0, v, np.nan) for n, v in zip(names, values, strict=True)}
        titles = "norms.layer_axis", f"norms.{measure}"
        chart.curves_are(curves, range(1, 13), titles, log="y")
        kept, cut = (f"{one[0 if measure == 'gradients' else -1]:.2g}" for one in values)
        assert EN(f"norms.{measure}_now", kept=kept, cut=cut) in page.text


@pytest.mark.parametrize(("stack", "layer"), [("encoder", 1), ("decoder", 2)])
def test_who_fires_and_who_feels_it(t, trace, stack, layer):
    page = _lesson("feed_forward").use({"choice.layer": layer, "norms.ffn_stack": stack})
    page.click("norms.units", [0, 2, 5])
    hidden = trace.records[f"{stack}.{layer - 1}.ffn.hidden"]
    units = strongest_units(hidden, 2, 12)
    tokens = display(trace.src_tokens if stack == "encoder" else trace.tgt_tokens)
    shown = {EN("norms.strongest", n=12, token=tokens[2]): hidden[:, units]}
    page.matrices_are("norms.units", shown, rows=tokens, columns=[str(n + 1) for n in units])
    fired, moved = page.charts()
    share = {EN("norms.share"): firing(hidden)}
    fired.columns_are(share, tokens, ("norms.token", "norms.share"))
    x = ffn_input(t.model, trace, stack, layer - 1)
    ffn = getattr(t.model, stack).blocks[layer - 1].feed_forward
    change = change_one_position(ffn, x, 2, seed=0)
    titles = "norms.token", "norms.output_change"
    moved.columns_are({EN("norms.output_change"): change}, tokens, titles)
    out = torch.tensor(trace.records[f"{stack}.{layer - 1}.ffn.ffn_out"])
    assert (as_two_convolutions(ffn, x) - out).abs().max() < 1e-5
    assert f"up to {float(out.abs().max()):.3g} large" in page.text
    said = EN("norms.firing", share=f"{100 * firing(hidden).mean():.0f}", d_ff=37)
    assert said in page.text
    assert f"moves by **{float(change[2]):.3g}**" in page.text
    told = {"layer": str(layer), "norms.ffn_token": "2"}
    assert set(told.items()) - {("layer", "2")} <= set(page.link.items())
