"""The training loop: one class that can stop after any step and go on as if nothing had happened.

All randomness of step n (dropout, order of the batches, subwords of the words) is a function of
the seed and n alone, so a resumed run repeats, number for number, the one never stopped. Of several
processes each draws its own dropout, which its rank decides too; the batches are the same however
many there are.
"""

import copy
import hashlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names import language_pair_of
from model.checkpoint.architectures import AnyConfig, config_to_json, new_model
from model.checkpoint.checkpoint import HISTORY, read_history
from model.checkpoint.snapshots import forget_snapshots_after, save_snapshot, snapshot_steps
from model.corpora.batches import Batch, make_batch
from model.corpora.corpus import Split
from model.evaluation.left_out import short_enough
from model.evaluation.scoring import evaluate
from model.files.json_file import Setting
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer, spelled_alike
from model.training.beginning import Beginning
from model.training.config import TrainingConfig
from model.training.epochs import Epochs, Examples
from model.training.loss import smoothed_cross_entropy
from model.training.optimizer import (
    fits,
    learning_rate_factor,
    load_state_tensors,
    new_optimizers,
    set_factor,
    state_tensors,
)
from model.training.precision import MixedPrecision
from model.training.processes import ALONE, Processes
from model.training.saved_state import (
    STATE,
    Progress,
    SettingsHistory,
    State,
    TrainingIdentity,
    forget_lines_after,
    read_state,
    write_state,
)
from model.transformer.masks import padding_mask

_SAME = ("architecture", "tokenizer", "corpus")  # from the first step to the last
_OF_SUBWORDS = ("tokens.weight", "unembed.weight")  # (V, d_model): a row for each subword
# 2^32 over the golden ratio: its multiples lie far apart in 32 bits of a seed.
_APART = 2_654_435_769


