"""What may stand in the files of a checkpoint folder, as types that msgspec checks.

msgspec was chosen since it gives plain values of these very types (a line of the history stays a
table), needs no other package, and reads a file once, as fast as JSON alone. What a schema does not
name is left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from model.files.json_file import Count, Name, Number, Positive, Setting, Text


class Line(TypedDict):
    """A line of ``history.jsonl``."""

    step: Count
    seconds: Positive
    epochs: NotRequired[Positive]
    loss: NotRequired[Number]
    tokens_per_second: NotRequired[Positive]
    learning_rate: NotRequired[Positive]
    dev_bleu: NotRequired[Positive]
    dev_chrf: NotRequired[Positive]


class Sureness(TypedDict, total=False):
    """Of a score, as far as the app asks for it."""

    least_sure: Positive


class Before(TypedDict):
    """What a model had behind it whose weights a training began with; see ``checkpoint.before``."""

    steps: Count
    epochs: Positive
    seconds: Positive
    hardware: NotRequired[Text]
    history: list[Line]
    settings_history: list[dict[str, Setting]]


class Facts(TypedDict, total=False):
    """How a model came about, as far as the app shows it."""

    steps: Count
    seconds: Positive
    hardware: Text
    epochs: Positive
    precision: Text
    languages: tuple[Text | None, Text | None]
    settings_history: list[dict[str, Setting]]
    before: Before
    scores: dict[Text, Sureness]
    converted_from: Text
    licence: Text | None
    guided_alignment: bool


class ConfigFile(TypedDict):
    """``config.json``."""

    architecture: dict[str, Any]
    training: NotRequired[dict[str, Any]]


class RunFile(TypedDict):
    """``config.json`` as the end of a training."""

    training: Facts


class TokenizerModel(TypedDict):
    """The vocabulary in ``tokenizer.json``, and what its subwords are put together from."""

    vocab: dict[str, Annotated[int, Meta(ge=0, le=10**6)]]
    merges: list[tuple[str, str] | str]  # as "a b" before tokenizers 0.20
    type: Literal["BPE"]


class PieceModel(TypedDict):
    """One SentencePiece model; see ``model.data.pieces.sentence_piece``."""

    algorithm: Literal["unigram", "bpe"]
    scores: dict[Name, Number]
    defined: list[Name]
    controls: list[Name]
    byte_fallback: bool
    charsmap: bytes
    prefix: bool
    squeezed: bool


Vocabulary = dict[Name, Annotated[int, Meta(ge=0, le=10**6)]]


class PiecesFile(TypedDict):
    """``tokenizer.json`` of a model from elsewhere.

    Both sides share the vocabulary where the source has none of its own. ``added`` are tokens that
    are cut out before SentencePiece reads a text, each with whether a translation leaves it out.
    """

    kind: Literal["sentencepiece"]
    source: PieceModel
    target: PieceModel
    vocab: Vocabulary
    src_vocab: Vocabulary | None
    pad_id: Count
    bos_id: Count
    added: NotRequired[dict[Name, bool]]


class KindOfTokenizer(TypedDict):
    """What ``tokenizer.json`` says of itself; nothing where it was trained here."""

    kind: NotRequired[Any]
