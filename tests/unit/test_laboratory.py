"""The tasks of the laboratory, its tiny model, and the measurements during a training."""

import math
from collections import Counter
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
import torch

from model.corpora.batches import Batch
from model.decoding.greedy import decode_steps
from model.lessons.learning.laboratory import RunSettings, RunState, ToyTraining, before_end
from model.lessons.learning.laboratory_tasks import TASKS, from_words, is_held_out, number_in_words
from model.toy_training.toy_task import BOS, EOS, PAD, SPECIAL, ToyTask
from model.toy_training.toy_transformer import ToyTransformer
from model.trace.transformer import KINDS
from model.transformer.masks import causal_mask, padding_mask
from tests.tolerance import assert_same

ROWS = 9
SMALL = RunSettings(n_layers=1, n_heads=2, d_model=16, learning_rate=3e-3)
MEASURED = RunSettings(n_layers=2, n_heads=3, d_model=18, learning_rate=3e-3, seed=4)


def run(settings: RunSettings, steps: int) -> list[RunState]:
    training = ToyTraining(settings)
    return [point for _ in range(steps) if (point := training.advance())]


def same(first: RunState, second: RunState) -> bool:
    first_numbers = (first.step, first.loss, first.accuracy, first.written)
    second_numbers = (second.step, second.loss, second.accuracy, second.written)
    same_maps = all(np.array_equal(first.maps[kind], second.maps[kind]) for kind in KINDS)
    return first_numbers == second_numbers and same_maps


def drawn(name: str, n: int = 4000) -> list[tuple[str, ...]]:
    random = Random(5)
    return [TASKS[name].draw(random) for _ in range(n)]


@pytest.mark.parametrize("name", ["reverse", "sort"])
def test_strings_have_four_to_eight_symbols_of_all_kinds(name):
    """Each of five lengths occurs about 800 times in 4000; six standard deviations are 152."""
    sources = drawn(name)
    lengths = Counter(map(len, sources))
    assert sorted(lengths) == [4, 5, 6, 7, 8]
    assert all(abs(count - 800) < 152 for count in lengths.values())
    assert {symbol for source in sources for symbol in source} == set(TASKS[name].symbols)


def test_short_numbers_are_as_frequent_as_long_ones():
    """The largest number of digits is drawn first, from 1 to 5, all equally likely."""
    task = TASKS["numbers"]
    values = [int("".join(task.solve(source))) for source in drawn("numbers")]
    for n in range(1, 6):
        share = sum(min(1, 10.0 ** (n - k)) for k in range(1, 6)) / 5
        assert abs(sum(value < 10**n for value in values) / 4000 - share) < 0.05
    assert max(values) > 90_000


@pytest.mark.parametrize("name", TASKS)
def test_one_row_in_eight_is_held_out_and_ids_are_positions_in_the_vocabulary(name):
    """Of 4000 different rows about 500 are held out; six standard deviations are 126."""
    task = TASKS[name]
    sources = set(drawn(name, 40_000 if name == "numbers" else 4000))
    n_held_out = sum(is_held_out(task.row(source)) for source in sources)
    assert abs(n_held_out / len(sources) - 1 / 8) < 0.03
    for held_out in (True, False):
        rows = task.rows(7, Random(1), held_out=held_out)
        assert [is_held_out(row) for row in rows] == [held_out] * 7
    assert is_held_out(task.row(task.example))
    assert task.vocabulary[PAD] == "<pad>"
    assert task.vocabulary == SPECIAL + task.symbols
    assert task.ids(task.symbols) == [BOS, *range(3, 3 + len(task.symbols)), EOS]
    assert len(set(task.vocabulary)) == len(task.vocabulary)


