"""Our attention, blocks and whole model equal PyTorch's own, with the same weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention
from model.transformer.config import ModelConfig
from model.transformer.decoder import DecoderBlock
from model.transformer.encoder import EncoderBlock
from model.transformer.feed_forward import FeedForward
from model.transformer.masks import causal_mask, padding_mask
from model.transformer.transformer import Transformer

B, S, T, H, D_HEAD, D_FF, V, PAD = 5, 11, 7, 3, 4, 17, 29, 0
D_MODEL = H * D_HEAD
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12}
dtypes = pytest.mark.parametrize("dtype", TOLERANCE)
norms = pytest.mark.parametrize("norm", ["pre", "post"])


def config(norm: str) -> ModelConfig:
    return ModelConfig.from_dict(
        {
            "vocab_size": V,
            "d_model": D_MODEL,
            "n_heads": H,
            "n_layers": 2,
            "d_ff": D_FF,
            "norm": norm,
        }
    )


def assert_equal(ours: Tensor, theirs: Tensor) -> None:
    difference = (ours - theirs).abs().max().item()
    assert difference <= TOLERANCE[ours.dtype], f"differs by {difference:.2e}"


@torch.no_grad()
def shake(module: nn.Module) -> None:
    """Random weights everywhere: a norm that is still (1, 0) or a bias of 0 hides mistakes."""
    torch.manual_seed(1)
    for p in module.parameters():
        p.copy_(torch.randn_like(p) * 0.3)


@torch.no_grad()
def copy_linear(theirs: nn.Module, ours: nn.Module) -> None:
    theirs.load_state_dict(ours.state_dict())


@torch.no_grad()
def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    projections = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.copy_(torch.cat([w.weight for w in projections]))
    theirs.in_proj_bias.copy_(torch.cat([w.bias for w in projections]))
    copy_linear(theirs.out_proj, ours.w_o)


def copy_feed_forward(theirs: nn.Module, ours: FeedForward) -> None:
    copy_linear(theirs.linear1, ours.w_1)
    copy_linear(theirs.linear2, ours.w_2)


def copy_encoder_block(theirs: nn.TransformerEncoderLayer, ours: EncoderBlock) -> None:
    copy_attention(theirs.self_attn, ours.self_attention)
    copy_feed_forward(theirs, ours.feed_forward)
    copy_linear(theirs.norm1, ours.self_residual.norm)
    copy_linear(theirs.norm2, ours.ffn_residual.norm)


def copy_decoder_block(theirs: nn.TransformerDecoderLayer, ours: DecoderBlock) -> None:
    copy_attention(theirs.self_attn, ours.self_attention)
    copy_attention(theirs.multihead_attn, ours.cross_attention)
    copy_feed_forward(theirs, ours.feed_forward)
    copy_linear(theirs.norm1, ours.self_residual.norm)
    copy_linear(theirs.norm2, ours.cross_residual.norm)
    copy_linear(theirs.norm3, ours.ffn_residual.norm)


def ids(length: int) -> Tensor:
    """(B, length) tokens; row b ends in b padding tokens, at most length - 1."""
    torch.manual_seed(2)
    table = torch.randint(1, V, (B, length))
    for row in range(B):
        table[row, length - min(row, length - 1) :] = PAD
    return table


@dtypes
def test_attention(dtype: torch.dtype) -> None:
    ours = MultiHeadAttention(D_MODEL, H).to(dtype)
    shake(ours)
    theirs = nn.MultiheadAttention(D_MODEL, H, batch_first=True).to(dtype)
    copy_attention(theirs, ours)
    torch.manual_seed(3)
    x, y = torch.randn(B, T, D_MODEL, dtype=dtype), torch.randn(B, S, D_MODEL, dtype=dtype)
    mask = padding_mask(ids(S), PAD)
    expected, _ = theirs(x, y, y, key_padding_mask=~mask[:, 0, 0])
    assert_equal(ours(x, y, mask), expected)


@dtypes
@norms
def test_encoder_block(dtype: torch.dtype, norm: str) -> None:
    ours = EncoderBlock(config(norm)).to(dtype).eval()
    shake(ours)
    theirs = nn.TransformerEncoderLayer(
        D_MODEL, H, D_FF, batch_first=True, norm_first=norm == "pre", dtype=dtype
    ).eval()
    copy_encoder_block(theirs, ours)
    torch.manual_seed(3)
    x = torch.randn(B, S, D_MODEL, dtype=dtype)
    mask = padding_mask(ids(S), PAD)
    real = mask[:, 0, 0]
    expected = theirs(x, src_key_padding_mask=~real)
    assert_equal(ours(x, mask)[real], expected[real])


@dtypes
@norms
def test_decoder_block(dtype: torch.dtype, norm: str) -> None:
    ours = DecoderBlock(config(norm)).to(dtype).eval()
    shake(ours)
    theirs = nn.TransformerDecoderLayer(
        D_MODEL, H, D_FF, batch_first=True, norm_first=norm == "pre", dtype=dtype
    ).eval()
    copy_decoder_block(theirs, ours)
    torch.manual_seed(3)
    x, memory = torch.randn(B, T, D_MODEL, dtype=dtype), torch.randn(B, S, D_MODEL, dtype=dtype)
    self_mask, cross_mask = causal_mask(T), padding_mask(ids(S), PAD)
    expected = theirs(
        x, memory, tgt_mask=~self_mask[0, 0], memory_key_padding_mask=~cross_mask[:, 0, 0]
    )
    assert_equal(ours(x, memory, self_mask, cross_mask), expected)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")
@dtypes
@norms
def test_whole_model(dtype: torch.dtype, norm: str) -> None:
    ours = Transformer(config(norm)).to(dtype).eval()
    shake(ours)
    ours.src_embedding.positions = ours.src_embedding.positions.to(dtype)
    theirs = nn.Transformer(
        D_MODEL, H, 2, 2, D_FF, batch_first=True, norm_first=norm == "pre", dtype=dtype
    ).eval()
    for their_block, our_block in zip(theirs.encoder.layers, ours.encoder.blocks, strict=True):
        copy_encoder_block(their_block, our_block)
    for their_block, our_block in zip(theirs.decoder.layers, ours.decoder.blocks, strict=True):
        copy_decoder_block(their_block, our_block)
    if norm == "pre":
        copy_linear(theirs.encoder.norm, ours.encoder.norm)
        copy_linear(theirs.decoder.norm, ours.decoder.norm)
    else:  # the paper's model has no norm after the last block; PyTorch adds one
        theirs.encoder.norm = theirs.decoder.norm = None
    src, tgt = ids(S), ids(T)
    mask = padding_mask(src, PAD)
    hidden = ~mask[:, 0, 0]
    states = theirs(
        ours.src_embedding(src),
        ours.tgt_embedding(tgt),
        tgt_mask=~causal_mask(T)[0, 0],
        src_key_padding_mask=hidden,
        memory_key_padding_mask=hidden,
    )
    expected = states @ ours.tgt_embedding.tokens.weight.T
    assert_equal(ours(src, tgt, mask), expected)
