"""What heads were measured to do, in words: a sign, a name, a sentence with the number."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from model import CheckpointError, TranslationModel
from model.heads.analysis_file import Analysis, read_analysis
from model.heads.kinds import HeadKind, MeasuredKind, aligns_by_input_token, best_awi_head, kinds_of
from model.trace.transformer import Rows
from model.transformer.heads import Kind
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.numbers import percent, signed
from ui.text.translator import Translator


def analysis_of(t: TranslationModel) -> Analysis | None:
    """The analysis; None where its folder has another model by now. CheckpointError if damaged."""
    analysis = remember("analysis", t.version, lambda: read_analysis(t.folder))
    return analysis if analysis and analysis.model == t.origin.mark else None


def sound_analysis(t: TranslationModel) -> Analysis | None:
    """The same; None, too, where it is damaged: the page of the heads says what is wrong."""
    with suppress(CheckpointError):
        return analysis_of(t)
    return None


def kinds_here(t: TranslationModel, attention: Kind) -> Sequence[Sequence[MeasuredKind]]:
    """What each head was measured to do, layer by layer; nothing where none were measured."""
    analysis, (layers, heads) = sound_analysis(t), (t.config.n_layers, t.config.n_heads)
    if analysis is None:
        return []

    def found() -> list[Sequence[MeasuredKind]]:
        return [kinds_of(analysis, attention, *place) for place in np.ndindex(layers, heads)]

    return remember("kinds", (t.version, attention), found)


def best_aligning_head(t: TranslationModel) -> tuple[int, int] | None:
    """Layer and head, from 0, of the cross-attention that align best, if that was measured."""
    return best_awi_head(sound_analysis(t))


def reads(t: TranslationModel, address: Address) -> tuple[float, float] | None:
    """The error rates of a single head that aligns by the token read: ``aligns_by_input_token``."""
    if (address.attention, address.view) != ("cross", "head"):
        return None
    return aligns_by_input_token(sound_analysis(t), *address.place)


def rows_of(t: TranslationModel, address: Address) -> Rows:
    """What names the decoder's rows: what was chosen, or what the head aligns by."""
    if address.rows == "auto":
        return "read" if reads(t, address) else "written"
    return address.rows


def sign(kind: HeadKind, tr: Translator, *, offset: str = "±k") -> str:
    """What stands on a chip; of a fixed offset the offset, or a letter for any."""
    return tr(f"kind.{kind}.sign", offset=offset)


def chips(found: Sequence[MeasuredKind], tr: Translator) -> list[tuple[str, str]]:
    """Of each thing that a head does its sign, and a sentence of what was measured."""
    return [
        (sign(one.kind, tr, offset=signed(one.offset, "+d")), in_a_sentence(one, tr))
        for one in found
    ]


def in_a_sentence(found: MeasuredKind, tr: Translator) -> str:
    """What was measured, with the number, its interval, and on how many sentences."""
    says = tr(
        f"kind.{found.kind}.says",
        share=percent(found.number),
        n=found.n,
        offset=signed(found.offset, "+d"),
        baseline=percent(found.baseline),
    )
    if found.occurrences is None:
        return says
    rate = found.occurrences.rate
    return says + tr("heads.interval", low=f"{100 * rate.low:.1f}", high=f"{100 * rate.high:.1f}")
