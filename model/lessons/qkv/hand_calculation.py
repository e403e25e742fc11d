"""Write out the calculation of one number of an attention, as on paper."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor

from model.lessons.qkv.walkthrough import AttentionInput

CellIndex = tuple[int, ...]  # (row, column), or three indices for a matrix with heads; from 0
Numbers = Mapping[str, Tensor]  # the results of ``walk`` without the batch axis
# Largest score for which the powers of e are written out. Larger powers have more than eight
# digits, so the largest score is subtracted first.
MAX_EXPONENT = 20.0
# Results whose numbers are those of another result; a hidden score becomes −∞.
_COPIED = {"q", "q_split", "k", "k_split", "v", "v_split", "masked_scores", "merged"}
_TERMS_ON_A_LINE = 6  # the calculation in one line leaves out the middle of a longer sum


class Calculation(NamedTuple):
    """The calculation of one number, as lines of text, with its result."""

    lines: tuple[str, ...]  # the worksheet, top to bottom, in plain text
    value: float  # the result of the written terms, computed in float64
    one_line: str  # the same as on a blackboard: 1 · 2 + 3 · 4 = 14; "" if nothing is computed


def calculate(
    attention: AttentionInput, results: Mapping[str, Tensor], name: str, cell: CellIndex
) -> Calculation:
    """Write out the calculation of one cell of one result.

    Args:
        attention: what was computed.
        results: from ``walk``.
        name: of one of the results.
        cell: (row, column) of ``results[name][0]``; with heads (head, row, column), or for split
            matrices (row, head, column).
    """
    numbers = {key: tensor[0] for key, tensor in results.items()}
    d_head = attention.sizes["d_head"]
    value = numbers[name][cell].item()
    match name:
        case "x" | "keys_from":
            return Calculation((f"{_spell(name, cell)} = {_number(value)}",), value, "")
        case "q_flat" | "k_flat" | "v_flat" | "attn_out":
            lines, value = _projection(attention, numbers, name, cell)
        case "q_split" | "k_split" | "v_split":
            row, head, column = cell
            flat_cell = (row, head * d_head + column)
            lines = _copy(value, numbers, source=f"{name[0]}_flat", source_cell=flat_cell)
        case "q" | "k" | "v":
            head, row, column = cell
            lines = _copy(value, numbers, source=f"{name}_split", source_cell=(row, head, column))
        case "merged":
            row, wide_column = cell
            head, column = divmod(wide_column, d_head)
            lines = _copy(value, numbers, source="head_out", source_cell=(head, row, column))
        case "product":
            head, row, column = cell
            lines, value = _dot_product(
                f"Σ_i q[{head}, {row}, i] · k[{head}, {column}, i]",
                numbers["q"][head, row],
                numbers["k"][head, column],
            )
        case "head_out":
            head, row, column = cell
            lines, value = _dot_product(
                f"Σ_j weights[{head}, {row}, j] · v[{head}, j, {column}]",
                numbers["weights"][head, row],
                numbers["v"][head, :, column],
            )
        case "scores":
            lines, value = _scaling(numbers["product"][cell].item(), cell, d_head)
        case "masked_scores":
            lines, value = _masking(attention, numbers, cell)
        case _:  # "weights"
            head, row, _ = cell
            lines, value = _softmax(numbers["masked_scores"][head, row].tolist(), cell)
    first = _spell(name, cell) + lines[0]
    last = f"  = {_number(value)}"
    return Calculation((first, *lines[1:], last), value, _in_one_line(name, lines[1:], last))


def _in_one_line(name: str, terms: Sequence[str], last: str) -> str:
    """Return a calculation in one line, or "" if the number is only copied.

    Args:
        name: of the result.
        terms: the lines of the worksheet between the formula and the result.
        last: the line of the worksheet with the result.
    """
    if name == "weights":
        terms = terms[-1:]  # the powers of e are in the worksheet
    elif name in _COPIED:
        return ""
    terms = [term.strip().removeprefix("= ") for term in terms if term != _bias(0.0)]
    if len(terms) > _TERMS_ON_A_LINE:
        terms = [*terms[:2], "+ …", terms[-1]]
    return " ".join([*terms, last.strip()])


def _projection(
    attention: AttentionInput, numbers: Numbers, name: str, cell: CellIndex
) -> tuple[list[str], float]:
    """Write out one element of x W + b.

    Args:
        attention: what the attention reads, and its weights.
        numbers: the results of all steps, by name.
        name: of the result: "q_flat", "k_flat", "v_flat" or "attn_out".
        cell: row and column of the element.

    Returns:
        The lines of the calculation, and its result.
    """
    row, column = cell
    letter = "o" if name == "attn_out" else name[0]
    source = {"q": "x", "k": "keys_from", "v": "keys_from", "o": "merged"}[letter]
    linear = attention.learned[f"w_{letter}"]
    return _dot_product(
        f"Σ_i {source}[{row}, i] · W_{letter.upper()}[i, {column}] + b[{column}]",
        numbers[source][row],
        linear.weight[:, column],
        bias=linear.bias[column].item(),
    )


def _dot_product(
    formula: str, first: Tensor, second: Tensor, *, bias: float | None = None
) -> tuple[list[str], float]:
    """Write out the dot product of two vectors; in a projection, with one element of b.

    Args:
        formula: with the indices that are summed over.
        first: (n,) numbers.
        second: (n,) numbers.
        bias: of a projection; None elsewhere.
    """
    terms = list(zip(first.tolist(), second.tolist(), strict=True))
    lines = [f" = {formula}"]
    for index, (a, b) in enumerate(terms):
        lines.append(f"  {_plus(index)} {_number(a)} · {_number(b)}")
    if bias is not None:
        lines.append(_bias(bias))
    value = math.fsum(a * b for a, b in terms) + (bias or 0.0)
    return lines, value


def _bias(bias: float) -> str:
    return f"  + {_number(bias)}   (b)"


def _copy(value: float, numbers: Numbers, *, source: str, source_cell: CellIndex) -> list[str]:
    """Write out a number that was copied from an earlier result, or edited by the user.

    Args:
        value: the number.
        numbers: all results.
        source: name of the earlier result.
        source_cell: where the number was there.
    """
    before = numbers[source][source_cell].item()
    lines = [f" = {_spell(source, source_cell)}"]
    if value != before:
        lines.append(f"  {_number(before)}, changed by hand to")
    return lines


def _scaling(product: float, cell: CellIndex, d_head: int) -> tuple[list[str], float]:
    """Write out the division of a product by √d_head.

    Args:
        product: the element of q kᵀ.
        cell: head, row and column of the element.
        d_head: width of a head.

    Returns:
        The lines of the calculation, and its result.
    """
    root = math.sqrt(d_head)
    numerator = _number(product)
    lines = [
        f" = {_spell('product', cell)} / √d_head",
        f"  = {numerator} / √{d_head} = {numerator} / {_number(root)}",
    ]
    return lines, product / root


def _masking(
    attention: AttentionInput, numbers: Numbers, cell: CellIndex
) -> tuple[list[str], float]:
    """Write out a masked score: unchanged for a visible key, −∞ for a hidden key.

    Args:
        attention: what the attention reads, with its mask.
        numbers: the results of all steps, by name.
        cell: head, row and column of the element.

    Returns:
        The lines of the calculation, and its result.
    """
    _, row, column = cell
    is_visible = bool(attention.mask[0, 0, row, column])
    lines = [f": {_spell('mask', (row, column))} = {is_visible}"]
    if is_visible:
        lines.append(f"  {_spell('scores', cell)} stays")
        return lines, numbers["scores"][cell].item()
    lines.append("  hidden: −∞")
    return lines, -math.inf


def _softmax(scores: Sequence[float], cell: CellIndex) -> tuple[list[str], float]:
    """Write out one softmax weight: e^score divided by the sum of its row.

    If the powers are too large or too small to write, the largest score is subtracted from each
    score first, as every program does. Numerator and sum then change by the same factor.
    """
    head, row, column = cell
    largest = max(scores)
    if abs(largest) <= MAX_EXPONENT:
        largest = 0.0  # subtract nothing
    powers = [math.exp(score - largest) for score in scores]
    total = math.fsum(powers)

    row_of_scores = f"masked_scores[{head}, {row}, "
    lines = [f" = exp({row_of_scores}{column}]) / Σ_j exp({row_of_scores}j])"]
    shift = ""
    if largest:
        sign = "−" if largest > 0 else "+"
        shift = f" {sign} {_number(abs(largest))}"
        lines.append(f"  exp(s) / Σ exp(s) = exp(s{shift}) / Σ exp(s{shift})")
    for index, (score, power) in enumerate(zip(scores, powers, strict=True)):
        lines.append(f"  {_plus(index)} exp({_number(score)}{shift}) = {_number(power)}")
    lines.append(f"  Σ = {_number(total)}")
    lines.append(f"  {_number(powers[column])} / {_number(total)}")
    return lines, powers[column] / total


def _plus(index: int) -> str:
    """Return the operator before a term: "" before the first term."""
    return "+" if index else " "


def _spell(name: str, cell: CellIndex) -> str:
    return f"{name}[{', '.join(map(str, cell))}]"


def _number(value: float) -> str:
    """Format a number with the minus sign "−" and four decimals, or none for an integer."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = str(int(value)) if value == int(value) else f"{value:z.4f}"
    return text.replace("-", "−")
