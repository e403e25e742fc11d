"""The training loop: one class that can stop after any step and go on as if nothing had happened.

All randomness of step n (dropout, order of the batches, subwords of the words) is a function of
the seed and n alone, so a resumed run repeats, number for number, the one never stopped. Of several
processes each draws its own dropout, which its rank decides too; the batches are the same however
many there are.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import torch
from torch import Tensor

from model.checkpoint.architectures import AnyConfig, new_model, written
from model.checkpoint.before import NOTHING
from model.checkpoint.checkpoint import HISTORY, read_history, whole_lines
from model.checkpoint.provenance import Before
from model.checkpoint.snapshots import forget_snapshots_after, save_snapshot, snapshot_steps
from model.checkpoint.weights_file import weights_of
from model.data.arrow.stored_pairs import Parts
from model.data.augmentation import Augmentation, Shares
from model.data.batches import Batch, make_batch
from model.data.byte_level.tokenizer import ByteLevelTokenizer, spelled_alike
from model.data.corpus import Split
from model.data.epochs import Epochs
from model.data.language_pair import language_pair_of
from model.decoding.batch import translate_batch
from model.evaluation.scoring import score
from model.evaluation.short_enough import short_enough
from model.files.json_file import Setting
from model.files.replacing import write_text
from model.nn.encoder_decoder import Model
from model.training.objective import Objective
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
from model.training.state import (
    STATE,
    Origin,
    Progress,
    SettingsHistory,
    State,
    read_state,
    write_state,
)

_SAME = ("architecture", "tokenizer", "corpus")  # from the first step to the last
_OF_SUBWORDS = ("tokens.weight", "unembed.weight")  # (V, d_model): a row for each subword
_LEARNED = "optimizer."  # begins the names of what the optimizers remember
_APART = (
    2_654_435_769  # 2^32 over the golden ratio: its multiples lie far apart in 32 bits of a seed
)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained; all of it is written into the checkpoint.

    Args:
        steps: updates of the whole run.
        token_budget: source and target positions of a batch, padding included, however many
            processes share it.
        muon_lr: peak learning rate of Muon, for the blocks' weight matrices. A recurrent network
            goes through its own at every token and wants less: 0.002.
        adamw_lr: peak learning rate of AdamW, for embeddings, biases and norms. Mean loss of the
            shipped Transformer's architecture in steps 200 to 299, the same batches: 3.75 with
            0.008 and 0.001 as the two rates, 3.36 with 0.005 and 0.003. Of Bahdanau's network in
            steps 400 to 499: 3.12 with 0.002 and 0.001, 2.80 with 0.002 and 0.003.
        warmup: steps until the peak.
        cooldown: last share of the run, in which the rates fall to zero.
        label_smoothing: epsilon_ls.
        bpe_dropout: probability of missing a merge in the source (0 = always the same subwords).
            Provilkov et al. 2020 measured +0.7 BLEU on IWSLT English-French and +2.4 on
            English-Chinese with 0.1, on both sides.
        copying: share of the pairs with the same name or number on both sides that get another
            one. "Tom" stands in every eleventh sentence of Tatoeba: a model trained without this
            kept 12 % of the names that it had never seen, and 59 % of the numbers; 61 % and 74 %
            after 700 more steps with it.
        made_sentences: sentences with names and numbers that are made of our templates, for each
            one of the corpus: a hundred thousand sentences have but 919 pairs with a digit, and few
            say a name first.
        agreement: sentences that are made, for each one of the corpus, in which one word decides
            how another is written, or where it stands: in two of fra-eng "it" could stand for
            either of two nouns.
        as_typed: share of the sources in small letters, without the final sign, or both; some as
            titles or with a stressed word. Small letters cost the model that had never seen such
            sources 13 BLEU; 0.6 after those 700 steps.
        joined: share of the examples that hold two to four sentences (Kondo et al. 2021). Two in a
            row cost the model that had only seen single ones 5 BLEU, four 24.
        ema_decay: decay of the running average of the weights, which is what is shipped; at step
            n it is at most (1 + n) / (10 + n), so that the average does not come late at first.
        max_grad_norm: longest gradient that is followed at its full length.
        eval_every: steps between two looks at the dev set.
        save_every: steps between two saved states.
        seed: of everything random.
    """

    steps: int
    token_budget: int = 8192
    muon_lr: float = 0.005
    adamw_lr: float = 3e-3
    warmup: int = 100
    cooldown: float = 0.6
    label_smoothing: float = 0.1
    bpe_dropout: float = 0.05
    copying: float = 0.6
    made_sentences: float = 0.08
    agreement: float = 0.08
    as_typed: float = 0.25
    joined: float = 0.1
    ema_decay: float = 0.998
    max_grad_norm: float = 1.0
    eval_every: int = 400
    save_every: int = 200
    seed: int = 1

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            if not low <= getattr(self, name) <= high:  # NaN is in no range
                raise ValueError(
                    f"{name} must be from {low:,} to {high:,}, got {getattr(self, name)!r}"
                )


