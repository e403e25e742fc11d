"""The interface of models with attention heads: our Transformer and Hub models.

Maps, contributions and interventions use only what is named here and in ``EncoderDecoder``, so they
work for any of these models.
"""

from abc import abstractmethod
from typing import Any, Literal, Protocol

from torch import Tensor, nn

from model.nn.encoder_decoder import Config, EncoderDecoder
from model.nn.hooks import NO_HOOKS, Hooks

Norm = Literal["pre", "post"]


class AttentionConfig(Config, Protocol):
    """The properties of an architecture with attention heads."""

    @property
    def d_model(self) -> int:
        """The width of the residual stream."""

    @property
    def d_ff(self) -> int:
        """The width of the feed-forward network's hidden layer."""

    @property
    def n_layers(self) -> int:
        """The number of blocks in each stack, encoder and decoder."""

    @property
    def n_heads(self) -> int:
        """The number H of heads of each attention."""

    @property
    def d_head(self) -> int:
        """The width of one head."""

    @property
    def scaling(self) -> float:
        """The factor of q kᵀ: 1 / √d_head, as in the paper, or 1."""

    @property
    def tie_embeddings(self) -> bool:
        """Whether the target embedding and the output layer share one matrix."""

    @property
    def norm(self) -> Norm:
        """Whether the norms come before or after the sublayers."""


class AttentionModel(EncoderDecoder):
    """A model whose blocks consist of multi-head attentions and feed-forward networks.

    ``encoder`` and ``decoder`` have ``norm``, the norm after the last block, and ``blocks``. A
    block has ``self_attention``, ``self_residual``, ``ffn_residual`` and, in the decoder,
    ``cross_attention`` and ``cross_residual``. An attention has ``w_q``, ``w_k``, ``w_v``, ``w_o``
    and ``n_heads``; a residual connection has ``norm`` and ``pre_norm``.
    """

    config: AttentionConfig
    encoder: Any
    decoder: Any

    @abstractmethod
    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        tgt_mask: Tensor | None = None,
        cache: Any = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run the decoder; see ``EncoderDecoder.decode_states``.

        Args:
            tgt: (B, T) int64, BOS and the tokens so far; with a cache only the new ones.
            memory: (B, S, d_model), the result of ``encode``.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            tgt_mask: bool, broadcastable to (B, H, T, tokens so far); None for the causal mask.
            cache: of earlier decoding steps; it is extended.
            hooks: record everything, ablate heads, patch.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.

        Raises:
            ValueError: the target is longer than ``max_length``.
        """

    @abstractmethod
    def embed_source(self, src: Tensor) -> Tensor:
        """Embed (B, S) source ids: (B, S, d_model), the input of ``encode_embedded``."""

    @abstractmethod
    def encode_embedded(self, embedded: Tensor, src_mask: Tensor) -> Tensor:
        """Run the encoder on an embedded source, so that gradients reach the embeddings.

        Args:
            embedded: (B, S, d_model), from ``embed_source``.
            src_mask: (B, 1, 1, S) bool, as for ``encode``.

        Returns:
            memory: (B, S, d_model).
        """

    @property
    def target_embedding_norm(self) -> nn.Module:
        """The norm of the sum of token embedding and position; an identity in most models."""
        return nn.Identity()
