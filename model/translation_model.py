"""A checkpoint, loaded and ready: translate with it, look inside it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from model.checkpoint.checkpoint import load_checkpoint, read_card, read_history
from model.checkpoint.fingerprint import Version, fingerprint, version
from model.checkpoint.provenance import Line
from model.decoding.batch import translate_batch
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import Hypothesis
from model.files.checkpoint_error import NoHeadsError
from model.files.replacing import REPLACED, resolve
from model.nn.encoder_decoder import Config, Decodable, Model
from model.recurrent.config import RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.tokenizers.tokenizer import Tokenizer
from model.trace.base import Origin
from model.trace.recurrent import RecurrentTrace
from model.trace.tracing import Target, trace_pair
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

M = TypeVar("M", bound=Model)
R = TypeVar("R", bound=Trace | RecurrentTrace, covariant=True)


class Loaded(Generic[M, R]):
    """A model and its tokenizer. Never changes, so that any number of threads can share it.

    The model is in float32 and eval mode; ``writer`` is the same one, laid out for writing quickly.
    ``training`` is that part of ``config.json``, ``version`` of the folder, from just before it was
    read. In ``n_parameters`` a shared matrix counts once; ``origin`` is what traces know of it all.
    """

    trace_kind: type[R]
    config: Config  # the architecture

    def __init__(
        self,
        folder: Path,
        model: M,
        tokenizer: Tokenizer,
        training: dict[str, Any],
        version: Version = ("", ()),
    ) -> None:
        self.folder, self.model, self.tokenizer, self.training = folder, model, tokenizer, training
        self.version, self.config = version, model.config
        self.writer: Decodable = (
            FusedTransformer(model) if isinstance(model, Transformer) else model
        )
        self.n_parameters = sum(p.numel() for p in model.parameters())
        self.history: list[Line] = read_history(folder)  # one entry per look at dev
        self.origin = Origin(
            self.name, self.languages, self.n_parameters, fingerprint(model), read_card(folder)
        )

    @property
    def name(self) -> str:
        """Name of the checkpoint folder."""
        return self.folder.resolve().name.removesuffix(REPLACED)

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """What it reads and what it writes, such as "en" and "fr"; None where that is not known."""
        source, target = self.training.get("languages", (None, None))
        return source, target

    @property
    def least_sure(self) -> float | None:
        """The perplexity that 1 % of the greedy test translations goes beyond, if measured."""
        scores: dict[str, Any] = self.training.get("scores", {}).get("test, greedy", {})
        return scores.get("least_sure")

    def translate(self, texts: Sequence[str], *, beam: int = 1) -> list[Hypothesis]:
        """The best translation of every text; ``decode`` gives its text."""
        return translate_batch(self.writer, self.tokenizer, texts, beam=beam)

    def decode(self, hypothesis: Hypothesis) -> str:
        """The text of a hypothesis."""
        return self.tokenizer.decode(hypothesis.ids)

    def trace(self, text: str, *, target: Target | None = None, beam: int = 1) -> R:
        """Everything the model computes for one sentence; see ``trace_pair``."""
        of = (self.trace_kind, self.model, self.tokenizer)
        trace = trace_pair(*of, text, target=target, beam=beam, writer=self.writer)
        return replace(trace, origin=self.origin)


class TranslationModel(Loaded[Transformer, Trace]):
    """A Transformer, loaded."""

    trace_kind = Trace
    config: ModelConfig


class RecurrentTranslationModel(Loaded[RecurrentEncoderDecoder, RecurrentTrace]):
    """One of the Transformer's ancestors, loaded."""

    trace_kind = RecurrentTrace
    config: RecurrentConfig


AnyTranslationModel = TranslationModel | RecurrentTranslationModel


def load(folder: str | Path) -> AnyTranslationModel:
    """Load a checkpoint folder, whatever its architecture; CheckpointError says what is wrong.

    >>> model = load("checkpoints/en-fr")  # doctest: +SKIP
    >>> model.trace("I am a student.").cross.shape  # doctest: +SKIP
    (4, 8, 5, 7)
    """
    before = version(resolve(Path(folder)))
    model, tokenizer, training = load_checkpoint(folder)
    folder = resolve(Path(folder))
    if isinstance(model, Transformer):
        return TranslationModel(folder, model, tokenizer, training, before)
    assert isinstance(model, RecurrentEncoderDecoder)
    return RecurrentTranslationModel(folder, model, tokenizer, training, before)


def load_transformer(folder: str | Path) -> TranslationModel:
    """Load a Transformer; CheckpointError as ``load``, or for a recurrent model."""
    return require_transformer(load(folder))


def require_transformer(t: AnyTranslationModel) -> TranslationModel:
    """The same model, if it is a Transformer; otherwise NoHeadsError."""
    if not isinstance(t, TranslationModel):
        raise NoHeadsError(
            f"{t.name} is a recurrent model without heads. Pick a Transformer, for instance en-fr."
        )
    return t
