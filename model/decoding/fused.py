"""A Transformer arranged for fast decoding: the same sums in fewer, larger matrix products.

While a decoder writes one token at a time, it mostly waits for its matrices to come from memory.
Here q, k and v come from one product, and every matrix lies in memory in the order in which it is
read. To learn how a decoder works, read ``transformer/decoder.py``: tests compare this one with it.
"""

import math
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from model.transformer.attention import MultiHeadAttention
from model.transformer.cache import KeysAndValues
from model.transformer.decoder import DecoderBlock
from model.transformer.transformer import Transformer

# Initial capacity of a cache in target tokens: most sentences need no more. For a longer one the
# capacity is doubled, as often as needed.
_FIRST_CAPACITY = 32


@dataclass
class FusedCache:
    """Keys and values of N sentences, from one step to the next."""

    length: int = 0  # T, target tokens decoded so far
    # k and v of each self-attention: (N, H, capacity, d_head), of which the first T are filled
    target: list[KeysAndValues] = field(default_factory=list)
    # k and v of each cross-attention: (N, H, S, d_head)
    source: list[KeysAndValues] = field(default_factory=list)
    # (N H, 1, S), added to the scores of the source: 0, or -inf where it is padding
    bias: Tensor | None = None

    @property
    def capacity(self) -> int:
        """The number of target tokens that the cache can hold."""
        return self.target[0][0].shape[2]

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (N,) int64.

        Each takes the row of a hypothesis of the same source, so keys and values of the source
        stay. Only rows that change are copied.
        """
        changed = (rows != torch.arange(len(rows), device=rows.device)).nonzero()[:, 0]
        for keys_and_values in self.target:
            for tensor in keys_and_values:
                filled = tensor[:, :, : self.length]  # (N, H, T, d_head)
                filled.index_copy_(0, changed, filled.index_select(0, rows[changed]))
        return self


class FusedTransformer:
    """A trained Transformer that decodes one token at a time; it has no hooks.

    Args:
        model: in eval mode, with its final weights and on its final device: the weights of the
            decoder are copied.
    """

    def __init__(self, model: Transformer) -> None:
        self.model = model
        self.config = model.config
        self.device = model.device
        # (V, d_model); each column is contiguous in memory, the order in which it is read
        self._unembed = model.unembed.weight.detach().T.contiguous().T
        self._blocks = [_FusedBlock(block) for block in model.decoder.blocks]

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
            ValueError: ``tgt`` has more than one column.
        """
        if tgt.shape[1] != 1:
            raise ValueError("a FusedTransformer reads one token at a time: use its ``model``")
        if cache.length == 0:
            self._fill(cache, memory, src_mask)
        elif cache.length == cache.capacity:
            cache.target = [(_with_double_room(k), _with_double_room(v)) for k, v in cache.target]

        x = self.model.tgt_embedding(tgt, first=cache.length)[:, 0]  # (N, d_model)
        for layer, block in enumerate(self._blocks):
            x = block.step(x, cache, layer)  # (N, d_model)
        cache.length += 1

        decoded = self.model.decoder.norm(x)  # (N, d_model)
        logits = linear(decoded, self._unembed)  # (N, V)
        return logits[:, None]

    def _fill(self, cache: FusedCache, memory: Tensor, src_mask: Tensor) -> None:
        """Compute the keys and values of the source, and allocate those of the target."""
        n_heads = self.config.n_heads
        bias = memory.new_zeros(src_mask.shape).masked_fill(~src_mask, -math.inf)  # (N, 1, 1, S)
        cache.bias = bias.repeat(1, n_heads, 1, 1).flatten(0, 1)  # (N H, 1, S)
        cache.source = [block.cross_attention.keys_and_values(memory) for block in self._blocks]
        shape = (len(memory), n_heads, _FIRST_CAPACITY, self.config.d_head)
        cache.target = [(memory.new_empty(shape), memory.new_empty(shape)) for _ in self._blocks]


class _FusedBlock:
    """``DecoderBlock`` for one query of each sentence."""

    def __init__(self, block: nn.Module) -> None:
        assert isinstance(block, DecoderBlock)
        self.self_attention = _FusedAttention(block.self_attention)
        self.cross_attention = _FusedAttention(block.cross_attention)
        self.w_1, self.b_1 = _weight_and_bias(block.feed_forward.w_1)
        self.w_2, self.b_2 = _weight_and_bias(block.feed_forward.w_2)
        self.self_residual = block.self_residual
        self.cross_residual = block.cross_residual
        self.ffn_residual = block.ffn_residual

    def step(self, x: Tensor, cache: FusedCache, layer: int) -> Tensor:
        """Run the block for one new token of each hypothesis.

        Args:
            x: resid_pre, (N, d_model).
            cache: keys and values of the tokens so far, and of the source; it gets the new ones.
            layer: which block this is, from 0.

        Returns:
            resid_post, (N, d_model).
        """
        target_k, target_v = cache.target[layer]
        source_k, source_v = cache.source[layer]
        bias = cache.bias
        assert bias is not None  # filled with the first token
        x = self.self_residual(
            x, lambda x: self.self_attention.to_target(x, target_k, target_v, cache.length)
        )
        x = self.cross_residual(
            x, lambda x: self.cross_attention.to_source(x, source_k, source_v, bias)
        )
        return self.ffn_residual(x, self._feed_forward)

    def _feed_forward(self, x: Tensor) -> Tensor:
        """(N, d_model) -> (N, d_model)."""
        hidden = torch.addmm(self.b_1, x, self.w_1).relu()  # (N, d_ff)
        return torch.addmm(self.b_2, hidden, self.w_2)  # (N, d_model)


