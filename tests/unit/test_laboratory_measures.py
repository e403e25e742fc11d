"""What a point of the laboratory says, computed again from the rows that were asked."""

from __future__ import annotations

import math
from random import Random

import pytest
import torch

from model.lessons.learning.laboratory import Evaluation, Settings, ToyTraining
from model.lessons.learning.toy_tasks import PAD, TASKS, Symbols
from model.trace.transformer import KINDS
from model.transformer.masks import padding_mask

ROWS = 9
SMALL = Settings(n_layers=2, n_heads=3, d_model=18, learning_rate=3e-3, seed=4)


def written(training: ToyTraining, source: Symbols, n: int) -> list[str]:
    """The most probable symbol, n times, each from a run over all before it."""
    ids = [training.task.ids(())[0]]
    src = torch.tensor([training.task.ids(source)])
    for _ in range(n):
        logits = training.model(src, torch.tensor([ids]), padding_mask(src, PAD))
        ids.append(int(logits[0, -1].argmax()))
    return [training.task.vocabulary[id] for id in ids[1:]]


@torch.inference_mode()
def look_slowly(training: ToyTraining, point: Evaluation) -> None:
    """Row by row, token by token."""
    model, task = training.model.eval(), training.task
    rows = task.rows(ROWS, Random(SMALL.seed + 1), held_out=True)
    losses, right = [], []
    for row in rows:
        src, tgt = (torch.tensor([task.ids(side)]) for side in (row.source, row.target))
        p = model(src, tgt[:, :-1], padding_mask(src, PAD))[0].softmax(dim=-1)
        losses += [-math.log(p[t, id]) for t, id in enumerate(tgt[0, 1:].tolist())]
        wanted = [*row.target, "<eos>"]
        right.append(written(training, row.source, len(wanted)) == wanted)
    assert point.step == 1
    assert point.loss == pytest.approx(sum(losses) / len(losses), rel=1e-4)
    assert point.accuracy == pytest.approx(sum(right) / len(right))
    target = task.row(task.example).target
    found = [*written(training, task.example, len(target) + 1), "<eos>"]
    assert list(point.written) == found[: found.index("<eos>")][: len(target) + 1]
    n_src, n_tgt = len(task.example) + 2, len(target) + 1
    shapes = {"encoder_self": (n_src, n_src), "decoder_self": (n_tgt, n_tgt)}
    for kind in KINDS:
        assert point.maps[kind].shape == (2, 3, *shapes.get(kind, (n_tgt, n_src)))


@pytest.mark.parametrize("name", TASKS)
def test_a_point_is_what_a_slow_look_finds(name, monkeypatch):
    monkeypatch.setattr("model.lessons.learning.laboratory._ASKED", ROWS)
    training = ToyTraining(Settings(**vars(SMALL) | {"task": name}))
    point = training.advance()
    assert isinstance(point, Evaluation)
    look_slowly(training, point)


def test_a_row_is_right_only_as_a_whole(monkeypatch):
    """Half of the rows are written right; of the others all but one symbol is."""
    training = ToyTraining(SMALL)

    def almost(_: ToyTraining, batch):
        ids = batch.labels.clone()
        ids[1::2, 1] += 1  # never padding: a row has four symbols at least
        ids[0::2][ids[0::2] == PAD] = 9  # what is written behind the end does not count
        return ids

    monkeypatch.setattr(ToyTraining, "_write", almost)
    point = training.advance()
    assert point is not None
    assert point.accuracy == 0.5


def test_what_is_written_ends_before_the_first_end():
    training = ToyTraining(SMALL)
    ids = torch.tensor(training.task.ids(("a", "b"))[1:])
    assert training._symbols(ids) == ("a", "b")
    assert training._symbols(torch.cat((ids, ids))) == ("a", "b")
    assert training._symbols(ids[:-1]) == ("a", "b")