def test_numbers_are_written_as_words_and_read_back():
    numbers_in_words = {
        0: "zero",
        19: "nineteen",
        20: "twenty",
        99: "ninety nine",
        100: "one hundred",
        999: "nine hundred ninety nine",
        1000: "one thousand",
        20_640: "twenty thousand six hundred forty",
        99_999: "ninety nine thousand nine hundred ninety nine",
    }
    for number, words in numbers_in_words.items():
        assert " ".join(number_in_words(number)) == words
    for number in [*range(1200), 20_000, 40_302, 99_999, 90_310]:
        assert from_words(number_in_words(number)) == tuple(str(number))
    examples = [" ".join(task.example) for task in TASKS.values()]
    assert examples == ["p i c t u r e", "9 0 2 1 0 8 7 3", "twenty thousand six hundred forty"]


def test_each_task_has_the_right_solution():
    assert TASKS["reverse"].solve(tuple("abcd")) == tuple("dcba")
    assert TASKS["sort"].solve(tuple("3101")) == tuple("0113")


def test_the_same_settings_give_the_same_run_stopped_or_not(monkeypatch):
    """A state never changes after it was returned."""
    monkeypatch.setattr("model.lessons.learning.laboratory.STEPS_BETWEEN_STATES", 3)
    training = ToyTraining(SMALL)
    first = training.advance()
    before = {kind: weights.copy() for kind, weights in first.maps.items()}
    broken = [first, *filter(None, [training.advance() for _ in range(6)])]
    assert [point.step for point in broken] == [1, 3, 6]
    for kind, weights in first.maps.items():
        assert np.array_equal(weights, before[kind])
        assert not weights.flags.writeable
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert all(same(a, b) for a, b in zip(broken, run(SMALL, 7), strict=True))
    assert not same(first, run(replace(SMALL, seed=1), 1)[0])


def test_the_causal_mask_can_be_switched_off():
    hidden = ~causal_mask(8)[0, 0].numpy()
    masked = run(SMALL, 1)[0].maps["decoder_self"]
    assert masked.shape == (1, 2, 8, 8)
    assert (masked[..., hidden] == 0).all()
    seen = run(replace(SMALL, causal_mask=False), 1)[0].maps["decoder_self"]
    assert (seen > 0).all()


@pytest.mark.parametrize("causal", [True, False])
@torch.no_grad()
def test_a_target_is_written_with_the_mask_of_the_training(causal):
    """Of two layers, the second one reads what earlier tokens saw in the first."""
    toy = ToyTraining(replace(MEASURED, causal_mask=causal)).toy
    toy.model.eval()
    ids, src = [BOS], torch.tensor([[BOS, 5, 6, 7, EOS]])
    steps = decode_steps(toy.decoder(), src, pad_id=PAD, bos_id=BOS, eos_id=EOS)
    for token, log_prob in islice(steps, 6):
        states = toy.states(Batch(src, torch.tensor([ids]), torch.empty(0)))
        expected = toy.model.unembed(states[0, -1]).log_softmax(dim=-1)
        assert_same(log_prob, expected[token])
        ids.append(int(token))


def test_without_positions_equal_letters_get_the_same_vectors():
    for on in (True, False):
        model = ToyTraining(replace(SMALL, positions=on)).toy.model
        for embedding in (model.src_embedding, model.tgt_embedding):
            assert bool(embedding.positions.any()) == on


def test_the_learning_rate_grows_linearly_for_50_steps_and_then_stays(monkeypatch):
    rates = []

    def update(_: ToyTransformer, loss: torch.Tensor, *, learning_rate: float) -> None:
        assert loss.requires_grad
        rates.append(learning_rate)

    monkeypatch.setattr(ToyTransformer, "update", update)
    training = ToyTraining(SMALL)
    for step in (0, 1, 24, 48, 49, 50, 70):
        training.step = step
        training.advance()
    assert rates == pytest.approx([3e-3 * share for share in (0.02, 0.04, 0.5, 0.98, 1, 1, 1)])


