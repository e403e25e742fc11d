"""Which map may one believe: what pages claim, of both shipped models and of one like Marian's."""

import numpy as np
import pytest

from model import TranslationModel
from model.heads.analysis_file import read_analysis
from model.maps.contributions import all_contributions, alti_plus, contributions, take_apart
from model.maps.logit_attribution import attribute_logits
from model.transformer.heads import KINDS
from tests.claims.conftest import CHECKPOINTS, model_of
from tests.conftest import marian_like

SENTENCE = "The red house is near the white church."


@pytest.fixture(scope="module", params=["en-fr", "en-zh", None])
def traced(request, t):
    """In float64; the Marian has random weights."""
    marian = TranslationModel(t.folder, marian_like(t.tokenizer).double(), t.tokenizer, t.training)
    one = model_of(request.param) if request.param else marian
    return one, one.trace(SENTENCE, target=None if request.param else "Le pain est bon.")


def test_contributions_are_parts_of_what_is_added_and_rows_sum_to_1(traced):
    t, trace = traced
    for kind in KINDS:
        for layer in range(t.config.n_layers):
            parts = take_apart(t.model, trace, kind, layer)
            together = parts.tokens.sum(axis=1) + parts.residual + parts.bias
            np.testing.assert_allclose(together, parts.result, atol=1e-10)
            shares = contributions(parts)
            sums = shares.tokens.sum(axis=-1) + shares.residual
            np.testing.assert_allclose(sums, 1, atol=1e-10)
    source, target = alti_plus(all_contributions(t.model, trace))
    np.testing.assert_allclose(source.sum(axis=-1) + target.sum(axis=-1), 1, atol=1e-10)


def test_why_this_word_and_not_that_one_adds_up_at_every_step(traced):
    t, trace = traced
    for step, logits in enumerate(trace.records["logits"]):
        word, rival = trace.tgt_ids[step + 1], int(np.argsort(logits)[-2])
        found = attribute_logits(t.model, trace, step, word, rival)
        assert found.total == pytest.approx(logits[word] - logits[rival], abs=1e-9)


@pytest.mark.parametrize("name", ["en-fr", "en-zh"])
@pytest.mark.parametrize("way", ["masked", "replaced"])
def test_one_map_is_best_all_are_better_than_gradients_and_layer_1_tells_little(name, way):
    """ALTI+ in en-fr, and it is close; one head in en-zh, ahead of ALTI+."""
    maps = getattr(read_analysis(CHECKPOINTS / name).faithfulness, way).maps
    hits = {of: agreement.hit for of, agreement in maps.items() if not of.startswith("head")}
    first, second, *_ = sorted(hits, key=lambda of: -hits[of].value)
    best = hits[first]
    assert first == {"en-fr": "alti", "en-zh": "read.2.4"}[name]
    assert (best.low < hits[second].high) == (name == "en-fr")
    assert name == "en-fr" or best.low > hits["alti"].high
    assert best.low > max(hits["gradient"].high, hits["gradient_input"].high)
    for of in ("mean.1", "max.1", "contributions.1"):
        assert hits["random"].high < hits[of].low
        assert hits[of].high < 0.55 * best.low
