"""A model of the library with the interface of our own Transformer."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn

from model.arrays import Array, read_only
from model.hub.attention import hooks_of_call
from model.hub.families import FAMILIES, Family, submodule
from model.hub.inside import attach_hooks
from model.nn.attention_model import AttentionModel, Norm
from model.nn.hooks import NO_HOOKS, Hooks
from model.nn.root_mean_square_norm import RootMeanSquareNorm
from model.transformer.config import MAX_TOKENS
from model.transformer.masks import causal_mask

# Maximum sentence length of models with relative positions. They have no limit of their own, but T5
# was trained only up to this length.
MAX_RELATIVE_TOKENS = 512


@dataclass(frozen=True, kw_only=True)
class HubConfig:
    """The architecture of a Hub model, with the field names of ``ModelConfig``."""

    model_type: str  # the family's name in the library
    vocab_size: int  # V, of the target
    src_vocab_size: int | None  # size of the source's own vocabulary; None if it is the target's
    d_model: int  # width of the residual stream
    n_heads: int  # H, heads of every attention
    d_head: int  # width of one head; H d_head need not be d_model
    n_layers: int  # blocks in the encoder, and as many in the decoder
    d_ff: int  # width of the feed-forward network's hidden layer
    norm: Norm  # before or after each sublayer
    tie_embeddings: bool  # whether target embedding and output are one matrix
    scaling: float  # factor of q kᵀ: 1 / √d_head, or 1
    max_length: int  # longest source or target, in tokens
    dropout: float = 0.0  # these models are not trained here


@dataclass(frozen=True)
class _Projection:
    """The weight and bias of one projection of an attention."""

    linear: nn.Linear

    @property
    def weight(self) -> Tensor:
        """The weight, (outputs, inputs)."""
        return self.linear.weight

    @property
    def bias(self) -> Tensor:
        """The bias, (outputs,); 0 if the model has none."""
        bias: Tensor | None = self.linear.bias
        return self.weight.new_zeros(len(self.weight)) if bias is None else bias


@dataclass(frozen=True)
class _Attention:
    """The matrices of one attention."""

    w_q: _Projection
    w_k: _Projection
    w_v: _Projection
    w_o: _Projection
    n_heads: int


@dataclass(frozen=True)
class _Residual:
    """One residual connection."""

    pre_norm: bool  # whether its norm comes before the sublayer
    norm: nn.Module


@dataclass(frozen=True)
class _Block:
    """One block. An encoder block has no cross-attention."""

    self_attention: _Attention
    self_residual: _Residual
    ffn_residual: _Residual
    cross_attention: _Attention | None = None
    cross_residual: _Residual | None = None


@dataclass(frozen=True)
class _Stack:
    """The encoder or the decoder."""

    blocks: list[_Block]
    norm: nn.Module  # after the last block


class HubCache:
    """The keys and values of the library, kept between decoding steps."""

    def __init__(self, config: Any) -> None:
        from transformers import DynamicCache, EncoderDecoderCache

        self._config = config
        self.stored = EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))

    @property
    def length(self) -> int:
        """The number of target tokens decoded so far."""
        return int(self.stored.self_attention_cache.get_seq_length())

    def forget_target(self) -> None:
        """Empty the caches of the target. The caches of the source stay."""
        from transformers import DynamicCache

        self.stored.self_attention_cache = DynamicCache(config=self._config)

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (B,) int64.

        Each takes the row of a hypothesis of the same source, so keys and values of the source
        stay.
        """
        target_cache: Any = self.stored.self_attention_cache
        target_cache.reorder_cache(rows)
        return self


