"""Every measure of a map equals its definition in slow loops; one example by hand."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.interventions.effect import n_batches
from model.interventions.leave_one_out import concatenated, kendall_tau, leave_one_token_out
from model.maps import measures
from model.maps.rollout import rollout
from model.maps.value_norms import head_norms, layer_norms
from model.tokenizers.tokenizer import is_special
from model.trace.logit_lens import logit_lens
from model.trace.next_tokens import next_tokens, perplexity, ranks
from model.trace.residual_stream import STACKS, principal_components
from model.transformer.heads import KINDS, attention_path
from tests.reference.conftest import log_probs_of
from tests.tolerance import assert_same

ATOL = 1e-10


def _maps(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), shape[:-1])


def test_entropy_follows_its_definition():
    weights = _maps(2, 3, 5, 7)
    weights[0, 0, 0] = [0, 0, 1, 0, 0, 0, 0]
    for row in product(range(2), range(3), range(5)):  # layer, head, query
        expected = -sum(w * math.log(w) for w in weights[row] if w > 0)
        assert measures.entropy(weights)[row] == pytest.approx(expected, abs=ATOL)
    causal = np.array([[1, 0], [0.5, 0.5]])  # a row with only one visible key has entropy 0
    assert measures.normalised_entropy(causal, np.array([1, 2])).tolist() == pytest.approx([0, 1])
    assert math.copysign(1, measures.entropy(causal)[0]) == 1


def test_the_mean_weight_of_each_column_is_that_computed_by_hand():
    """The rows are (¾, ¼) and (1, 0), so the columns have the means 7/8 and 1/8."""
    weights = np.array([[0.75, 0.25], [1, 0]])
    assert measures.column_mass(weights).tolist() == [0.875, 0.125]


def test_a_sink_is_a_special_token_or_punctuation_with_more_than_half_of_the_weight():
    weights = np.array([[0.75, 0.25], [1, 0]])
    assert measures.sink_column(weights, ("<bos>", " dog")) == 0
    assert measures.sink_column(weights, (" .", " dog")) == 0
    assert measures.sink_column(weights, (" cat", " dog")) is None
    assert measures.sink_column(np.full((2, 2), 0.5), ("<bos>", "<eos>")) is None


def test_without_special_tokens_rows_are_scaled_to_sum_to_1_unless_nothing_is_left():
    weights = np.array([[0.5, 0.2, 0.3], [1, 0, 0]])
    ordinary = measures.without_special(weights, ("<bos>", " a", " b"))
    np.testing.assert_allclose(ordinary, [[0, 0.4, 0.6], [0, 0, 0]], atol=ATOL)


def test_coverage_is_the_mean_of_the_column_sums_each_at_most_1():
    """The columns of a and b sum to 0.7 and 1.2: (0.7 + 1) / 2. That of <bos> is left out."""
    weights = np.array([[0.6, 0.2, 0.2], [0.4, 0.1, 0.5], [0.1, 0.4, 0.5]])
    assert measures.coverage(weights, ("<bos>", " a", " b")) == pytest.approx(0.85, abs=ATOL)


@pytest.mark.parametrize("tokens", [("<bos>", "<eos>"), ("<unk>", "<eos>")])
def test_a_source_of_only_special_tokens_has_no_coverage(tokens):
    assert measures.coverage(np.full((3, 2), 0.5), tokens) is None


@pytest.mark.parametrize("kind", KINDS)
def test_value_norms_follow_their_definition(t, trace, kind):
    stack, name = attention_path(kind)
    module = getattr(getattr(t.model, stack).blocks[1], f"{name}_attention")
    x = trace.records["encoder.memory" if kind == "cross" else f"{stack}.1.{name}.x"]
    w_v, b_v = module.w_v.weight.detach().numpy(), module.w_v.bias.detach().numpy()
    w_o = module.w_o.weight.detach().numpy()
    weights = trace.attention(kind).weights[1]
    d = t.config.d_head
    heads, layer = head_norms(t.model, trace, kind, 1), layer_norms(t.model, trace, kind, 1)
    for i, j in product(range(weights.shape[1]), range(weights.shape[2])):
        together = np.zeros(t.config.d_model)
        for h in range(t.config.n_heads):
            columns = slice(h * d, (h + 1) * d)  # columns of W_O for head h
            f = (w_v @ x[j] + b_v)[columns] @ w_o[:, columns].T
            together += weights[h, i, j] * f
            assert heads[h, i, j] == pytest.approx(np.linalg.norm(weights[h, i, j] * f), abs=ATOL)
        assert layer[i, j] == pytest.approx(np.linalg.norm(together), abs=ATOL)


def test_rollout_follows_its_definition():
    weights = _maps(3, 2, 4, 4)
    n = 4
    before = np.eye(n).tolist()
    for layer in range(3):
        a = 0.5 * (weights[layer, 0] + weights[layer, 1]) / 2 + 0.5 * np.eye(n)
        before = [
            [sum(a[i, m] * before[m][j] for m in range(n)) for j in range(n)] for i in range(n)
        ]
        np.testing.assert_allclose(rollout(weights)[layer], before, atol=ATOL)


def test_the_logit_lens_reads_the_stream_of_its_layer_and_the_last_layer_is_the_prediction(
    t, trace
):
    lens = logit_lens(t.model, trace, k=3)
    assert lens.ids.shape == (2, len(trace.tgt_tokens), 3)
    early = torch.tensor(trace.records["decoder.0.resid_post"])
    last = torch.tensor(trace.records["logits"])
    for layer, logits in enumerate((t.model.unembed(t.model.decoder.norm(early)), last)):
        expected = logits.softmax(dim=-1).topk(3)
        assert np.array_equal(lens.ids[layer], expected.indices)
        np.testing.assert_allclose(lens.probabilities[layer], expected.values.detach(), atol=ATOL)


def _slow_tau(a, b):
    """Return τ-b from the signs of all ordered pairs, as a correlation of sign matrices."""
    sign_a = np.sign(np.subtract.outer(a, a))
    sign_b = np.sign(np.subtract.outer(b, b))
    norm = math.sqrt((sign_a**2).sum() * (sign_b**2).sum())
    return math.nan if norm == 0 else (sign_a * sign_b).sum() / norm


@settings(max_examples=60)
@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
    )
)
def test_kendalls_tau_follows_its_definition(pair):
    expected = _slow_tau(*map(np.array, pair))
    assert kendall_tau(*pair) == pytest.approx(expected, abs=ATOL, nan_ok=True)


def test_leaving_a_token_out_equals_hiding_its_column(t, trace):
    left_out = concatenated(list(leave_one_token_out(t, trace)))
    whole = log_probs_of(t, trace).exp()
    for s in range(len(trace.src)):
        without = log_probs_of(t, trace, hidden=[s])
        for n, id in enumerate(trace.tgt_ids[1:]):
            assert left_out.log_probs[s, n] == pytest.approx(without[n, id].item(), abs=ATOL)
            distance = np.abs((whole[n] - without[n].exp()).numpy()).sum() / 2
            assert left_out.distance[s, n] == pytest.approx(distance, abs=ATOL)


def test_candidates_are_the_most_probable_tokens(t, trace):
    for step, row in enumerate(trace.records["logits"]):
        powers = [math.exp(x) for x in row]
        expected = sorted((p / sum(powers) for p in powers), reverse=True)
        candidates = next_tokens(trace, t.tokenizer, step, k=t.config.vocab_size)
        assert [c.subword for c in candidates if c.chosen] == [trace.next_tokens[step]]
        assert candidates[ranks(trace)[step] - 1].chosen
        assert [c.probability for c in candidates] == pytest.approx(expected, abs=ATOL)
        written = trace.tgt_ids[step + 1]
        assert ranks(trace)[step] == 1 + sum(x > row[written] for x in row)
    assert next_tokens(trace, t.tokenizer, 0, k=1)[0].subword == t.tokenizer.subword(
        int(trace.records["logits"][0].argmax())
    )


def test_candidates_can_have_a_temperature(t, trace):
    plain = next_tokens(trace, t.tokenizer, 1, k=3)
    sharp = next_tokens(trace, t.tokenizer, 1, k=3, temperature=0.5, top_k=2)
    assert [c.subword for c in sharp[:2]] == [c.subword for c in plain[:2]]
    squares = [c.probability**2 for c in plain[:2]]
    expected = [square / sum(squares) for square in squares]
    assert [c.probability for c in sharp] == pytest.approx([*expected, 0], abs=ATOL)


def test_perplexity_is_one_over_the_geometric_mean_of_the_probabilities(trace):
    """Probabilities ½ and ⅛: the geometric mean is ¼, the perplexity 4."""
    halves = replace(trace, log_probs=np.log([0.5, 0.125]))
    assert perplexity(halves) == pytest.approx(4, abs=1e-10)


def test_leaving_tokens_out_stays_within_its_limit_of_memory(t, monkeypatch):
    trace = t.trace("The cat that I saw sleeps.", target="Le chat dort.")
    whole = concatenated(list(leave_one_token_out(t, trace)))
    one_token = 4 * len(trace.tgt_tokens) * t.config.vocab_size
    for n_at_once in (1, 3):
        monkeypatch.setattr("model.interventions.effect.BATCH_BYTES", n_at_once * one_token)
        batches = list(leave_one_token_out(t, trace))
        assert max(len(batch.log_probs) for batch in batches) == n_at_once
        sizes = len(trace.src), len(trace.tgt_tokens), t.config.vocab_size
        assert len(batches) == n_batches(*sizes) == math.ceil(len(trace.src) / n_at_once)
        effect = concatenated(batches)
        np.testing.assert_allclose(effect.log_probs, whole.log_probs, atol=1e-10)
        np.testing.assert_allclose(effect.distance, whole.distance, atol=1e-10)


def _stream(trace, stack: str) -> np.ndarray:
    n_layers = len(trace.encoder_self)
    names = ["0.resid_pre", *(f"{n}.resid_post" for n in range(n_layers))]
    return np.stack([trace.records[f"{stack}.{name}"] for name in names]).astype(np.float64)


@pytest.mark.parametrize(("stack", "special"), [*product(STACKS, [True]), ("encoder", False)])
def test_principal_directions_are_those_of_largest_variance(trace, stack, special) -> None:
    stream = _stream(trace, stack)  # (layers + 1, T, d_model)
    if not special:
        stream = stream[:, 1:-1]
    x = stream.reshape(-1, stream.shape[-1])
    variances, vectors = np.linalg.eigh(np.cov(x.T))
    components = principal_components(
        trace, stack, leave_out=lambda token: not special and is_special(token)
    )
    assert special or components.tokens == trace.src_tokens[1:-1]
    assert components.coordinates.shape == (*stream.shape[:2], 3)
    assert_same(components.shares, variances[:-4:-1] / variances.sum())
    expected = (x - x.mean(axis=0)) @ vectors[:, :-4:-1]
    # the sign is chosen so that the largest loading is positive
    largest = np.abs(vectors[:, :-4:-1]).argmax(axis=0)
    signs = np.sign(vectors[:, :-4:-1][largest, range(3)])
    assert_same(components.coordinates.reshape(-1, 3), expected * signs)


def test_vectors_in_a_plane_have_no_third_direction(t) -> None:
    trace = t.trace("I see a cat.", target="Je vois un chat.")
    records = dict(trace.records)
    for name, values in trace.records.items():
        if name.startswith("encoder.") and ".resid_" in name:
            records[name] = np.zeros_like(values)
            records[name][:, 0] = np.arange(len(values))
    object.__setattr__(trace, "records", records)
    components = principal_components(trace, "encoder")
    np.testing.assert_allclose(components.shares, [1, 0, 0], atol=1e-10)
    assert np.abs(components.coordinates[..., 1:]).max() < 1e-5
    centred = np.arange(len(trace.src)) - (len(trace.src) - 1) / 2
    np.testing.assert_allclose(components.coordinates[0, :, 0], centred, atol=1e-10)
