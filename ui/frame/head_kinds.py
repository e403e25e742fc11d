"""What heads were measured to do, in words: a sign, a name, a sentence with the number."""

from __future__ import annotations

from collections.abc import Sequence

from model.head_kinds.kinds import Found, HeadKind
from model.heads.analysis_file import Analysis, read_analysis
from ui.state.memory import remember
from ui.state.models import open_model, version
from ui.text.numbers import signed
from ui.text.translator import Translator


def analysis_of(checkpoint: str) -> Analysis | None:
    """The analysis of a checkpoint, from memory where somebody asked for it before.

    Raises:
        CheckpointError: the model or its analysis is damaged.
    """
    folder = open_model(checkpoint).folder
    return remember("analysis", version(folder), lambda: read_analysis(folder))


def sign(kind: HeadKind, tr: Translator, *, offset: str = "±k") -> str:
    """What stands on a chip; of a fixed offset the offset, or a letter for any."""
    return tr(f"kind.{kind}.sign", offset=offset)


def chips(found: Sequence[Found], tr: Translator) -> list[tuple[str, str]]:
    """Of each thing that a head does its sign, and a sentence of what was measured."""
    return [(sign(one.kind, tr, offset=signed(one.offset, "+d")), says(one, tr)) for one in found]


def says(found: Found, tr: Translator) -> str:
    """What was measured, with the number and on how many sentences."""
    return tr(
        f"kind.{found.kind}.says",
        share=percent(found.number),
        n=found.n,
        offset=signed(found.offset, "+d"),
        baseline=percent(found.baseline),
    )


def percent(share: float) -> str:
    """A share in percent, without the sign."""
    return f"{100 * share:.0f}"
