"""The training loop. It can stop after any step, and resume with an identical result.

All random numbers of step n (dropout, the order of the batches, how words are cut) are a function
of the seed and n alone. So a resumed training repeats, bit for bit, one that was never stopped.
With several processes, each process draws its own dropout masks, because their seed also depends on
the rank. The batches are the same for any number of processes.
"""

import copy
import hashlib
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names.language_pair import language_pair_of
from model.checkpoint.architectures import AnyConfig, config_to_json, new_model
from model.checkpoint.checkpoint import HISTORY, read_history
from model.checkpoint.snapshots import remove_snapshots_after, save_snapshot, snapshot_steps
from model.corpora.batches import Batch, make_batch
from model.corpora.pairs import Pair
from model.corpora.split import Split
from model.evaluation.left_out import short_enough
from model.evaluation.scoring import evaluate
from model.files.json_file import Setting
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer, shared_subwords
from model.training.config import TrainingConfig
from model.training.epochs import Epochs, Examples
from model.training.initial_weights import InitialWeights
from model.training.loss import smoothed_cross_entropy
from model.training.optimizer import (
    learning_rate_factor,
    load_state_tensors,
    new_optimizers,
    scale_learning_rates,
    state_tensors,
    tensors_fit,
)
from model.training.precision import MixedPrecision
from model.training.processes import ALONE, Processes
from model.training.saved_state import (
    STATE,
    Progress,
    SettingsHistory,
    State,
    TrainingIdentity,
    read_state,
    remove_lines_after,
    write_state,
)
from model.transformer.masks import padding_mask

# fields that must not change when a training run is resumed
_MUST_MATCH = ("architecture", "tokenizer", "corpus")
_VOCABULARY_MATRICES = ("tokens.weight", "unembed.weight")  # (V, d_model): a row for each subword

