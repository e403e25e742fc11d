"""``analysis.json``: the measurements of a model's heads, stored in its checkpoint."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Generic, TypedDict, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import astuple

from model.alignment.cross_validation import Alignment
from model.checkpoint.checkpoint import read_sizes
from model.checkpoint.fingerprint import ANALYSIS, fingerprint_of
from model.evaluation.bootstrap import Estimate
from model.faithfulness.corpus import Faithfulness
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, Integer, Name, Number, Share, Text, read_json, write_json
from model.files.path_argument import path_argument
from model.files.regular_file import exists
from model.files.replacing import resolve
from model.heads.statistics import HeadStatistics
from model.transformer.heads import KINDS

T = TypeVar("T")
MIN_BLEU_SHARE = 0.95  # share of the full BLEU that must remain when the heads to spare are removed
_REMEDY = "Make it again with python -m model.analyse heads."


class PruningPoint(Struct, frozen=True):
    """BLEU after the removal of a number of heads."""

    removed: Count
    bleu: Number


class OfKinds(TypedDict, Generic[T]):
    """A value for every head of the three attentions, by layer and head."""

    encoder_self: list[list[T]]
    decoder_self: list[list[T]]
    cross: list[list[T]]


class Importance(Struct, frozen=True):
    """The importance of each head: the gradient of a gate, and the loss without the head."""

    gradient: OfKinds[Number]  # nats per sentence
    lost_bleu: OfKinds[Number]
    lost_log_prob: OfKinds[Number]  # nats per token


Curve = Annotated[list[PruningPoint], Meta(min_length=1)]


class Pruning(Struct, frozen=True):
    """BLEU after removing heads in three different orders."""

    gradient: Curve  # the head with the smallest gradient first
    removal: Curve  # the head whose removal loses least log-probability first
    random: Curve


class Relation(Struct, frozen=True):
    """How often encoder heads look along one relation; see ``model.heads.syntax``."""

    offset: Integer  # the most frequent distance in words
    baseline: Share  # share of the sentences in which the two words have this distance
    heads: list[list[Number]]  # share of the sentences in which each head looks at the related word
    # whether a head's share is at least ``MARGIN`` times the baseline, in both halves of the
    # sentences
    like: list[list[bool]]


class Relations(Struct, frozen=True):
    """The results for all grammatical relations."""

    verb_object: Relation
    object_verb: Relation
    verb_subject: Relation
    subject_verb: Relation


class Syntax(Struct, frozen=True):
    """How the encoder heads look along relations in sentences with marked words."""

    sentences: Count
    relations: Relations


class Occurrence(Struct, frozen=True):
    """One sentence with a head's rate in it, and its translation if the decoder was measured."""

    source: Text
    target: Text
    rate: Number


class Occurrences(Struct, frozen=True):
    """How often and where a head shows one behaviour; see ``model.heads.occurrences``."""

    rate: Estimate  # over all sentences together
    most: list[Occurrence]  # sentences in which the behaviour is strongest
    least: list[Occurrence]  # sentences in which it is weakest


class Inputs(Struct, frozen=True, omit_defaults=True):
    """The inputs of an analysis, as options of ``python -m model.analyse heads``."""

    sentences: Text = ""  # the options that name the sentences, "--split test --corpus ..."
    alignments: Text = ""  # names of files, without their folder
    baseline: Text = ""
    human: Text = ""


class Analysis(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of ``analysis.json``; ``model`` is the fingerprint of the measured weights."""

    checkpoint: Text = ""
    model: Text = ""
    n_parameters: Count = 0
    sentences: Count
    statistics: OfKinds[HeadStatistics]
    importance: Importance
    pruning: Pruning
    alignment: Alignment | None
    seconds: Count = 0
    syntax: Syntax | None = None
    faithfulness: Faithfulness | None = None
    # for each labelled behaviour of a head
    occurrences: OfKinds[dict[Name, Occurrences]] | None = None
    inputs: Inputs = Inputs()

    @property
    def command(self) -> str:
        """The command that repeats the analysis; "" if its inputs are not known."""
        if not self.inputs.sentences:
            return ""
        folder = shlex.quote(f"checkpoints/{self.checkpoint}")
        words = [
            "python -m model.analyse heads",
            f"--checkpoint {folder}",
            self.inputs.sentences,
        ]
        for name in ("alignments", "baseline", "human"):
            file = getattr(self.inputs, name)
            if file:
                words.append(f"--{name} {shlex.quote(path_argument(file))}")
        return " ".join(words)


def heads_to_spare(pruning: Pruning) -> tuple[PruningPoint, PruningPoint] | None:
    """Return how many heads can be removed while BLEU stays above a share of its initial value.

    Returns:
        The first point of a curve, and its last point that is good enough. The curve is that of the
        measured order in which more heads can be removed. None if not even the first heads can be
        removed.

    Source: Michel et al. 2019, section 4.
    """
    first = pruning.gradient[0]  # the first point of every curve is the model with all heads
    good = [
        point
        for point in (*pruning.gradient, *pruning.removal)
        if point.removed and point.bleu >= MIN_BLEU_SHARE * first.bleu
    ]
    if not first.bleu or not good:
        return None
    return first, max(good, key=lambda point: point.removed)


def save_analysis(folder: Path, analysis: Analysis) -> Path:
    """Write ``analysis.json`` into the folder of the checkpoint, completely or not at all."""
    return write_json(folder / ANALYSIS, analysis)


def read_analysis(folder: str | Path) -> Analysis | None:
    """Read the analysis of a checkpoint; None if there is none for its present weights.

    Raises:
        CheckpointError: the file is damaged.
    """
    folder = resolve(Path(folder))
    path = folder / ANALYSIS
    if not exists(path):
        return None
    analysis = read_json(path, Analysis, remedy=_REMEDY)
    if analysis.model != fingerprint_of(folder):
        return None
    n_layers, n_heads = read_sizes(folder)
    if not _is_whole(analysis, n_layers, n_heads):
        raise CheckpointError(f"The file {path} is damaged (heads are missing). {_REMEDY}")
    return analysis


def _is_whole(analysis: Analysis, n_layers: int, n_heads: int) -> bool:
    """Return whether all heads have all measures and all pruning curves have the same points.

    Args:
        analysis: as it was read from the file.
        n_layers: layers of the encoder, and of the decoder.
        n_heads: heads of a layer.
    """
    # 1. Collect all tables that have one entry for each head.
    by_kind = [analysis.statistics, *astuple(analysis.importance)]
    if analysis.occurrences:
        by_kind.append(analysis.occurrences)
    tables: list[Any] = [table[kind] for table in by_kind for kind in KINDS]
    rates: list[Any] = []
    if analysis.alignment:
        for rates_by_method in (analysis.alignment.rates, *(analysis.alignment.halves or ())):
            rates += rates_by_method.values()
    tables += [rate.heads for rate in rates]
    if analysis.syntax:
        for relation in astuple(analysis.syntax.relations):
            tables += [relation.heads, relation.like]

    # 2. Check the sizes of the tables.
    heads_are_there = all(
        [len(heads) for heads in table] == [n_heads] * n_layers for table in tables
    )
    layers_are_there = all(len(rate.layers) == n_layers for rate in rates)
    removed = [[point.removed for point in curve] for curve in astuple(analysis.pruning)]
    points_are_there = all(curve == removed[0] for curve in removed)
    return heads_are_there and layers_are_there and points_are_there
