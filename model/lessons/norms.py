"""Lesson: norms, residual paths and the feed-forward network."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from model.arrays import Array
from model.nn.hooks import Hooks
from model.trace.residual_stream import STACKS, Stack, additions
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.masks import padding_mask
from model.transformer.residual import Residual
from model.transformer.transformer import Transformer, untrained

EPSILON = 1e-5  # PyTorch's
Wiring = Literal["pre", "post", "none"]
PAD, VOCABULARY, BATCH, LENGTH = 0, 64, 4, 8
D_MODEL, N_HEADS, D_FF = 32, 4, 128


def normalise(x: Tensor, dim: int) -> Tensor:
    """(x - μ) / √(σ² + ε) with μ and σ² over one axis; without the learned gain and bias.

    Source: Ba et al. 2016, section 3 (layer norm); Ioffe and Szegedy 2015, algorithm 1 (batch norm,
    as in training).
    """
    mean = x.mean(dim, keepdim=True)
    variance = (x - mean).square().mean(dim, keepdim=True)
    return (x - mean) / (variance + EPSILON).sqrt()


layer_norm = partial(normalise, dim=-1)  # over the features of each position: (..., d_model)
batch_norm = partial(normalise, dim=0)  # over all positions, padding too: (positions, d_model)


def padding_change(norm: Callable[[Tensor], Tensor], x: Tensor, padding: Tensor) -> float:
    """Largest change of a real position's output once padding stands behind it.

    Of ``x`` (positions, d_model), with ``padding`` (P, d_model) behind it.
    """
    padded = norm(torch.cat((x, padding)))  # (positions + P, d_model)
    return float((padded[: len(x)] - norm(x)).abs().max())


def draw_batch(seed: int, *, lengths: tuple[int, ...], n_padding: int, d_model: int) -> Tensor:
    """Sentences of small whole numbers, of these lengths, padded with zeros to one length.

    (B, T, d_model) float32, T = longest + n_padding; the padding does not change what is drawn.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = [torch.randint(-4, 10, (n, d_model), generator=generator).float() for n in lengths]
    return F.pad(pad_sequence(drawn, batch_first=True), (0, 0, 0, n_padding))


class NoResidual(Residual):
    """sublayer(norm(x)): pre-norm without the path round the sublayer."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        return sublayer(self.norm(x))


@dataclass(frozen=True)
class Start:
    """One stack of an untrained model of L layers."""

    gradients: Tensor  # (L,) float64, norm of the loss's gradient by all parameters of each block
    # (L,) float64, how much the positions of a sentence still differ where they leave each block:
    # ‖x - mean over its positions‖ / ‖x‖
    spread: Tensor


def measure_start(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Start]:
    """Run one random batch forwards and backwards through a small untrained Transformer.

    ``"pre"`` and ``"post"`` are the norms of ``ModelConfig``, ``"none"`` is pre-norm with every
    residual path cut. Weights and tokens are the same for every wiring. In float64, since without
    the residual path gradients get smaller than float32 can say.

    Source: Xiong et al. 2020, section 3.3 (they measure the feed-forward's weights alone).
    """
    generator = torch.Generator().manual_seed(seed)
    src, tgt, labels = torch.randint(PAD + 1, VOCABULARY, (3, BATCH, LENGTH), generator=generator)
    model = _untrained(wiring, n_layers, seed)
    records: dict[str, Tensor] = {}
    logits = model(src, tgt, padding_mask(src, PAD), hooks=Hooks(records))  # (B, T, V)
    F.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()  # type: ignore[no-untyped-call]
    return {
        stack: Start(
            torch.stack([_gradient_norm(block) for block in getattr(model, stack).blocks]),
            torch.stack([_spread(records[f"{stack}.{n}.resid_post"]) for n in range(n_layers)]),
        )
        for stack in STACKS
    }


def _untrained(wiring: Wiring, n_layers: int, seed: int) -> Transformer:
    config = ModelConfig(
        vocab_size=VOCABULARY,
        d_model=D_MODEL,
        n_heads=N_HEADS,
        n_layers=n_layers,
        d_ff=D_FF,
        dropout=0.0,
        norm="post" if wiring == "post" else "pre",
        max_length=LENGTH,
    )
    model = untrained(config, seed=seed).train().double()
    if wiring == "none":
        for block in (*model.encoder.blocks, *model.decoder.blocks):
            for name, part in list(block.named_children()):
                if isinstance(part, Residual):
                    setattr(block, name, NoResidual(config).double())
    return model


def _gradient_norm(block: nn.Module) -> Tensor:
    norms = [p.grad.norm() for p in block.parameters() if p.grad is not None]
    return torch.stack(norms).norm()


def _spread(x: Tensor) -> Tensor:
    x = x.detach()  # (B, T, d_model)
    return (x - x.mean(dim=1, keepdim=True)).norm() / x.norm()


@torch.no_grad()
def ffn_input(model: Transformer, trace: Trace, stack: Stack, layer: int) -> Tensor:
    """(T, d_model) that the feed-forward of one block was given: the stream, normed with pre-norm.

    The model is the one that made the trace; the layer is counted from 0.
    """
    [step] = [a for a in additions(trace, stack) if (a.layer, a.sublayer) == (layer, "ffn")]
    x = torch.tensor(step.before)
    residual = getattr(model, stack).blocks[layer].ffn_residual
    return residual.norm(x) if residual.pre_norm else x


def firing(hidden: Array) -> Array:
    """(T, d_ff) -> (T,) share of the hidden units that are above zero."""
    return (hidden > 0).mean(axis=-1)


def strongest_units(hidden: Array, place: int, n: int) -> list[int]:
    """At most n hidden units, from 0, those highest at one position of (T, d_ff) first."""
    return [int(unit) for unit in (-hidden[place]).argsort(kind="stable")[:n]]


@torch.no_grad()
def change_one_position(ffn: FeedForward, x: Tensor, place: int, seed: int) -> Tensor:
    """Put random numbers at one position of x (T, d_model): (T,) ‖change of each output‖."""
    changed = x.clone()
    changed[place] = torch.randn(x.shape[1], generator=torch.Generator().manual_seed(seed))
    return (ffn(changed[None]) - ffn(x[None]))[0].norm(dim=-1)


@torch.no_grad()
def as_two_convolutions(ffn: FeedForward, x: Tensor) -> Tensor:
    """The same network as two convolutions of kernel size 1 over the positions of x (T, d_model).

    Source: Vaswani et al. 2017, section 3.3.
    """
    channels = x.T[None]  # (1, d_model, T)
    inner = F.conv1d(channels, ffn.w_1.weight[:, :, None], ffn.w_1.bias)  # (1, d_ff, T)
    hidden = ffn.activation(inner)
    out = F.conv1d(hidden, ffn.w_2.weight[:, :, None], ffn.w_2.bias)  # (1, d_model, T)
    return out[0].T
