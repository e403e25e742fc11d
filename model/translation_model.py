"""A loaded checkpoint, which translates sentences and traces its computation."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
import torch

from model.arrays import Array
from model.checkpoint.checkpoint import load_checkpoint, read_card, read_history
from model.checkpoint.fingerprint import Version, fingerprint, version
from model.checkpoint.provenance import HistoryLine
from model.corpora.pairs import Languages
from model.decoding.batch import translate_batch
from model.decoding.draft import Drafter, drafts_are_fast
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import Hypothesis
from model.files.checkpoint_error import NoHeadsError, NotOfThePaperError
from model.files.replacing import REPLACED, resolve
from model.hub.tokenizer import HubTokenizer
from model.nn.attention_model import AttentionConfig, AttentionModel
from model.nn.encoder_decoder import Config, Decodable, Model
from model.recurrent.config import RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.tokenizers.tokenizer import Token, Tokenizer
from model.trace.origin import Origin
from model.trace.recurrent import RecurrentTrace
from model.trace.tracing import Target, trace_pair
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, Kind, head_named
from model.transformer.transformer import Transformer

if TYPE_CHECKING:
    from model.interventions.ablation import AblationEffect, AblationMode
    from model.interventions.patching import PatchScores
    from model.maps.view import Aggregate, Cells, Unit
    from model.pictures.colours import Theme
    from model.pictures.svg import Picture
    from model.trace.transformer import Rows

_CHOICES = "/choices"  # marks the languages and the prefix in a version; no file has this name

M = TypeVar("M", bound=Model)
R = TypeVar("R", bound=Trace | RecurrentTrace, covariant=True)


class Loaded(Generic[M, R]):
    """A model and its tokenizer. The object is read-only, so several threads can share it.

    Args:
        folder: of the checkpoint.
        model: in float32 and eval mode.
        tokenizer: of this model.
        training: the entry ``training`` of ``config.json``.
        version: of the folder, from just before it was read.
    """

    trace_class: type[R]
    config: Config  # the architecture

    def __init__(
        self,
        folder: Path,
        model: M,
        tokenizer: Tokenizer,
        training: dict[str, Any],
        version: Version = ("", ()),
    ) -> None:
        self.folder = folder
        self.model = model
        self.config = model.config
        self.tokenizer = tokenizer
        self.training = training
        self.version = version
        self._fused: Decodable = (
            FusedTransformer(model) if isinstance(model, Transformer) else model
        )
        self._copied = _place_and_format(model)  # of the weights when they were copied here
        self._drafter: Drafter | None = None
        is_exact = self._copied == (torch.device("cpu"), torch.float32)
        if isinstance(model, Transformer) and is_exact and drafts_are_fast():
            self._drafter = Drafter(model)
        # a shared matrix counts once
        self.n_parameters = sum(p.numel() for p in model.parameters())
        self.history: list[HistoryLine] = read_history(folder)  # one entry per evaluation on dev
        self.origin = Origin(  # stored in every trace
            name=self.name,
            languages=self.languages,
            n_parameters=self.n_parameters,
            mark=fingerprint(model),
            card=read_card(folder),
        )

    @property
    def name(self) -> str:
        """The name of the checkpoint folder."""
        return self.folder.resolve().name.removesuffix(REPLACED)

    @property
    def languages(self) -> Languages:
        """The codes of source and target language, such as "en" and "fr"; None if not known."""
        source, target = self.training.get("languages", (None, None))
        return source, target

    @property
    def perplexity_p99(self) -> float | None:
        """The perplexity that 1 % of the greedy test translations exceed; None if not measured."""
        scores: dict[str, Any] = self.training.get("scores", {}).get("test, greedy", {})
        return scores.get("least_sure")

    @property
    def decoder(self) -> Decodable:
        """The model for decoding. Its weights are arranged for speed; see ``FusedTransformer``.

        These are copies. A model that was moved to another device, or converted to another number
        format, decodes by itself.
        """
        return self._fused if self._copied == _place_and_format(self.model) else self.model

    @property
    def drafter(self) -> Drafter | None:
        """Writes drafts of greedy translations; None where this would not save time."""
        return self._drafter if self._copied == _place_and_format(self.model) else None

    def translate(self, texts: Sequence[str], *, beam: int = 1) -> list[Hypothesis]:
        """Return the best translation of each text, in the same order; see ``translate_batch``.

        Raises:
            TypeError: ``texts`` is one text, whose characters would be translated one by one.
        """
        if isinstance(texts, str):
            raise TypeError("translate takes a list of sentences: t.translate([text])")
        return translate_batch(self.decoder, self.tokenizer, texts, beam=beam, drafter=self.drafter)

    def decode(self, hypothesis: Hypothesis) -> str:
        """Return the text of a hypothesis."""
        return self.tokenizer.decode(hypothesis.ids)

    def trace(
        self,
        text: str,
        *,
        tokens: Sequence[Token] | None = None,
        target: Target | None = None,
        beam: int = 1,
    ) -> R:
        """Record all tensors that the model computes for one sentence.

        Args:
            text: the sentence, as typed.
            tokens: what ``read_sentence`` returned for it, if the caller has it.
            target: a translation that the decoder reads; None lets the model translate.
            beam: K >= 1 hypotheses kept while translating; 1 is greedy.

        Returns:
            The trace.

        Raises:
            InputError: a text is empty or too long. See ``trace_pair`` for all of it.
            TypeError: ``text`` is not text, for instance a list of sentences.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"trace takes one sentence, not a {type(text).__name__}. For several: "
                "[t.trace(text) for text in texts], or t.translate(texts) for translations alone"
            )
        trace = trace_pair(
            self.trace_class,
            self.model,
            self.tokenizer,
            text,
            tokens=tokens,
            target=target,
            beam=beam,
            decoder=self.decoder,
            drafter=self.drafter,
        )
        return replace(trace, origin=self.origin)


