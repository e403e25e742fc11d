"""The laboratory: train a tiny Transformer on a toy task, and measure it during training.

Source of what can be switched on and off: Vaswani et al. 2017, sections 3.2.3 (causal mask), 3.5
(positions), 5.4 (label smoothing); Xiong et al. 2020 (pre-norm).
"""

from dataclasses import dataclass
from itertools import islice, takewhile
from random import Random
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from model.arrays import Array, read_only
from model.corpora.batches import Batch
from model.decoding.greedy import decode_steps
from model.lessons.learning.laboratory_tasks import TASKS, TaskName
from model.nn.hooks import Hooks
from model.toy_training.toy_task import BOS, EOS, PAD, Symbols
from model.toy_training.toy_transformer import ToyTransformer
from model.training.loss import smoothed_cross_entropy
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Kind, attention_name

STEPS_BETWEEN_STATES = 20
WARM_UP_STEPS = 50
ROWS_PER_STEP = 64
ROWS_MEASURED = 128
MAX_TOKENS = 16  # of a row, BOS and EOS included; the longest row of a task has 10


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """All settings of one training run. Equal settings give identical runs."""

    task: TaskName = "reverse"
    n_layers: int = 2  # blocks of the encoder, and of the decoder
    n_heads: int = 2  # heads of every attention; must divide d_model
    d_model: int = 64  # width of the residual stream; the feed-forward is four times as wide
    learning_rate: float = 2e-3  # of Adam, after the warm-up
    positions: bool = True  # whether PE(position) is added to the embeddings
    # whether the decoder has the causal mask, which hides later tokens
    causal_mask: bool = True
    norm: Literal["pre", "post"] = "pre"
    label_smoothing: float = 0.0  # epsilon_ls in [0, 1)
    seed: int = 0  # for the initial weights and the rows; from 0


@dataclass(frozen=True)
class RunState:
    """The measurements at one step of a training run; read-only."""

    step: int  # updates made
    loss: float  # with the target given, on fresh held-out rows, in nats per token
    accuracy: float  # share of these rows that the model generates without any mistake
    written: Symbols  # the symbols that it generates for the task's example
    # (layers, H, T, S) float32, read-only: the weights of each attention on the task's example,
    # with teacher forcing
    maps: dict[Kind, Array]


class ToyTraining:
    """One training run of a tiny Transformer, for use by one thread at a time."""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self.task = TASKS[settings.task]
        config = ModelConfig(
            vocab_size=len(self.task.vocabulary),
            d_model=settings.d_model,
            n_heads=settings.n_heads,
            n_layers=settings.n_layers,
            d_ff=4 * settings.d_model,
            dropout=0.0,
            norm=settings.norm,
            max_length=MAX_TOKENS,
        )
        self.toy = ToyTransformer(config, causal=settings.causal_mask, seed=settings.seed)
        if not settings.positions:
            self.toy.model.src_embedding.positions.zero_()
            self.toy.model.tgt_embedding.positions.zero_()
        self.step = 0  # updates made
        self._learned_rows = Random(settings.seed)  # draws the rows that the model learns
        self._measured_rows = Random(settings.seed + 1)  # draws the rows that measure it

    def advance(self) -> RunState | None:
        """Make one update. Return the state after the first and every 20th update, else None."""
        self._learn()
        self.step += 1
        if self.step == 1 or self.step % STEPS_BETWEEN_STATES == 0:
            return self._measure()
        return None

    def _learn(self) -> None:
        """Make one update on new training rows. The learning rate rises in the first updates."""
        self.toy.model.train()
        rows = self.task.rows(ROWS_PER_STEP, self._learned_rows, held_out=False)
        batch = self.task.batch(rows)
        is_token = batch.labels != PAD  # (B, T)
        loss = smoothed_cross_entropy(
            self.toy.states(batch)[is_token],
            self.toy.model.unembed.weight,
            batch.labels[is_token],
            self.settings.label_smoothing,
        )
        warm_up = min(1.0, (self.step + 1) / WARM_UP_STEPS)
        self.toy.update(loss, learning_rate=self.settings.learning_rate * warm_up)

    @torch.inference_mode()
    def _measure(self) -> RunState:
        """Measure loss and accuracy on held-out rows, and the maps of the task's example."""
        self.toy.model.eval()

        # 1. Measure the loss with teacher forcing.
        rows = self.task.rows(ROWS_MEASURED, self._measured_rows, held_out=True)
        batch = self.task.batch(rows)
        is_token = batch.labels != PAD  # (B, T)
        logits = self.toy.model.unembed(self.toy.states(batch)[is_token])  # (tokens, V)
        loss = F.cross_entropy(logits, batch.labels[is_token]).item()

        # 2. Measure the accuracy of generated targets.
        correct = [
            before_end(written) == before_end(labels)
            for written, labels in zip(self._write(batch), batch.labels, strict=True)
        ]

        # 3. Run the model on the example of the task.
        example = self.task.batch([self.task.row(self.task.example)])
        records: dict[str, Tensor] = {}
        self.toy.states(example, Hooks(records))
        return RunState(
            step=self.step,
            loss=loss,
            accuracy=sum(correct) / len(correct),
            written=self._symbols(self._write(example)[0]),
            maps={kind: _weights(records, kind, self.settings.n_layers) for kind in KINDS},
        )

    def _write(self, batch: Batch) -> Tensor:
        """Generate targets with at most as many tokens as the labels: (B, T)."""
        steps = decode_steps(self.toy.decoder(), batch.src, pad_id=PAD, bos_id=BOS, eos_id=EOS)
        max_tokens = batch.labels.shape[1]
        return torch.stack([tokens for tokens, _ in islice(steps, max_tokens)], dim=1)

    def _symbols(self, ids: Tensor) -> Symbols:
        return tuple(self.task.vocabulary[id] for id in before_end(ids))


def untrained_state(settings: RunSettings) -> RunState:
    """Return the measurements before the first update, of a model with random weights."""
    return ToyTraining(settings)._measure()


def before_end(ids: Tensor) -> list[int]:
    """Return the ids before the first EOS.

    >>> before_end(torch.tensor([5, 3, EOS, 4, EOS]))
    [5, 3]
    """
    return list(takewhile(lambda id: id != EOS, ids.tolist()))


def _weights(records: dict[str, Tensor], kind: Kind, n_layers: int) -> Array:
    """Return all maps of one kind of attention: (layers, H, T, S), read-only.

    Args:
        records: the tensors of one forward pass of one sentence.
        kind: the attention.
        n_layers: layers of the encoder, and of the decoder.
    """
    paths = [f"{attention_name(kind, layer)}.weights" for layer in range(n_layers)]
    maps = torch.cat([records[path] for path in paths])  # each record is a batch with one row
    return read_only(maps.numpy())