class HubTransformer(AttentionModel):
    """An encoder-decoder model of the library, with our hooks.

    It records, ablates and patches under the names of ``transformer/shapes``. The library computes
    everything except the attention, see ``attention.attend``.

    Args:
        library_model: opened with the attention of ``model.hub.attention``.

    Raises:
        ValueError: encoder and decoder have different numbers of blocks or heads.
    """

    config: HubConfig

    def __init__(self, library_model: Any) -> None:
        super().__init__()
        family = FAMILIES[library_model.config.model_type]
        self.library_model = library_model
        self.library_encoder = submodule(library_model, family.encoder)
        self.library_decoder = submodule(library_model, family.decoder)
        attach_hooks(self.library_encoder, "encoder", family)
        attach_hooks(self.library_decoder, "decoder", family)
        self.config = _config_of(library_model, family)
        self._rules: dict[torch.device, Any] = {}  # the rules for generated tokens, by device
        self.unembed = _unembedding(library_model)
        # T5 with tied embeddings scales the decoder's output down before the output matrix.
        has_scale = getattr(library_model.config, "scale_decoder_outputs", False)
        self._output_scale = self.config.d_model**-0.5 if has_scale else 1.0
        self.encoder = _stack_of(self.library_encoder, family, self.config)
        self.decoder = _stack_of(
            self.library_decoder,
            family,
            self.config,
            has_cross_attention=True,
            output_scale=self._output_scale,
        )
        self._target_embedding_norm: nn.Module = nn.Identity()
        if family.embedding_norm is not None:
            self._target_embedding_norm = submodule(self.library_decoder, family.embedding_norm)

    @property
    def target_embedding_norm(self) -> nn.Module:
        """The norm of the sum of token embedding and position; an identity if there is none."""
        return self._target_embedding_norm

    def new_cache(self) -> HubCache:
        """Return an empty cache for decoding step by step."""
        return HubCache(self.library_model.config)

    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Encode (B, S) source ids: memory (B, S, d_model); see ``EncoderDecoder.encode``.

        Args:
            src: (B, S) int64 token ids, EOS last, padded on the right.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            hooks: what to record, ablate and patch.
        """
        self._check_length(src.shape[1])
        with hooks_of_call(hooks):
            result = self.library_encoder(input_ids=src, attention_mask=src_mask)
        memory: Tensor = result.last_hidden_state  # (B, S, d_model)
        hooks.child("encoder").record(memory=memory)
        return memory

    def embed_source(self, src: Tensor) -> Tensor:
        """Embed (B, S) source ids without their positions: (B, S, d_model)."""
        records: dict[str, Tensor] = {}
        with hooks_of_call(Hooks(records)):
            self.library_encoder(input_ids=src)
        return records["encoder.token_embedding"]

    def encode_embedded(self, embedded: Tensor, src_mask: Tensor) -> Tensor:
        """Run the encoder on an embedded source; see ``AttentionModel.encode_embedded``."""
        result = self.library_encoder(inputs_embeds=embedded, attention_mask=src_mask)
        memory: Tensor = result.last_hidden_state  # (B, S, d_model)
        return memory

    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        tgt_mask: Tensor | None = None,
        cache: HubCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run the decoder; see ``AttentionModel.decode_states``.

        Args:
            tgt: (B, T) int64, the first token and those after it; with a cache only the new ones.
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
        n_queries = tgt.shape[1]
        first = 0 if cache is None else cache.length
        self._check_length(first + n_queries)
        if tgt_mask is None:
            tgt_mask = causal_mask(n_queries, first + n_queries, device=tgt.device)
        with hooks_of_call(hooks):
            result = self.library_decoder(
                input_ids=tgt,
                attention_mask=tgt_mask,
                encoder_hidden_states=memory,
                encoder_attention_mask=src_mask,
                past_key_values=None if cache is None else cache.stored,
                use_cache=cache is not None,
            )
        decoded: Tensor = result.last_hidden_state  # (B, T, d_model)
        if self._output_scale != 1.0:
            decoded = decoded * self._output_scale
        hooks.child("decoder").record(decoded=decoded)
        return decoded

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        """Apply the rules of ``generation_config.json``; see ``EncoderDecoder.restrict``.

        Some rules forbid tokens; others forbid writing the same three tokens twice. All rules of
        the library's ``generate`` are applied, except those for the first and the last token: the
        tokenizer chooses the language with which a translation begins, and no EOS is forced at the
        length limit.
        """
        if logits.device not in self._rules:
            rules = _rules_of(self.library_model, int(written[0, 0]), logits.device)
            rules(written, logits)  # their first call fills tables, which threads then only read
            self._rules[logits.device] = rules
        restricted: Tensor = self._rules[logits.device](written, logits)
        return restricted

    @property
    def has_relative_bias(self) -> bool:
        """Whether the scores have a learned bias of relative positions, as in T5."""
        return FAMILIES[self.config.model_type].positions is None

    @torch.inference_mode()
    def relative_bias(self, n: int) -> Array | None:
        """Return the bias that the encoder adds to a score, for each relative position of the key.

        Args:
            n: the largest distance, in tokens.

        Returns:
            (H, 2n + 1): of each head, for the distances -n (before the query) to n (after it).
            None for a model without such a bias; only T5 has one.

        Source: Raffel et al. 2020, section 2.1.
        """
        if not self.has_relative_bias:
            return None
        family = FAMILIES[self.config.model_type]
        block = submodule(self.library_encoder, family.blocks)[0]  # all blocks use its bias
        attention = submodule(block, family.self_attention)
        bias = attention.compute_bias(n + 1, n + 1)[0]  # (H, n + 1, n + 1)
        before = bias[:, -1, :]  # (H, n + 1): the last query sees the distances -n to 0
        after = bias[:, 0, 1:]  # (H, n): the first query sees the distances 1 to n
        return read_only(torch.cat((before, after), dim=1).cpu().numpy())

    def _check_length(self, n_tokens: int) -> None:
        limit = self.config.max_length
        if n_tokens > limit:
            raise ValueError(f"{n_tokens} tokens are more than this model takes: {limit}")


def _stack_of(
    stack: nn.Module,
    family: Family,
    config: HubConfig,
    *,
    has_cross_attention: bool = False,
    output_scale: float = 1.0,
) -> _Stack:
    """Return the blocks and the final norm of the encoder or the decoder.

    Args:
        stack: the module of the library.
        family: the names of its parts.
        config: of the model.
        has_cross_attention: True for the decoder.
        output_scale: factor that is applied after the last norm.
    """

    def attention(block: nn.Module, path: str) -> _Attention:
        module = submodule(block, path)
        names = (family.w_q, family.w_k, family.w_v, family.w_o)
        w_q, w_k, w_v, w_o = (_Projection(submodule(module, name)) for name in names)
        return _Attention(w_q, w_k, w_v, w_o, config.n_heads)

    def residual(block: nn.Module, path: str) -> _Residual:
        return _Residual(family.norm == "pre", _norm_of(submodule(block, path)))

    blocks = []
    for block in submodule(stack, family.blocks):
        cross_attention = cross_residual = None
        if has_cross_attention:
            cross_attention = attention(block, family.cross_attention)
            cross_residual = residual(block, family.cross_norm)
        blocks.append(
            _Block(
                self_attention=attention(block, family.self_attention),
                self_residual=residual(block, family.self_norm),
                ffn_residual=residual(block, family.ffn_norm),
                cross_attention=cross_attention,
                cross_residual=cross_residual,
            )
        )
    norm: nn.Module = nn.Identity()
    if family.final_norm is not None:
        norm = _norm_of(submodule(stack, family.final_norm), scale=output_scale)
    return _Stack(blocks, norm)


def _norm_of(norm: nn.Module, scale: float = 1.0) -> nn.Module:
    """Convert a norm of the library to ``nn.LayerNorm`` or to a scaled ``RootMeanSquareNorm``."""
    if isinstance(norm, nn.LayerNorm):
        return norm
    gain: Any = norm.weight
    eps: Any = norm.variance_epsilon
    return RootMeanSquareNorm(gain, eps, scale)


def _unembedding(library_model: Any) -> nn.Linear:
    """Return the output matrix with its bias. It shares its weights with the library's model."""
    matrix: nn.Linear = library_model.lm_head
    n_outputs, d_model = matrix.weight.shape
    linear = nn.Linear(d_model, n_outputs, bias=False, device="meta")
    linear.weight = matrix.weight
    bias: Tensor | None = getattr(library_model, "final_logits_bias", None)  # (1, V)
    if bias is not None and bias.any():
        del linear.bias  # an empty parameter has this name
        linear.register_buffer("bias", bias[0], persistent=False)
    return linear


