"""The way of one token through the machine: box after box, and its numbers at each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from model.lessons.architecture.parts import Part
from model.trace.base import Array
from model.trace.transformer import Trace
from model.transformer.shapes import SHAPES


@dataclass(frozen=True)
class Stop:
    """Where the walk stands.

    Args:
        part: name of a box.
        layer: from 0; it matters inside a block only.
        source: position of the source token that is followed.
        target: position of the target token that was read last; it writes the next one.
    """

    part: str
    layer: int = 0
    source: int = 0
    target: int = 0


def fitting_stop(stop: Stop, parts: Sequence[Part], trace: Trace) -> Stop:
    """The same stop, in this model and within this sentence."""
    names = [part.name for part in parts]
    return Stop(
        part=stop.part if stop.part in names else names[0],
        layer=min(max(stop.layer, 0), max(part.repeats for part in parts) - 1),
        source=min(max(stop.source, 0), len(trace.src) - 1),
        target=min(max(stop.target, 0), len(trace.tgt_tokens) - 1),
    )


def next_stop(stop: Stop, parts: Sequence[Part], n_written: int) -> Stop | None:
    """The next box, norms and sums of a block left out; None behind the last token.

    Behind the last box of a block comes the first one of the next layer. A written token is read
    in its turn; the encoder does not run again for it.

    Args:
        stop: of this model.
        parts: its boxes.
        n_written: target tokens.
    """
    boxes = _every_box(parts)
    ahead = [box for box in boxes[_place(stop, boxes) + 1 :] if not box[0].is_beside]
    if ahead:
        return _at(stop, *ahead[0])
    read = replace(stop, part="decoder.tokens", target=stop.target + 1)
    return read if read.target < n_written else None


def last_stop(stop: Stop, parts: Sequence[Part]) -> Stop | None:
    """The box before, for the same target token; None before the first one."""
    boxes = _every_box(parts)
    behind = [box for box in boxes[: _place(stop, boxes)] if not box[0].is_beside]
    return _at(stop, *behind[-1]) if behind else None


def numbers_at(trace: Trace, record: str, stop: Stop) -> Array:
    """What one recorded tensor holds for the token that is followed, all heads in a row.

    Args:
        trace: of the sentence.
        record: a name of ``SHAPES``, ``{layer}`` included.
        stop: whose layer and position count. Keys and values of cross-attention stand at the
            source token.

    Returns:
        1-d float32: d_model, d_ff, V, H * d_head, or H times the number of keys.
    """
    values = trace.records[record.format(layer=stop.layer)]
    position = stop.source if SHAPES[record].dims[-2] == "S" else stop.target
    return values.take(position, axis=-2).ravel()


def looks_at(trace: Trace, part: Part, stop: Stop) -> Array:
    """(S,) or (T,) where the token looks in one attention: the mean of its heads; sums to 1."""
    weights = f"{part.stack}.{stop.layer}.{part.kind}.weights"
    position = stop.source if part.stack == "encoder" else stop.target
    mean: Array = trace.records[weights][:, position].mean(axis=0)
    return mean


def _every_box(parts: Sequence[Part]) -> list[tuple[Part, int]]:
    """All boxes in the order of computation, those of a block once for each layer."""
    stretches = [list(stretch) for _, stretch in groupby(parts, lambda p: (p.stack, p.in_block))]
    return [
        (part, layer)
        for stretch in stretches
        for layer in range(stretch[0].repeats)
        for part in stretch
    ]


def _place(stop: Stop, boxes: Sequence[tuple[Part, int]]) -> int:
    return next(
        place
        for place, (part, layer) in enumerate(boxes)
        if part.name == stop.part and (layer == stop.layer or not part.in_block)
    )


def _at(stop: Stop, part: Part, layer: int) -> Stop:
    return replace(stop, part=part.name, layer=layer if part.in_block else stop.layer)
