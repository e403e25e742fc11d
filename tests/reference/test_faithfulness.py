"""The cost of hiding tokens, gradients, and their agreement with maps, against slow loops."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from msgspec import structs, to_builtins

from model.faithfulness.agreement import (
    agreement,
    estimates,
    limits,
    most_divided,
    over_corpus,
    spearman,
)
from model.faithfulness.corpus import (
    Faithfulness,
    MapScores,
    measurable_sentences,
    measure_faithfulness,
)
from model.faithfulness.occlusion import (
    OCCLUSION_MODES,
    OcclusionCosts,
    occlusion_costs,
    ordinary_positions,
    random_replacements,
)
from model.faithfulness.source_maps import gradient_maps, source_maps
from model.maps.contributions import all_contributions, alti_plus, from_source
from tests.reference.conftest import log_probs_of


@pytest.mark.parametrize("mode", OCCLUSION_MODES)
def test_costs_equal_runs_that_hide_each_set_or_everything_else(t, trace, mode, monkeypatch):
    # small enough for several batches
    monkeypatch.setattr("model.interventions.effect.BATCH_BYTES", 10**5)
    costs = occlusion_costs(t, trace, mode, max_set_size=2, seed=3)
    positions = ordinary_positions(trace)
    assert [trace.src_tokens[n] for n in (0, -1)] == ["<bos>", "<eos>"]
    assert positions == [*range(1, len(trace.src) - 1)] == costs.positions
    assert costs.sets == (*((n,) for n in positions), *combinations(positions, 2))
    assert costs.max_set_size == 2
    np.testing.assert_array_equal(costs.each_hidden, costs.hidden[: len(positions)].T)

    ids = [token.id for token in trace.src]
    replacements = random_replacements(t, ids, 3)
    assert not any(a == b for a, b in zip(ids, replacements, strict=True))
    for row in (0, 4, len(positions), len(costs.sets) - 1):
        members = set(costs.sets[row])
        for lost, hidden in (
            (costs.hidden[row], members),
            (costs.shown[row], set(positions) - members),
        ):
            if mode == "masked":
                after = log_probs_of(t, trace, hidden=hidden).numpy()
            else:
                mixed = [replacements[n] if n in hidden else id for n, id in enumerate(ids)]
                after = log_probs_of(t, trace, ids=mixed).numpy()
            after = after[range(len(after)), trace.tgt_ids[1:]]
            np.testing.assert_allclose(lost, (trace.log_probs - after)[:-1], atol=1e-10)


def test_a_source_of_only_unknown_tokens_is_refused(t, trace):
    unknown = tuple(replace(token, text="<unk>") for token in trace.src)
    with pytest.raises(ValueError, match="none can be hidden"):
        occlusion_costs(t, replace(trace, src=unknown), "masked")


def test_a_random_replacement_is_another_token_and_not_a_special_one(t):
    special = set(t.tokenizer.special_ids.values())
    drawn = random_replacements(t, [5] * 2000, 0)
    assert not special & {*drawn}
    assert 5 not in drawn
    assert len({*drawn}) > 300
    assert drawn == random_replacements(t, [5] * 2000, 0) != random_replacements(t, [5] * 2000, 1)


def test_gradient_maps_are_derivatives_of_each_tokens_log_probability(t, trace):
    norms, products = gradient_maps(t, trace).values()
    src, tgt = torch.tensor([[x.id for x in trace.src]]), torch.tensor([trace.tgt_ids[:-1]])
    mask = torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool)
    x = t.model.src_embedding(src).detach()

    def log_prob(x, step):
        rows = t.model.decode(tgt, t.model.encoder(x, mask), mask)[0].log_softmax(dim=-1)
        return rows[step, trace.tgt_ids[step + 1]]

    for step in (0, 3):
        own = x.clone().requires_grad_()
        (slope,) = torch.autograd.grad(log_prob(own, step), own)
        np.testing.assert_allclose(norms[step], slope[0].norm(dim=-1), atol=1e-10)
        np.testing.assert_allclose(products[step], (slope * x)[0].sum(-1).abs(), atol=1e-10)
        # the slope in the direction of the gradient is the norm of the gradient
        along = slope[0, 2] / slope[0, 2].norm()
        moved = torch.zeros_like(x)
        moved[0, 2] = 1e-5 * along
        with torch.inference_mode():
            rise = (log_prob(x + moved, step) - log_prob(x - moved, step)) / 2e-5
        assert rise.item() == pytest.approx(norms[step, 2], rel=1e-6)
    assert not any(p.grad is not None for p in t.model.parameters())


def test_every_map_has_a_row_for_each_token_except_eos(t, trace):
    maps = source_maps(t, trace)
    shape = (len(trace.tgt_tokens) - 1, len(trace.src))
    assert {weights.shape for weights in maps.values()} == {shape}
    cross = trace.cross
    np.testing.assert_array_equal(maps["head.2.3"], cross[1, 2, :-1])
    np.testing.assert_array_equal(maps["read.1.2"], cross[0, 1, 1:])
    np.testing.assert_allclose(maps["mean.2"], cross[1].mean(axis=0)[:-1], atol=1e-10)
    np.testing.assert_allclose(maps["max_layers"], cross.max(axis=(0, 1))[:-1], atol=1e-10)
    alti = alti_plus(all_contributions(t.model, trace)).source[1]
    np.testing.assert_allclose(maps["alti"], alti[:-1], atol=1e-10)
    of_layers = maps["value_norms.1"] + maps["value_norms.2"]
    np.testing.assert_allclose(maps["value_norms_layers"], of_layers, atol=1e-10)
    assert len(maps) == 4 * 2 + 7 + 2 * 6


def _costs() -> OcclusionCosts:
    """Return the costs of hiding the source tokens 1, 2 and 4, alone and in pairs.

    The first target token needs token 2 most, the second needs token 4 most.
    """
    hidden = np.array([[1.0, 0.0], [3.0, 0.5], [0.5, 2.0], [4.0, 0.6], [1.5, 2.0], [3.5, 2.5]])
    return OcclusionCosts(((1,), (2,), (4,), (1, 2), (1, 4), (2, 4)), hidden, 5 - hidden)


def test_agreement_and_its_limits_are_those_computed_by_hand():
    """The seven numbers of a target token, as ``agreement`` returns them.

    Hit; cost without the one or two tokens with the largest cells; cost with only these; ρ; and
    whether the largest cell is that of a special token. Special tokens are at 0 and 3.
    """
    cells = np.array([[9, 0.1, 0.6, 9, 0.3], [0.3, 0.5, 0.4, 0.2, 0.1]])
    first, second = agreement(cells, _costs())
    # The largest cells are at 2 and 4. Ranks of the cells 0 2 1, of the costs 1 2 0, so ρ = 0.5.
    assert first == pytest.approx([1, 3, 3.5, 2, 1.5, 0.5, 1])
    # The largest cells are at 1 and 2. Ranks of the cells 2 1 0, of the costs 0 1 2.
    assert second == pytest.approx([0, 0, 0.6, 5, 4.4, -1, 0])
    bounds = limits(_costs())
    np.testing.assert_allclose(bounds["best"], [[3, 4, 2, 1], [2, 2.5, 3, 2.5]])
    np.testing.assert_allclose(bounds["mean"][0], [1.5, 3, 3.5, 2])
    perfect = agreement(np.array([[0, 1, 3, 0, 0.5], [0, 0, 0.5, 0, 2]]), _costs())
    np.testing.assert_array_equal(perfect[:, [0, -2]], np.ones((2, 2)))


def test_the_most_divided_word_needs_a_token_and_has_the_largest_spread_of_correlations():
    # ρ of three words in two maps; it is the last but one number of a row of ``agreement``
    first, second = (
        np.array([[0, rho, 0] for rho in row]) for row in ([0.9, 0.8, 1], [0.9, 0, -1])
    )
    costs = OcclusionCosts(((1,), (2,)), np.array([[3, 2, 0.1], [0, 0, 0.9]]), np.zeros((2, 3)))
    assert most_divided([first, second], costs) == 1  # the last loses less than a nat
    weaker = OcclusionCosts(costs.sets, costs.hidden / 10, costs.shown)
    assert most_divided([first, second], weaker) == 0  # the only one with the largest loss


def test_spearman_gives_ties_their_mean_rank():
    assert spearman(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 4])) == pytest.approx(
        np.corrcoef([0, 1.5, 1.5, 3], [0, 1, 2, 3])[0, 1]
    )
    assert spearman(np.arange(5.0), -np.arange(5.0)) == -1
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_estimates_are_means_over_tokens_with_intervals_over_sentences():
    draw = np.random.default_rng(0)
    few, many = (
        [draw.normal(2.0, 1.0, (7, 3)) + draw.normal(0, 1, 3) for _ in range(n)] for n in (20, 400)
    )
    few[3][0, 1] = np.nan
    for of_sentences in (few, many):
        measured = estimates(of_sentences)
        means = np.nanmean(np.concatenate(of_sentences), axis=0)
        assert [estimate.value for estimate in measured] == pytest.approx(means, abs=1e-4)
        assert all(estimate.low < estimate.value < estimate.high for estimate in measured)
    # Each of 400 sentences has a mean with variance 1, plus the mean of 7 tokens with variance 1.
    width = 2 * 1.96 * np.sqrt((1 + 1 / 7) / 400)
    assert [estimate.high - estimate.low for estimate in measured] == pytest.approx(
        [width] * 3, rel=0.15
    )
    alone = estimates(few[:1])[0]
    assert alone.low == pytest.approx(alone.high)
    table = over_corpus([np.full((2, 7), [1, 2, 2, 3, 3, 4, 5])])
    assert [each.value for each in table.comprehensiveness] == [2, 2]
    assert [each.value for each in table.sufficiency] == [3, 3]
    assert (table.hit.value, table.rho.value, table.special.value) == (1, 4, 5)


def test_a_corpus_is_measured_on_the_models_own_translations(t):
    sources = ["I see a cat.", "I", "The cat sleeps.", "I " * 40]
    measurable = measurable_sentences(t, sources)
    assert measurable == [sources[0], sources[2]]
    reports = []
    result = measure_faithfulness(t, sources, lambda *progress: reports.append(progress))
    assert result.sentences == 2
    shares = [
        share for sentence in measurable for share in from_source(t.model, t.trace(sentence))[:-1]
    ]
    assert result.low_source_share == pytest.approx(np.quantile(shares, 0.05), abs=0.0006)
    assert reports == [
        ("faithfulness, masked", 0, 2),
        ("faithfulness, masked", 1, 2),
        ("faithfulness, replaced", 0, 2),
        ("faithfulness, replaced", 1, 2),
    ]


@pytest.mark.parametrize("mode", OCCLUSION_MODES)
def test_scores_over_a_corpus_are_those_of_its_sentences(t, mode):
    sources = ["I see a cat.", "The cat sleeps."]
    scores = getattr(measure_faithfulness(t, sources), mode)
    alti = []
    best = []
    for n, trace in enumerate(map(t.trace, sources)):
        costs = occlusion_costs(t, trace, mode, seed=n)
        alti.append(agreement(source_maps(t, trace, seed=n)["alti"], costs))
        best.append(limits(costs)["best"])
    assert scores.maps["alti"] == over_corpus(alti)
    np.testing.assert_allclose(scores.best, np.concatenate(best).mean(axis=0), atol=0.0006)


def test_a_corpus_without_a_measurable_sentence_is_refused(t):
    with pytest.raises(ValueError, match="4 to 16"):
        measure_faithfulness(t, ["I"])


def test_maps_have_the_same_names_as_in_older_files():
    """Analyses made with an earlier version are still read."""
    table = over_corpus([np.full((2, 7), 3.0)])
    assert [*to_builtins(table)] == ["hit", "lost", "kept", "rho", "special"]
    assert [*to_builtins(structs.replace(table, special=None))] == ["hit", "lost", "kept", "rho"]
    scores = MapScores({"alti": table}, best=[1.0], mean=[0.5])
    result = Faithfulness(sentences=2, low_source_share=0.1, masked=scores, replaced=scores)
    assert [*to_builtins(result)] == ["sentences", "little", "masked", "replaced"]