def _rules_of(library_model: Any, start_id: int, device: torch.device) -> Any:
    """Return the library's logits processors, which restrict the next token.

    Args:
        library_model: its ``generation_config`` has the rules.
        start_id: id of the token that the decoder reads first; old models name none.
        device: of the logits.
    """
    settings = copy.deepcopy(library_model.generation_config)
    settings.update(
        do_sample=False,
        decoder_start_token_id=start_id,
        forced_bos_token_id=None,
        forced_eos_token_id=None,
        encoder_no_repeat_ngram_size=None,  # this rule would need the source
        encoder_repetition_penalty=None,
    )
    library_model._prepare_special_tokens(settings, device=device)
    return library_model._get_logits_processor(settings, input_ids_seq_length=1, device=device)


def _config_of(library_model: Any, family: Family) -> HubConfig:
    """Read the architecture from the model's modules. All families use the same names for these."""
    config = library_model.config
    encoder = submodule(library_model, family.encoder)
    decoder = submodule(library_model, family.decoder)
    encoder_blocks = submodule(encoder, family.blocks)
    decoder_blocks = submodule(decoder, family.blocks)
    attention = submodule(encoder_blocks[0], family.self_attention)
    decoder_attention = submodule(decoder_blocks[0], family.self_attention)
    n_heads = getattr(attention, family.n_heads)
    for name, in_encoder, in_decoder in (
        ("blocks", len(encoder_blocks), len(decoder_blocks)),
        ("heads", n_heads, getattr(decoder_attention, family.n_heads)),
    ):
        if in_encoder != in_decoder:
            raise ValueError(
                f"its encoder has {in_encoder} {name} and its decoder {in_decoder}, and only "
                "models with equal numbers can be shown"
            )
    src_tokens = submodule(encoder, family.tokens)
    tgt_tokens = submodule(decoder, family.tokens)
    is_shared = src_tokens.weight is tgt_tokens.weight
    n_positions = getattr(config, "max_position_embeddings", MAX_RELATIVE_TOKENS)
    return HubConfig(
        model_type=config.model_type,
        vocab_size=library_model.lm_head.out_features,
        src_vocab_size=None if is_shared else src_tokens.num_embeddings,
        d_model=library_model.lm_head.in_features,
        n_heads=n_heads,
        d_head=getattr(attention, family.d_head),
        n_layers=len(encoder_blocks),
        d_ff=submodule(encoder_blocks[0], family.ffn_output).in_features,
        norm=family.norm,
        tie_embeddings=library_model.lm_head.weight is tgt_tokens.weight,
        scaling=attention.scaling,
        max_length=min(n_positions, MAX_TOKENS),
    )
