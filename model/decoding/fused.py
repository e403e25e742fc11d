"""A Transformer arranged for fast decoding: the same sums in fewer and larger operations.

While a decoder writes one token at a time, it waits for its matrices to come from memory. Nearly
all of the remaining time is spent on starting operations: a view of a tensor costs as much as a
small product. So q, k and v come from one product, every matrix lies in memory in the order in
which it is read, and whatever is the same in each step is prepared once. To learn how a decoder
works, read ``transformer/decoder.py``: tests compare this one with it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention
from model.transformer.decoder import DecoderBlock
from model.transformer.residual import Residual
from model.transformer.transformer import Transformer

# Initial capacity of a cache in target tokens: most sentences need no more. For a longer one the
# capacity is doubled, as often as needed.
_FIRST_CAPACITY = 32


class _KeysAndValues:
    """Keys and values of one attention, and views of them in the shapes of its products.

    Args:
        stacked: (2, N, H, S, d_head), the keys, then the values; contiguous.
    """

    def __init__(self, stacked: Tensor) -> None:
        self.stacked = stacked
        k, v = stacked.flatten(1, 2)  # (N H, S, d_head) each
        self.k_transposed = k.transpose(1, 2)  # (N H, d_head, S)
        self.v = v  # (N H, S, d_head)


@dataclass
class FusedCache:
    """Keys and values of N sentences, from one step to the next."""

    length: int = 0  # T, target tokens decoded so far
    # of each self-attention: S is the capacity, and the first T are filled
    target: list[_KeysAndValues] = field(default_factory=list)
    # of each cross-attention: S is the length of the source
    source: list[_KeysAndValues] = field(default_factory=list)
    # (N H, 1, S), added to the scores of the source: 0, or -inf where it is padding
    bias: Tensor | None = None

    @property
    def capacity(self) -> int:
        """The number of target tokens that the cache can hold."""
        return self.target[0].stacked.shape[3]

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (N,) int64.

        Each takes the row of a hypothesis of the same source, so keys and values of the source
        stay. Only rows that change are copied.
        """
        changed = (rows != torch.arange(len(rows), device=rows.device)).nonzero()[:, 0]
        for target in self.target:
            filled = target.stacked[:, :, :, : self.length]  # (2, N, H, T, d_head)
            filled.index_copy_(1, changed, filled.index_select(1, rows[changed]))
        return self


class FusedTransformer:
    """A trained Transformer that decodes one token at a time; it has no hooks.

    Args:
        model: in eval mode, with its final weights and on its final device: the weights of the
            decoder are copied.
        dtype: number format of the copies and of the products with them; None for the model's.
    """

    def __init__(self, model: Transformer, dtype: torch.dtype | None = None) -> None:
        self.model = model
        self.config = model.config
        self.device = model.device
        embedding = model.tgt_embedding
        dtype = dtype or model.unembed.weight.dtype
        self._token_embedding = embedding.tokens.weight.detach().to(dtype)  # E, (V, d_model)
        self._embedding_scale = embedding.scale  # √d_model
        self._positions = embedding.positions.to(dtype)  # (max_length, d_model)
        self._blocks = [_FusedBlock(block, dtype) for block in model.decoder.blocks]
        self._norm = _norm(model.decoder.norm, dtype)
        self._unembed = _weight(model.unembed, dtype)  # (d_model, V)

    def new_cache(self) -> FusedCache:
        """Return an empty cache."""
        return FusedCache()

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """Return the memory, as ``Transformer.encode`` does."""
        return self.model.encode(src, src_mask)

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        """Return the logits as they are: our models may write every token."""
        return self.model.restrict(written, logits)

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: FusedCache) -> Tensor:
        """Decode one more token of each target.

        Args:
            tgt: (N, 1) int64, the new tokens.
            memory: (N, S, d_model), used at the first token only.
            src_mask: (N, 1, 1, S) bool, True = may attend; used at the first token only.
            cache: of the tokens before; it is extended.

        Returns:
            (N, 1, V) logits.

        Raises:
            ValueError: ``tgt`` has more than one column, or the cache holds ``max_length`` tokens.
        """
        if tgt.shape[1] != 1:
            raise ValueError("a FusedTransformer reads one token at a time: use its ``model``")
        if cache.length == self.config.max_length:
            raise ValueError(f"this model reads at most {cache.length} tokens")
        if cache.length == 0:
            self._fill(cache, memory, src_mask)
        elif cache.length == cache.capacity:
            cache.target = [_with_double_room(target) for target in cache.target]

        token_embedding = self._token_embedding[tgt[:, 0]]  # (N, d_model)
        position = self._positions[cache.length]  # (d_model,)
        x = torch.add(position, token_embedding, alpha=self._embedding_scale)  # (N, d_model)
        for layer, block in enumerate(self._blocks):
            x = block.step(x, cache, layer)  # (N, d_model)
        cache.length += 1

        logits = self._norm(x) @ self._unembed  # (N, V)
        return logits[:, None]

    def _fill(self, cache: FusedCache, memory: Tensor, src_mask: Tensor) -> None:
        """Compute the keys and values of the source, and allocate those of the target.

        Args:
            cache: the cache to fill.
            memory: (N, S, d_model) output of the encoder.
            src_mask: (N, 1, 1, S) bool, True for a token that is not padding.
        """
        n_heads = self.config.n_heads
        bias = memory.new_zeros(src_mask.shape).masked_fill(~src_mask, -math.inf)  # (N, 1, 1, S)
        cache.bias = bias.repeat(1, n_heads, 1, 1).flatten(0, 1)  # (N H, 1, S)
        cache.source = [block.cross_attention.keys_and_values(memory) for block in self._blocks]
        shape = (2, len(memory), n_heads, _FIRST_CAPACITY, self.config.d_head)
        cache.target = [_KeysAndValues(memory.new_empty(shape)) for _ in self._blocks]