_MANY = 10**9
_RANGES: dict[str, tuple[float, float]] = {
    "steps": (1, _MANY),
    "token_budget": (1, _MANY),
    "muon_lr": (0, 1),
    "adamw_lr": (0, 1),
    "warmup": (0, _MANY),
    "cooldown": (1e-6, 1),
    "label_smoothing": (0, 0.999),
    "bpe_dropout": (0, 1),
    "copying": (0, 1),
    "made_sentences": (0, 10),
    "agreement": (0, 10),
    "as_typed": (0, 1),
    "joined": (0, 1),
    "ema_decay": (0, 1),
    "max_grad_norm": (1e-9, _MANY),
    "eval_every": (1, _MANY),
    "save_every": (1, _MANY),
    "seed": (0, _MANY),
}


class Training:
    """A run: a model, the data, and how far it has got.

    Args:
        model_config: architecture.
        config: how to train.
        split: train pairs and the dev set.
        tokenizer: of the model.
        folder: ``history.jsonl`` and the state to resume from are written here.
        device: where to compute.
        dtype: what to compute in; the weights that learn are float32 whatever it is.
        snapshots: how many steps are kept to be looked at later; each but the first has a line
            in the history too.
        corpus: hash of the files that the pairs were read from.
        begun_with: whose weights ``begin_with`` puts in; empty where they are random.
        before: what that model had behind it.
        processes: that make each step together, connected already.

    ``settings_history`` lists the settings, each with the step from which on they held;
    ``languages`` is what we know of the corpus's pair of languages.
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
        begun_with: str = "",
        before: Before = NOTHING,
        processes: Processes = ALONE,
    ) -> None:
        self._snapshot_steps = frozenset(snapshot_steps(config.steps, snapshots))
        torch.manual_seed(config.seed)
        self.config, self.tokenizer = config, tokenizer
        dev, test = (
            short_enough(references, tokenizer, model_config.max_length)
            for references in (split.dev, split.test)
        )
        self.split = replace(split, dev=dev, test=test)
        self.folder, self.device, self.corpus = folder, device, corpus
        self.begun_with, self.before, self.processes = begun_with, before, processes
        self.model = new_model(model_config).to(device)
        self.average = copy.deepcopy(self.model).eval()
        self.precision = MixedPrecision(self.model, dtype)
        self._objective = processes.adding_gradients(
            Objective(
                self.precision.working,
                pad_id=tokenizer.pad_id,
                label_smoothing=config.label_smoothing,
            )
        )
        self.optimizers = new_optimizers(
            self.model, muon_lr=config.muon_lr, adamw_lr=config.adamw_lr, dtype=dtype
        )
        self._parts = Parts(split.train, config.seed)
        self.languages = language_pair_of(self._parts.pairs(0, 0))
        augmentation = Augmentation(
            Shares(**{share.name: getattr(config, share.name) for share in fields(Shares)}),
            self.languages,
            subwords=[tokenizer.subword(id) for id in range(tokenizer.vocab_size)],
            max_length=model_config.max_length,
            token_budget=config.token_budget,
        )
        self._epochs = Epochs(self._parts, tokenizer, config.bpe_dropout, config.seed, augmentation)
        self.too_long = self._epochs.too_long
        self.progress = Progress(
            step=0, epochs=0, batch=0, seconds=0, loss_sum=0, loss_steps=0, tokens=0, clock=0
        )
        self._batches_per_part = 1
        settings: dict[str, Setting] = asdict(config) | {"dropout": model_config.dropout}
        self.settings_history: SettingsHistory = [{"from_step": 0} | settings]

    @torch.no_grad()
    def begin_with(self, trained: Model, tokenizer: ByteLevelTokenizer) -> None:
        """Take over the weights of a model of the same architecture, dropout apart.

        Subwords that its tokenizer does not know begin at random. What an encoder and a decoder
        learned from one pair of languages helps with another one, of which there are few sentences
        (Zoph et al. 2016, sections 3 and 5.1). English to Chinese, mean loss of steps 80 to 104 on
        the same batches: 5.66 from random weights, 5.41 from those of English to French.
        """
        rows, of_trained = spelled_alike(self.tokenizer, tokenizer)
        for model in (self.model, self.average):
            for (name, own), p in zip(model.named_parameters(), trained.parameters(), strict=True):
                if name.endswith(_OF_SUBWORDS):
                    own[rows] = p[of_trained]
                else:
                    own.copy_(p)
        self.precision.refresh()

    def run(self, on_step: Callable[[float], None]) -> None:
        """Train until the last step.

        Args:
            on_step: called after each step with its loss in nats a token. What it raises ends the
                run, whose state can then be saved and resumed.
        """
        progress = self.progress
        if progress.step == 0:
            self._keep_snapshot()
        for batch in self._batches_ahead():
            if progress.step >= self.config.steps:
                return
            start = time.perf_counter()
            loss = self.train_step(batch)
            took = time.perf_counter() - start
            progress.step += 1
            progress.batch += 1
            progress.loss_sum += loss
            progress.loss_steps += 1
            progress.tokens += batch.n_tokens
            progress.clock += took
            progress.seconds += took
            last = progress.step == self.config.steps
            kept = self._keep_snapshot()
            if last or kept or progress.step % self.config.eval_every == 0:
                self._write_history()
            if last or progress.step % self.config.save_every == 0:
                self.save_state()
            on_step(loss)

    def train_step(self, batch: Batch) -> float:
        """One update; returns the loss, in nats a target token.

        Raises:
            ValueError: the gradient is not finite; the weights are as they were before.
        """
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
        """The loss on a batch; the gradients of all processes' parts are then in ``model``."""
        processes, step = self.processes, self.progress.step
        torch.manual_seed(self.config.seed * 1_000_003 + step + processes.rank * _APART)
        self.precision.working.train()
        n_labels = int((batch.labels != self.tokenizer.pad_id).sum())
        part = processes.part(batch, self.tokenizer.pad_id).to(self.device)
        loss = self._objective(part, n_labels)
        (loss * processes.world_size).backward()
        self.precision.move_gradients()
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
            if progress.part == self._parts.number:
                progress.epochs, progress.part = progress.epochs + 1, 0

    @property
    def epochs(self) -> float:
        """How often the corpus has been gone through."""
        part = self.progress.part + self.progress.batch / self._batches_per_part
        return self.progress.epochs + part / self._parts.number

    def _keep_snapshot(self) -> bool:
        """Keep the averaged weights of this step, if it is one of those to be kept."""
        kept = self.progress.step in self._snapshot_steps
        if kept and self.processes.is_first:
            save_snapshot(self.folder, self.progress.step, self.average)
        return kept

    def _write_history(self) -> None:
        """Append a line to the history, with the dev scores of the averaged weights."""
        if self.processes.is_first:
            with (self.folder / HISTORY).open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._line()) + "\n")
        progress = self.progress
        progress.loss_sum, progress.loss_steps, progress.tokens, progress.clock = 0.0, 0, 0, 0.0

    def _line(self) -> dict[str, float]:
        progress = self.progress
        return {
            "step": progress.step,
            "epochs": round(self.epochs, 2),
            "loss": round(progress.loss_sum / progress.loss_steps, 4),
            "tokens_per_second": round(progress.tokens / progress.clock),
            "seconds": round(progress.seconds),
            "learning_rate": self.optimizers[0].param_groups[0]["lr"],
        } | self._dev_scores()

    def _dev_scores(self) -> dict[str, float]:
        """Greedy BLEU and chrF on the dev set; nothing where a tiny corpus has none."""
        if not self.split.dev:
            return {}
        sources, references = list(self.split.dev), list(self.split.dev.values())
        hypotheses = translate_batch(self.average, self.tokenizer, sources)
        scores = score([self.tokenizer.decode(h.ids) for h in hypotheses], references)
        return {"dev_bleu": round(scores.bleu, 2), "dev_chrf": round(scores.chrf, 2)}

    def save_state(self) -> None:
        """Write all that ``go_back_to`` needs, in one file: the old one or the new one."""
        if not self.processes.is_first:
            return
        state = State(self.progress, self.settings_history, self._origin(), self._tensors())
        write_state(self.folder / STATE, state)

    def _tensors(self) -> dict[str, torch.Tensor]:
        """Everything that a step changes, by name."""
        tensors = {f"model.{name}": p.detach() for name, p in weights_of(self.model).items()}
        tensors |= {f"average.{name}": p.detach() for name, p in weights_of(self.average).items()}
        return tensors | {f"{_LEARNED}{k}": t for k, t in state_tensors(self.optimizers).items()}

    def _origin(self) -> Origin:
        """What a run cannot change on its way."""
        architecture = written(self.model.config)
        return Origin(
            architecture={k: v for k, v in architecture.items() if k != "dropout"},
            tokenizer=hashlib.sha256(self.tokenizer.bpe.to_str().encode()).hexdigest(),
            corpus=self.corpus,
            precision="float32" if self.precision.working is self.model else "bfloat16",
            begun_with=self.begun_with,
            before=self.before,
        )

    def read_state(self) -> State:
        """The last saved state; nothing changes.

        Raises:
            ValueError: there is none, it is damaged, or it belongs to another architecture,
                tokenizer or corpus.
        """
        path = self.folder / STATE
        state = read_state(path)
        read_history(self.folder)
        self._check(state, path)
        return state

    @torch.no_grad()
    def go_back_to(self, state: State) -> None:
        """Go on from a state; settings may differ, ``settings_history`` remembers which did."""
        for part, model in (("model", self.model), ("average", self.average)):
            for name, p in weights_of(model).items():
                p.copy_(state.tensors[f"{part}.{name}"])
        load_state_tensors(self.optimizers, _learned(state))
        self.precision.refresh()
        self.progress = copy.copy(state.progress)
        self.begun_with, self.before = state.origin.begun_with, state.origin.before
        now = self.settings_history[0] | {"from_step": self.progress.step}
        unchanged = (
            now | {"from_step": state.settings_history[-1]["from_step"]}
            == state.settings_history[-1]
        )
        self.settings_history = (
            state.settings_history if unchanged else [*state.settings_history, now]
        )
        if self.processes.is_first:
            self._forget_after(self.progress.step)

    def _check(self, state: State, path: Path) -> None:
        """ValueError, with what to do, where this run is not the one that was saved."""
        ours = self._origin()
        changed = [name for name in _SAME if getattr(state.origin, name) != getattr(ours, name)]
        own = {n: t.shape for n, t in self._tensors().items() if not n.startswith(_LEARNED)}
        saved = {n: t.shape for n, t in state.tensors.items() if not n.startswith(_LEARNED)}
        if own != saved or not fits(self.optimizers, _learned(state)):
            changed.insert(0, "architecture")
        if changed:
            raise ValueError(
                f"{path} was saved with another {changed[0]}. Give the options that the training "
                "began with, or train into another folder"
            )

    def _forget_after(self, step: int) -> None:
        """Drop what the killed run wrote after its last saved state."""
        forget_snapshots_after(self.folder, step)
        if (path := self.folder / HISTORY).exists():
            lines = zip(whole_lines(path), read_history(self.folder), strict=True)
            kept = [text.decode() + "\n" for text, line in lines if line["step"] <= step]
            write_text(path, "".join(kept))


def _learned(state: State) -> dict[str, torch.Tensor]:
    """What the optimizers had remembered."""
    return {
        name.removeprefix(_LEARNED): tensor
        for name, tensor in state.tensors.items()
        if name.startswith(_LEARNED)
    }
