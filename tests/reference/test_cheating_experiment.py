"""Two small models, one with and one without the causal mask, trained on the same rows."""

import pytest
import torch

from model.lessons.masks.cheating_experiment import MASKS, TASKS, CheatingExperiment, share_right
from model.transformer.masks import causal_mask, no_mask, padding_mask
from tests.reference.conftest import logits_of


@pytest.mark.parametrize("task", TASKS)
def test_both_models_learn_from_the_same_rows(task):
    experiments = [CheatingExperiment(task, seed=3) for _ in range(2)]
    experiment = experiments[0]
    assert torch.equal(*(toy.model.unembed.weight for toy in experiment.models.values()))
    [first, last], again = (list(trained.train(2, every=2)) for trained in experiments)
    assert [first, last] == again  # the same seed gives the same experiment
    assert (first.step, last.step) == (1, 2)
    assert set(last.loss) == set(MASKS)
    [row] = experiment.write(1)
    digits = [int(c) for c in row.source]
    expected = sorted(digits) if task == "sort" else [sum(digits[: n + 1]) % 10 for n in range(8)]
    assert row.target == "".join(map(str, expected))


def test_both_begin_alike_and_learn_by_the_mean_loss_of_their_rows():
    """Computes the first loss again, token by token on the same rows. Later losses are smaller."""
    experiment = CheatingExperiment("sort", seed=2)
    again = CheatingExperiment("sort", seed=2)
    points = list(experiment.train(10))
    assert [n for n, point in enumerate(points, start=1) if point] == [1, 10]
    batch = again.task.batch(again.draw_rows(64))
    assert batch.src.shape == (64, 10)
    assert batch.labels.shape == (64, 9)
    self_masks = {"causal": causal_mask(9), "none": no_mask(9)}
    for name, toy in again.models.items():
        model = toy.model.double().eval()
        src_mask = padding_mask(batch.src, 0)
        logits = logits_of(model, batch.src, batch.tgt, src_mask, self_masks[name])
        p = logits.detach().softmax(dim=-1).gather(2, batch.labels[..., None])
        first, last = points[0].loss[name], points[9].loss[name]
        assert first == pytest.approx(-float(p.log().mean()), rel=1e-5)
        assert last < first - 0.1
        assert model.config.n_layers * model.config.n_heads == 2
    assert [len(row.source) for row in experiment.write(3)] == [8] * 3


@pytest.mark.parametrize(("task", "mask"), [("sum", "causal"), ("sort", "none")])
def test_with_the_target_given_the_most_probable_digit_at_each_position_is_shown(task, mask):
    experiment = CheatingExperiment(task, seed=3)
    list(experiment.train(15))
    rows, model = experiment.write(3), experiment.models[mask].model.eval()
    for row in rows:
        source, target = (
            torch.tensor([[1, *(int(digit) + 3 for digit in text), 2]])
            for text in (row.source, row.target)
        )
        n = target.shape[1] - 1
        seen, src_mask = torch.ones(1, n, n).bool(), torch.ones(1, 1, source.shape[1]).bool()
        self_mask = seen.tril() if mask == "causal" else seen
        with torch.no_grad():
            logits = logits_of(model, source, target[:, :-1], src_mask, self_mask)
        for p, digit in zip(logits[0].softmax(dim=-1), row.target_given[mask], strict=False):
            p_digit = p[int(digit) + 3] if digit != "_" else p[:3].max()
            # of two digits with almost the same probability, either may be shown
            assert p_digit > p.max() - 1e-4


def test_missing_digits_count_as_wrong_in_the_share_of_right_digits():
    assert share_right(["123", ""], ["124", "555"]) == 2 / 6
    assert share_right(["9" * 60], ["99"]) == 1  # digits after the end of the row are ignored
