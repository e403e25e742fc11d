"""The boxes of the figure contain every learned parameter and every record."""

import re

import numpy as np
import pytest
import torch

from model.lessons.architecture import (
    EMBEDDING,
    WalkStep,
    diagram_boxes,
    mean_attention,
    next_step,
    numbers_at,
    previous_step,
)
from model.nn.hooks import Hooks
from model.transformer.config import ModelConfig
from model.transformer.masks import no_mask
from model.transformer.shapes import SHAPES, formula_of, recorded_names
from model.transformer.transformer import Transformer
from tests.tolerance import assert_same

norms = pytest.mark.parametrize("norm", ["pre", "post"])


def _model(norm="pre", tie_embeddings=True) -> Transformer:
    sizes = {"vocab_size": 31, "d_model": 14, "n_heads": 7, "n_layers": 3, "d_ff": 11}
    options = {"norm": norm, "tie_embeddings": tie_embeddings, "max_length": 13}
    return Transformer(ModelConfig(**sizes, **options)).eval()


@pytest.mark.parametrize("tie_embeddings", [True, False])
@norms
def test_the_parameters_of_all_boxes_are_those_of_the_model(norm, tie_embeddings):
    model = _model(norm, tie_embeddings)
    boxes = {box.name: box for box in diagram_boxes(model)}
    total = sum(box.n_parameters * box.repeats for box in boxes.values())
    assert total == sum(p.numel() for p in model.parameters())
    source, unembed = boxes["encoder.embedding"], boxes["decoder.unembed"]
    assert source.formula == unembed.formula == EMBEDDING
    assert source.n_parameters == 31 * 14
    assert unembed.shared_with == ("encoder.embedding" if tie_embeddings else "")
    assert unembed.n_parameters == (0 if tie_embeddings else 31 * 14)


@norms
@pytest.mark.parametrize("tie_embeddings", [True, False])
def test_every_formula_gives_its_number_of_parameters(norm, tie_embeddings):
    sizes = {"V": 31, "d_model": 14, "d_ff": 11}
    boxes = {box.name: box for box in diagram_boxes(_model(norm, tie_embeddings))}
    shared = {"decoder.embedding", "decoder.unembed"} if tie_embeddings else set()
    assert {box.name for box in boxes.values() if box.shared_with} == shared
    for box in boxes.values():
        formula = box.formula.replace("²", "**2").replace("·", "*")
        counted = eval(re.sub(r"[A-Za-z_]+", lambda m: str(sizes[m[0]]), formula or "0"))
        owner = boxes[box.shared_with or box.name]
        assert owner.n_parameters == counted
        assert box is owner or box.n_parameters == 0


@norms
def test_every_recorded_tensor_is_in_exactly_one_box(norm):
    model, records = _model(norm), {}
    shown = {name for box in diagram_boxes(model) for name in box.records}
    assert shown == set(SHAPES)
    written_out = {name.format(layer=n) for name in shown for n in range(3)}
    assert written_out == set(recorded_names(model.config))
    with torch.inference_mode():
        model(
            torch.tensor([[1, 5, 2]]), torch.tensor([[1, 7]]), no_mask(1, 3), hooks=Hooks(records)
        )
    for stack in ("encoder", "decoder"):
        formula = formula_of(f"{stack}.{{layer}}.resid_pre", model.config)
        assert formula == "embedded; n > 1: resid_post[n - 1]"
        before = [f"{stack}.embedded", *(f"{stack}.{n}.resid_post" for n in range(2))]
        for n, name in enumerate(before):
            assert torch.equal(records[f"{stack}.{n}.resid_pre"], records[name])


@norms
def test_pre_norm_is_before_the_sublayer_and_post_norm_after_the_sum(norm):
    boxes = diagram_boxes(_model(norm))
    block = [p.kind for p in boxes if p.in_block and p.stack == "encoder"][:3]
    pre = ["self_norm", "self", "self_add"]
    assert block == (pre if norm == "pre" else ["self", "self_add", "self_norm"])
    assert ("encoder.norm" in {p.name for p in boxes}) == (norm == "pre")


def _walk(boxes, n_written: int) -> list[WalkStep]:
    stops = [WalkStep("encoder.tokens", source=2)]
    while (following := next_step(stops[-1], boxes, n_written)) is not None:
        stops.append(following)
    return stops


@norms
def test_next_visits_every_layer_once_and_back_reverses_it(norm):
    boxes = diagram_boxes(_model(norm))
    stops = _walk(boxes, 2)
    assert all(stop.source == 2 for stop in stops)
    for kind in ("encoder.self", "encoder.ffn"):
        assert [(s.layer, s.target) for s in stops if s.box == kind] == [(0, 0), (1, 0), (2, 0)]
    for kind in ("decoder.self", "decoder.cross", "decoder.ffn"):
        layers = [(s.layer, s.target) for s in stops if s.box == kind]
        assert layers == [(n, t) for t in (0, 1) for n in range(3)]
    assert stops[-1] == WalkStep("decoder.next_token", 2, 2, 1)
    assert {s.box for s in stops} == {p.name for p in boxes if not p.is_norm_or_sum}
    stops = _walk(boxes, 1)
    back = [stops[-1]]
    while (before := previous_step(back[-1], boxes)) is not None:
        back.append(before)
    assert [(s.box, s.source) for s in reversed(back)] == [(s.box, s.source) for s in stops]


def test_next_continues_from_a_norm_or_a_sum():
    boxes = diagram_boxes(_model())
    assert next_step(WalkStep("encoder.self_norm", 1), boxes, 1) == WalkStep("encoder.self", 1)
    assert next_step(WalkStep("encoder.ffn_add", 1), boxes, 1) == WalkStep("encoder.self", 2)
    assert previous_step(WalkStep("encoder.self_norm", 1), boxes) == WalkStep("encoder.ffn", 0)


def test_numbers_are_those_of_the_token(t, trace):
    """The weights are the mean of the heads; the output of a sum box is the sum of its records."""
    stop, records = WalkStep("", 1, 2, 3), trace.records
    for record, expected in {
        "encoder.position": records["encoder.position"][2],
        "encoder.{layer}.resid_mid": records["encoder.1.resid_mid"][2],
        "decoder.{layer}.cross.q": records["decoder.1.cross.q"][:, 3].ravel(),
        "decoder.{layer}.cross.k": records["decoder.1.cross.k"][:, 2].ravel(),
        "decoder.{layer}.self.k": records["decoder.1.self.k"][:, 3].ravel(),
        "logits": records["logits"][3],
    }.items():
        assert np.array_equal(numbers_at(trace, record, stop), expected)
    maps = {"encoder.self": trace.encoder_self, "decoder.self": trace.decoder_self}
    for box in diagram_boxes(t.model):
        if box.kind.endswith("_add"):
            before, added, after = (numbers_at(trace, record, stop) for record in box.records)
            assert_same(after, before + added)
        if box.kind in ("self", "cross"):
            rows = maps.get(box.name, trace.cross)[1][:, 2 if box.stack == "encoder" else 3]
            assert_same(mean_attention(trace, box, stop), rows.mean(axis=0))