def test_an_update_goes_down_the_gradient_at_the_given_rate():
    """Adam's first step changes every weight by the learning rate, against its gradient."""
    toy = ToyTraining(SMALL).toy
    bias = toy.model.encoder.blocks[0].feed_forward.w_1.bias
    before = bias.detach().clone()
    toy.update(3 * bias.sum(), learning_rate=0.01)
    torch.testing.assert_close(bias.detach(), before - 0.01)


def test_training_uses_rows_that_are_not_held_out_and_measuring_uses_held_out_rows(monkeypatch):
    batches = []
    batch = ToyTask.batch

    def watched(task, rows):
        batches.append(rows)
        return batch(task, rows)

    monkeypatch.setattr(ToyTask, "batch", watched)
    ToyTraining(SMALL).advance()  # one step of training, then a measurement, then an example
    learned, asked, [example] = batches
    assert not any(is_held_out(row) for row in learned)
    assert all(is_held_out(row) for row in asked)
    assert is_held_out(example)
    assert min(len(learned), len(asked)) > 30


def written(training: ToyTraining, source, n: int) -> list[str]:
    """Return the most probable symbol n times, each time from all symbols before it."""
    ids = [training.task.ids(())[0]]
    src = torch.tensor([training.task.ids(source)])
    for _ in range(n):
        logits = training.toy.model(src, torch.tensor([ids]), padding_mask(src, PAD))
        ids.append(int(logits[0, -1].argmax()))
    return [training.task.vocabulary[id] for id in ids[1:]]


@pytest.mark.parametrize("name", TASKS)
@torch.no_grad()
def test_a_measured_point_agrees_with_a_slow_computation(name, monkeypatch):
    monkeypatch.setattr("model.lessons.learning.laboratory.ROWS_MEASURED", ROWS)
    training = ToyTraining(replace(MEASURED, task=name))
    with torch.enable_grad():
        point = training.advance()
    model, task = training.toy.model.eval(), training.task
    losses, right = [], []
    for row in task.rows(ROWS, Random(MEASURED.seed + 1), held_out=True):
        src, tgt = (torch.tensor([task.ids(side)]) for side in (row.source, row.target))
        p = model(src, tgt[:, :-1], padding_mask(src, PAD))[0].softmax(dim=-1)
        losses += [-math.log(p[t, id]) for t, id in enumerate(tgt[0, 1:].tolist())]
        wanted = [*row.target, "<eos>"]
        right.append(written(training, row.source, len(wanted)) == wanted)
    assert point.step == 1
    assert point.loss == pytest.approx(sum(losses) / len(losses), rel=1e-4)
    assert point.accuracy == pytest.approx(sum(right) / len(right))
    target = task.row(task.example).target
    tokens = [*written(training, task.example, len(target) + 1), "<eos>"]
    assert list(point.written) == tokens[: tokens.index("<eos>")][: len(target) + 1]
    n_src, n_tgt = len(task.example) + 2, len(target) + 1
    shapes = {"encoder_self": (n_src, n_src), "decoder_self": (n_tgt, n_tgt)}
    for kind in KINDS:
        assert point.maps[kind].shape == (2, 3, *shapes.get(kind, (n_tgt, n_src)))


def test_a_row_is_right_only_as_a_whole_and_what_is_written_ends_before_the_first_end(monkeypatch):
    """Half of the rows are right. In each of the others all symbols but one are right."""
    training = ToyTraining(MEASURED)

    def almost(_: ToyTraining, batch) -> torch.Tensor:
        ids = batch.labels.clone()
        ids[1::2, 1] += 1  # never padding, because a row has at least four symbols
        ids[0::2][ids[0::2] == PAD] = 9  # symbols after EOS do not count
        return ids

    monkeypatch.setattr(ToyTraining, "_write", almost)
    assert training.advance().accuracy == 0.5
    ids = torch.tensor(training.task.ids(("a", "b"))[1:])
    for some in (ids, torch.cat((ids, ids)), ids[:-1]):
        assert before_end(some) == ids[:-1].tolist()
