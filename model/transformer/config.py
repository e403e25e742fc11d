"""The hyperparameters of a model. Every checkpoint stores them."""

import math
from dataclasses import dataclass
from typing import get_args

from model.nn.attention_model import Norm
from model.nn.encoder_decoder import Config

MAX_SIZE = 1_000_000  # largest vocabulary or width: the product of two sizes fits into 64 bits
MAX_TOKENS = 4_096  # longest sentence: the positional encoding has a row for each token
MAX_LAYERS = 100  # of the encoder, and of the decoder


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The architecture of one encoder-decoder Transformer.

    Args:
        vocab_size: V, size of the vocabulary that source and target share.
        d_model: width of the residual stream.
        n_heads: H, number of heads of every attention; must divide ``d_model``.
        n_layers: number of blocks in the encoder, and as many in the decoder.
        d_ff: width of the feed-forward's hidden layer.
        dropout: P_drop, applied where the paper applies it: to the output of every
            sublayer and to the sum of embedding and position.
        norm: ``"pre"`` normalises before each sublayer, ``"post"`` after the residual
            sum, as the paper does.
        tie_embeddings: one matrix for source embedding, target embedding and output.
        max_length: longest source or target, in tokens, that the model accepts.

    Raises:
        ValueError: a number is out of range, a name unknown, or ``n_heads`` does not divide
            ``d_model``.

    Source: Vaswani et al. 2017, sections 3 and 5.4; pre-norm: Xiong et al. 2020.
    """

    vocab_size: int
    d_model: int = 256  # half the width of the paper: trains in hours on two cores
    n_heads: int = 8
    n_layers: int = 4  # the paper has 6; a page shows 4 x 8 heads at a glance
    d_ff: int = 1024
    dropout: float = 0.1
    norm: Norm = "pre"
    tie_embeddings: bool = True
    max_length: int = 256  # longer than all sentences of the corpora

    def __post_init__(self) -> None:
        check_sizes(self, "vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_length")
        if self.n_layers > MAX_LAYERS:
            raise ValueError(f"n_layers must be at most {MAX_LAYERS}, got {self.n_layers!r}")

        if self.norm not in get_args(Norm):
            listed = " or ".join(map(repr, get_args(Norm)))
            raise ValueError(f"norm must be {listed}, got {self.norm!r}")
        if self.d_model % self.n_heads:
            raise ValueError(f"n_heads={self.n_heads} does not divide d_model={self.d_model}")
        if self.d_model % 2:
            raise ValueError(f"d_model must be even (sines and cosines), got {self.d_model}")

    @property
    def d_head(self) -> int:
        """The width of one head, d_model / n_heads (section 3.2.2)."""
        return self.d_model // self.n_heads

    @property
    def scaling(self) -> float:
        """The factor of q kᵀ, 1 / √d_head (section 3.2.1)."""
        return 1 / math.sqrt(self.d_head)

    @property
    def n_matrix_weights(self) -> int:
        """The number of weights in all matrices: nearly all parameters of the model."""
        attention = 4 * self.d_model**2  # w_q, w_k, w_v, w_o
        feed_forward = 2 * self.d_model * self.d_ff
        encoder_block = attention + feed_forward
        decoder_block = 2 * attention + feed_forward
        blocks = self.n_layers * (encoder_block + decoder_block)
        return self.vocab_size * self.d_model + blocks


def check_sizes(config: Config, *names: str) -> None:
    """Check sizes, ``max_length`` and dropout of an architecture.

    Args:
        config: the architecture.
        names: its fields that must be whole numbers from 1 to ``MAX_SIZE``.

    Raises:
        ValueError: a size, ``max_length`` or ``dropout`` is out of range.
    """
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or not 1 <= value <= MAX_SIZE:
            raise ValueError(f"{name} must be from 1 to {MAX_SIZE:,}, got {value!r}")
    if config.max_length > MAX_TOKENS:
        raise ValueError(f"max_length must be at most {MAX_TOKENS:,}, got {config.max_length!r}")
    if not 0 <= config.dropout < 1:
        raise ValueError(f"dropout must be in [0, 1), got {config.dropout!r}")