class HubChoices(NamedTuple):
    """What has been chosen for a Hub model; None where it keeps the choice of its own files."""

    source_language: str | None = None
    target_language: str | None = None
    prefix: str | None = None


class TranslationModel(Loaded[AttentionModel, Trace]):
    """A loaded Transformer, of this project or from the Hub."""

    trace_class = Trace
    config: AttentionConfig
    hub_choices = HubChoices()  # only ``with_languages`` and ``with_prefix`` return others

    @property
    def is_paper(self) -> bool:
        """Whether this is our own Transformer, built as in the paper, and not a Hub model."""
        return isinstance(self.model, Transformer)

    def with_languages(self, source: str = "", target: str = "") -> Self:
        """Return this model with two other languages. The weights are shared.

        Args:
            source: as the model names it, such as "eng_Latn"; see ``tokenizer.source_languages``.
                Empty keeps the present one. Leave it empty for a model that has only a choice of
                targets.
            target: as the model names it, such as "fra_Latn" or ">>fra<<"; see
                ``tokenizer.target_languages``. Empty keeps the present one.

        Raises:
            ValueError: the model has no choice of languages, or not this one.
        """
        tokenizer = self.tokenizer
        if not isinstance(tokenizer, HubTokenizer) or not tokenizer.target_languages:
            raise ValueError(f"{self.name} has no choice of languages: take a model of many")
        tokenizer = tokenizer.with_languages(source, target)
        chosen_source, chosen_target = tokenizer.language_pair
        choices = self.hub_choices._replace(
            source_language=chosen_source, target_language=chosen_target
        )
        return self._with_choices(tokenizer, choices)

    def with_prefix(self, prefix: str) -> Self:
        """Return this T5 model with another prefix before each sentence. The weights are shared.

        Args:
            prefix: such as "translate English to German:"; empty for none.

        Raises:
            ValueError: the model takes no prefix.
        """
        if not isinstance(self.tokenizer, HubTokenizer) or not self.tokenizer.takes_prefix:
            raise ValueError(f"{self.name} takes no prefix: only T5 does")
        tokenizer = self.tokenizer.with_prefix(prefix)
        choices = self.hub_choices._replace(prefix=tokenizer.prefix.strip())
        return self._with_choices(tokenizer, choices)

    def _with_choices(self, tokenizer: HubTokenizer, choices: HubChoices) -> Self:
        """Return this model with a tokenizer that follows these choices."""
        changed = copy.copy(self)
        changed.tokenizer = tokenizer
        changed.hub_choices = choices
        languages = tokenizer.short_languages(self.languages)
        changed.training = self.training | {"languages": languages}
        changed.origin = replace(self.origin, languages=languages)
        folder, files = self.version  # the key of cached results, so it includes the choices
        source, target = tokenizer.language_pair
        mark = (_CHOICES, source or "", target or "", tokenizer.prefix)
        changed.version = folder, (*(file for file in files if file[0] != _CHOICES), mark)
        return changed

    # Experiments for notebooks. They are imported inside the methods, because they import this
    # module.

    def ablate(
        self, sentence: str | Trace, heads: str | Sequence[str], *, mode: AblationMode = "zero"
    ) -> AblationEffect:
        """Score the original translation of a sentence, and translate it again, without some heads.

        Args:
            sentence: a text or its trace.
            heads: names such as ``"cross 3.4"``: layer 3, head 4, counted from 1 as in the app.
            mode: ``"zero"``: they give 0; ``"uniform"``: they look equally at all that they see;
                ``"mean"``: they give their mean over a corpus, if that was stored.

        Returns:
            ``text``, the new translation; ``log_probs``, (T,) of the tokens of the first one;
            ``distance``, (T,) how far the distribution of each token has moved, 0 to 1.

        Raises:
            ValueError: a name or a mode does not exist, or no means are stored.
        """
        from model.interventions.ablation import (
            ABLATION_MODES,
            ablation_effect,
            ablations_of,
            read_head_means,
        )

        if mode not in ABLATION_MODES:
            raise ValueError(f"there is no mode {mode!r}: take one of {', '.join(ABLATION_MODES)}")
        names = [heads] if isinstance(heads, str) else heads
        selected = [head_named(name, self.config) for name in names]
        stored = read_head_means(self) if mode == "mean" else None
        ablations = ablations_of(self.config, selected, mode, stored.means if stored else None)
        return ablation_effect(self, self._trace_of(sentence), ablations)

    def patch(self, first: str | Trace, second: str | Trace) -> PatchScores:
        """Patch each activation of the first sentence into the second sentence, one at a time.

        Args:
            first: a text or its trace; its activations are patched in.
            second: the sentence that is read again. The translations must begin alike, then differ.

        Returns:
            Scores of all heads, streams and feed-forward networks: 1 where one activation alone
            brings the first translation's word back, 0 where it changes nothing. In these arrays
            layers and heads count from 0: ``scores.heads["cross"][2, 3]`` is head 3.4 of the app.

        Raises:
            SameTranslationError: the translations do not differ.
        """
        from model.interventions.patching import patch_scores

        return patch_scores(self.model, self._trace_of(first), self._trace_of(second))

    def contributions(self, sentence: str | Trace, kind: Kind = "cross") -> Array:
        """Return the share of each token in the output of each attention, by head.

        Args:
            sentence: a text or its trace.
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.

        Returns:
            (layers, H, T, S), 0 to 1, as *Contributions* in the app. Layers and heads count from 0:
            ``[2, 3]`` is head 3.4 of the app.

        Source: Ferrando et al. 2022; see ``model.maps.contributions``.
        """
        from model.maps.contributions import contributions, head_contributions, take_apart

        if kind not in KINDS:
            raise ValueError(f"there is no attention {kind!r}: take one of {', '.join(KINDS)}")
        trace = self._trace_of(sentence)
        layers = []
        for layer in range(self.config.n_layers):
            parts = take_apart(self.model, trace, kind, layer)
            layers.append(head_contributions(parts, contributions(parts)))
        return np.stack(layers)

    def plot(
        self,
        sentence: str | Trace,
        kind: Kind = "cross",
        *,
        layer: int | None = None,
        head: int | None = None,
        view: Aggregate | None = None,
        cells: Cells = "weights",
        unit: Unit = "subwords",
        special: bool = True,
        rows: Rows = "written",
        theme: Theme = "light",
    ) -> Picture:
        """Draw any map of the app. ``save("map.pdf")`` writes it to a file, also as .png or .svg.

        Args:
            sentence: a text or its trace.
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
            layer: from 0; None for the last. The app counts from 1.
            head: from 0. The app counts from 1.
            view: ``"head"``, ``"mean"`` or ``"max"`` of a layer's heads, ``"layers"`` for the mean
                of all layers, ``"rollout"`` up to the layer. None: the map of ``head``, or the mean
                if ``head`` is None.
            cells: ``"weights"``, ``"value_norms"`` or ``"contributions"``.
            unit: ``"subwords"`` or ``"words"``.
            special: whether special tokens are shown.
            rows: ``"written"`` names a decoder row by the token that it writes, ``"read"`` by the
                one that it has read.
            theme: ``"light"`` or ``"dark"``.

        Returns:
            The picture: a notebook shows it.

        Raises:
            ValueError: there is no such map; the message lists what can be chosen.
        """
        from model.maps.plot import checked_options, plot_map

        return plot_map(
            self,
            self._trace_of(sentence),
            checked_options(kind, rows=rows, cells=cells, unit=unit, special=special),
            view=view or ("mean" if head is None else "head"),
            layer=self.config.n_layers - 1 if layer is None else layer,
            head=head or 0,
            theme=theme,
        )

    def plot_heads(
        self,
        sentence: str | Trace,
        kind: Kind = "cross",
        *,
        layer: int | None = None,
        cells: Cells = "weights",
        unit: Unit = "subwords",
        special: bool = True,
        rows: Rows = "written",
        theme: Theme = "light",
    ) -> Picture:
        """Draw a small map of each head, as in the app. Arguments: see ``plot``.

        Args:
            sentence: a text or its trace.
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
            layer: from 0; None for all layers.
            cells: ``"weights"``, ``"value_norms"`` or ``"contributions"``.
            unit: ``"subwords"`` or ``"words"``.
            special: whether special tokens are shown.
            rows: ``"written"`` names a decoder row by the token that it writes, ``"read"`` by the
                one that it has read.
            theme: ``"light"`` or ``"dark"``.

        Returns:
            The picture; its ``numbers`` are (layers, H, T, S).

        Raises:
            ValueError: there are no such maps; the message lists what can be chosen.
        """
        from model.maps.plot import checked_options, plot_heads

        return plot_heads(
            self,
            self._trace_of(sentence),
            checked_options(kind, rows=rows, cells=cells, unit=unit, special=special),
            layer=layer,
            theme=theme,
        )

    def _trace_of(self, sentence: str | Trace) -> Trace:
        return self.trace(sentence) if isinstance(sentence, str) else sentence


