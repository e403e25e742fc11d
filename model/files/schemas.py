"""What may stand in the files of a checkpoint folder, as types that msgspec checks.

msgspec was chosen since it gives plain values of these very types (a line of the history stays a
table), needs no other package, and reads a file once, as fast as JSON alone. What a schema does not
name is left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from model.files.json_file import MOST, Count, Name, Number, Positive, Setting, Share, Text


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


class HeadStatistics(TypedDict):
    """One head in ``analysis.json``."""

    entropy: Number
    confidence: Number
    sink_mass: Number
    offset: Annotated[int, Meta(ge=-MOST, le=MOST)]
    offset_share: Number
    distance: Number
    positional: bool


Heads = list[list[Number]]  # by layer and head


class OfKinds(TypedDict):
    """A number for every head of the three attentions."""

    encoder_self: Heads
    decoder_self: Heads
    cross: Heads


class StatisticsOfKinds(TypedDict):
    """All statistics of every head of the three attentions."""

    encoder_self: list[list[HeadStatistics]]
    decoder_self: list[list[HeadStatistics]]
    cross: list[list[HeadStatistics]]


class Importance(TypedDict):
    """How much each head matters."""

    gradient: OfKinds
    lost_bleu: OfKinds
    lost_log_prob: OfKinds


class PruningPoint(TypedDict):
    """BLEU with so many heads removed."""

    removed: Count
    bleu: Number


Curve = Annotated[list[PruningPoint], Meta(min_length=1)]


class Pruning(TypedDict):
    """BLEU with heads removed in three orders."""

    gradient: Curve
    removal: Curve
    random: Curve


class Rates(TypedDict):
    """Alignment error rates of cross-attention."""

    heads: Heads
    layers: list[Number]


class Baseline(TypedDict):
    """A statistical aligner's error rate on the same pairs."""

    aligner: Text
    error_rate: Number


AllRates = TypedDict(
    "AllRates",
    {"weights AWO": Rates, "weights AWI": Rates, "norms AWO": Rates, "norms AWI": Rates},
)


Place = Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,3})?$")]  # of a layer or a head, from 1
OneWay = TypedDict("OneWay", {"place": Place, "on the other half": Number})
BothWays = TypedDict(
    "BothWays",
    {"on the other half": Number, "both ways": Annotated[list[OneWay], Meta(min_length=1)]},
)
ByPeople = TypedDict("ByPeople", {"best head": BothWays, "best layer": BothWays})
AllByPeople = TypedDict(
    "AllByPeople",
    {
        "weights AWO": ByPeople,
        "weights AWI": ByPeople,
        "norms AWO": ByPeople,
        "norms AWI": ByPeople,
    },
)


class Human(TypedDict):
    """Error rates on pairs that people aligned: what ``benchmarks.human_alignments`` prints."""

    corpus: Name
    model: NotRequired[Text]
    pairs: Count
    error_rates: AllByPeople


class Alignment(TypedDict):
    """How well cross-attention aligns words; ``halves`` are the rates on each half of the pairs."""

    pairs: Count
    rates: AllRates
    halves: NotRequired[tuple[AllRates, AllRates]]
    baseline: NotRequired[Baseline]
    human: NotRequired[Human]


class Relation(TypedDict):
    """How often the encoder's heads look along a relation; see ``model.head_kinds.syntax``."""

    offset: Annotated[int, Meta(ge=-MOST, le=MOST)]
    baseline: Share
    heads: Heads
    like: list[list[bool]]


class Relations(TypedDict):
    """All of them."""

    verb_object: Relation
    object_verb: Relation
    verb_subject: Relation
    subject_verb: Relation


class Syntax(TypedDict):
    """Where the encoder looks in sentences with a marked subject, verb and object."""

    sentences: Count
    relations: Relations


class Analysis(TypedDict):
    """``analysis.json``; ``model`` marks the weights that it was measured on."""

    model: NotRequired[Text]
    sentences: Count
    command: NotRequired[Text]
    statistics: StatisticsOfKinds
    importance: Importance
    pruning: Pruning
    alignment: Alignment | None
    syntax: NotRequired[Syntax]


Word = Annotated[str, Meta(min_length=1, max_length=100)]


class MarkedLine(TypedDict):
    """A sentence, and words that stand in it once."""

    sentence: Annotated[str, Meta(min_length=1, max_length=1000)]
    subject: Word
    verb: Word
    object: Word


class Scores(TypedDict):
    """Quality of a model."""

    bleu: Number
    chrf: Number
    sentences: NotRequired[Count]


Compared = TypedDict(
    "Compared",
    {
        "arch": NotRequired[Text],
        "n_parameters": Count,
        "command": NotRequired[Text],
        "greedy": Scores,
        "beam search": Scores,
        "seconds": NotRequired[Positive],
        "hardware": NotRequired[Text],
        "epochs": NotRequired[Positive],
    },
)


class Texts(TypedDict):
    """Scores of all models on some texts, each measured against one reference."""

    words: tuple[Count, Count]
    sentences: Count
    mean_words: Number
    bleu: dict[Name, Number]


class OfLength(Texts):
    """Sentences of one length: references that were used, and that there are on average."""

    references: Count
    available: Positive


class Joined(Texts):
    """Texts of so many sentences."""

    joined: Count


class Comparison(TypedDict):
    """``comparison.json``."""

    models: Annotated[dict[Name, Compared], Meta(min_length=1)]
    by_length: list[OfLength]
    joined: list[Joined]
    sentences: Count
    date: Text
    command: Text


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
