"""Lesson: norms, residual connections and the feed-forward network."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
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
from model.translation_model import TranslationModel, require_paper

EPSILON = 1e-5  # as in PyTorch; added to the variance
Wiring = Literal["pre", "post", "none"]
NormName = Literal["layer", "batch"]
FloatArray = npt.NDArray[np.float64]

# Sizes of the untrained models and of their batch of random tokens:
PAD = 0
VOCABULARY = 64
BATCH = 4
LENGTH = 8
D_MODEL = 32
N_HEADS = 4
D_FF = 128


def normalise(x: Tensor, dim: int) -> Tensor:
    """Return (x - μ) / √(σ² + ε), with μ and σ² over one axis, without learned gain and bias.

    Source: Ba et al. 2016, section 3 (layer norm); Ioffe and Szegedy 2015, algorithm 1 (batch norm,
    as in training).
    """
    mean = x.mean(dim, keepdim=True)
    variance = (x - mean).square().mean(dim, keepdim=True)
    return (x - mean) / (variance + EPSILON).sqrt()


layer_norm = partial(normalise, dim=-1)  # over the features of each position: (..., d_model)
batch_norm = partial(normalise, dim=0)  # over all positions, padding too: (positions, d_model)
NORMS: dict[NormName, Callable[[Tensor], Tensor]] = {"layer": layer_norm, "batch": batch_norm}


def padding_change(norm: Callable[[Tensor], Tensor], x: Tensor, padding: Tensor) -> float:
    """Return the largest change of the normalised numbers when padding is appended.

    Args:
        norm: ``layer_norm`` or ``batch_norm``.
        x: (positions, d_model).
        padding: (P, d_model), what follows x.
    """
    with_padding = norm(torch.cat((x, padding)))  # (positions + P, d_model)
    return float((with_padding[: len(x)] - norm(x)).abs().max())


@torch.inference_mode()
def padding_changes(t: TranslationModel, trace: Trace, most: int) -> dict[NormName, FloatArray]:
    """Return, for each norm, what 0, 1, ..., P positions of padding change at the tokens: (P + 1,).

    Args:
        t: the model that made the trace.
        trace: of the sentence.
        most: P; fewer positions are added if the model's longest sentence allows no more.
    """
    x = torch.tensor(trace.records["encoder.embedded"])  # (S, d_model)
    free = t.config.max_length - len(x)
    pad_ids = torch.full((1, min(most, free)), t.tokenizer.pad_id)
    padding = require_paper(t).src_embedding(pad_ids, first=len(x))[0]  # (P, d_model)
    return {
        name: np.array([padding_change(norm, x, padding[:n]) for n in range(len(padding) + 1)])
        for name, norm in NORMS.items()
    }


def draw_batch(seed: int, *, lengths: tuple[int, ...], n_padding: int, d_model: int) -> Tensor:
    """Draw sentences of vectors with small integers, padded with zeros to one length.

    Args:
        seed: of the numbers; the padding does not change what is drawn.
        lengths: of B sentences.
        n_padding: positions of padding after the longest sentence.
        d_model: numbers at each position.

    Returns:
        (B, T, d_model) float32, from -4 to 9, with T = longest + n_padding.
    """
    generator = torch.Generator().manual_seed(seed)
    sentences = [torch.randint(-4, 10, (n, d_model), generator=generator).float() for n in lengths]
    padded = pad_sequence(sentences, batch_first=True)  # (B, longest, d_model)
    return F.pad(padded, (0, 0, 0, n_padding))


class NoResidual(Residual):
    """Computes sublayer(norm(x)): pre-norm without the residual connection."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Run the norm and the sublayer: (B, T, d_model) -> (B, T, d_model)."""
        return sublayer(self.norm(x))


@dataclass(frozen=True)
class Start:
    """The measurements of one stack of an untrained model with L layers."""

    # (L,) float64, norm of the loss gradient with respect to the parameters of each block
    gradients: Tensor
    # (L,) float64, how strongly the positions of a sentence differ after each block: ‖x - mean of x
    # over its positions‖ / ‖x‖
    spread: Tensor