# Step n of a run draws its random numbers from seed * stride + n. So runs with different seeds
# share none of these numbers as long as they have no more steps than the stride.
_STEP_SEED_STRIDE = 1_000_003
# 2^32 divided by the golden ratio. Multiples of this number are spread evenly over 32-bit seeds.
_RANK_SEED_STRIDE = 2_654_435_769


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The constant inputs of a training run."""

    architecture: AnyConfig
    config: TrainingConfig
    split: Split  # sentence pairs
    tokenizer: ByteLevelTokenizer
    folder: Path  # where the history, the snapshots and the saved state are written
    device: torch.device
    dtype: torch.dtype  # for the computation; the trained weights are always float32
    snapshots: int = 0  # number of steps whose weights are saved as snapshots
    corpus: str = ""  # identifies the corpus and how it was read, for ``TrainingIdentity``
    initial_weights: InitialWeights | None = None  # None: random weights
    times_per_epoch: Mapping[str, int] | None = None  # of the sources that an epoch repeats
    processes: Processes = ALONE  # connected processes, which compute each step together


class Training:
    """One training run: the model, its optimizers, and its progress."""

    def __init__(self, setup: Setup) -> None:
        config = setup.config
        tokenizer = setup.tokenizer
        max_length = setup.architecture.max_length
        self.config = config
        self.tokenizer = tokenizer
        self.folder = setup.folder
        self.device = setup.device
        self.processes = setup.processes
        self._corpus = setup.corpus
        self._n_snapshots = setup.snapshots
        self._snapshot_steps = frozenset(snapshot_steps(config.steps, setup.snapshots))

        # 1. Set up the model and the optimizers
        torch.manual_seed(config.seed)
        self.split = replace(
            setup.split,
            dev=short_enough(setup.split.dev, tokenizer, max_length),
            test=short_enough(setup.split.test, tokenizer, max_length),
        )
        self.model = new_model(setup.architecture).to(setup.device)
        self.average = copy.deepcopy(self.model).eval()
        self.precision = MixedPrecision(self.model, setup.dtype)
        self.optimizers = new_optimizers(self.model, config, setup.dtype)

        # 2. Set up the training examples
        self.languages = language_pair_of(setup.split.train)
        augmentation = Augmentation(
            Shares(**{share.name: getattr(config, share.name) for share in fields(Shares)}),
            self.languages,
            subwords=[tokenizer.subword(id) for id in range(tokenizer.vocab_size)],
            max_length=max_length,
            token_budget=config.token_budget,
        )

        def make_examples(pairs: Sequence[Pair]) -> Examples:
            return Examples(
                pairs,
                tokenizer,
                config.bpe_dropout,
                config.seed,
                augmentation,
                setup.times_per_epoch,
            )

        self._epochs = Epochs(setup.split.train, make_examples, config.seed)
        self.n_too_long = self._epochs.n_too_long
        self._batches_per_part = 1  # a placeholder until the batches of a part are made

        # 3. Start the counters of the progress
        self.progress = Progress(
            step=0, epochs=0, batch=0, seconds=0, loss_sum=0, loss_steps=0, tokens=0, clock=0
        )
        settings: dict[str, Setting] = asdict(config) | {
            "dropout": setup.architecture.dropout,
            "precision": self.precision.name,
        }
        self.settings_history: SettingsHistory = [{"from_step": 0} | settings]

        # 4. Copy the initial weights, if they are given
        self.initial_weights = ""  # description of the initial weights
        if setup.initial_weights:
            self.initial_weights = setup.initial_weights.description
            self._take_over(setup.initial_weights)

    @torch.no_grad()
    def _take_over(self, initial_weights: InitialWeights) -> None:
        """Copy the weights of a model with the same architecture, apart from dropout.

        Rows of subwords that its vocabulary does not have stay random. What an encoder and a
        decoder learned from one pair of languages helps with a different pair that has few
        sentences (Zoph et al. 2016, sections 3 and 5.1). English to Chinese, mean loss of steps 80
        to 104 on the same batches: 5.66 from random weights, 5.41 from those of English to French.
        """
        rows, source_rows = shared_subwords(self.tokenizer, initial_weights.tokenizer)
        for model in (self.model, self.average):
            sources = initial_weights.model.parameters()
            for (name, p), source in zip(model.named_parameters(), sources, strict=True):
                if name.endswith(_VOCABULARY_MATRICES):
                    p[rows] = source[source_rows].to(p.device)
                else:
                    p.copy_(source)
        self.precision.refresh()

    def run(self) -> Iterator[float]:
        """Train until the last step.

        Yields:
            The loss of each step, in nats per token. At each yield the state can be saved.
        """
        config = self.config
        progress = self.progress
        if progress.step == 0:
            self._save_snapshot_if_due()
        for batch in self._batches_ahead():
            if progress.step >= config.steps:
                return
            start = time.perf_counter()
            loss = self.train_step(batch)
            seconds = time.perf_counter() - start
            progress.count(loss=loss, tokens=batch.n_tokens, seconds=seconds)

            is_last = progress.step == config.steps
            has_snapshot = self._save_snapshot_if_due()
            if is_last or has_snapshot or progress.step % config.eval_every == 0:
                self._write_history()
            if is_last or progress.step % config.save_every == 0:
                self.save_state()
            yield loss

    def train_step(self, batch: Batch) -> float:
        """Make one update of the weights.

        Returns:
            The loss of the batch before the update, in nats per token.

        Raises:
            ValueError: the gradient is not finite, because the loss diverged.
        """
        config = self.config
        step = self.progress.step

        # 1. Compute the gradient, and clip its norm to ``max_grad_norm``
        loss = self._compute_gradients(batch)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.max_grad_norm)
        if not math.isfinite(norm.item()):
            raise ValueError(
                f"the loss diverged: the gradient of step {step + 1:,} is not finite. Resume from "
                "the last saved state with --resume and smaller learning rates"
            )

        # 2. Update the weights
        factor = learning_rate_factor(
            step, n_steps=config.steps, warmup=config.warmup, cooldown=config.cooldown
        )
        scale_learning_rates(self.optimizers, factor)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()

        # 3. Update the working copy and the average of the weights
        self.precision.refresh()
        self._update_average(step)
        return loss.item()

    def _compute_gradients(self, batch: Batch) -> Tensor:
        """Compute the gradients of ``model`` for a batch, summed over all processes.

        Args:
            batch: the whole batch, the same for all processes.

        Returns:
            Scalar: the mean loss over the labels of the whole batch, in nats.
        """
        pad_id = self.tokenizer.pad_id
        seed = self.config.seed * _STEP_SEED_STRIDE + self.progress.step
        torch.manual_seed(seed + self.processes.rank * _RANK_SEED_STRIDE)

        # 1. Select the rows of this process
        n_labels = int((batch.labels != pad_id).sum())  # labels of all processes
        batch = self.processes.shard(batch, pad_id).to(self.device)

        # 2. Compute the loss (forward pass)
        model = self.precision.working.train()
        src_mask = padding_mask(batch.src, pad_id)
        memory = model.encode(batch.src, src_mask)
        decoded = model.decode_states(batch.tgt, memory, src_mask)  # (B, T, d_model)
        has_label = batch.labels != pad_id  # (B, T)
        loss = smoothed_cross_entropy(
            decoded[has_label],  # (N, d_model)
            model.unembed.weight,
            batch.labels[has_label],  # (N,)
            self.config.label_smoothing,
            n_labels,
        )

        # 3. Compute the gradients (backward pass)
        loss.backward()  # type: ignore[no-untyped-call]
        self.precision.move_gradients()
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        self.processes.all_reduce_gradients(gradients)
        return self.processes.sum(loss.detach())

    @torch.no_grad()
    def _update_average(self, step: int) -> None:
        """Update the running average of the weights (Polyak & Juditsky 1992).

        The decay is at most (1 + step) / (10 + step), so at first the average is over few steps. A
        mean of all steps so far would lag behind: it showed at step 305 what the weights had
        learned by step 177.
        """
        decay = min(self.config.ema_decay, (1 + step) / (10 + step))
        for average, p in zip(self.average.parameters(), self.model.parameters(), strict=True):
            average.lerp_(p, 1 - decay)

    def _batches_ahead(self) -> Iterator[Batch]:
        """Yield the remaining batches of this epoch, then the batches of all later epochs."""
        progress = self.progress
        while True:
            batches = self._epochs.batches(progress.epochs, progress.part, self.config.token_budget)
            self._batches_per_part = len(batches)
            for ids in batches[progress.batch :]:
                yield make_batch(ids, self.tokenizer.pad_id)
            progress.batch = 0
            progress.part += 1
            if progress.part == self._epochs.n_parts:
                progress.part = 0
                progress.epochs += 1

    @property
    def epochs(self) -> float:
        """The number of passes through the corpus so far."""
        parts = self.progress.part + self.progress.batch / self._batches_per_part
        return self.progress.epochs + parts / self._epochs.n_parts

    def _save_snapshot_if_due(self) -> bool:
        """Save the averaged weights if a snapshot is due. Return whether it is, in every rank."""
        is_due = self.progress.step in self._snapshot_steps
        if is_due and self.processes.is_first:
            save_snapshot(self.folder, self.progress.step, self.average)
        return is_due

    def _write_history(self) -> None:
        """Append a line to the history, with the dev scores of the averaged weights."""
        line = {
            "step": self.progress.step,
            "epochs": round(self.epochs, 2),
            **self.progress.since_last_line(),
            "seconds": round(self.progress.seconds),
            "learning_rate": self.optimizers[0].param_groups[0]["lr"],
        }
        if not self.processes.is_first:
            return
        if self.split.dev:  # a tiny corpus has no dev set
            scores = evaluate(self.average, self.tokenizer, self.split.dev)
            line["dev_bleu"] = scores.bleu
            line["dev_chrf"] = scores.chrf
        with (self.folder / HISTORY).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def save_state(self) -> None:
        """Write all data that ``restore`` needs to one file, completely or not at all."""
        if self.processes.is_first:
            write_state(self.folder / STATE, self.state())

    def read_state(self, folder: Path) -> State:
        """Read the saved state of a run with the same architecture, tokenizer and corpus.

        Args:
            folder: where the state is; for a finished training this is not ``self.folder``.

        Raises:
            CheckpointError: the state or the history is missing or damaged.
            ValueError: the state belongs to a different training.
        """
        path = folder / STATE
        state = read_state(path)
        read_history(folder)  # raises CheckpointError if the history is damaged

        own = self.state()
        different = [
            name for name in _MUST_MATCH if getattr(state.origin, name) != getattr(own.origin, name)
        ]
        if state.shapes != own.shapes or not tensors_fit(self.optimizers, state.tensors):
            different.insert(0, "architecture")
        if different:
            raise ValueError(
                f"{path} was saved with a different {different[0]}: "
                f"{_remedy(state.origin, own.origin)}"
            )
        return state

    def state(self) -> State:
        """Return all data that change during training, and the identity of the run."""
        architecture = config_to_json(self.model.config)
        del architecture["dropout"]  # dropout may change
        origin = TrainingIdentity(
            architecture=architecture,
            tokenizer=hashlib.sha256(self.tokenizer.bpe.to_str().encode()).hexdigest(),
            corpus=self._corpus,
            precision=self.precision.name,
            initial_weights=self.initial_weights,
        )
        weights = {name: p.detach() for name, p in self._weights().items()}
        tensors = weights | state_tensors(self.optimizers)
        return State(
            progress=copy.copy(self.progress),
            settings_history=self.settings_history,
            origin=origin,
            tensors=tensors,
            snapshots=self._n_snapshots,
        )

    def _weights(self) -> dict[str, nn.Parameter]:
        """Return all weights as ``model.NAME`` and ``average.NAME``."""
        both = nn.ModuleDict({"model": self.model, "average": self.average})
        return dict(both.named_parameters())

    @torch.no_grad()
    def restore(self, state: State) -> None:
        """Resume from a saved state.

        The settings may have changed since. ``settings_history`` then gets one more entry.
        """
        # 1. Restore the tensors
        for name, p in self._weights().items():
            p.copy_(state.tensors[name])
        load_state_tensors(self.optimizers, state.tensors)
        self.precision.refresh()

        # 2. Restore the progress
        self.progress = copy.copy(state.progress)
        self.initial_weights = state.origin.initial_weights
        # A state from before the settings held the precision names it only in its origin
        precision: dict[str, Setting] = {"precision": state.origin.precision}
        history = [precision | settings for settings in state.settings_history]
        now = self.settings_history[0] | {"from_step": self.progress.step}
        has_changed = now != history[-1] | {"from_step": self.progress.step}
        self.settings_history = history
        if has_changed:
            self.settings_history.append(now)

        # 3. Remove files that the interrupted run wrote after this state
        if self.processes.is_first:
            remove_snapshots_after(self.folder, self.progress.step)
            remove_lines_after(self.folder, self.progress.step)


def _remedy(saved: TrainingIdentity, given: TrainingIdentity) -> str:
    """Return the remedy if a state belongs to a training run with other options."""
    differing = {
        name: value
        for name, value in saved.architecture.items()
        if name != "vocab_size" and given.architecture.get(name) != value
    }
    if differing:
        words = [_option(name, value) for name, value in differing.items()]
        return f"it began with {' '.join(words)}. Leave these options out, or give them so"
    return "give the options that the training began with"


def _option(name: str, value: Setting) -> str:
    """Return the command-line words for one architecture option, such as ``--d-model 32``."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag} {value}"
