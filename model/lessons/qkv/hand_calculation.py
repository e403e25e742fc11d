"""One cell of one matrix of an attention, written out as one would on paper."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor

from model.lessons.qkv.walkthrough import AttentionInput

Cell = tuple[int, ...]  # head (where the matrix has heads), row and column, from 0
_LARGEST_POWER = 20.0  # of e that is written out: more than eight digits nobody reads


class Calculation(NamedTuple):
    """How one number comes about."""

    lines: tuple[str, ...]  # the worksheet, top to bottom, in plain text
    value: float  # what the written-out terms give, computed from them in float64


def calculate(
    attention: AttentionInput, results: Mapping[str, Tensor], name: str, cell: Cell
) -> Calculation:
    """Write out one cell of ``results[name][0]``, which ``walk`` computed from an attention.

    The cell is (row, column), or (head, row, column), or for split matrices (row, head, column).
    """
    found = {key: tensor[0] for key, tensor in results.items()}
    d_head, value = attention.sizes["d_head"], found[name][cell].item()
    match name:
        case "x" | "keys_from":
            return Calculation((f"{_name(name, cell)} = {_number(value)}",), value)
        case "q_flat" | "k_flat" | "v_flat" | "attn_out":
            (row, column), letter = cell, "o" if name == "attn_out" else name[0]
            source = {"q": "x", "o": "merged"}.get(letter, "keys_from")
            w = attention.learned[f"w_{letter}"]
            title = f"Σ_i {source}[{row}, i] · W_{letter.upper()}[i, {column}] + b[{column}]"
            lines, value = _dot(
                title, found[source][row], w.weight[:, column], bias=w.bias[column].item()
            )
        case "q_split" | "k_split" | "v_split":
            row, head, column = cell
            lines = _moved(value, found, f"{name[0]}_flat", (row, head * d_head + column))
        case "q" | "k" | "v":
            head, row, column = cell
            lines = _moved(value, found, f"{name}_split", (row, head, column))
        case "merged":
            head, column = divmod(cell[1], d_head)
            lines = _moved(value, found, "head_out", (head, cell[0], column))
        case "product":
            head, row, column = cell
            title = f"Σ_i q[{head}, {row}, i] · k[{head}, {column}, i]"
            lines, value = _dot(title, found["q"][head, row], found["k"][head, column])
        case "head_out":
            head, row, column = cell
            title = f"Σ_j weights[{head}, {row}, j] · v[{head}, j, {column}]"
            lines, value = _dot(title, found["weights"][head, row], found["v"][head, :, column])
        case "scores":
            lines, value = _scaled(found["product"][cell].item(), cell, d_head)
        case "masked_scores":
            visible = bool(attention.mask[0, 0, *cell[1:]])
            lines = _masked(cell, visible)
            value = found["scores"][cell].item() if visible else -math.inf
        case _:
            lines, value = _softmax(found["masked_scores"][cell[:2]].tolist(), cell)
    return Calculation((_name(name, cell) + lines[0], *lines[1:], f"  = {_number(value)}"), value)


def _dot(
    title: str, first: Tensor, second: Tensor, *, bias: float | None = None
) -> tuple[list[str], float]:
    """A row times a row or a column, plus one number of b."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    lines = [f" = {title}"]
    lines += [f"  {_plus(i)} {_number(a)} · {_number(b)}" for i, (a, b) in enumerate(pairs)]
    if bias is not None:
        lines.append(f"  + {_number(bias)}   (b)")
    return lines, math.fsum(a * b for a, b in pairs) + (bias or 0.0)


def _moved(value: float, found: Mapping[str, Tensor], source: str, cell: Cell) -> list[str]:
    """The same number at another place, or one that the visitor put there."""
    before = found[source][cell].item()
    lines = [f" = {_name(source, cell)}"]
    return lines if value == before else [*lines, f"  {_number(before)}, changed by hand to"]


def _scaled(product: float, cell: Cell, d_head: int) -> tuple[list[str], float]:
    p, root = _number(product), math.sqrt(d_head)
    lines = [
        f" = {_name('product', cell)} / √d_head",
        f"  = {p} / √{d_head} = {p} / {_number(root)}",
    ]
    return lines, product / root


def _masked(cell: Cell, visible: bool) -> list[str]:
    stays = f"  {_name('scores', cell)} stays" if visible else "  hidden: −∞"
    return [f": {_name('mask', cell[1:])} = {visible}", stays]


def _softmax(scores: Sequence[float], cell: Cell) -> tuple[list[str], float]:
    """e to the score, as a share of the row's sum.

    Where that is too large or too small a number to write, the largest score is taken off each
    one first, as every program does: numerator and sum change by the same factor.
    """
    head, row, column = cell
    largest = max(scores) if abs(max(scores)) > _LARGEST_POWER else 0.0
    powers = [math.exp(score - largest) for score in scores]
    total = math.fsum(powers)
    s = f"masked_scores[{head}, {row}, "
    off = f" {'−' if largest > 0 else '+'} {_number(abs(largest))}" if largest else ""
    lines = [f" = exp({s}{column}]) / Σ_j exp({s}j])"]
    if off:
        lines.append(f"  exp(s) / Σ exp(s) = exp(s{off}) / Σ exp(s{off})")
    lines += [
        f"  {_plus(j)} exp({_number(score)}{off}) = {_number(power)}"
        for j, (score, power) in enumerate(zip(scores, powers, strict=True))
    ]
    lines += [f"  Σ = {_number(total)}", f"  {_number(powers[column])} / {_number(total)}"]
    return lines, powers[column] / total


def _plus(place: int) -> str:
    return "+" if place else " "


def _name(name: str, cell: Cell) -> str:
    return f"{name}[{', '.join(map(str, cell))}]"


def _number(value: float) -> str:
    """Four decimals; whole numbers without any; the minus sign of typography."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = str(int(value)) if value == int(value) else f"{value:.4f}"
    return text.replace("-", "−")
