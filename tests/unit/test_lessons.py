"""Lessons by their formulas: order and waves, wirings and norms, scores and softmax."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from model import InputError
from model.lessons import norms, positions, scaling
from model.nn.hooks import Hooks
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.masks import padding_mask
from model.transformer.positional import positional_encoding
from model.transformer.residual import Residual

D_MODEL = 14
ROOTS = [10000 ** (2 * i / D_MODEL) for i in range(D_MODEL // 2)]


def test_waves_are_as_long_and_as_similar_as_the_formula_says():
    lengths = positions.wavelengths(D_MODEL).tolist()
    assert lengths == pytest.approx([2 * math.pi * root for root in ROOTS])
    waves = positional_encoding(11, D_MODEL)
    torch.testing.assert_close(positions.similarity(11, D_MODEL).float(), (waves @ waves.T).float())
    offsets = torch.arange(-5, 6)
    expected = [sum(math.cos(k / root) for root in ROOTS) for k in offsets.tolist()]
    assert positions.similarity_at(offsets, D_MODEL).tolist() == pytest.approx(expected)


def test_doubling_pairs_exist_and_each_is_twice_as_long_as_the_one_before():
    """As nearly as there is one: in a wide model there is one very near."""
    for d_model in (2, 4, 66, 256):
        pairs = positions.doubling_pairs(d_model, 8)
        assert pairs == sorted(set(pairs))
        assert pairs[0] == 0
        assert pairs[-1] < d_model // 2
    d_model = 2_000_000
    lengths = positions.wavelengths(d_model)[positions.doubling_pairs(d_model, 13)]
    assert (lengths / lengths[0]).tolist() == pytest.approx([2.0**n for n in range(13)], rel=2e-5)


FIRST, SECOND = "I see a cat", "a cat I see"


def test_with_positions_it_is_the_encoder_of_the_model(t):
    before = {name: value.clone() for name, value in t.model.state_dict().items()}
    positions.compare_orders(t, FIRST, SECOND, positions=False)
    result = positions.compare_orders(t, FIRST, SECOND, positions=True)
    after = t.model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {value.dtype for value in after.values()} == {torch.float32}
    assert not t.model.training
    one, other = (torch.tensor(t.trace(s).records["encoder.memory"]) for s in (FIRST, SECOND))
    expected = (one[:, None] - other[None]).abs().amax(-1)
    distance = torch.as_tensor(result.distance).float()
    torch.testing.assert_close(distance, expected, atol=1e-5, rtol=0)
    order = positions.permutation(*(t.tokenizer.encode_ids([s])[0] for s in (FIRST, SECOND)))
    moved = [expected[order[place], place] for place in range(len(order))]
    assert float(result.largest) == pytest.approx(float(max(moved)), abs=1e-5)
    tokens = [tuple(token.text for token in t.tokenizer.encode(s)) for s in (FIRST, SECOND)]
    assert [result.first, result.second] == tokens


@pytest.mark.parametrize("ids", [[5], [5, 6, 7], [5, 5, 6, 5], [9, 1, 9, 2, 2]])
def test_a_permutation_is_found_and_equal_tokens_keep_their_turn(ids):
    wanted = ids[::-1]
    order = positions.permutation(ids, wanted)
    assert [ids[place] for place in order] == wanted
    for token in set(ids):
        turns = [place for place in order if ids[place] == token]
        assert turns == sorted(turns)


def test_what_cannot_be_compared_is_refused(t):
    for text in ("", "   ", "word " * 100):
        with pytest.raises(InputError):
            positions.compare_orders(t, text, text, positions=True)
    with pytest.raises(positions.ReorderError):
        positions.compare_orders(t, FIRST, "I see a dog", positions=True)
    with pytest.raises(positions.ReorderError):
        positions.permutation([1, 1, 2], [1, 2, 2])


CONFIG = ModelConfig(vocab_size=8, d_model=6, n_heads=2, n_layers=1, d_ff=5, dropout=0.0)


def test_without_its_path_a_residual_is_its_sublayer():
    x = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(0))
    kept, cut = Residual(CONFIG), norms.NoResidual(CONFIG)
    torch.testing.assert_close(cut(x, torch.sin) + x, kept(x, torch.sin))


def test_all_wirings_share_their_weights():
    models = [norms._untrained(wiring, 2, seed=3) for wiring in ("pre", "post", "none")]
    for name, part in models[0].named_modules():
        if isinstance(part, nn.Linear):
            for other in models[1:]:
                assert torch.equal(part.weight, other.get_submodule(name).weight)


def test_a_seed_measures_the_same_again():
    first, again, other = (norms.measure_start("pre", 2, seed)["decoder"] for seed in (1, 1, 2))
    assert torch.equal(first.gradients, again.gradients)
    assert not torch.equal(first.gradients, other.gradients)
    assert first.gradients.shape == first.spread.shape == (2,)


def test_the_start_is_measured_as_it_says():
    """Number by number: the root of the sum of squares, and how far from the sentence's mean."""
    found = norms.measure_start("post", 2, seed=4)
    generator = torch.Generator().manual_seed(4)
    shape = (3, norms.BATCH, norms.LENGTH)
    src, tgt, labels = torch.randint(1, norms.VOCABULARY, shape, generator=generator)
    assert norms.PAD not in torch.cat((src, tgt, labels))
    model, records = norms._untrained("post", 2, seed=4), {}
    logits = model(src, tgt, padding_mask(src, norms.PAD), hooks=Hooks(records))
    losses = [-logits[place].log_softmax(dim=0)[labels[place]] for place in np.ndindex(shape[1:])]
    (sum(losses) / len(losses)).backward()
    for stack, blocks in (("encoder", model.encoder.blocks), ("decoder", model.decoder.blocks)):
        assert found[stack].gradients.dtype == torch.float64
        for n, block in enumerate(blocks):
            squares = sum(float((p.grad**2).sum()) for p in block.parameters())
            assert float(found[stack].gradients[n]) == pytest.approx(squares**0.5)
            x = records[f"{stack}.{n}.resid_post"].detach()
            apart = sum(float(((row - s.mean(dim=0)) ** 2).sum()) for s in x for row in s)
            spread = (apart / float((x**2).sum())) ** 0.5
            assert float(found[stack].spread[n]) == pytest.approx(spread)