class _FusedBlock:
    """``DecoderBlock`` for one query of each sentence."""

    def __init__(self, block: nn.Module, dtype: torch.dtype) -> None:
        assert isinstance(block, DecoderBlock)
        self.self_attention = _FusedAttention(block.self_attention, dtype)
        self.cross_attention = _FusedAttention(block.cross_attention, dtype)
        feed_forward = block.feed_forward
        self.w_1 = _weight(feed_forward.w_1, dtype)  # (d_model, d_ff)
        self.b_1 = feed_forward.w_1.bias.detach().to(dtype)  # (d_ff,)
        self.w_2 = _weight(feed_forward.w_2, dtype)  # (d_ff, d_model)
        self.b_2 = feed_forward.w_2.bias.detach().to(dtype)  # (d_model,)
        self.self_residual = _FusedResidual(block.self_residual, dtype)
        self.cross_residual = _FusedResidual(block.cross_residual, dtype)
        self.ffn_residual = _FusedResidual(block.ffn_residual, dtype)

    def step(self, x: Tensor, cache: FusedCache, layer: int) -> Tensor:
        """Run the block for one new token of each hypothesis.

        Args:
            x: resid_pre, (N, d_model).
            cache: keys and values of the tokens so far, and of the source; it gets the new ones.
            layer: which block this is, from 0.

        Returns:
            resid_post, (N, d_model).
        """
        assert cache.bias is not None  # filled with the first token

        normed = self.self_residual.before(x)
        attn_out = self.self_attention.to_target(normed, cache.target[layer], cache.length)
        x = self.self_residual.after(x + attn_out)  # (N, d_model)

        normed = self.cross_residual.before(x)
        attn_out = self.cross_attention.to_source(normed, cache.source[layer], cache.bias)
        x = self.cross_residual.after(x + attn_out)  # (N, d_model)

        ffn_out = self._feed_forward(self.ffn_residual.before(x))
        return self.ffn_residual.after(x + ffn_out)  # (N, d_model)

    def _feed_forward(self, x: Tensor) -> Tensor:
        """(N, d_model) -> (N, d_model)."""
        hidden = torch.addmm(self.b_1, x, self.w_1).relu_()  # (N, d_ff)
        return torch.addmm(self.b_2, hidden, self.w_2)  # (N, d_model)


class _FusedResidual:
    """``Residual`` in eval mode: the functions before and after a sublayer.

    One of them is the layer norm, the other does nothing.
    """

    def __init__(self, residual: Residual, dtype: torch.dtype) -> None:
        norm = _norm(residual.norm, dtype)
        self.before = norm if residual.pre_norm else _identity
        self.after = _identity if residual.pre_norm else norm


