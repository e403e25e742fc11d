"""The measured behaviour of heads in words: a short tag, a name, and a sentence."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from model import CheckpointError, TranslationModel
from model.alignment.error_rate import Method
from model.alignment.word_links import Aligner, best_aligner
from model.heads import analysis_file
from model.heads.analysis_file import Analysis
from model.heads.kinds import HeadKind, MeasuredKind, aligns_by_input_token, best_awi_head, kinds_of
from model.trace.transformer import Rows
from model.transformer.heads import Kind
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.numbers import percent, signed
from ui.text.translator import Translator


def read_analysis(t: TranslationModel) -> Analysis | None:
    """Return the analysis of a model; None if there is none, or if it is for other weights.

    Raises:
        CheckpointError: its file is damaged.
    """
    analysis = remember("analysis", t.version, lambda: analysis_file.read_analysis(t.folder))
    return analysis if analysis and analysis.model == t.origin.mark else None


def analysis_or_none(t: TranslationModel) -> Analysis | None:
    """Return the analysis; None if it is missing or damaged. The page "Heads" gives the reason."""
    with suppress(CheckpointError):
        return read_analysis(t)
    return None


def kinds_of_heads(t: TranslationModel, attention: Kind) -> Sequence[Sequence[MeasuredKind]]:
    """Return the labels of each head of an attention, layer by layer; [] if not measured."""
    analysis = analysis_or_none(t)
    if analysis is None:
        return []
    shape = (t.config.n_layers, t.config.n_heads)

    def measured() -> list[Sequence[MeasuredKind]]:
        return [kinds_of(analysis, attention, layer, head) for layer, head in np.ndindex(shape)]

    return remember("kinds", (t.version, attention), measured)


def best_aligning_head(t: TranslationModel) -> tuple[int, int] | None:
    """Return (layer, head), from 0, of the best-aligning cross-attention head, if known."""
    return best_awi_head(analysis_or_none(t))


def word_aligner(t: TranslationModel) -> Aligner | None:
    """Return the head and the measure that align words best, if known."""
    analysis = analysis_or_none(t)
    return best_aligner(analysis.alignment) if analysis and analysis.alignment else None


def error_rates_by_input_token(t: TranslationModel, address: Address) -> tuple[float, float] | None:
    """Return both alignment error rates of a head that aligns the token its rows have read.

    Args:
        t: a model.
        address: the selected head.

    Returns:
        The rate by the token that a row reads (AWI), then by the token that it writes (AWO), if
        the first is the lower one and low enough. None otherwise, if nothing was measured, or if
        the address shows no single head of the cross-attention.
    """
    if (address.attention, address.view) != ("cross", "head"):
        return None
    return aligns_by_input_token(analysis_or_none(t), *address.layer_and_head)


def rows_of(t: TranslationModel, address: Address) -> Rows:
    """Return the decoder's row labels: the chosen ones, or those that suit the head's alignment."""
    if address.rows == "auto":
        return "read" if error_rates_by_input_token(t, address) else "written"
    return address.rows


def sign_of(kind: HeadKind, tr: Translator, *, offset: str = "±k") -> str:
    """Return the text of a tag.

    Args:
        kind: the behaviour that it stands for.
        tr: the visitor's language.
        offset: the distance of a head that looks at a fixed one, such as "+2"; "±k" for any.
    """
    return tr(f"kind.{kind}.sign", offset=offset)


def chips(kinds: Sequence[MeasuredKind], tr: Translator) -> list[tuple[str, str]]:
    """Return, for each label of a head, its tag and a sentence with the measurement."""
    return [
        (sign_of(kind.kind, tr, offset=signed(kind.offset, "+d")), in_a_sentence(kind, tr))
        for kind in kinds
    ]


def in_a_sentence(kind: MeasuredKind, tr: Translator) -> str:
    """Return the measured value, its interval and the sample size as one line of text."""
    sentence = tr(
        f"kind.{kind.kind}.says",
        share=percent(kind.number),
        n=kind.n,
        offset=signed(kind.offset, "+d"),
        baseline=percent(kind.baseline),
    )
    if kind.occurrences is None:
        return sentence
    rate = kind.occurrences.rate
    low = f"{100 * rate.low:.1f}"
    high = f"{100 * rate.high:.1f}"
    return sentence + tr("heads.interval", low=low, high=high)


def method_in_words(method: Method, tr: Translator) -> str:
    """Return the name of an alignment method, such as "weights AWO", in the visitor's language."""
    cells, rows = method.split()
    return f"{tr(f'heads.cells.{cells}')} {rows}"