class RecurrentTranslationModel(Loaded[RecurrentEncoderDecoder, RecurrentTrace]):
    """A loaded recurrent model, a predecessor of the Transformer."""

    trace_class = RecurrentTrace
    config: RecurrentConfig


AnyTranslationModel = TranslationModel | RecurrentTranslationModel


def load(folder: str | Path, *, device: str | torch.device = "cpu") -> AnyTranslationModel:
    """Load a checkpoint folder of any architecture. Raise CheckpointError if it is unusable.

    Args:
        folder: of a model of this project, or of the Hub.
        device: where it computes, such as "cuda"; the arrays of its traces are on the CPU.

    Raises:
        CheckpointError: a file is missing or damaged, or the model does not fit into the memory.
        ValueError: PyTorch has no such device here.

    >>> model = load("checkpoints/en-fr")  # doctest: +SKIP
    >>> model.trace("I am a student.").cross.shape  # doctest: +SKIP
    (4, 8, 5, 7)
    """
    # Read the version first. If the folder is replaced during loading, it is loaded again.
    version_before = version(resolve(Path(folder)))
    _require_device(device)
    model, tokenizer, training = load_checkpoint(folder)
    model.to(device)
    folder = resolve(Path(folder))
    if isinstance(model, AttentionModel):
        return TranslationModel(folder, model, tokenizer, training, version_before)
    assert isinstance(model, RecurrentEncoderDecoder)
    return RecurrentTranslationModel(folder, model, tokenizer, training, version_before)


