"""Build models of the same size with well-known libraries, for comparison with ours.

Their weights are random, because the benchmarks measure time, which does not depend on weights.
"""

import torch
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from model.transformer.config import ModelConfig


def marian(config: ModelConfig, *, pad_id: int, eos_id: int) -> MarianMTModel:
    """Return Hugging Face's Marian, which returns attentions in the mode ``eager``.

    Args:
        config: the sizes of our model.
        pad_id: the padding token, which Marian reads first.
        eos_id: the token that ends a translation.
    """
    return MarianMTModel(
        MarianConfig(
            vocab_size=config.vocab_size,
            d_model=config.d_model,
            encoder_layers=config.n_layers,
            decoder_layers=config.n_layers,
            encoder_attention_heads=config.n_heads,
            decoder_attention_heads=config.n_heads,
            encoder_ffn_dim=config.d_ff,
            decoder_ffn_dim=config.d_ff,
            activation_function="relu",
            dropout=config.dropout,
            max_position_embeddings=config.max_length,
            pad_token_id=pad_id,
            eos_token_id=eos_id,
            forced_eos_token_id=None,
            decoder_start_token_id=pad_id,
            attn_implementation="eager",
        )
    )


class TorchTransformer(nn.Module):
    """``torch.nn.Transformer`` with embeddings, positions and an output matrix."""

    def __init__(self, config: ModelConfig, *, pad_id: int) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.max_length, config.d_model)
        self.transformer = nn.Transformer(
            config.d_model,
            config.n_heads,
            config.n_layers,
            config.n_layers,
            config.d_ff,
            config.dropout,
            batch_first=True,
            norm_first=config.norm == "pre",
        )

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """(B, S) and (B, T) int64 -> logits (B, T, V)."""
        causal = self.transformer.generate_square_subsequent_mask(tgt.shape[1])
        decoded = self.transformer(
            self._embed(src),
            self._embed(tgt),
            tgt_mask=causal != 0,
            tgt_is_causal=True,
            src_key_padding_mask=src == self.pad_id,
            tgt_key_padding_mask=tgt == self.pad_id,
            memory_key_padding_mask=src == self.pad_id,
        )
        return decoded @ self.tokens.weight.T

    def _embed(self, ids: Tensor) -> Tensor:
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
