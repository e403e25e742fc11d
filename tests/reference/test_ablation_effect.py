"""Head ablation in one sentence on one sentence, against slow loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.heads.ablation import MODES, ablation_effect, ablations_of
from model.heads.means import head_means
from model.maps.minimal_pair import common_places, map_difference
from model.transformer.masks import padding_mask

HEADS = [("encoder_self", 0, 1), ("cross", 1, 2), ("cross", 1, 0)]


@pytest.fixture(scope="module")
def means(t, trace):
    return head_means([trace, t.trace("Good evening!", target="Bonsoir !")]).means


@pytest.mark.parametrize("mode", MODES)
def test_no_head_changed_changes_nothing(t, mode, means):
    generated = t.trace("I see a cat.")
    found = ablation_effect(t, generated, ablations_of(t.config, [], mode, means))
    assert found.text == generated.target_text
    np.testing.assert_allclose(found.log_probs, generated.log_probs, rtol=0, atol=1e-10)
    assert found.distance.max() < 1e-10


@pytest.mark.parametrize("mode", MODES)
def test_an_intervention_is_its_definition(t, trace, mode, means):
    ablations = ablations_of(t.config, HEADS, mode, means)
    found = ablation_effect(t, trace, ablations)
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    with torch.inference_mode():
        logits = t.model(src, tgt, padding_mask(src, t.tokenizer.pad_id), ablations=ablations)[0]
    for n, id in enumerate(trace.tgt_ids[1:]):
        after = logits[n].softmax(dim=-1)
        before = torch.tensor(trace.records["logits"][n]).softmax(dim=-1)
        apart = float((after - before).abs().sum()) / 2
        assert found.log_probs[n] == pytest.approx(math.log(after[id]), abs=1e-10)
        assert found.distance[n] == pytest.approx(apart, abs=1e-10)
    assert found.distance.max() > 1e-4


def test_modes_do_what_they_are_called(t, means):
    zero = ablations_of(t.config, HEADS, "zero")
    assert {path: ablation.gate.tolist() for path, ablation in zero.items()} == {
        "encoder.0.self": [1, 0, 1],
        "decoder.1.cross": [0, 1, 0],
    }
    uniform = ablations_of(t.config, HEADS, "uniform")["decoder.1.cross"]
    assert uniform.gate.tolist() == [1, 1, 1]
    assert uniform.uniform.tolist() == [True, False, True]
    mean = ablations_of(t.config, HEADS, "mean", means)["encoder.0.self"]
    assert mean.gate.tolist() == [1, 0, 1]
    assert torch.equal(mean.fill[1], means["encoder.0.self"][1])
    assert not mean.fill[[0, 2]].any()
    with pytest.raises(ValueError, match="say what that is"):
        ablations_of(t.config, HEADS, "mean")


def test_difference_of_maps_by_hand():
    """Rows a, b against a, c; columns x, y against z, x."""
    first = np.array([[0.2, 0.8], [0.5, 0.5]])
    second = np.array([[0.9, 0.1], [0.3, 0.7]])
    rows, columns = common_places("ab", "ac"), common_places("xy", "zx")
    assert (rows, columns) == ([(0, 0)], [(0, 1)])
    difference = map_difference(first, second, rows, columns)
    assert difference[0, 0] == pytest.approx(0.1 - 0.2)
    assert np.isnan(difference[[0, 1, 1], [1, 0, 1]]).all()