def _place_and_format(model: Model) -> tuple[torch.device, torch.dtype]:
    """Return the device and the number format of a model's weights."""
    weight = model.unembed.weight
    return weight.device, weight.dtype


def _require_device(device: str | torch.device) -> None:
    """Raise ValueError if PyTorch cannot compute on a device."""
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(
            f"PyTorch cannot compute on the device {str(device)!r} here: leave device out to "
            "compute on the CPU."
        ) from error


def load_transformer(folder: str | Path, *, device: str | torch.device = "cpu") -> TranslationModel:
    """Load a Transformer.

    Arguments and errors as in ``load``; NoHeadsError for a recurrent model.
    """
    return require_transformer(load(folder, device=device))


def require_transformer(t: AnyTranslationModel) -> TranslationModel:
    """Return ``t`` if it is a Transformer; otherwise raise NoHeadsError."""
    if not isinstance(t, TranslationModel):
        raise NoHeadsError(
            f"{t.name} is a recurrent model without heads. Choose a Transformer, for instance "
            "en-fr."
        )
    return t


def require_paper(t: TranslationModel) -> Transformer:
    """Return the network of a model of this project; raise an error for a Hub model.

    Raises:
        NotOfThePaperError: it is a model of the Hub.
    """
    if not isinstance(t.model, Transformer):
        raise NotOfThePaperError(
            f"{t.name} is a model of the Hugging Face Hub, and this shows the parts of the "
            "Transformer of the paper. Choose a model of this project, for instance en-fr."
        )
    return t.model
