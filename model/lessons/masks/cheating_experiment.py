"""What a decoder learns that may look ahead: to copy the next token instead of finding it.

Two small Transformers learn the same task on rows of digits, one with the causal mask and one
without. While the target is given, the second only has to look one place to the right. When it
must write by itself, there is nothing to its right.

``sum`` (each digit the last one of the sum so far) is too hard to learn in seconds: a low loss
there is a copy. ``sort`` is not, and both losses fall alike.

Source of what is tried out: Vaswani et al. 2017, section 3.2.3.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer, SelfMask
from model.transformer.config import ModelConfig
from model.transformer.masks import causal_mask, no_mask, padding_mask
from model.transformer.transformer import Transformer, untrained

PAD, BOS, EOS = 0, 1, 2
_FIRST_DIGIT, _DIGITS, _LENGTH = 3, 10, 8
_BATCH = 64
EVERY = 10  # updates between two points
MASKS: dict[str, SelfMask] = {"causal": causal_mask, "none": no_mask}
Task = Literal["sum", "sort"]
TASKS: dict[Task, Callable[[Tensor], Tensor]] = {
    "sum": lambda digits: digits.cumsum(dim=1) % _DIGITS,
    "sort": lambda digits: digits.sort(dim=1).values,
}


class Losses(NamedTuple):
    """After so many updates: by mask, the teacher-forced loss on fresh rows, in nats a token."""

    step: int
    loss: dict[str, float]


class Written(NamedTuple):
    """One row at the end, written freely and named digit by digit by both models."""

    source: str  # the digits given
    target: str  # what should be written
    found: dict[str, str]  # by the name of the mask, what was written
    # by the name of the mask, the digits named while the target is given, each after the right ones
    # before it; "_" where what was named is no digit
    told: dict[str, str]


def share_right(written: Sequence[str], targets: Sequence[str]) -> float:
    """The share of the digits that stand where they should.

    >>> share_right(["12", "3"], ["13", "33"])
    0.5
    """
    pairs = list(zip(written, targets, strict=True))
    right = sum(a == b for row, target in pairs for a, b in zip(row, target, strict=False))
    return right / sum(len(target) for _, target in pairs)


class CheatingExperiment:
    """Both models, the rows that they learn from, and what they write; by one seed."""

    def __init__(self, task: Task, *, seed: int = 0) -> None:
        config = ModelConfig(
            vocab_size=_FIRST_DIGIT + _DIGITS,
            d_model=32,
            n_heads=2,
            n_layers=1,
            d_ff=64,
            dropout=0.0,
            max_length=_LENGTH + 60,
        )
        self.task = TASKS[task]
        self.generator = torch.Generator().manual_seed(seed)
        self.models = {name: untrained(config, seed=seed) for name in MASKS}

    def train(self, steps: int, *, every: int = EVERY) -> Iterator[Losses | None]:
        """Learn, both from the same rows; for each update the losses, where their turn has come."""
        optimizers = {
            name: torch.optim.Adam(model.parameters(), lr=3e-3)
            for name, model in self.models.items()
        }
        for step in range(1, steps + 1):
            source, target = self._rows(_BATCH)
            losses = {}
            for name, model in self.models.items():
                logits = _logits(model.train(), source, target, MASKS[name])
                loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
                optimizers[name].zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizers[name].step()
                losses[name] = loss.item()
            yield Losses(step, losses) if step == 1 or step % every == 0 else None

    def write(self, n: int) -> list[Written]:
        """Let both write n fresh rows by themselves."""
        sources, targets = self._rows(n)
        found = {name: self._found(name, sources) for name in self.models}
        told = {name: self._told(name, sources, targets) for name in self.models}
        return [
            Written(
                _digits(sources[row].tolist()),
                _digits(targets[row].tolist()),
                {name: rows[row] for name, rows in found.items()},
                {name: rows[row] for name, rows in told.items()},
            )
            for row in range(n)
        ]

    def _found(self, name: str, sources: Tensor) -> list[str]:
        """What is written freely: each step runs over the tokens so far, and no others exist."""
        model = ModifiedTransformer(self.models[name].eval(), self_mask=MASKS[name])
        rows = greedy(model, sources, pad_id=PAD, bos_id=BOS, eos_id=EOS)
        return [_digits(row.ids) for row in rows]

    @torch.no_grad()
    def _told(self, name: str, sources: Tensor, targets: Tensor) -> list[str]:
        """The likeliest digit at every place, as in training: with the target given."""
        logits = _logits(self.models[name].eval(), sources, targets, MASKS[name])
        digits = logits.argmax(dim=-1)[:, :_LENGTH] - _FIRST_DIGIT
        return ["".join("_" if d < 0 else str(d) for d in row) for row in digits.tolist()]

    def _rows(self, n: int) -> tuple[Tensor, Tensor]:
        """n rows of digits and what should be written: BOS ... EOS, (n, length + 2) each."""
        digits = torch.randint(_DIGITS, (n, _LENGTH), generator=self.generator)
        return _with_ends(digits), _with_ends(self.task(digits))


def _with_ends(digits: Tensor) -> Tensor:
    return F.pad(F.pad(digits + _FIRST_DIGIT, (1, 0), value=BOS), (0, 1), value=EOS)


def _logits(model: Transformer, source: Tensor, target: Tensor, self_mask: SelfMask) -> Tensor:
    """Of the next token at every place, with the target given: (B, length + 1, vocabulary)."""
    src_mask, tgt = padding_mask(source, PAD), target[:, :-1]
    memory = model.encode(source, src_mask)
    states = model.decode_states(tgt, memory, src_mask, tgt_mask=self_mask(tgt.shape[1]))
    return model.unembed(states)


def _digits(ids: Iterable[int]) -> str:
    return "".join(str(id - _FIRST_DIGIT) for id in ids if id >= _FIRST_DIGIT)
