"""Small tasks and the tiny model that learns them."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest

from model.lessons.learning.laboratory import _WARMUP, Evaluation, Settings, ToyTraining
from model.lessons.learning.toy_tasks import BOS, EOS, TASKS, Example, from_words, in_words
from model.transformer.masks import causal_mask

SMALL = Settings(n_layers=1, n_heads=2, d_model=16, learning_rate=3e-3)


def run(settings: Settings, steps: int) -> list[Evaluation]:
    return list(ToyTraining(settings).train(steps))


def same(one: Evaluation, other: Evaluation) -> bool:
    return (one.step, one.loss, one.accuracy, one.written) == (
        other.step,
        other.loss,
        other.accuracy,
        other.written,
    ) and all(np.array_equal(one.maps[kind], other.maps[kind]) for kind in one.maps)


def test_every_number_goes_into_words_and_back():
    for number in [*range(1200), 20_000, 40_302, 99_999, 90_310]:
        assert from_words(in_words(number)) == tuple(str(number))
    with pytest.raises(ValueError, match="0 to 99,999"):
        in_words(100_000)


@pytest.mark.parametrize("name", TASKS)
def test_what_is_asked_is_never_learned(name):
    task = TASKS[name]
    learned = {row.source for row in task.rows(400, Random(1), held_out=False)}
    asked = {row.source for row in task.rows(100, Random(2), held_out=True)}
    assert not learned & asked
    assert task.row(task.example).held_out
    ids = task.ids(task.example)
    assert (ids[0], ids[-1]) == (BOS, EOS)
    assert tuple(task.vocabulary[id] for id in ids[1:-1]) == task.example


@pytest.mark.parametrize(
    ("name", "smallest", "largest", "beyond"),
    [
        ("n_layers", 1, 4, 1),
        ("d_model", 8, 128, 2),
        ("learning_rate", 1e-9, 0.1, 1e-9),
        ("label_smoothing", 0, 0.999, 0.001),
        ("seed", 0, 2**31 - 1, 1),
    ],
)
def test_settings_within_their_limits(name, smallest, largest, beyond):
    for value in (smallest, largest):
        assert getattr(Settings(**{name: value}), name) == value
    for value in (smallest - beyond, largest + beyond):
        with pytest.raises(ValueError, match=name):
            Settings(**{name: value})


def test_solutions():
    assert TASKS["reverse"].solve(tuple("abcd")) == tuple("dcba")
    assert TASKS["sort"].solve(tuple("3101")) == tuple("0113")
    assert TASKS["numbers"].solve(("forty", "two")) == tuple("42")


def test_the_same_settings_give_the_same_run():
    first, second = run(SMALL, 20), run(SMALL, 20)
    assert [point.step for point in first] == [1, 20]
    assert all(same(a, b) for a, b in zip(first, second, strict=True))
    assert not same(first[-1], run(replace(SMALL, seed=1), 20)[-1])


def test_a_run_that_is_continued_is_the_run_that_was_not_stopped():
    training = ToyTraining(SMALL)
    broken = [*training.train(13), *training.train(27)]
    assert all(same(a, b) for a, b in zip(broken, run(SMALL, 40), strict=True))


def test_a_point_never_changes_again():
    training = ToyTraining(SMALL)
    (first,) = islice(training.train(1), 1)
    before = {kind: weights.copy() for kind, weights in first.maps.items()}
    list(training.train(5))
    for kind, weights in first.maps.items():
        assert np.array_equal(weights, before[kind])
        assert not weights.flags.writeable
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_the_causal_mask_can_be_taken_off():
    hidden = ~causal_mask(8)[0, 0].numpy()
    masked = run(SMALL, 1)[0].maps["decoder_self"]
    assert masked.shape == (1, 2, 8, 8)
    assert (masked[..., hidden] == 0).all()
    seen = run(replace(SMALL, causal_mask=False), 1)[0].maps["decoder_self"]
    assert (seen > 0).all()


def test_without_positions_equal_letters_look_alike():
    with_positions, without = (
        ToyTraining(replace(SMALL, positions=on)).model.src_embedding.positions
        for on in (True, False)
    )
    assert with_positions.abs().max() > 0
    assert without.abs().max() == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_heads": 3}, "does not divide"),
        ({"n_layers": 9}, "n_layers must be 1 to 4"),
        ({"d_model": 4}, "d_model must be 8 to 128"),
        ({"learning_rate": 0.0}, "learning_rate must be in"),
        ({"label_smoothing": 1.0}, "label_smoothing must be in"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"task": "chess"}, "task must be one of"),
    ],
)
def test_impossible_settings_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **wrong)


def test_the_learning_rate_grows_evenly_and_then_stays():
    training, rates = ToyTraining(SMALL), []
    for _ in range(_WARMUP + 3):
        training._learn()
        training.step += 1
        rates += [group["lr"] for group in training.optimizer.param_groups]
    grown = [SMALL.learning_rate * step / _WARMUP for step in range(1, _WARMUP + 1)]
    assert rates == pytest.approx(grown + [SMALL.learning_rate] * 3)


def test_points_come_after_the_first_step_and_every_20():
    assert [point.step for point in run(SMALL, 41)] == [1, 20, 40]


def test_the_default_learning_rate_learns():
    settings = replace(SMALL, learning_rate=Settings().learning_rate)
    first, *_, last = run(settings, 40)
    assert last.loss < first.loss - 0.1


def test_a_run_learns_from_rows_that_are_not_held_out_and_is_asked_those_that_are(monkeypatch):
    batches: list[list[Example]] = []
    batch = ToyTraining._batch

    def watched(training: ToyTraining, rows: list[Example]):
        batches.append(rows)
        return batch(training, rows)

    monkeypatch.setattr(ToyTraining, "_batch", watched)
    ToyTraining(SMALL).advance()  # learns, then looks, then shows its example
    learned, asked, [example] = batches
    assert not any(row.held_out for row in learned)
    assert all(row.held_out for row in asked)
    assert example.held_out
    assert min(len(learned), len(asked)) > 30
