"""The boxes of the architecture figure, and the path of one token through them.

A box says how many numbers the model has learned there, and which records of a sentence belong to
it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from torch import nn

from model.arrays import Array
from model.trace.residual_stream import SUBLAYERS, Stack
from model.trace.transformer import Trace
from model.transformer.shapes import SHAPES
from model.transformer.transformer import Transformer

# Formulas for the number of parameters of a box:
EMBEDDING = "V·d_model"
ATTENTION = "4·(d_model² + d_model)"
FEED_FORWARD = "2·d_model·d_ff + d_ff + d_model"
NORM = "2·d_model"


@dataclass(frozen=True)
class DiagramBox:
    """One box of the figure."""

    stack: Stack
    kind: str  # such as "embedding", "self_norm", "self", "self_add"; unique within its stack
    n_parameters: int = 0  # parameters of one such box that no earlier box has counted
    # The formula for ``n_parameters``; "" if there are none. For a shared matrix, how the matrix is
    # counted.
    formula: str = ""
    repeats: int = 1  # how often the box occurs in the model: n_layers inside a block, otherwise 1
    in_block: bool = False  # whether the box belongs to a block, which is repeated
    # name of the earlier box whose matrix this box shares; "" if it has its own matrix
    shared_with: str = ""
    records: tuple[str, ...] = ()  # names in SHAPES of its inputs and outputs, in this order

    @property
    def name(self) -> str:
        """The name of the box, ``stack.kind``."""
        return f"{self.stack}.{self.kind}"

    @property
    def is_norm_or_sum(self) -> bool:
        """Whether the box is a norm or a sum in a block. The walk skips these boxes."""
        return self.kind.endswith(("_norm", "_add"))


def diagram_boxes(model: Transformer) -> tuple[DiagramBox, ...]:
    """Return all boxes in the order of computation.

    ``sum(box.n_parameters * box.repeats)`` is the number of parameters of the model, because a
    matrix that several boxes share is counted in the first of them.

    Source: Vaswani et al. 2017, figure 1; shared matrices: section 3.4.
    """
    return (*_stack(model, "encoder"), *_stack(model, "decoder"))


def _stack(model: Transformer, stack: Stack) -> Iterator[DiagramBox]:
    """Yield the boxes of one stack, from its input tokens upwards."""
    token_embedding = f"{stack}.token_embedding"
    position = f"{stack}.position"
    embedded = f"{stack}.embedded"
    result = "encoder.memory" if stack == "encoder" else "decoder.decoded"

    yield DiagramBox(stack, "tokens")
    yield replace(_embedding(model, stack), records=(token_embedding,))
    yield DiagramBox(stack, "position", records=(token_embedding, position, embedded))

    for kind, (resid_before, _, resid_after) in SUBLAYERS[stack].items():
        yield from _sublayer(model, stack, kind, resid_before, resid_after)
    if model.config.norm == "pre":  # the stream is normed once more after the last block
        n_parameters = _count(getattr(model, stack).norm)
        yield DiagramBox(stack, "norm", n_parameters, NORM, records=(result,))

    if stack == "encoder":
        yield DiagramBox(stack, "memory", records=(result,))
    else:
        yield replace(_unembed(model), records=(result, "logits"))
        yield DiagramBox(stack, "softmax", records=("logits",))
        yield DiagramBox(stack, "next_token")


def _embedding(model: Transformer, stack: Stack) -> DiagramBox:
    """Return the embedding of a stack. The decoder may share the encoder's matrix."""
    source = model.src_embedding.tokens.weight
    target = model.tgt_embedding.tokens.weight
    if stack == "encoder":
        return DiagramBox(stack, "embedding", source.numel(), EMBEDDING)
    if target is source:
        return DiagramBox(stack, "embedding", 0, EMBEDDING, shared_with="encoder.embedding")
    return DiagramBox(stack, "embedding", target.numel(), EMBEDDING)


def _unembed(model: Transformer) -> DiagramBox:
    """Return the output matrix, which may be that of the encoder's embedding."""
    matrix = model.unembed.weight
    if model.src_embedding.tokens.weight is matrix:
        return DiagramBox("decoder", "unembed", 0, EMBEDDING, shared_with="encoder.embedding")
    return DiagramBox("decoder", "unembed", matrix.numel(), EMBEDDING)


