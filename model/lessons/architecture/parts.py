"""The boxes of the architecture figure: what each of them holds, learned and recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from torch import Tensor, nn

from model.trace.residual_stream import Stack
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
class Part:
    """One box of the figure.

    Args:
        stack: encoder or decoder.
        kind: what it is, such as ``"embedding"``, ``"self_norm"``, ``"self"``, ``"self_add"``;
            unique within its stack.
        n_parameters: learned numbers of one such box that no earlier box has counted.
        formula: how they are counted; empty where nothing is learned. Of a shared matrix: how that
            is counted, and all that can be learned beside it is a bias, ``OUTPUT_BIAS``.
        repeats: how often the box stands in the model: n_layers inside a block, otherwise 1.
        in_block: whether it is one of the boxes that are repeated.
        shared_with: name of the earlier box whose matrix it uses; empty if it has its own.
        records: names of ``shapes.SHAPES`` that go in and come out, in this order.
    """

    stack: Stack
    kind: str
    n_parameters: int = 0
    formula: str = ""
    repeats: int = 1
    in_block: bool = False
    shared_with: str = ""
    records: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """``stack.kind``."""
        return f"{self.stack}.{self.kind}"

    @property
    def is_beside(self) -> bool:
        """Whether it only serves a sublayer: a norm or a sum of a block."""
        return self.kind.endswith(("_norm", "_add"))


def parts(model: Transformer) -> tuple[Part, ...]:
    """All boxes in the order of computation.

    ``sum(part.n_parameters * part.repeats)`` is the number of parameters of the model: a matrix
    that several boxes share is counted in the first of them.

    Source: Vaswani et al. 2017, figure 1; shared matrices: section 3.4.
    """
    return (*_encoder(model), *_decoder(model))


def _encoder(model: Transformer) -> Iterator[Part]:
    yield from _embedded(model, "encoder")
    yield from _sublayer(model, "encoder", "self", "resid_pre", "resid_mid")
    yield from _sublayer(model, "encoder", "ffn", "resid_mid", "resid_post")
    yield from _last_norm(model, "encoder", "memory")
    yield Part("encoder", "memory", records=("encoder.memory",))


def _decoder(model: Transformer) -> Iterator[Part]:
    yield from _embedded(model, "decoder")
    yield from _sublayer(model, "decoder", "self", "resid_pre", "resid_mid")
    yield from _sublayer(model, "decoder", "cross", "resid_mid", "resid_cross")
    yield from _sublayer(model, "decoder", "ffn", "resid_cross", "resid_post")
    yield from _last_norm(model, "decoder", "decoded")
    matrix, bias = model.unembed.weight, model.unembed.bias
    shared = _sharer(matrix, _matrices(model))
    n_bias = 0 if bias is None else bias.numel()
    yield Part(
        "decoder",
        "unembed",
        n_parameters=n_bias if shared else matrix.numel() + n_bias,
        formula=EMBEDDING if shared or bias is None else f"{EMBEDDING} + {OUTPUT_BIAS}",
        shared_with=shared,
        records=("decoder.decoded", "logits"),
    )
    yield Part("decoder", "softmax", records=("logits",))
    yield Part("decoder", "next_token")


def _embedded(model: Transformer, stack: Stack) -> Iterator[Part]:
    """The tokens, their rows of the matrix, and where they stand."""
    matrices = _matrices(model)
    matrix = matrices.pop(f"{stack}.embedding")
    shared = _sharer(matrix, matrices) if stack == "decoder" else ""
    is_own = stack == "encoder" and model.config.src_vocab_size is not None
    yield Part(stack, "tokens")
    yield Part(
        stack,
        "embedding",
        n_parameters=0 if shared else matrix.numel(),
        formula=SOURCE_EMBEDDING if is_own else EMBEDDING,
        shared_with=shared,
        records=(f"{stack}.token_embedding",),
    )
    yield Part(
        stack,
        "position",
        records=(f"{stack}.token_embedding", f"{stack}.position", f"{stack}.embedded"),
    )


def _sublayer(
    model: Transformer, stack: Stack, kind: Literal["self", "cross", "ffn"], before: str, after: str
) -> Iterator[Part]:
    """Norm, sublayer and sum with pre-norm; sublayer, sum and norm with post-norm."""
    block = getattr(model, stack).blocks[0]
    layer, repeats = f"{stack}.{{layer}}", len(getattr(model, stack).blocks)
    is_pre = model.config.norm == "pre"
    inside = tuple(name for name in SHAPES if name.startswith(f"{layer}.{kind}."))
    normed = (f"{layer}.{kind}.x",) if kind != "ffn" else ()  # the feed-forward's is not recorded
    sublayer = block.feed_forward if kind == "ffn" else getattr(block, f"{kind}_attention")
    box = partial(Part, stack, repeats=repeats, in_block=True)
    norm = box(
        f"{kind}_norm",
        n_parameters=_count(getattr(block, f"{kind}_residual").norm),
        formula=NORM,
        records=(f"{layer}.{before}", *normed) if is_pre else (f"{layer}.{after}",),
    )
    middle = box(
        kind,
        n_parameters=_count(sublayer),
        formula=FEED_FORWARD if kind == "ffn" else ATTENTION,
        records=(f"{layer}.{before}", *inside, f"{layer}.{after}"),
    )
    summed = (f"{layer}.{after}",) if is_pre else ()
    add = box(f"{kind}_add", records=(f"{layer}.{before}", inside[-1], *summed))
    yield from (norm, middle, add) if is_pre else (middle, add, norm)


def _last_norm(model: Transformer, stack: Stack, gives: str) -> Iterator[Part]:
    """With pre-norm the stream is normed once more at its end."""
    if model.config.norm == "pre":
        yield Part(
            stack,
            "norm",
            n_parameters=_count(getattr(model, stack).norm),
            formula=NORM,
            records=(f"{stack}.{gives}",),
        )


def _matrices(model: Transformer) -> dict[str, Tensor]:
    """The embeddings, by the names of their boxes."""
    return {
        "encoder.embedding": model.src_embedding.tokens.weight,
        "decoder.embedding": model.tgt_embedding.tokens.weight,
    }


def _sharer(matrix: Tensor, counted: Mapping[str, Tensor]) -> str:
    """The box that has counted this matrix already; empty where there is none."""
    return next((name for name, other in counted.items() if other is matrix), "")


def _count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())
