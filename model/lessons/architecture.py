"""The boxes of the architecture figure, and the way of one token through them.

A box holds what the model has learned there and what it records of a sentence.
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

# How the numbers that a box has learned are counted.
EMBEDDING = "V·d_model"
SOURCE_EMBEDDING = "V_src·d_model"  # of a vocabulary of its own
OUTPUT_BIAS = "V"
ATTENTION = "4·(d_model² + d_model)"
FEED_FORWARD = "2·d_model·d_ff + d_ff + d_model"
NORM = "2·d_model"


@dataclass(frozen=True)
class DiagramBox:
    """One box of the figure."""

    stack: Stack
    kind: str  # such as "embedding", "self_norm", "self", "self_add"; unique within its stack
    n_parameters: int = 0  # learned numbers of one such box that no earlier box has counted
    # How they are counted; empty where nothing is learned. Of a shared matrix: how that is counted,
    # and all that can be learned beside it is a bias, OUTPUT_BIAS.
    formula: str = ""
    repeats: int = 1  # how often the box stands in the model: n_layers inside a block, otherwise 1
    in_block: bool = False  # whether it is one of the boxes that are repeated
    shared_with: str = ""  # name of the earlier box whose matrix it uses; empty if it has its own
    records: tuple[str, ...] = ()  # names of SHAPES that go in and come out, in this order

    @property
    def name(self) -> str:
        """``stack.kind``."""
        return f"{self.stack}.{self.kind}"

    @property
    def is_beside(self) -> bool:
        """Whether it only serves a sublayer: a norm or a sum of a block."""
        return self.kind.endswith(("_norm", "_add"))


def parts(model: Transformer) -> tuple[DiagramBox, ...]:
    """All boxes in the order of computation.

    ``sum(part.n_parameters * part.repeats)`` is the number of parameters of the model: a matrix
    that several boxes share is counted in the first of them.

    Source: Vaswani et al. 2017, figure 1; shared matrices: section 3.4.
    """
    return (*_stack(model, "encoder"), *_stack(model, "decoder"))


def _stack(model: Transformer, stack: Stack) -> Iterator[DiagramBox]:
    embedded = [f"{stack}.{name}" for name in ("token_embedding", "position", "embedded")]
    result = "encoder.memory" if stack == "encoder" else "decoder.decoded"
    yield DiagramBox(stack, "tokens")
    yield replace(_embedding(model, stack), records=(embedded[0],))
    yield DiagramBox(stack, "position", records=tuple(embedded))
    for kind, (before, _, after) in SUBLAYERS[stack].items():
        yield from _sublayer(model, stack, kind, before, after)
    if model.config.norm == "pre":  # the stream is normed once more at its end
        n_parameters = _count(getattr(model, stack).norm)
        yield DiagramBox(stack, "norm", n_parameters, NORM, records=(result,))
    if stack == "encoder":
        yield DiagramBox(stack, "memory", records=(result,))
    else:
        yield replace(_unembed(model), records=(result, "logits"))
        yield DiagramBox(stack, "softmax", records=("logits",))
        yield DiagramBox(stack, "next_token")


def _embedding(model: Transformer, stack: Stack) -> DiagramBox:
    source, target = model.src_embedding.tokens.weight, model.tgt_embedding.tokens.weight
    if stack == "encoder":
        formula = EMBEDDING if model.config.src_vocab_size is None else SOURCE_EMBEDDING
        return DiagramBox(stack, "embedding", source.numel(), formula)
    if target is source:
        return DiagramBox(stack, "embedding", 0, EMBEDDING, shared_with="encoder.embedding")
    return DiagramBox(stack, "embedding", target.numel(), EMBEDDING)


def _unembed(model: Transformer) -> DiagramBox:
    matrix, bias = model.unembed.weight, model.unembed.bias
    n_bias = 0 if bias is None else bias.numel()
    embeddings = {"encoder": model.src_embedding, "decoder": model.tgt_embedding}
    for stack, embedding in embeddings.items():
        if embedding.tokens.weight is matrix:
            shared = f"{stack}.embedding"
            return DiagramBox("decoder", "unembed", n_bias, EMBEDDING, shared_with=shared)
    formula = EMBEDDING if bias is None else f"{EMBEDDING} + {OUTPUT_BIAS}"
    return DiagramBox("decoder", "unembed", matrix.numel() + n_bias, formula)


def _sublayer(
    model: Transformer, stack: Stack, kind: str, before: str, after: str
) -> Iterator[DiagramBox]:
    """Norm, sublayer and sum with pre-norm; sublayer, sum and norm with post-norm."""
    blocks, layer = getattr(model, stack).blocks, f"{stack}.{{layer}}"
    is_pre = model.config.norm == "pre"
    resid_before, resid_after = f"{layer}.{before}", f"{layer}.{after}"
    inside = tuple(name for name in SHAPES if name.startswith(f"{layer}.{kind}."))
    normed = (f"{layer}.{kind}.x",) if kind != "ffn" else ()  # the feed-forward's is not recorded
    module = "feed_forward" if kind == "ffn" else f"{kind}_attention"
    box = partial(DiagramBox, stack, repeats=len(blocks), in_block=True)
    norm = box(
        f"{kind}_norm",
        n_parameters=_count(getattr(blocks[0], f"{kind}_residual").norm),
        formula=NORM,
        records=(resid_before, *normed) if is_pre else (resid_after,),
    )
    middle = box(
        kind,
        n_parameters=_count(getattr(blocks[0], module)),
        formula=FEED_FORWARD if kind == "ffn" else ATTENTION,
        records=(resid_before, *inside, resid_after),
    )
    summed = (resid_after,) if is_pre else ()
    add = box(f"{kind}_add", records=(resid_before, inside[-1], *summed))
    yield from (norm, middle, add) if is_pre else (middle, add, norm)


def _count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@dataclass(frozen=True)
class WalkStep:
    """Where the walk stands."""

    part: str  # name of a box
    layer: int = 0  # it matters inside a block only
    source: int = 0  # position of the source token that is followed
    target: int = 0  # position of the target token that was read last; it writes the next one


def next_stop(stop: WalkStep, parts: Sequence[DiagramBox], n_written: int) -> WalkStep | None:
    """The next box, norms and sums of a block left out; None behind the last token.

    Behind the last box of a block comes the first one of the next layer. A written token, of
    which there are ``n_written``, is read in its turn; the encoder does not run again for it.
    """
    _, ahead = _around(stop, parts)
    if ahead:
        return ahead[0]
    read = replace(stop, part="decoder.tokens", target=stop.target + 1)
    return read if read.target < n_written else None


def last_stop(stop: WalkStep, parts: Sequence[DiagramBox]) -> WalkStep | None:
    """The box before, for the same target token; None before the first one."""
    behind, _ = _around(stop, parts)
    return behind[-1] if behind else None


def _around(stop: WalkStep, parts: Sequence[DiagramBox]) -> tuple[list[WalkStep], list[WalkStep]]:
    """The stops before and after one in the order of computation, norms and sums left out."""
    blocks = [[*boxes] for _, boxes in groupby(parts, lambda part: (part.stack, part.in_block))]
    boxes = [
        (box, replace(stop, part=box.name, layer=layer if box.in_block else stop.layer))
        for block in blocks
        for layer in range(block[0].repeats)
        for box in block
    ]
    here = [each for _, each in boxes].index(stop)
    behind = [each for box, each in boxes[:here] if not box.is_beside]
    ahead = [each for box, each in boxes[here + 1 :] if not box.is_beside]
    return behind, ahead


def numbers_at(trace: Trace, record: str, stop: WalkStep) -> Array:
    """What one of ``SHAPES``, ``{layer}`` included, holds for the token that is followed.

    Keys and values of cross-attention stand at the source token. 1-d float32, all heads in a row:
    d_model, d_ff, V, H * d_head, or H times the number of keys.
    """
    values = trace.records[record.format(layer=stop.layer)]
    position = stop.source if SHAPES[record].dims[-2] == "S" else stop.target
    return values.take(position, axis=-2).ravel()


def looks_at(trace: Trace, part: DiagramBox, stop: WalkStep) -> Array:
    """(S,) or (T,) where the token looks in one attention: the mean of its heads; sums to 1."""
    weights = f"{part.stack}.{stop.layer}.{part.kind}.weights"
    position = stop.source if part.stack == "encoder" else stop.target
    return trace.records[weights][:, position].mean(axis=0)
