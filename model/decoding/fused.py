"""A Transformer laid out for decoding: the same sums in fewer and larger steps.

One token at a time a decoder waits for its matrices to come from memory. Here q, k and v come from
one product, and every matrix lies in memory in the order in which it is read. ``decoder.py`` is the
one to read; tests hold this one to it.
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

_ROOM = 32  # target tokens: most sentences need no more, and a long one's room is doubled


@dataclass
class FusedCache:
    """What is kept of N sentences from one step to the next."""

    length: int = 0  # target tokens read so far, T
    # Of every self-attention, with room for more: the first T are filled; of every cross-attention.
    target: list[KeysAndValues] = field(default_factory=list)
    source: list[KeysAndValues] = field(default_factory=list)
    # (N H, 1, S) of the scores of the source: 0, or -inf where it is padding.
    bias: Tensor = field(default_factory=lambda: torch.zeros(()))

    def select(self, rows: Tensor) -> Self:
        """Go on with these hypotheses, in this order: (N,) int64; each of the same source."""
        moved = (rows != torch.arange(len(rows), device=rows.device)).nonzero()[:, 0]
        for kept in self.target:
            for tensor in kept:
                so_far = tensor[:, :, : self.length]  # (N, H, T, d_head)
                so_far.index_copy_(0, moved, so_far.index_select(0, rows[moved]))
        return self


class FusedTransformer:
    """A trained Transformer that writes one token at a time, and cannot be looked into.

    It is in eval mode, stays where it is, and its weights are final: the decoder's are copied.
    """

    def __init__(self, model: Transformer) -> None:
        self.model, self.config, self.device = model, model.config, model.device
        # (V, d_model), its columns one after the other in memory: the order in which it is read
        self._unembed = model.unembed.weight.detach().T.contiguous().T
        self._blocks = [_Block(block) for block in model.decoder.blocks]

    def new_cache(self) -> FusedCache:
        """Nothing read so far."""
        return FusedCache()

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """As ``Transformer.encode``."""
        return self.model.encode(src, src_mask)

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: FusedCache) -> Tensor:
        """Read one more token of each target: (N, 1) int64, or ValueError -> logits (N, 1, V).

        Of memory (N, S, d_model) and mask (N, 1, 1, S) only those of the first token count.
        """
        if tgt.shape[1] != 1:
            raise ValueError("a FusedTransformer reads one token at a time: use its ``model``")
        if cache.length == 0:
            self._begin(cache, memory, src_mask)
        elif cache.length == cache.target[0][0].shape[2]:
            cache.target = [(_twice_the_room(k), _twice_the_room(v)) for k, v in cache.target]
        x = self.model.tgt_embedding(tgt, first=cache.length)[:, 0]  # (N, d_model)
        for layer, block in enumerate(self._blocks):
            x = block.step(x, cache, layer)
        cache.length += 1
        final = self.model.decoder.norm(x)  # (N, d_model)
        logits = linear(final, self._unembed, self.model.unembed.bias)  # (N, V)
        return logits[:, None]

    def _begin(self, cache: FusedCache, memory: Tensor, src_mask: Tensor) -> None:
        n_heads = self.config.n_heads
        bias = memory.new_zeros(src_mask.shape).masked_fill(~src_mask, -math.inf)
        cache.bias = bias.repeat(1, n_heads, 1, 1).flatten(0, 1)  # (N H, 1, S)
        cache.source = [block.cross_attention.keys_and_values(memory) for block in self._blocks]
        room = len(memory), n_heads, _ROOM, self.config.d_head
        cache.target = [(memory.new_empty(room), memory.new_empty(room)) for _ in self._blocks]


class _Block:
    """``DecoderBlock`` for one query a sentence."""

    def __init__(self, block: nn.Module) -> None:
        assert isinstance(block, DecoderBlock)
        self.self_attention = _Attention(block.self_attention)
        self.cross_attention = _Attention(block.cross_attention)
        self.activation = block.feed_forward.activation
        self.w_1, self.b_1 = _transposed(block.feed_forward.w_1)
        self.w_2, self.b_2 = _transposed(block.feed_forward.w_2)
        self.self_residual, self.cross_residual = block.self_residual, block.cross_residual
        self.ffn_residual = block.ffn_residual

    def step(self, x: Tensor, cache: FusedCache, layer: int) -> Tensor:
        """resid_pre (N, d_model) -> resid_post (N, d_model)."""
        k, v = cache.target[layer]
        x = self.self_residual(x, lambda x: self.self_attention.to_target(x, k, v, cache.length))
        of_source = *cache.source[layer], cache.bias
        x = self.cross_residual(x, lambda x: self.cross_attention.to_source(x, *of_source))
        return self.ffn_residual(x, self._feed_forward)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(torch.addmm(self.b_1, x, self.w_1))  # (N, d_ff)
        return torch.addmm(self.b_2, hidden, self.w_2)


class _Attention:
    """``MultiHeadAttention`` for one query a sentence; W_q and b_q are divided by √d_head."""

    def __init__(self, attention: MultiHeadAttention) -> None:
        self.n_heads = attention.n_heads
        w_q, b_q = _transposed(attention.w_q)
        w_k, b_k = _transposed(attention.w_k)
        w_v, b_v = _transposed(attention.w_v)
        d_model = len(w_q)
        scale = math.sqrt(d_model // self.n_heads)
        self.w_q, self.b_q = w_q / scale, b_q / scale
        self.w_kv, self.b_kv = torch.cat((w_k, w_v), dim=1), torch.cat((b_k, b_v))
        self.w_qkv = torch.cat((self.w_q, self.w_kv), dim=1)  # (d_model, 3 d_model)
        self.b_qkv = torch.cat((self.b_q, self.b_kv))
        self.w_o, self.b_o = _transposed(attention.w_o)

    def keys_and_values(self, memory: Tensor) -> KeysAndValues:
        """k and v of a source (N, S, d_model)."""
        kv = memory @ self.w_kv + self.b_kv  # (N, S, 2 d_model)
        k, v = kv.view(*kv.shape[:2], 2, self.n_heads, -1).permute(2, 0, 3, 1, 4).contiguous()
        return k, v

    def to_target(self, x: Tensor, k: Tensor, v: Tensor, place: int) -> Tensor:
        """Self-attention of the token at this place, whose k and v are put there."""
        qkv = torch.addmm(self.b_qkv, x, self.w_qkv)  # (N, 3 d_model)
        q, k[:, :, place], v[:, :, place] = qkv.view(len(x), 3, self.n_heads, -1).unbind(1)
        k, v = k[:, :, : place + 1], v[:, :, : place + 1]  # (N, H, T, d_head)
        scores = torch.bmm(q.flatten(0, 1)[:, None], k.flatten(0, 1).transpose(1, 2))  # (N H, 1, T)
        return self._mixed(scores, v)

    def to_source(self, x: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        """Cross-attention of one token."""
        q = torch.addmm(self.b_q, x, self.w_q).view(len(x) * self.n_heads, 1, -1)
        scores = torch.baddbmm(bias, q, k.flatten(0, 1).transpose(1, 2))  # (N H, 1, S)
        return self._mixed(scores, v)

    def _mixed(self, scores: Tensor, v: Tensor) -> Tensor:
        head_out = torch.bmm(scores.softmax(dim=-1), v.flatten(0, 1))  # (N H, 1, d_head)
        return torch.addmm(self.b_o, head_out.view(len(v), -1), self.w_o)  # (N, d_model)


def _twice_the_room(kept: Tensor) -> Tensor:
    """(N, H, T, d_head) -> (N, H, 2 T, d_head)."""
    return torch.cat((kept, torch.empty_like(kept)), dim=2)


def _transposed(projection: nn.Linear) -> tuple[Tensor, Tensor]:
    """W (in, out), read row by row in x W + b, and b."""
    return projection.weight.detach().T.contiguous(), projection.bias.detach()