def _sublayer(
    model: Transformer, stack: Stack, kind: str, resid_before: str, resid_after: str
) -> Iterator[DiagramBox]:
    """Yield the three boxes of a sublayer.

    With pre-norm they are norm, sublayer, sum; with post-norm sublayer, sum, norm.

    Args:
        model: the model.
        stack: encoder or decoder.
        kind: "self", "cross" or "ffn".
        resid_before: record of the residual stream before the sublayer.
        resid_after: record of the residual stream after the sublayer.
    """
    blocks = getattr(model, stack).blocks
    is_pre = model.config.norm == "pre"
    layer = f"{stack}.{{layer}}"  # a template: the layer number is inserted later
    before = f"{layer}.{resid_before}"
    after = f"{layer}.{resid_after}"
    inside = tuple(name for name in SHAPES if name.startswith(f"{layer}.{kind}."))
    # Hooks record the normed input of an attention, but not of a feed-forward network.
    normed = () if kind == "ffn" else (f"{layer}.{kind}.x",)
    module = "feed_forward" if kind == "ffn" else f"{kind}_attention"

    box = partial(DiagramBox, stack, repeats=len(blocks), in_block=True)
    norm = box(
        f"{kind}_norm",
        n_parameters=_count(getattr(blocks[0], f"{kind}_residual").norm),
        formula=NORM,
        records=(before, *normed) if is_pre else (after,),
    )
    sublayer = box(
        kind,
        n_parameters=_count(getattr(blocks[0], module)),
        formula=FEED_FORWARD if kind == "ffn" else ATTENTION,
        records=(before, *inside, after),
    )
    added = inside[-1]
    add = box(f"{kind}_add", records=(before, added, after) if is_pre else (before, added))
    if is_pre:
        yield from (norm, sublayer, add)
    else:
        yield from (sublayer, add, norm)


def _count(module: nn.Module) -> int:
    """Return the number of parameters."""
    return sum(p.numel() for p in module.parameters())


@dataclass(frozen=True)
class WalkStep:
    """One step of a token's walk through the model."""

    box: str  # name of a box
    layer: int = 0  # from 0; it matters only inside a block
    source: int = 0  # position of the source token that is followed
    # position of the target token that was read last; the decoder predicts the next token there
    target: int = 0


def next_step(step: WalkStep, boxes: Sequence[DiagramBox], n_written: int) -> WalkStep | None:
    """Return the next step, or None after the last token.

    Norms and sums of a block are left out. The last box of a block is followed by the first box of
    the next layer. When a token is written, the decoder reads it; the encoder does not run again.

    Args:
        step: where the walk is.
        boxes: from ``diagram_boxes``.
        n_written: number of tokens that are written.
    """
    _, later = _steps_around(step, boxes)
    if later:
        return later[0]
    read = replace(step, box="decoder.tokens", target=step.target + 1)
    return read if read.target < n_written else None


def previous_step(step: WalkStep, boxes: Sequence[DiagramBox]) -> WalkStep | None:
    """Return the previous step for the same target token, or None before the first box."""
    earlier, _ = _steps_around(step, boxes)
    return earlier[-1] if earlier else None


def _steps_around(
    step: WalkStep, boxes: Sequence[DiagramBox]
) -> tuple[list[WalkStep], list[WalkStep]]:
    """Return all steps before this step, and all steps after it, in the order of computation.

    Norms and sums of a block are left out.
    """
    # 1. List all boxes in the order of computation. Repeat the boxes of a block for each layer.
    groups = [list(group) for _, group in groupby(boxes, lambda box: (box.stack, box.in_block))]
    walk = []
    for group in groups:
        for layer in range(group[0].repeats):
            for box in group:
                at_box = replace(step, box=box.name, layer=layer if box.in_block else step.layer)
                walk.append((box, at_box))

    # 2. Split the list into the steps before and after this step.
    position = [each for _, each in walk].index(step)
    earlier = [each for box, each in walk[:position] if not box.is_norm_or_sum]
    later = [each for box, each in walk[position + 1 :] if not box.is_norm_or_sum]
    return earlier, later


def numbers_at(trace: Trace, record: str, step: WalkStep) -> Array:
    """Return a recorded tensor at the token that a step of the walk follows.

    Keys and values of cross-attention are those of the source token.

    Args:
        trace: of one sentence.
        record: one of ``SHAPES``, ``{layer}`` included.
        step: which layer and which tokens.

    Returns:
        1-d float32, all heads in a row: d_model, d_ff, V or H d_head numbers, or H times the number
        of keys.
    """
    values = trace.records[record.format(layer=step.layer)]
    position = step.source if SHAPES[record].dims[-2] == "S" else step.target
    return values.take(position, axis=-2).ravel()


def mean_attention(trace: Trace, box: DiagramBox, step: WalkStep) -> Array:
    """Return the mean weights over all heads, in the row of the walk's token.

    Args:
        trace: of one sentence.
        box: of an attention.
        step: which layer and which tokens.

    Returns:
        (S,) or (T,), summing to 1.
    """
    weights = trace.records[f"{box.stack}.{step.layer}.{box.kind}.weights"]  # (H, T, S)
    position = step.source if box.stack == "encoder" else step.target
    return weights[:, position].mean(axis=0)
