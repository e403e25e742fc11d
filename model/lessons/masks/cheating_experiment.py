"""The cheating experiment: a decoder that may see later tokens learns to copy the next token.

Two small Transformers learn the same task on rows of digits, one with the causal mask and one
without it. While the target is given, the second model only has to look one position to the right.
When it must write by itself, there is nothing at that position.

The task "sum" asks for the last digit of the sum so far. It is too hard to learn in seconds, so a
low loss there means that the model copies. The task "sort" is easy, and both losses fall alike.

Source of the causal mask: Vaswani et al. 2017, section 3.2.3.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from model.corpora.batches import Batch
from model.decoding.greedy import greedy
from model.toy_training.toy_task import (
    BOS,
    DIGITS,
    EOS,
    PAD,
    SPECIAL,
    Symbols,
    ToyExample,
    ToyTask,
    sort_symbols,
)
from model.toy_training.toy_transformer import ToyTransformer
from model.transformer.config import ModelConfig

STEPS_BETWEEN_LOSSES = 10
ROWS_PER_STEP = 64
DIGITS_PER_ROW = 8
LEARNING_RATE = 3e-3
# a translation may be up to 50 tokens longer than its source: see decoding/greedy.py
MAX_TOKENS = DIGITS_PER_ROW + 60

MASKS: dict[str, bool] = {"causal": True, "none": False}  # whether the decoder has the causal mask

TaskName = Literal["sum", "sort"]


def running_sums(digits: Symbols) -> Symbols:
    """Return, for each digit, the last digit of the sum of all digits up to it.

    >>> running_sums(("3", "9", "1"))
    ('3', '2', '3')
    """
    return tuple(str(total % 10) for total in accumulate(map(int, digits)))


TASKS: dict[TaskName, ToyTask] = {
    "sum": ToyTask(symbols=DIGITS, solve=running_sums),
    "sort": ToyTask(symbols=DIGITS, solve=sort_symbols),
}


class Losses(NamedTuple):
    """The losses of both models after some updates."""

    step: int  # updates made
    # name of the mask -> loss on new rows before the last update, with teacher forcing, in nats per
    # token
    loss: dict[str, float]


class Written(NamedTuple):
    """One row, and the results of both models after training."""

    source: str  # the digits of the source
    target: str  # the correct digits of the target
    by_itself: dict[str, str]  # name of the mask -> the digits that its model generates
    # name of the mask -> the most probable digit at each position with teacher forcing; "_" if the
    # most probable token is not a digit
    target_given: dict[str, str]


def share_right(written: Sequence[str], targets: Sequence[str]) -> float:
    """Return the share of target digits that were written at the correct position.

    >>> share_right(["12", "3"], ["13", "33"])
    0.5
    """
    n_right = 0
    for row, target in zip(written, targets, strict=True):
        n_right += sum(digit == wanted for digit, wanted in zip(row, target, strict=False))
    return n_right / sum(map(len, targets))


class CheatingExperiment:
    """Trains two models with equal initial weights and training rows, but different masks."""

    def __init__(self, task: TaskName, *, seed: int = 0) -> None:
        self.task = TASKS[task]
        config = ModelConfig(
            vocab_size=len(self.task.vocabulary),
            d_model=32,
            n_heads=2,
            n_layers=1,
            d_ff=64,
            dropout=0.0,
            max_length=MAX_TOKENS,
        )
        self.generator = torch.Generator().manual_seed(seed)  # draws the rows
        self.models = {
            name: ToyTransformer(config, causal=causal, seed=seed) for name, causal in MASKS.items()
        }

    def train(self, steps: int, *, every: int = STEPS_BETWEEN_LOSSES) -> Iterator[Losses | None]:
        """Train both models.

        Args:
            steps: updates of each model.
            every: after how many updates the losses are given.

        Yields:
            One item for each update: the losses after the first update and after every ``every``
            updates, otherwise None.
        """
        for step in range(1, steps + 1):
            batch = self.task.batch(self.draw_rows(ROWS_PER_STEP))
            losses = {}
            for name, toy in self.models.items():
                toy.model.train()
                logits = _logits(toy, batch)  # (B, T, V)
                loss = F.cross_entropy(logits.flatten(0, 1), batch.labels.flatten())
                toy.update(loss, learning_rate=LEARNING_RATE)
                losses[name] = loss.item()
            yield Losses(step, losses) if step == 1 or step % every == 0 else None

    def write(self, n: int) -> list[Written]:
        """Let both models generate the targets of n new rows."""
        rows = self.draw_rows(n)
        batch = self.task.batch(rows)
        by_itself = {name: self._write(toy, batch) for name, toy in self.models.items()}
        given = {name: self._write_with_target(toy, batch) for name, toy in self.models.items()}
        return [
            Written(
                source="".join(row.source),
                target="".join(row.target),
                by_itself={name: texts[index] for name, texts in by_itself.items()},
                target_given={name: texts[index] for name, texts in given.items()},
            )
            for index, row in enumerate(rows)
        ]

    def draw_rows(self, n: int) -> list[ToyExample]:
        """Draw n rows of eight digits."""
        digits = torch.randint(len(DIGITS), (n, DIGITS_PER_ROW), generator=self.generator)
        return [self.task.row(tuple(map(str, row))) for row in digits.tolist()]

    def _write(self, toy: ToyTransformer, batch: Batch) -> list[str]:
        """Return the digits that a model generates for each row."""
        toy.model.eval()
        hypotheses = greedy(toy.decoder(), batch.src, pad_id=PAD, bos_id=BOS, eos_id=EOS)
        return [self._digits(hypothesis.ids, no_digit="") for hypothesis in hypotheses]

    @torch.no_grad()
    def _write_with_target(self, toy: ToyTransformer, batch: Batch) -> list[str]:
        """Return the most probable digits of each row with teacher forcing."""
        toy.model.eval()
        likeliest = _logits(toy, batch).argmax(dim=-1)[:, :DIGITS_PER_ROW]  # (B, digits)
        return [self._digits(ids, no_digit="_") for ids in likeliest.tolist()]

    def _digits(self, ids: Iterable[int], *, no_digit: str) -> str:
        """Return ids as digits, with ``no_digit`` in place of each special token."""
        vocabulary = self.task.vocabulary
        return "".join(vocabulary[id] if id >= len(SPECIAL) else no_digit for id in ids)


def _logits(toy: ToyTransformer, batch: Batch) -> Tensor:
    """Return the logits of the next token at each position, with teacher forcing: (B, T, V)."""
    return toy.model.unembed(toy.states(batch))
