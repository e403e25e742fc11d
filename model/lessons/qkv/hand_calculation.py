"""One cell of one matrix of an attention, written out as one would on paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from model.lessons.qkv.walkthrough import Attention, Linear

Cell = tuple[int, ...]  # head (where the matrix has heads), row and column, from 0
_LARGEST_POWER = 20.0  # of e that is written out: more than eight digits nobody reads
_PRODUCTS = {"product": ("q", "k"), "head_out": ("weights", "v")}


@dataclass(frozen=True)
class Calculation:
    """How one number comes about.

    Args:
        lines: the worksheet, top to bottom, in plain text.
        value: what the written-out terms give, computed from them in float64.
    """

    lines: tuple[str, ...]
    value: float


def calculate(
    attention: Attention, results: dict[str, Tensor], name: str, cell: Cell
) -> Calculation:
    """Write one cell out.

    Args:
        attention: what ``results`` were computed from.
        results: of ``walk``.
        name: a key of ``RESULTS``.
        cell: where in ``results[name][0]``: (row, column), or (head, row, column), or for the
            split matrices (row, head, column).

    Raises:
        ValueError: there is no such result or cell.
    """
    if name not in results:
        raise ValueError(f"no result {name!r}; there are {sorted(results)}")
    shape = results[name].shape[1:]
    if len(cell) != len(shape) or not all(0 <= i < n for i, n in zip(cell, shape, strict=True)):
        raise ValueError(f"{name} of shape {tuple(shape)} has no cell {cell}")
    match name:
        case "x" | "keys_from":
            return _given(results, name, cell)
        case "q_flat" | "k_flat" | "v_flat":
            source = "x" if name == "q_flat" else "keys_from"
            return _projected(results, source, name, getattr(attention, f"w_{name[0]}"), cell)
        case "attn_out":
            return _projected(results, "merged", name, attention.w_o, cell)
        case "q_split" | "k_split" | "v_split":
            row, head, column = cell
            return _moved(
                results, name, cell, f"{name[0]}_flat", (row, head * _width(results) + column)
            )
        case "q" | "k" | "v":
            head, row, column = cell
            return _moved(results, name, cell, f"{name}_split", (row, head, column))
        case "merged":
            row, column = cell
            head, within = divmod(column, _width(results))
            return _moved(results, name, cell, "head_out", (head, row, within))
        case "product" | "head_out":
            return _dot(results, name, cell)
        case "scores":
            return _scaled(results, cell)
        case "masked_scores":
            return _masked(attention, results, cell)
        case _:
            return _softmax(results, cell)


def _given(results: dict[str, Tensor], name: str, cell: Cell) -> Calculation:
    value = _at(results, name, cell)
    return Calculation((f"{_name(name, cell)} = {_number(value)}",), value)


def _projected(
    results: dict[str, Tensor], source: str, name: str, linear: Linear, cell: Cell
) -> Calculation:
    """x W + b: a row of x times a column of W, plus one number of b."""
    row, column = cell
    w = f"W_{'o' if name == 'attn_out' else name[0]}".upper()
    xs = results[source][0, row].tolist()
    ws = linear.weight[:, column].tolist()
    bias = linear.bias[column].item()
    value = math.fsum(a * b for a, b in zip(xs, ws, strict=True)) + bias
    head = f"{_name(name, cell)} = Σ_i {source}[{row}, i] · {w}[i, {column}] + b[{column}]"
    return Calculation((head, *_terms(xs, ws), f"  + {_number(bias)}   (b)", _result(value)), value)


def _dot(results: dict[str, Tensor], name: str, cell: Cell) -> Calculation:
    """q kᵀ: a row times a row. weights v: a row times a column."""
    head, row, column = cell
    left, right = _PRODUCTS[name]
    first = results[left][0, head, row].tolist()
    if name == "product":
        second = results[right][0, head, column].tolist()
        title = f"Σ_i q[{head}, {row}, i] · k[{head}, {column}, i]"
    else:
        second = results[right][0, head, :, column].tolist()
        title = f"Σ_j weights[{head}, {row}, j] · v[{head}, j, {column}]"
    value = math.fsum(a * b for a, b in zip(first, second, strict=True))
    lines = (f"{_name(name, cell)} = {title}", *_terms(first, second), _result(value))
    return Calculation(lines, value)


def _moved(
    results: dict[str, Tensor], name: str, cell: Cell, source: str, place: Cell
) -> Calculation:
    """The same number at another place, or one that the visitor put there."""
    value = _at(results, name, cell)
    before = _at(results, source, place)
    lines = [f"{_name(name, cell)} = {_name(source, place)}"]
    if value != before:
        lines.append(f"  {_number(before)}, changed by hand to")
    return Calculation((*lines, _result(value)), value)


def _scaled(results: dict[str, Tensor], cell: Cell) -> Calculation:
    product, width = _at(results, "product", cell), _width(results)
    value = product / math.sqrt(width)
    return Calculation(
        (
            f"{_name('scores', cell)} = {_name('product', cell)} / √d_head",
            f"  = {_number(product)} / √{width} = {_number(product)} / {_number(math.sqrt(width))}",
            _result(value),
        ),
        value,
    )


def _masked(attention: Attention, results: dict[str, Tensor], cell: Cell) -> Calculation:
    _, row, column = cell
    visible = bool(attention.mask[0, 0, row, column])
    value = _at(results, "scores", cell) if visible else -math.inf
    allowed = f"mask[{row}, {column}] = {visible}"
    return Calculation(
        (
            f"{_name('masked_scores', cell)}: {allowed}",
            f"  {_name('scores', cell)} stays" if visible else "  hidden: −∞",
            _result(value),
        ),
        value,
    )


def _softmax(results: dict[str, Tensor], cell: Cell) -> Calculation:
    """e to the score, as a share of the row's sum.

    Where that is too large or too small a number to write, the largest score is taken off each
    one first, as every program does: numerator and sum change by the same factor.
    """
    head, row, column = cell
    scores = results["masked_scores"][0, head, row].tolist()
    largest = max(scores) if abs(max(scores)) > _LARGEST_POWER else 0.0
    powers = [math.exp(score - largest) for score in scores]
    total = math.fsum(powers)
    value = powers[column] / total
    s = f"masked_scores[{head}, {row}, "
    off = f" {'−' if largest > 0 else '+'} {_number(abs(largest))}" if largest else ""
    told = [f"  exp(s) / Σ exp(s) = exp(s{off}) / Σ exp(s{off})"] if largest else []
    sums = [
        f"  {'+' if j else ' '} exp({_number(score)}{off}) = {_number(power)}"
        for j, (score, power) in enumerate(zip(scores, powers, strict=True))
    ]
    return Calculation(
        (
            f"{_name('weights', cell)} = exp({s}{column}]) / Σ_j exp({s}j])",
            *told,
            *sums,
            f"  Σ = {_number(total)}",
            f"  {_number(powers[column])} / {_number(total)}",
            _result(value),
        ),
        value,
    )


def _terms(first: Sequence[float], second: Sequence[float]) -> tuple[str, ...]:
    return tuple(
        f"  {'+' if i else ' '} {_number(a)} · {_number(b)}"
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    )


def _at(results: dict[str, Tensor], name: str, cell: Cell) -> float:
    return results[name][0][cell].item()


def _width(results: dict[str, Tensor]) -> int:
    return results["q"].shape[-1]


def _name(name: str, cell: Cell) -> str:
    return f"{name}[{', '.join(map(str, cell))}]"


def _result(value: float) -> str:
    return f"  = {_number(value)}"


def _number(value: float) -> str:
    """Four decimals; whole numbers without any; the minus sign of typography."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = str(int(value)) if value == int(value) else f"{value:.4f}"
    return text.replace("-", "−")
