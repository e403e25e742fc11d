"""How large the gradient of each layer is before the first step of training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.nn.hooks import Hooks
from model.trace.residual_stream import Stack
from model.transformer.config import ModelConfig
from model.transformer.masks import padding_mask
from model.transformer.residual import Residual
from model.transformer.transformer import Transformer, untrained

Wiring = Literal["pre", "post", "none"]
PAD, VOCABULARY, BATCH, LENGTH = 0, 64, 4, 8
D_MODEL, N_HEADS, D_FF = 32, 4, 128


class NoResidual(Residual):
    """sublayer(norm(x)): pre-norm without the path round the sublayer."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        return sublayer(self.norm(x))


@dataclass(frozen=True)
class Start:
    """One stack of an untrained model.

    Args:
        gradients: (L,) float64, norm of the loss's gradient by all parameters of each block.
        spread: (L,) float64, how much the positions of a sentence still differ where they leave
            each block: ‖x - mean over its positions‖ / ‖x‖.
    """

    gradients: Tensor
    spread: Tensor


def measure_start(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Start]:
    """Build a small Transformer, run one random batch forwards and backwards, and look.

    Weights and tokens are the same for every wiring. In float64, since without the residual
    path gradients get smaller than float32 can say.

    Args:
        wiring: ``"pre"`` and ``"post"`` are the norms of ``ModelConfig``, ``"none"`` is pre-norm
            with every residual path cut.
        n_layers: L of the encoder, and again of the decoder.
        seed: of weights and tokens.

    Source: Xiong et al. 2020, section 3.3 (they measure the feed-forward's weights alone).
    """
    generator = torch.Generator().manual_seed(seed)
    src, tgt, labels = torch.randint(PAD + 1, VOCABULARY, (3, BATCH, LENGTH), generator=generator)
    model = _untrained(wiring, n_layers, seed)
    records: dict[str, Tensor] = {}
    logits = model(src, tgt, padding_mask(src, PAD), hooks=Hooks(records))  # (B, T, V)
    F.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()  # type: ignore[no-untyped-call]
    blocks: dict[Stack, nn.ModuleList] = {
        "encoder": model.encoder.blocks,
        "decoder": model.decoder.blocks,
    }
    return {
        stack: Start(
            gradients=torch.stack([_gradient_norm(block) for block in blocks[stack]]),
            spread=torch.stack(
                [_spread(records[f"{stack}.{n}.resid_post"]) for n in range(n_layers)]
            ),
        )
        for stack in blocks
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
    total: Tensor = torch.stack(norms).norm()
    return total


def _spread(x: Tensor) -> Tensor:
    x = x.detach()  # (B, T, d_model)
    spread: Tensor = (x - x.mean(dim=1, keepdim=True)).norm() / x.norm()
    return spread