def measure_start(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Start]:
    """Measure one forward and backward pass of a small untrained Transformer on a random batch.

    It computes in float64: without residual connections the gradients are too small for float32.

    Args:
        wiring: ``"pre"`` and ``"post"`` are the norms of ``ModelConfig``; ``"none"`` is pre-norm
            with every residual connection cut.
        n_layers: number of blocks in the encoder, and also in the decoder.
        seed: of weights and tokens, which are the same for every wiring.

    Source: Xiong et al. 2020, section 3.3 (they measure the feed-forward's weights alone).
    """
    generator = torch.Generator().manual_seed(seed)
    src, tgt, labels = torch.randint(PAD + 1, VOCABULARY, (3, BATCH, LENGTH), generator=generator)
    model = wired_model(wiring, n_layers, seed)
    records: dict[str, Tensor] = {}
    logits = model(src, tgt, padding_mask(src, PAD), hooks=Hooks(records))  # (B, T, V)
    F.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()  # type: ignore[no-untyped-call]

    start: dict[Stack, Start] = {}
    for stack in STACKS:
        gradients = [_gradient_norm(block) for block in getattr(model, stack).blocks]
        spread = [_spread(records[f"{stack}.{layer}.resid_post"]) for layer in range(n_layers)]
        start[stack] = Start(torch.stack(gradients), torch.stack(spread))
    return start


def wired_model(wiring: Wiring, n_layers: int, seed: int) -> Transformer:
    """Return the untrained model that ``measure_start`` measures, in float64.

    Args:
        wiring: as for ``measure_start``.
        n_layers: number of blocks in the encoder, and also in the decoder.
        seed: of the weights.
    """
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
            for name, module in list(block.named_children()):
                if isinstance(module, Residual):
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
    """Return the input of the feed-forward network of one block.

    That is the residual stream; with pre-norm it is normed.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        stack: encoder or decoder.
        layer: from 0.

    Returns:
        (T, d_model).
    """
    [step] = [a for a in additions(trace, stack) if (a.layer, a.sublayer) == (layer, "ffn")]
    x = torch.tensor(step.before)
    residual = getattr(model, stack).blocks[layer].ffn_residual
    return residual.norm(x) if residual.pre_norm else x


def firing(hidden: Array) -> Array:
    """Return the share of positive hidden units at each position: (T, d_ff) -> (T,)."""
    return (hidden > 0).mean(axis=-1)


def strongest_units(hidden: Array, position: int, n: int) -> list[int]:
    """Return the n hidden units with the largest values at one position, in descending order.

    Args:
        hidden: (T, d_ff).
        position: from 0.
        n: how many at most.
    """
    by_size = (-hidden[position]).argsort(kind="stable")  # (d_ff,)
    return by_size[:n].tolist()


@torch.no_grad()
def change_one_position(ffn: FeedForward, x: Tensor, position: int, seed: int) -> Tensor:
    """Replace one position by random numbers, and measure the output change at every position.

    No other position changes, because the network computes each position separately.

    Args:
        ffn: a feed-forward network.
        x: (T, d_model), its input.
        position: from 0.
        seed: of the random numbers.

    Returns:
        (T,) ‖change of the output‖ at each position.
    """
    changed = x.clone()
    changed[position] = torch.randn(x.shape[1], generator=torch.Generator().manual_seed(seed))
    return (ffn(changed[None]) - ffn(x[None]))[0].norm(dim=-1)


@torch.no_grad()
def as_two_convolutions(ffn: FeedForward, x: Tensor) -> Tensor:
    """Compute a feed-forward network as two convolutions of kernel size 1 over the positions.

    (T, d_model) -> (T, d_model), the same numbers as ``ffn`` gives.

    Source: Vaswani et al. 2017, section 3.3.
    """
    channels = x.T[None]  # (1, d_model, T)
    inner = F.conv1d(channels, ffn.w_1.weight[:, :, None], ffn.w_1.bias)  # (1, d_ff, T)
    hidden = inner.relu()  # (1, d_ff, T)
    out = F.conv1d(hidden, ffn.w_2.weight[:, :, None], ffn.w_2.bias)  # (1, d_model, T)
    return out[0].T
