"""Our whole model equals PyTorch's with the same weights, in float64.

Attention equals a calculation by hand, too.
"""

import math

import pytest
import torch
from torch import Tensor, nn

from model.transformer.attention import MultiHeadAttention
from model.transformer.config import ModelConfig
from model.transformer.decoder import DecoderBlock
from model.transformer.encoder import EncoderBlock
from model.transformer.masks import causal_mask, padding_mask
from model.transformer.positional import positional_encoding
from model.transformer.transformer import Transformer
from tests.tolerance import assert_same

B, S, T, H, D_HEAD, D_FF, V, PAD = 5, 11, 7, 3, 4, 17, 29, 0
D_MODEL = H * D_HEAD


def config(norm: str) -> ModelConfig:
    sizes = {"vocab_size": V, "d_model": D_MODEL, "n_heads": H, "n_layers": 2, "d_ff": D_FF}
    return ModelConfig(**sizes, norm=norm)


def assert_equal(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@torch.no_grad()
def shaken(module: nn.Module) -> nn.Module:
    """Set all weights at random, because a norm of (1, 0) or a bias of 0 would hide mistakes."""
    torch.manual_seed(1)
    for p in module.double().eval().parameters():
        p.copy_(torch.randn_like(p) * 0.3)
    return module


@torch.no_grad()
def copy_linear(theirs: nn.Module, ours: nn.Module) -> None:
    theirs.load_state_dict(ours.state_dict())


@torch.no_grad()
def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    projections = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.copy_(torch.cat([w.weight for w in projections]))
    theirs.in_proj_bias.copy_(torch.cat([w.bias for w in projections]))
    copy_linear(theirs.out_proj, ours.w_o)


def copy_block(theirs: nn.Module, ours: EncoderBlock | DecoderBlock) -> None:
    """Copy a block. PyTorch numbers its norms in the order of the sublayers."""
    kinds = [kind for kind in ("self", "cross") if hasattr(ours, f"{kind}_attention")]
    for kind, name in zip(kinds, ("self_attn", "multihead_attn"), strict=False):
        copy_attention(getattr(theirs, name), getattr(ours, f"{kind}_attention"))
    for n, kind in enumerate((*kinds, "ffn"), start=1):
        copy_linear(getattr(theirs, f"norm{n}"), getattr(ours, f"{kind}_residual").norm)
    copy_linear(theirs.linear1, ours.feed_forward.w_1)
    copy_linear(theirs.linear2, ours.feed_forward.w_2)


def ids(length: int) -> Tensor:
    """Return tokens (B, length). Row b ends with b padding tokens, at most length - 1."""
    torch.manual_seed(2)
    table = torch.randint(1, V, (B, length))
    for row in range(B):
        table[row, length - min(row, length - 1) :] = PAD
    return table


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_whole_model_equals_pytorchs(norm: str) -> None:
    ours = shaken(Transformer(config(norm)))
    options = {"batch_first": True, "norm_first": norm == "pre", "dtype": torch.float64}
    theirs = nn.Transformer(D_MODEL, H, 2, 2, D_FF, **options).eval()
    for stack in ("encoder", "decoder"):
        blocks = getattr(theirs, stack).layers, getattr(ours, stack).blocks
        for their_block, our_block in zip(*blocks, strict=True):
            copy_block(their_block, our_block)
    if norm == "pre":
        copy_linear(theirs.encoder.norm, ours.encoder.norm)
        copy_linear(theirs.decoder.norm, ours.decoder.norm)
    else:  # the paper's model has no norm after the last block, but PyTorch adds one
        theirs.encoder.norm = theirs.decoder.norm = None
    src, tgt = ids(S), ids(T)
    mask = padding_mask(src, PAD)
    hidden = ~mask[:, 0, 0]
    masks = {"src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
    embedded = ours.src_embedding(src), ours.tgt_embedding(tgt)
    states = theirs(*embedded, tgt_mask=~causal_mask(T)[0, 0], **masks)
    assert_equal(ours(src, tgt, mask), states @ ours.tgt_embedding.tokens.weight.T)


def test_the_stream_starts_with_the_embedding_times_root_d_model_plus_the_position() -> None:
    ours = shaken(Transformer(config("pre")))
    tokens, waves = ours.src_embedding.tokens.weight, ours.src_embedding.positions
    src = ids(T)
    for first in (0, 3):
        expected = D_MODEL**0.5 * tokens[src] + waves[first : first + T]
        assert_equal(ours.src_embedding(src, first=first), expected)


def test_positions_follow_the_formula_of_the_paper() -> None:
    table = positional_encoding(13, 6)
    for position in range(13):
        for i in range(3):
            angle = position / 10000 ** (2 * i / 6)
            expected = [math.sin(angle), math.cos(angle)]
            assert_same(table[position, 2 * i : 2 * i + 2], expected, largest=1, ulps=1)
    assert torch.equal(positional_encoding(4, 6, first=9), table[9:])
