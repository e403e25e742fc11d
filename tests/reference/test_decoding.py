"""Greedy and beam search equal a search with lists, on a model that is a table; sampling."""

import math
from collections import Counter
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from model.decoding.beam import beam_search
from model.decoding.beam_tree import Node, beam_tree, finished
from model.decoding.greedy import Hypothesis, continue_from, greedy
from model.decoding.sampling import sample, tempered
from tests.tolerance import assert_same

PAD, BOS, EOS, V = 0, 1, 2, 11
IDS = {"pad_id": PAD, "bos_id": BOS, "eos_id": EOS}
SOURCES = torch.tensor(
    [[BOS, 5, 7, EOS, PAD, PAD], [BOS, 3, 4, 9, 10, EOS], [BOS, 8, 6, 4, EOS, PAD]]
)


class Count:
    """A cache that only counts the tokens read: the same number for all hypotheses."""

    def __init__(self) -> None:
        self.n = 0

    def select(self, rows: Tensor) -> None:
        assert len(rows)


class Table:
    """A model: the last token, its position and the sum of the source decide the next token."""

    def __init__(self, seed: int, max_length: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.table = 2 * torch.randn(17, V, V, generator=generator, dtype=torch.float64)
        self.config = SimpleNamespace(max_length=max_length)
        self.calls = 0

    def encode(self, src: Tensor, src_mask: Tensor, **_: object) -> Tensor:
        assert src_mask.shape == (len(src), 1, 1, src.shape[1])
        return src.sum(dim=1).double()[:, None]  # (B, 1)

    def new_cache(self) -> Count:
        return Count()

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        assert len(written) == len(logits)
        return logits

    def decode(
        self, tokens: Tensor, memory: Tensor, src_mask: Tensor, *, cache: Count, **_: object
    ) -> Tensor:
        assert len(tokens) == len(memory) == len(src_mask)
        logits = self.table[(memory[:, 0].long() + cache.n) % 17, tokens[:, 0]]
        self.calls += 1
        cache.n += 1
        return logits[:, None]  # (B, 1, V)

    def log_probs(self, source: Tensor, path: list[tuple[int, float]]) -> list[float]:
        last = path[-1][0] if path else BOS
        return self.table[(int(source.sum()) + len(path)) % 17, last].log_softmax(dim=-1).tolist()


def searched(model: Table, source: Tensor, beam: int, alpha: float, limit: int) -> list[Hypothesis]:
    """Search with K lists of (token, log-probability). Each step keeps the K best."""

    def score(path: list[tuple[int, float]]) -> float:
        return sum(p for _, p in path) / ((5 + len(path)) / 6) ** alpha

    paths: list[list[tuple[int, float]]] = [[]]
    for _ in range(limit):
        ways = []
        for path in paths:
            if path and path[-1][0] == EOS:
                ways.append(path)
            else:
                ways += [[*path, step] for step in enumerate(model.log_probs(source, path))]
        paths = sorted(ways, key=score, reverse=True)[:beam]
    return [
        Hypothesis(tuple(t for t, _ in path), tuple(p for _, p in path), path[-1][0] == EOS)
        for path in paths
    ]


def check_same(hypothesis: Hypothesis, expected: Hypothesis) -> None:
    assert (hypothesis.ids, hypothesis.finished) == (expected.ids, expected.finished)
    assert_same(hypothesis.log_probs, expected.log_probs, largest=8)  # the largest logit


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("max_length", [1, 2, 6, 30])
@pytest.mark.parametrize("beam", [1, 2, 3, 5])
def test_beam_search_finds_the_same_hypotheses_as_the_search_with_lists(
    beam: int, max_length: int, alpha: float
) -> None:
    for seed in range(3):
        model = Table(seed, max_length)
        results = beam_search(model, SOURCES, beam=beam, alpha=alpha, **IDS)
        for source, hypotheses in zip(SOURCES, results, strict=True):
            expected = searched(model, source, beam, alpha, max_length)
            for pair in zip(hypotheses, expected, strict=True):
                check_same(*pair)


@pytest.mark.parametrize("max_length", [1, 5, 200])
def test_greedy_takes_the_most_probable_token(max_length: int) -> None:
    """A translation has at most 50 tokens more than its source without padding.

    With seed 15 none ends before.
    """
    for seed in (*range(5), 15):
        model = Table(seed, max_length)
        hypotheses = greedy(model, SOURCES, **IDS)
        for source, hypothesis in zip(SOURCES, hypotheses, strict=True):
            limit = min(max_length, int((source != PAD).sum()) + 50)
            (expected,) = searched(model, source, 1, 0.0, limit)
            check_same(hypothesis, expected)


def test_decoding_continues_greedily_from_chosen_tokens() -> None:
    for seed in range(5):
        model, source = Table(seed, 12), SOURCES[:1, :4]
        [own] = greedy(model, source, **IDS)
        for nothing in ({}, {99: 3}):
            assert continue_from(model, source, nothing, **IDS) == own
        hypothesis = continue_from(model, source, {0: 4, 2: 3}, **IDS)
        path: list[tuple[int, float]] = []
        for position, (id, log_prob) in enumerate(
            zip(hypothesis.ids, hypothesis.log_probs, strict=True)
        ):
            scores = model.log_probs(source[0], path)
            assert log_prob == pytest.approx(scores[id], abs=1e-10)
            assert id == {0: 4, 2: 3}.get(position, scores.index(max(scores)))
            path.append((id, 0.0))
        assert continue_from(model, source, {0: EOS}, **IDS).ids == (EOS,)


def test_decoding_stops_when_the_last_sentence_has_ended() -> None:
    for seed in range(5):
        model = Table(seed, 30)
        longest = max(len(h.ids) for h in greedy(model, SOURCES, **IDS))
        assert model.calls == longest
        model.calls = 0
        results = beam_search(model, SOURCES, beam=3, **IDS)
        assert model.calls == max(len(h.ids) for hypotheses in results for h in hypotheses)


@pytest.fixture(scope="module")
def src(t):
    return [token.id for token in t.tokenizer.encode("I see a cat.")]


@pytest.mark.parametrize("beam", [1, 2, 4])
def test_the_marked_path_of_the_tree_is_the_best_hypothesis(t, src, beam):
    nodes = beam_tree(t.model, t.tokenizer, src, beam=beam)
    [best, *_] = beam_search(t.model, torch.tensor([src]), beam=beam, **t.tokenizer.special_ids)[0]
    path = [node for node in nodes if node.best]
    assert [node.subword for node in path] == [t.tokenizer.subword(id) for id in best.ids]
    assert all(node.in_beam for node in path)
    for node in path:
        so_far = math.fsum(best.log_probs[: node.step])
        assert_same(node.score, so_far / ((5 + node.step) / 6) ** 0.6, largest=abs(so_far))


def test_finished_translations_of_a_tree_come_best_first_and_dropped_ones_not_at_all():
    #        step, slot, parent, token, score, in the beam
    table = [
        (1, 0, 0, 5, -0.5, True),
        (1, 1, 0, 6, -0.9, True),
        (1, 2, 0, EOS, -4.0, False),
        (2, 0, 0, EOS, -1.2, True),
        (2, 1, 1, 7, -1.3, True),
        (3, 0, 1, EOS, -0.8, True),
    ]
    nodes = [
        Node(step, slot, parent, token, "", score, in_beam, best=False)
        for step, slot, parent, token, score, in_beam in table
    ]
    assert finished(nodes, [EOS]) == [([6, 7, EOS], -0.8), ([5, EOS], -1.2)]


def test_each_step_keeps_the_best_candidates_and_extends_only_kept_ones(t, src):
    beam = 3
    nodes = beam_tree(t.model, t.tokenizer, src, beam=beam)
    for step in range(1, max(node.step for node in nodes) + 1):
        level = [node for node in nodes if node.step == step]
        assert [node.score for node in level] == sorted((n.score for n in level), reverse=True)
        assert all(node.in_beam == (node.slot < beam) for node in level)
        assert all(node.parent < beam for node in level)
        assert len(level) <= 2 * beam


def test_candidates_of_the_first_step_have_the_models_log_probabilities(t, src):
    nodes = [n for n in beam_tree(t.model, t.tokenizer, src, beam=2) if n.step == 1]
    logits = torch.tensor(t.trace("I see a cat.").records["logits"][0])
    expected = logits.log_softmax(dim=-1).topk(4)
    assert [n.subword for n in nodes] == [t.tokenizer.subword(int(i)) for i in expected.indices]
    assert [n.score for n in nodes] == pytest.approx(expected.values.tolist(), abs=1e-10)


@pytest.mark.parametrize("top_k", [None, 1, 3, 5, 99])
@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
def test_tempered_probabilities_are_p_to_the_power_1_by_t_among_the_top_k(
    temperature: float, top_k: int | None
) -> None:
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    probabilities = tempered(logits, temperature=temperature, top_k=top_k)
    assert probabilities.shape == logits.shape
    for row, logit in zip(probabilities.flatten(0, 1), logits.flatten(0, 1), strict=True):
        p = logit.softmax(dim=-1)
        least = sorted(p.tolist(), reverse=True)[: top_k or 5][-1]
        powers = [x ** (1 / temperature) if x >= least else 0.0 for x in p.tolist()]
        expected = torch.tensor([x / sum(powers) for x in powers], dtype=torch.float64)
        torch.testing.assert_close(row, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "wrong", [*({"temperature": t} for t in (0.0, -1.0, math.inf, math.nan)), {"top_k": 0}]
)
def test_impossible_options_of_sampling_are_refused(wrong: dict) -> None:
    [bad] = wrong.values()
    with pytest.raises(ValueError, match=f"must be .*{bad:g}"):
        tempered(torch.zeros(5), **wrong)


@pytest.mark.parametrize("max_length", [1, 4, 200])
@pytest.mark.parametrize("row", range(3))
def test_a_sample_ends_with_eos_or_at_its_limit(row: int, max_length: int) -> None:
    """Its log-probabilities are those of the model at temperature 1."""
    model, source = Table(3, max_length), SOURCES[row]
    limit = min(max_length, int((source != 0).sum()) + 50)
    for seed in range(20):
        drawing = sample(model, source[None], temperature=2.0, seed=seed, **IDS)
        assert drawing == sample(model, source[None], temperature=2.0, seed=seed, **IDS)
        assert EOS not in drawing.ids[:-1]
        assert drawing.finished == (drawing.ids[-1] == EOS)
        assert drawing.finished or len(drawing.ids) == limit
        path: list[tuple[int, float]] = []
        for token, log_prob in zip(drawing.ids, drawing.log_probs, strict=True):
            own = model.log_probs(source, path)[token]
            assert log_prob == pytest.approx(own, abs=1e-10)
            path.append((token, own))


def test_first_tokens_are_as_frequent_as_they_are_probable() -> None:
    """1000 samples: every count is within five standard deviations of n p."""
    model, source, n = Table(8, 1), SOURCES[1], 1000
    drawn = Counter(
        sample(model, source[None], temperature=1.5, top_k=4, seed=seed, **IDS).ids[0]
        for seed in range(n)
    )
    p = tempered(torch.tensor(model.log_probs(source, [])), temperature=1.5, top_k=4)
    assert len(drawn) == 4
    for token in range(V):
        deviation = math.sqrt(n * float(p[token]) * (1 - float(p[token])))
        assert abs(drawn[token] - n * float(p[token])) <= 5 * deviation
