"""What stands in ``analysis.json`` as ``alignment``: how well cross-attention aligns words."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta, Struct

from model.alignment.by_head import Rates
from model.files.json_file import Count, Name, Number, Text

AllRates = TypedDict(
    "AllRates",
    {"weights AWO": Rates, "weights AWI": Rates, "norms AWO": Rates, "norms AWI": Rates},
)


class Baseline(Struct, frozen=True):
    """A statistical aligner's error rate on the same pairs."""

    aligner: Text
    error_rate: Number


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


class Human(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Error rates on pairs that people aligned: what ``benchmarks.human_alignments`` prints."""

    model: Text = ""
    corpus: Name
    pairs: Count
    error_rates: AllByPeople


class Alignment(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole; ``halves`` are the rates on each half of the pairs."""

    pairs: Count
    rates: AllRates
    halves: tuple[AllRates, AllRates] | None = None
    baseline: Baseline | None = None
    human: Human | None = None