HIDDEN = np.array([[0.0, 3.0, 0.0, 1.0], [2.0, 2.0, 0.0, 5.0]], dtype=np.float32)


def test_what_fires():
    assert norms.firing(HIDDEN).tolist() == [0.5, 0.75]
    assert norms.strongest_units(HIDDEN, 0, 2) == [1, 3]
    assert norms.strongest_units(HIDDEN, 1, 9) == [3, 0, 1, 2]


def test_only_the_changed_position_changes():
    torch.manual_seed(0)
    change = norms.change_one_position(FeedForward(6, 11), torch.randn(5, 6), 3, seed=1)
    assert change[3] > 0.1
    assert torch.cat((change[:3], change[4:])).max() < 1e-6


def test_norms_are_pytorchs():
    x = torch.randn(7, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(norms.layer_norm(x), F.layer_norm(x, (5,)), rtol=0, atol=1e-12)
    expected = nn.BatchNorm1d(5, affine=False).double().train()(x)
    torch.testing.assert_close(norms.batch_norm(x), expected, rtol=0, atol=1e-12)


def test_a_batch_is_drawn_of_all_numbers_from_minus_4_to_9():
    lengths = (300, 200)
    batch, longer = (norms.draw_batch(3, lengths=lengths, n_padding=n, d_model=7) for n in (5, 50))
    assert batch.shape == (2, 305, 7)
    for sentence, n in zip(batch, lengths, strict=True):
        assert set(sentence[:n].unique().tolist()) == set(range(-4, 10))
        assert not sentence[n:].any()
    assert torch.equal(longer[:, :305], batch)
    assert not longer[:, 305:].any()
    assert not torch.equal(norms.draw_batch(4, lengths=lengths, n_padding=5, d_model=7), batch)


T, S, D_K, D_V = 3, 5, 7, 2


def _drawn(*shape: int, seed: int = 0):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


Q, K, V = _drawn(T, D_K), _drawn(S, D_K), _drawn(S, D_V)
W_1, W_2, W_V = _drawn(D_K, D_K), _drawn(D_K, D_K, seed=1), _drawn(D_K)
SCORES = scaling.draw_score_functions(0, d_k=D_K, n_positions=S + 4)


def test_each_score_is_its_formula():
    sums = (Q @ W_1.T)[:, None] + (K @ W_2.T)[None]  # (T, S, d_k)
    q, k, one = Q.float(), K.float(), torch.eye(D_K)
    w, places = SCORES["general"](one, one), SCORES["location"](one, torch.zeros(S + 4, D_K)).T
    for scores, expected in (
        (SCORES["dot"](q, k), q @ k.T),
        (SCORES["scaled"](q, k), q @ k.T / math.sqrt(D_K)),
        (SCORES["general"](q, k), torch.einsum("td,de,se->ts", q, w, k)),
        (scaling.additive(Q, K, W_1, W_2, W_V), sums.tanh() @ W_V),
        (SCORES["cosine"](q, k), F.cosine_similarity(q[:, None], k[None], dim=-1)),
        (SCORES["location"](q, k), q @ places[:S].T),
    ):
        torch.testing.assert_close(scores, expected)


def test_all_six_are_drawn_and_a_seed_draws_the_same_again():
    first, again, other = (
        scaling.draw_score_functions(s, d_k=D_K, n_positions=S) for s in (1, 1, 2)
    )
    assert tuple(first) == scaling.NAMES
    q, k = Q.float(), K.float()
    for name in scaling.NAMES:
        assert torch.equal(first[name](q, k), again[name](q, k))
        drawn = name in ("general", "additive", "location")
        assert torch.equal(first[name](q, k), other[name](q, k)) != drawn


@pytest.mark.parametrize(
    ("center", "reach", "visible"),
    [(0, 0, [0]), (2, 1, [1, 2, 3]), (0, 2, [0, 1, 2]), (9, 1, [3, 4]), (2, 99, [0, 1, 2, 3, 4])],
)
def test_a_window_is_never_empty(center, reach, visible):
    assert scaling.window(S, center, reach).nonzero().flatten().tolist() == visible


def test_soft_and_hard_by_hand():
    """e^0 : e^ln3 = 1 : 3. The best key is hidden, so hard takes the second best."""
    scores = torch.tensor([[0.0, math.log(3), 9.0]])
    mask = torch.tensor([True, True, False])
    soft = scaling.choose(scores, mask, hard=False)
    torch.testing.assert_close(soft, torch.tensor([[0.25, 0.75, 0]]))
    assert scaling.choose(scores, mask, hard=True).tolist() == [[0, 1, 0]]


def test_an_answer_is_the_mixture_and_its_gradient_the_slope():
    q = Q[0]
    result = scaling.answer(SCORES["dot"], q, K, V, torch.ones(S, dtype=torch.bool), hard=False)
    torch.testing.assert_close(result.output, (K @ q).softmax(0) @ V)
    slopes = torch.func.jacrev(lambda q: (K @ q).softmax(0) @ V)(q)
    assert result.gradient == pytest.approx(float(slopes.norm()))


def test_the_jacobian_is_autograds():
    scores = torch.randn(5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = torch.func.jacrev(lambda s: s.softmax(-1))(scores)
    torch.testing.assert_close(scaling.softmax_jacobian(scores.softmax(-1)), expected)
    assert float(scaling.gradient_size(scores.softmax(-1))) == pytest.approx(float(expected.norm()))


@pytest.mark.parametrize("divide", [False, True])
def test_the_gradient_at_q_is_autograds(divide):
    q, k = scaling.draw_vectors(1, n_draws=2, n_keys=3, d_k=5)

    def weights(query: torch.Tensor, of: int) -> torch.Tensor:
        return scaling.dot_products(query[None], k[of : of + 1], 5, divide=divide)[0].softmax(-1)

    rows = torch.stack([weights(q[of], of) for of in range(2)])
    found = scaling.query_gradient(rows, k, divide=divide)
    for of in range(2):
        slope = torch.func.jacrev(lambda query, of=of: weights(query, of))(q[of])
        assert float(found[of]) == pytest.approx(float(slope.norm()), rel=1e-5)


def test_dot_products_are_sums_of_products():
    q, k = scaling.draw_vectors(3, n_draws=2, n_keys=3, d_k=7)
    for d_k in (1, 5, 7):
        products = torch.einsum("nd,nkd->nk", q[:, 0, :d_k], k[..., :d_k])
        torch.testing.assert_close(scaling.dot_products(q, k, d_k, divide=False), products)
        divided = scaling.dot_products(q, k, d_k, divide=True)
        torch.testing.assert_close(divided, products / math.sqrt(d_k))
    again, other = (scaling.draw_vectors(seed, n_draws=2, n_keys=3, d_k=7)[1] for seed in (3, 2))
    assert torch.equal(k, again)
    assert not torch.equal(k, other)


def test_a_sweep_is_measured_of_its_draws():
    q, k = scaling.draw_vectors(1, n_draws=4, n_keys=3, d_k=8)
    result = scaling.sweep(q, k, [2, 8], divide=True)
    for place, d_k in enumerate((2, 8)):
        scores = scaling.dot_products(q, k, d_k, divide=True)
        rows = scores.softmax(-1)
        assert float(result.variance[place]) == pytest.approx(float(scores.flatten().var()))
        entropies = sum(-w * math.log(w) for w in rows.flatten().tolist()) / 4
        assert float(result.entropy[place]) == pytest.approx(entropies, rel=1e-5)
        slopes = [
            float((scaling.softmax_jacobian(row) @ of_row[:, :d_k]).norm()) / math.sqrt(d_k)
            for row, of_row in zip(rows, k, strict=True)
        ]
        assert float(result.gradient[place]) == pytest.approx(sorted(slopes)[1], rel=1e-5)
