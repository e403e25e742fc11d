"""The model families: for each family, the names of its parts in the library transformers.

To add a family of encoder-decoder models, write one more table here, and add a model with random
weights to ``tests/hub_models.py``.
"""

from dataclasses import dataclass
from typing import Any

from torch import nn

from model.nn.attention_model import Norm


@dataclass(frozen=True)
class Family:
    """The paths of a family's modules in the library transformers. Each path is relative.

    A number in a path is an index: ``layer.-1.layer_norm`` is the norm in the last of ``layer``.
    """

    norm: Norm  # whether the norms come before or after the sublayers

    # Files of the tokenizer besides tokenizer_config.json. One complete tuple is enough
    tokenizer_files: tuple[tuple[str, ...], ...]

    # In the whole model
    encoder: str
    decoder: str

    # In the encoder and the decoder
    blocks: str
    tokens: str  # the embedding of the tokens
    positions: str | None  # the embedding of the positions; None if the scores have a bias instead
    embedding_norm: str | None  # normalises the sum of both; None if nothing does
    final_norm: str | None  # normalises the stream after the last block; None if nothing does

    # In a block
    self_attention: str
    self_norm: str
    cross_attention: str
    cross_norm: str
    ffn_norm: str
    ffn_output: str  # the last matrix of the feed-forward network

    # In an attention
    w_q: str = "q_proj"
    w_k: str = "k_proj"
    w_v: str = "v_proj"
    w_o: str = "out_proj"
    n_heads: str = "num_heads"
    d_head: str = "head_dim"


_MARIAN = Family(
    norm="post",
    tokenizer_files=(("source.spm", "target.spm", "vocab.json"),),
    encoder="model.encoder",
    decoder="model.decoder",
    blocks="layers",
    tokens="embed_tokens",
    positions="embed_positions",
    embedding_norm=None,
    final_norm=None,
    self_attention="self_attn",
    self_norm="self_attn_layer_norm",
    cross_attention="encoder_attn",
    cross_norm="encoder_attn_layer_norm",
    ffn_norm="final_layer_norm",
    ffn_output="fc2",
)

_BART = Family(
    norm="post",
    tokenizer_files=(("tokenizer.json",), ("vocab.json", "merges.txt")),
    encoder="model.encoder",
    decoder="model.decoder",
    blocks="layers",
    tokens="embed_tokens",
    positions="embed_positions",
    embedding_norm="layernorm_embedding",
    final_norm=None,
    self_attention="self_attn",
    self_norm="self_attn_layer_norm",
    cross_attention="encoder_attn",
    cross_norm="encoder_attn_layer_norm",
    ffn_norm="final_layer_norm",
    ffn_output="fc2",
)

_MBART = Family(
    norm="pre",
    tokenizer_files=(("tokenizer.json",), ("spiece.model",), ("sentencepiece.bpe.model",)),
    encoder="model.encoder",
    decoder="model.decoder",
    blocks="layers",
    tokens="embed_tokens",
    positions="embed_positions",
    embedding_norm="layernorm_embedding",
    final_norm="layer_norm",
    self_attention="self_attn",
    self_norm="self_attn_layer_norm",
    cross_attention="encoder_attn",
    cross_norm="encoder_attn_layer_norm",
    ffn_norm="final_layer_norm",
    ffn_output="fc2",
)

_M2M100 = Family(
    norm="pre",
    tokenizer_files=(("tokenizer.json",), ("sentencepiece.bpe.model",)),
    encoder="model.encoder",
    decoder="model.decoder",
    blocks="layers",
    tokens="embed_tokens",
    positions="embed_positions",
    embedding_norm=None,
    final_norm="layer_norm",
    self_attention="self_attn",
    self_norm="self_attn_layer_norm",
    cross_attention="encoder_attn",
    cross_norm="encoder_attn_layer_norm",
    ffn_norm="final_layer_norm",
    ffn_output="fc2",
)

_T5 = Family(
    norm="pre",
    tokenizer_files=(("tokenizer.json",), ("spiece.model",)),
    encoder="encoder",
    decoder="decoder",
    blocks="block",
    tokens="embed_tokens",
    positions=None,
    embedding_norm=None,
    final_norm="final_layer_norm",
    self_attention="layer.0.SelfAttention",
    self_norm="layer.0.layer_norm",
    cross_attention="layer.1.EncDecAttention",
    cross_norm="layer.1.layer_norm",
    ffn_norm="layer.-1.layer_norm",
    ffn_output="layer.-1.DenseReluDense.wo",
    w_q="q",
    w_k="k",
    w_v="v",
    w_o="o",
    n_heads="n_heads",
    d_head="key_value_proj_dim",
)

# "model_type" in config.json -> its family
FAMILIES: dict[str, Family] = {
    "marian": _MARIAN,
    "m2m_100": _M2M100,
    "mbart": _MBART,
    "bart": _BART,
    "t5": _T5,
    "mt5": _T5,
}


def submodule(module: nn.Module, path: str) -> Any:
    """Return the submodule at a path of a ``Family``."""
    result: Any = module
    for name in path.split("."):
        is_index = name.lstrip("-").isdigit()
        result = result[int(name)] if is_index else getattr(result, name)
    return result
