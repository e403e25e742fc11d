"""A tiny Transformer that learns a small task while somebody watches.

Source of what can be switched: Vaswani et al. 2017, sections 3.2.3 (causal mask), 3.5 (positions),
5.4 (label smoothing); Xiong et al. 2020 (pre-norm).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from random import Random
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from model.arrays import Array, read_only
from model.corpora.batches import Batch, make_batch
from model.decoding.greedy import decode_steps
from model.decoding.modified import ModifiedTransformer
from model.lessons.learning.toy_tasks import BOS, EOS, PAD, TASKS, Symbols, TaskName, ToyExample
from model.nn.hooks import NO_HOOKS, Hooks
from model.training.loss import smoothed_cross_entropy
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Kind, attention_name
from model.transformer.masks import causal_mask, no_mask, padding_mask
from model.transformer.transformer import untrained

EVERY = 20
_BATCH, _ASKED = 64, 128
_WARMUP = 50
_LONGEST = 16


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """One training, completely: the same settings give the same run."""

    task: TaskName = "reverse"
    n_layers: int = 2  # blocks of the encoder, and again of the decoder
    n_heads: int = 2  # heads of every attention; must divide d_model
    d_model: int = 64  # width of the residual stream; the feed-forward is four times as wide
    learning_rate: float = 2e-3  # of Adam after the warm-up
    positions: bool = True  # whether PE(position) is added to the embeddings
    causal_mask: bool = True  # whether the decoder is kept from looking ahead
    norm: Literal["pre", "post"] = "pre"
    label_smoothing: float = 0.0  # epsilon_ls in [0, 1)
    seed: int = 0  # of the weights and of the rows; from 0


@dataclass(frozen=True)
class RunState:
    """How far a training has got. Nothing in it changes any more."""

    step: int  # updates made
    loss: float  # teacher-forced, on fresh rows that are held out, in nats a token
    accuracy: float  # share of these rows that the model writes by itself without any mistake
    written: Symbols  # what it writes for the task's example
    # (layers, heads, queries, keys) float32, read-only: where each attention looks in the example
    # while its target is given
    maps: dict[Kind, Array]


class ToyTraining:
    """A model, its optimizer and the rows it learns from; to be used by one thread at a time."""

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
            max_length=_LONGEST,
        )
        self.model = untrained(config, seed=settings.seed)
        if not settings.positions:
            for embedding in (self.model.src_embedding, self.model.tgt_embedding):
                embedding.positions.zero_()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.learning_rate)
        self.step = 0
        self._to_learn, self._to_ask = Random(settings.seed), Random(settings.seed + 1)

    def advance(self) -> RunState | None:
        """One step; what was measured after it, if it was the first or one of every 20."""
        self._learn()
        self.step += 1
        return self._look() if self.step == 1 or self.step % EVERY == 0 else None

    def _learn(self) -> None:
        self.model.train()
        batch = self._batch(self.task.rows(_BATCH, self._to_learn, held_out=False))
        real = batch.labels != PAD  # (B, T)
        loss = smoothed_cross_entropy(
            self._states(batch)[real],
            self.model.unembed.weight,
            batch.labels[real],
            self.settings.label_smoothing,
        )
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * min(1.0, (self.step + 1) / _WARMUP)
        self.optimizer.step()

    @torch.inference_mode()
    def _look(self) -> RunState:
        self.model.eval()
        asked = self._batch(self.task.rows(_ASKED, self._to_ask, held_out=True))
        real = asked.labels != PAD  # (B, T)
        logits = self.model.unembed(self._states(asked)[real])  # (tokens, V)
        rows = zip(self._write(asked), asked.labels, strict=True)
        right = [_before_end(written) == _before_end(labels) for written, labels in rows]
        example = self._batch([self.task.row(self.task.example)])
        records: dict[str, Tensor] = {}
        self._states(example, Hooks(records))
        return RunState(
            step=self.step,
            loss=F.cross_entropy(logits, asked.labels[real]).item(),
            accuracy=sum(right) / len(right),
            written=self._symbols(self._write(example)[0]),
            maps={kind: _weights(records, kind, self.settings.n_layers) for kind in KINDS},
        )

    def _write(self, batch: Batch) -> Tensor:
        """What the model writes by itself, at most as many tokens as there are labels: (B, T)."""
        self_mask = causal_mask if self.settings.causal_mask else no_mask
        model = ModifiedTransformer(self.model, self_mask=self_mask)
        steps = decode_steps(model, batch.src, pad_id=PAD, bos_id=BOS, eos_id=EOS)
        tokens = [token for token, _ in islice(steps, batch.labels.shape[1])]
        return torch.stack(tokens, dim=1)

    def _states(self, batch: Batch, hooks: Hooks = NO_HOOKS) -> Tensor:
        """The decoder's result while the target is given: (B, T, d_model)."""
        src_mask = padding_mask(batch.src, PAD)
        memory = self.model.encode(batch.src, src_mask, hooks=hooks)  # (B, S, d_model)
        tgt_mask = None if self.settings.causal_mask else padding_mask(batch.tgt, PAD)
        return self.model.decode_states(batch.tgt, memory, src_mask, tgt_mask=tgt_mask, hooks=hooks)

    def _batch(self, rows: Sequence[ToyExample]) -> Batch:
        ids = self.task.ids
        return make_batch([(ids(row.source), ids(row.target)) for row in rows], PAD)

    def _symbols(self, ids: Tensor) -> Symbols:
        return tuple(self.task.vocabulary[id] for id in _before_end(ids))


def _before_end(ids: Tensor) -> list[int]:
    """What stands before the first EOS."""
    return list(takewhile(lambda id: id != EOS, ids.tolist()))


def _weights(records: dict[str, Tensor], kind: Kind, n_layers: int) -> Array:
    """All maps of one attention: (layers, heads, queries, keys), read-only."""
    paths = [f"{attention_name(kind, layer)}.weights" for layer in range(n_layers)]
    maps = torch.cat([records[path] for path in paths])  # a batch of one each
    return read_only(maps.numpy())