class _FusedAttention:
    """``MultiHeadAttention`` for one query of each sentence.

    W_q and b_q are divided by √d_head once, here, so that the scores need not be.
    """

    def __init__(self, attention: MultiHeadAttention) -> None:
        self.n_heads = attention.n_heads
        w_q, b_q = _weight_and_bias(attention.w_q)  # (d_model, d_model), (d_model,)
        w_k, b_k = _weight_and_bias(attention.w_k)
        w_v, b_v = _weight_and_bias(attention.w_v)
        d_model = len(w_q)
        scale = math.sqrt(d_model // self.n_heads)
        self.w_q = w_q / scale
        self.b_q = b_q / scale
        self.w_kv = torch.cat((w_k, w_v), dim=1)  # (d_model, 2 d_model)
        self.b_kv = torch.cat((b_k, b_v))  # (2 d_model,)
        self.w_qkv = torch.cat((self.w_q, self.w_kv), dim=1)  # (d_model, 3 d_model)
        self.b_qkv = torch.cat((self.b_q, self.b_kv))  # (3 d_model,)
        self.w_o, self.b_o = _weight_and_bias(attention.w_o)

    def keys_and_values(self, memory: Tensor) -> KeysAndValues:
        """Return k and v of a source: (N, S, d_model) -> (N, H, S, d_head) each."""
        n_sentences, n_tokens, _ = memory.shape
        kv = memory @ self.w_kv + self.b_kv  # (N, S, 2 d_model)
        kv = kv.view(n_sentences, n_tokens, 2, self.n_heads, -1)  # (N, S, 2, H, d_head)
        k, v = kv.permute(2, 0, 3, 1, 4).contiguous()  # (N, H, S, d_head) each
        return k, v

    def to_target(self, x: Tensor, k: Tensor, v: Tensor, position: int) -> Tensor:
        """Let the new token attend to itself and to the tokens before it.

        Args:
            x: (N, d_model), the token at this position.
            k: (N, H, capacity, d_head), filled up to the position; the token's own key is added.
            v: the values, likewise.
            position: from 0.

        Returns:
            (N, d_model).
        """
        qkv = torch.addmm(self.b_qkv, x, self.w_qkv)  # (N, 3 d_model)
        q, new_k, new_v = qkv.view(len(x), 3, self.n_heads, -1).unbind(1)  # (N, H, d_head) each
        k[:, :, position] = new_k
        v[:, :, position] = new_v
        k = k[:, :, : position + 1]  # (N, H, T, d_head)
        v = v[:, :, : position + 1]  # (N, H, T, d_head)

        queries = q.flatten(0, 1)[:, None]  # (N H, 1, d_head)
        keys = k.flatten(0, 1).transpose(1, 2)  # (N H, d_head, T)
        scores = torch.bmm(queries, keys)  # (N H, 1, T)
        return self._attn_out(scores, v)

    def to_source(self, x: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        """Let the new token attend to the source.

        Args:
            x: (N, d_model), the token.
            k: (N, H, S, d_head), the keys of the source.
            v: (N, H, S, d_head), the values of the source.
            bias: (N H, 1, S), 0, or -inf where the source is padding.

        Returns:
            (N, d_model).
        """
        q = torch.addmm(self.b_q, x, self.w_q)  # (N, d_model)
        queries = q.view(len(x) * self.n_heads, 1, -1)  # (N H, 1, d_head)
        keys = k.flatten(0, 1).transpose(1, 2)  # (N H, d_head, S)
        scores = torch.baddbmm(bias, queries, keys)  # (N H, 1, S)
        return self._attn_out(scores, v)

    def _attn_out(self, scores: Tensor, v: Tensor) -> Tensor:
        """Scores (N H, 1, S) and values (N, H, S, d_head) -> (N, d_model)."""
        weights = scores.softmax(dim=-1)  # (N H, 1, S)
        head_out = torch.bmm(weights, v.flatten(0, 1))  # (N H, 1, d_head)
        concatenated = head_out.view(len(v), -1)  # (N, d_model)
        return torch.addmm(self.b_o, concatenated, self.w_o)  # (N, d_model)


def _with_double_room(tensor: Tensor) -> Tensor:
    """Double a cache: (N, H, T, d_head) -> (N, H, 2 T, d_head); the first T are copied."""
    return torch.cat((tensor, torch.empty_like(tensor)), dim=2)


def _weight_and_bias(projection: nn.Linear) -> tuple[Tensor, Tensor]:
    """Return W (in, out), contiguous for x W + b, and b (out,)."""
    return projection.weight.detach().T.contiguous(), projection.bias.detach()
