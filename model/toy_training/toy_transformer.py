"""A tiny Transformer and its optimizer, with or without the causal mask."""

import torch
from torch import Tensor

from model.corpora.batches import Batch
from model.decoding.modified import ModifiedTransformer
from model.nn.hooks import NO_HOOKS, Hooks
from model.toy_training.toy_task import PAD
from model.transformer.config import ModelConfig
from model.transformer.masks import causal_mask, no_mask, padding_mask
from model.transformer.transformer import untrained


class ToyTransformer:
    """A Transformer that is trained batch by batch. Only one thread at a time may use it.

    Args:
        config: sizes of the model.
        causal: whether the decoder has its causal mask. Without it, it may look ahead.
        seed: of the weights.
    """

    def __init__(self, config: ModelConfig, *, causal: bool, seed: int) -> None:
        self.model = untrained(config, seed=seed)
        self.causal = causal
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def states(self, batch: Batch, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Return the decoder's states with teacher forcing: (B, T, d_model)."""
        src_mask = padding_mask(batch.src, PAD)
        memory = self.model.encode(batch.src, src_mask, hooks=hooks)  # (B, S, d_model)
        tgt_mask = None if self.causal else padding_mask(batch.tgt, PAD)
        return self.model.decode_states(batch.tgt, memory, src_mask, tgt_mask=tgt_mask, hooks=hooks)

    def update(self, loss: Tensor, *, learning_rate: float) -> None:
        """Make one Adam step to reduce a loss."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()

    def decoder(self) -> ModifiedTransformer:
        """Return the model for decoding, with the mask of its training."""
        return ModifiedTransformer(self.model, self_mask=causal_mask if self.causal else no_mask)