class _FusedAttention:
    """``MultiHeadAttention`` for one query of each sentence.

    W_q and b_q are divided by √d_head once, here, so that the scores need not be. The products of
    queries, keys, weights and values are those of float32: they are small.
    """

    def __init__(self, attention: MultiHeadAttention, dtype: torch.dtype) -> None:
        self.n_heads = attention.n_heads
        self.d_model = attention.w_q.in_features
        self.d_head = self.d_model // self.n_heads
        scale = math.sqrt(self.d_head)
        w_q, w_k, w_v = (
            linear.weight.detach() for linear in (attention.w_q, attention.w_k, attention.w_v)
        )
        self.w_q = _arranged(w_q / scale, dtype)  # (d_model, d_model)
        self.b_q = (attention.w_q.bias.detach() / scale).to(dtype)  # (d_model,)
        self.w_kv = torch.cat((w_k, w_v)).T.contiguous()  # (d_model, 2 d_model)
        self.b_kv = torch.cat((attention.w_k.bias, attention.w_v.bias)).detach()  # (2 d_model,)
        self.w_qkv = _arranged(torch.cat((w_q / scale, w_k, w_v)), dtype)  # (d_model, 3 d_model)
        self.b_qkv = torch.cat((self.b_q, self.b_kv.to(dtype)))  # (3 d_model,)
        self.w_o = _weight(attention.w_o, dtype)  # (d_model, d_model)
        self.b_o = attention.w_o.bias.detach().to(dtype)  # (d_model,)

    def keys_and_values(self, memory: Tensor) -> _KeysAndValues:
        """Return k and v of a source, (N, S, d_model)."""
        n_sentences, n_tokens, _ = memory.shape
        kv = memory @ self.w_kv + self.b_kv  # (N, S, 2 d_model)
        kv = kv.view(n_sentences, n_tokens, 2, self.n_heads, -1)  # (N, S, 2, H, d_head)
        return _KeysAndValues(kv.permute(2, 0, 3, 1, 4).contiguous())  # (2, N, H, S, d_head)

    def to_target(self, x: Tensor, target: _KeysAndValues, position: int) -> Tensor:
        """Let the new token attend to itself and to the tokens before it.

        Args:
            x: (N, d_model), the token at this position.
            target: filled up to the position; the token's own key and value are added.
            position: from 0.

        Returns:
            (N, d_model).
        """
        qkv = torch.addmm(self.b_qkv, x, self.w_qkv)  # (N, 3 d_model)
        qkv = qkv.view(len(x), 3, self.n_heads, self.d_head).transpose(0, 1)  # (3, N, H, d_head)
        target.stacked.select(3, position).copy_(qkv[1:])  # (2, N, H, d_head)

        queries = qkv[0].reshape(-1, 1, self.d_head).to(target.v.dtype)  # (N H, 1, d_head)
        keys = target.k_transposed[:, :, : position + 1]  # (N H, d_head, T)
        values = target.v[:, : position + 1]  # (N H, T, d_head)
        scores = torch.bmm(queries, keys)  # (N H, 1, T)
        return self._attn_out(scores, values)

    def to_source(self, x: Tensor, source: _KeysAndValues, bias: Tensor) -> Tensor:
        """Let the new token attend to the source.

        Args:
            x: (N, d_model), the token.
            source: the keys and values of the source.
            bias: (N H, 1, S), 0, or -inf where the source is padding.

        Returns:
            (N, d_model).
        """
        q = torch.addmm(self.b_q, x, self.w_q)  # (N, d_model)
        queries = q.view(-1, 1, self.d_head).to(bias.dtype)  # (N H, 1, d_head)
        scores = torch.baddbmm(bias, queries, source.k_transposed)  # (N H, 1, S)
        return self._attn_out(scores, source.v)

    def _attn_out(self, scores: Tensor, v: Tensor) -> Tensor:
        """Scores (N H, 1, S) and values (N H, S, d_head) -> (N, d_model)."""
        weights = scores.softmax(dim=-1)  # (N H, 1, S)
        head_out = torch.bmm(weights, v)  # (N H, 1, d_head)
        concatenated = head_out.view(-1, self.d_model).to(self.w_o.dtype)  # (N, d_model)
        return torch.addmm(self.b_o, concatenated, self.w_o)  # (N, d_model)


def _with_double_room(target: _KeysAndValues) -> _KeysAndValues:
    """Double the capacity of a cache; what it holds is copied."""
    stacked = target.stacked  # (2, N, H, S, d_head)
    return _KeysAndValues(torch.cat((stacked, torch.empty_like(stacked)), dim=3))


def _norm(norm: nn.Module, dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """Return a layer norm as a plain function; the module takes three times as long."""
    if not isinstance(norm, nn.LayerNorm):  # at the end of a post-norm decoder
        return _identity
    shape = norm.normalized_shape
    gain = norm.weight.detach().to(dtype)  # (d_model,)
    bias = norm.bias.detach().to(dtype)  # (d_model,)
    return lambda x: torch.layer_norm(x, shape, gain, bias, norm.eps)


def _identity(x: Tensor) -> Tensor:
    """Return x as it is."""
    return x


def _weight(projection: nn.Linear, dtype: torch.dtype) -> Tensor:
    """Return W (in, out) of x W + b, arranged for one x."""
    return _arranged(projection.weight.detach(), dtype)


def _arranged(weight: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a weight (out, in) as (in, out), in the order in which a product with one x reads it.

    In float32 the longer side is contiguous, which takes 0.6 times as long for W_2 and half as long
    for the output matrix. In float16 it is each column.
    """
    n_out, n_in = weight.shape
    if dtype == torch.float16 or n_in > n_out:
        return weight.to(dtype).contiguous().T
    return weight.T.to(dtype).contiguous()