class Training:
    """A run: a model, the data, and how far it has got.

    Args:
        model_config, config, split, tokenizer: what is trained, how, and on what.
        folder: ``history.jsonl`` and the state to resume from are written here.
        device, dtype: where and in what to compute; the weights that learn are always float32.
        snapshots: how many steps are kept to be looked at later; each but the first has a line
            in the history too.
        corpus: hash of the files that the pairs were read from.
        begun: whose weights are taken over; None where they are random.
        processes: that make each step together, connected already.
    """

    def __init__(
        self,
        model_config: AnyConfig,
        config: TrainingConfig,
        split: Split,
        tokenizer: ByteLevelTokenizer,
        folder: Path,
        *,
        device: torch.device,
        dtype: torch.dtype,
        snapshots: int = 0,
        corpus: str = "",
        begun: Beginning | None = None,
        processes: Processes = ALONE,
    ) -> None:
        self._snapshot_steps = frozenset(snapshot_steps(config.steps, snapshots))
        torch.manual_seed(config.seed)
        self.config, self.tokenizer = config, tokenizer
        taken = partial(short_enough, tokenizer=tokenizer, max_length=model_config.max_length)
        self.split = replace(split, dev=taken(split.dev), test=taken(split.test))
        self.folder, self.device, self.corpus = folder, device, corpus
        self.begun_with = begun.told if begun else ""
        self.processes = processes
        self.model = new_model(model_config).to(device)
        self.average = copy.deepcopy(self.model).eval()
        self.precision = MixedPrecision(self.model, dtype)
        self.optimizers = new_optimizers(self.model, config, dtype)
        self.languages = language_pair_of(split.train)
        augmentation = Augmentation(
            Shares(**{share.name: getattr(config, share.name) for share in fields(Shares)}),
            self.languages,
            subwords=[tokenizer.subword(id) for id in range(tokenizer.vocab_size)],
            max_length=model_config.max_length,
            token_budget=config.token_budget,
        )
        self._epochs = Epochs(
            split.train,
            lambda pairs: Examples(pairs, tokenizer, config.bpe_dropout, config.seed, augmentation),
            config.seed,
        )
        self.too_long = self._epochs.too_long
        self.progress = Progress(
            step=0, epochs=0, batch=0, seconds=0, loss_sum=0, loss_steps=0, tokens=0, clock=0
        )
        self._batches_per_part = 1
        settings: dict[str, Setting] = asdict(config) | {"dropout": model_config.dropout}
        self.settings_history: SettingsHistory = [{"from_step": 0} | settings]
        if begun:
            self._begin_with(begun)

    @torch.no_grad()
    def _begin_with(self, begun: Beginning) -> None:
        """Take over the weights of a model of the same architecture, dropout apart.

        Subwords that its tokenizer does not know begin at random. What an encoder and a decoder
        learned from one pair of languages helps with another one, of which there are few sentences
        (Zoph et al. 2016, sections 3 and 5.1). English to Chinese, mean loss of steps 80 to 104 on
        the same batches: 5.66 from random weights, 5.41 from those of English to French.
        """
        rows, of_trained = spelled_alike(self.tokenizer, begun.tokenizer)
        for model in (self.model, self.average):
            theirs = begun.model.parameters()
            for (name, own), p in zip(model.named_parameters(), theirs, strict=True):
                if name.endswith(_OF_SUBWORDS):
                    own[rows] = p[of_trained].to(own.device)
                else:
                    own.copy_(p)
        self.precision.refresh()

    def run(self) -> Iterator[float]:
        """Train to the last step; yields the loss of each, after which the state can be saved."""
        config, progress = self.config, self.progress
        if progress.step == 0:
            self._keep_snapshot()
        for batch in self._batches_ahead():
            if progress.step >= config.steps:
                return
            start = time.perf_counter()
            loss = self.train_step(batch)
            took = time.perf_counter() - start
            progress.count(loss=loss, tokens=batch.n_tokens, seconds=took)
            last = progress.step == config.steps
            kept = self._keep_snapshot()
            if last or kept or progress.step % config.eval_every == 0:
                self._write_history()
            if last or progress.step % config.save_every == 0:
                self.save_state()
            yield loss

    def train_step(self, batch: Batch) -> float:
        """One update; returns its loss, in nats a token. ValueError if a gradient is not finite."""
        config, step = self.config, self.progress.step
        loss = self._learn_from(batch)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.max_grad_norm)
        if not math.isfinite(norm.item()):
            raise ValueError(
                f"the training has gone astray: the gradient of step {step + 1:,} is not finite. "
                "Train with smaller learning rates, with --resume from the last saved state"
            )
        factor = learning_rate_factor(
            step, n_steps=config.steps, warmup=config.warmup, cooldown=config.cooldown
        )
        set_factor(self.optimizers, factor)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        self.precision.refresh()
        self._update_average(step)
        return loss.item()

    def _learn_from(self, batch: Batch) -> Tensor:
        """The loss, by the labels of the whole batch; all processes' gradients are in ``model``."""
        config, processes, pad_id = self.config, self.processes, self.tokenizer.pad_id
        torch.manual_seed(config.seed * 1_000_003 + self.progress.step + processes.rank * _APART)
        model = self.precision.working.train()
        n_labels = int((batch.labels != pad_id).sum())
        batch = processes.part(batch, pad_id).to(self.device)
        src_mask = padding_mask(batch.src, pad_id)
        memory = model.encode(batch.src, src_mask)
        decoded = model.decode_states(batch.tgt, memory, src_mask)  # (B, T, d_model)
        has_label = batch.labels != pad_id  # (B, T)
        decoded, labels = decoded[has_label], batch.labels[has_label]
        unembed, epsilon = model.unembed.weight, config.label_smoothing
        loss = smoothed_cross_entropy(decoded, unembed, labels, epsilon, n_labels)
        loss.backward()  # type: ignore[no-untyped-call]
        self.precision.move_gradients()
        processes.add_up([p.grad for p in self.model.parameters() if p.grad is not None])
        return processes.total(loss.detach())

    @torch.no_grad()
    def _update_average(self, step: int) -> None:
        """Running average of the weights (Polyak & Juditsky 1992), at first of few steps.

        A mean of all steps so far would come late there: what the weights of step 177 had learned,
        such a mean showed at step 305.
        """
        decay = min(self.config.ema_decay, (1 + step) / (10 + step))
        for average, p in zip(self.average.parameters(), self.model.parameters(), strict=True):
            average.lerp_(p, 1 - decay)

    def _batches_ahead(self) -> Iterator[Batch]:
        """The rest of this epoch, then epoch after epoch."""
        progress = self.progress
        while True:
            batches = self._epochs.batches(progress.epochs, progress.part, self.config.token_budget)
            self._batches_per_part = len(batches)
            for ids in batches[progress.batch :]:
                yield make_batch(ids, self.tokenizer.pad_id)
            progress.part, progress.batch = progress.part + 1, 0
            if progress.part == self._epochs.n_parts:
                progress.epochs, progress.part = progress.epochs + 1, 0

    @property
    def epochs(self) -> float:
        """How often the corpus has been gone through."""
        part = self.progress.part + self.progress.batch / self._batches_per_part
        return self.progress.epochs + part / self._epochs.n_parts

    def _keep_snapshot(self) -> bool:
        """Keep the averaged weights of this step, if it is one of those to be kept."""
        kept = self.progress.step in self._snapshot_steps
        if kept and self.processes.is_first:
            save_snapshot(self.folder, self.progress.step, self.average)
        return kept

    def _write_history(self) -> None:
        """Append a line to the history, with the dev scores of the averaged weights."""
        line = {
            "step": self.progress.step,
            "epochs": round(self.epochs, 2),
            **self.progress.since_last_line(),
            "seconds": round(self.progress.seconds),
            "learning_rate": self.optimizers[0].param_groups[0]["lr"],
        }
        if self.processes.is_first:
            if self.split.dev:  # a tiny corpus has none
                found = evaluate(self.average, self.tokenizer, self.split.dev)
                line |= {"dev_bleu": found.bleu, "dev_chrf": found.chrf}
            with (self.folder / HISTORY).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def save_state(self) -> None:
        """Write all that ``go_back_to`` needs, in one file: the old one or the new one."""
        if self.processes.is_first:
            write_state(self.folder / STATE, self.state())

    def read_state(self) -> State:
        """The last saved state; ValueError if there is none that fits, or it is damaged."""
        state = read_state(self.folder / STATE)
        read_history(self.folder)
        own = self.state()
        changed = [
            name for name in _SAME if getattr(state.origin, name) != getattr(own.origin, name)
        ]
        if state.shapes != own.shapes or not fits(self.optimizers, state.tensors):
            changed.insert(0, "architecture")
        if changed:
            raise ValueError(
                f"{self.folder / STATE} was saved with another {changed[0]}. Give the options that "
                "the training began with, or train into another folder"
            )
        return state

    def state(self) -> State:
        """Everything that a step changes, and what the run was made with."""
        architecture = config_to_json(self.model.config)
        origin = TrainingIdentity(
            architecture={k: v for k, v in architecture.items() if k != "dropout"},
            tokenizer=hashlib.sha256(self.tokenizer.bpe.to_str().encode()).hexdigest(),
            corpus=self.corpus,
            precision="float32" if self.precision.working is self.model else "bfloat16",
            begun_with=self.begun_with,
        )
        weights = {name: p.detach() for name, p in self._weights().items()}
        tensors = weights | state_tensors(self.optimizers)
        return State(copy.copy(self.progress), self.settings_history, origin, tensors)

    def _weights(self) -> dict[str, nn.Parameter]:
        """``model.NAME`` and ``average.NAME``."""
        both = nn.ModuleDict({"model": self.model, "average": self.average})
        return dict(both.named_parameters())

    @torch.no_grad()
    def go_back_to(self, state: State) -> None:
        """Go on from a state; settings may differ, ``settings_history`` remembers which did."""
        for name, p in self._weights().items():
            p.copy_(state.tensors[name])
        load_state_tensors(self.optimizers, state.tensors)
        self.precision.refresh()
        self.progress = copy.copy(state.progress)
        self.begun_with = state.origin.begun_with
        last = state.settings_history[-1]
        now = self.settings_history[0] | {"from_step": self.progress.step}
        changed = now != last | {"from_step": self.progress.step}
        self.settings_history = [*state.settings_history, *([now] if changed else [])]
        if self.processes.is_first:  # what the killed run wrote after its last saved state
            forget_snapshots_after(self.folder, self.progress.step)
            forget_lines_after(self.folder, self.progress.step)
