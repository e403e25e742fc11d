"""The names that hooks record, with their shapes, formulas and meanings: one table for all.

Tests run a model against it and pages render it, so neither can drift from the code.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.transformer.config import ModelConfig


@dataclass(frozen=True)
class Recorded:
    """One tensor that a forward pass records.

    Args:
        dims: symbolic shape. B batch, S source length, T target length, H heads, V vocabulary.
        formula: how it is computed, in the letters of the paper and of the code.
        meaning: one line for a reader.
    """

    dims: tuple[str, ...]
    formula: str
    meaning: str


def _attention(queries: str, keys: str, keys_from: str) -> dict[str, Recorded]:
    q_dims, k_dims = ("B", "H", queries, "d_head"), ("B", "H", keys, "d_head")
    map_dims = ("B", "H", queries, keys)
    return {
        "x": Recorded(
            ("B", queries, "d_model"),
            "norm(resid), or resid with post-norm",
            "what the queries are made of",
        ),
        "q": Recorded(q_dims, "x W_Q + b_Q, split into heads", "what each query looks for"),
        "k": Recorded(k_dims, f"{keys_from} W_K + b_K, split into heads", "what each key offers"),
        "v": Recorded(
            k_dims, f"{keys_from} W_V + b_V, split into heads", "what each key hands over"
        ),
        "scores": Recorded(map_dims, "q kᵀ / √d_head", "how well each query fits each key"),
        "masked_scores": Recorded(
            map_dims, "scores, -∞ where hidden", "the scores a query may use"
        ),
        "weights": Recorded(
            map_dims, "softmax(masked_scores)", "where each query looks; rows sum to 1"
        ),
        "head_out": Recorded(q_dims, "weights v", "the mixture of values each head found"),
        "attn_out": Recorded(
            ("B", queries, "d_model"),
            "concat(head_out) W_O + b_O",
            "what the attention adds to the residual stream",
        ),
    }


def _feed_forward(length: str) -> dict[str, Recorded]:
    return {
        "hidden": Recorded(("B", length, "d_ff"), "max(0, x W_1 + b_1)", "which hidden units fire"),
        "ffn_out": Recorded(
            ("B", length, "d_model"),
            "hidden W_2 + b_2",
            "what the feed-forward adds to the residual stream",
        ),
    }


def _stream(length: str, **meanings: str) -> dict[str, Recorded]:
    return {
        name: Recorded(("B", length, "d_model"), "x + sublayer(x)", meaning)
        for name, meaning in meanings.items()
    }


def _entering(length: str) -> dict[str, Recorded]:
    """What a block begins with, nothing of it computed there; the same with either norm."""
    dims, formula = ("B", length, "d_model"), "embedded, or resid_post of the block before"
    return {"resid_pre": Recorded(dims, formula, "enters the block")}


def _embedding(length: str) -> dict[str, Recorded]:
    dims = ("B", length, "d_model")
    return {
        "token_embedding": Recorded(dims, "√d_model E[token]", "what each token is"),
        "position": Recorded((length, "d_model"), "PE(position)", "where it stands"),
        "embedded": Recorded(dims, "token_embedding + position", "what enters the first block"),
    }


def _under(path: str, table: dict[str, Recorded]) -> dict[str, Recorded]:
    return {f"{path}.{name}": recorded for name, recorded in table.items()}


_ENCODER_BLOCK = (
    _entering("S")
    | _stream("S", resid_mid="after self-attention")
    | _under("self", _attention("S", "S", "x"))
    | _under("ffn", _feed_forward("S"))
    | _stream("S", resid_post="leaves the block")
)
_DECODER_BLOCK = (
    _entering("T")
    | _stream("T", resid_mid="after masked self-attention")
    | _under("self", _attention("T", "T", "x"))
    | _stream("T", resid_cross="after cross-attention")
    | _under("cross", _attention("T", "S", "memory"))
    | _under("ffn", _feed_forward("T"))
    | _stream("T", resid_post="leaves the block")
)

_ACTIVATIONS = {"silu": "SiLU", "gelu": "GELU"}

SHAPES: dict[str, Recorded] = (
    _under("encoder", _embedding("S"))
    | _under("encoder.{layer}", _ENCODER_BLOCK)
    | {
        "encoder.memory": Recorded(
            ("B", "S", "d_model"), "norm(resid_post)", "the source as the decoder sees it"
        )
    }
    | _under("decoder", _embedding("T"))
    | _under("decoder.{layer}", _DECODER_BLOCK)
    | {
        "decoder.decoded": Recorded(
            ("B", "T", "d_model"), "norm(resid_post)", "from which the next token is read"
        ),
        "logits": Recorded(("B", "T", "V"), "decoded W_Uᵀ", "a score for every next token"),
    }
)


def formula_of(name: str, config: ModelConfig) -> str:
    """How a recorded tensor is computed in a model of this architecture.

    Args:
        name: of ``SHAPES``; the table has the formulas of the paper and of pre-norm.
        config: the architecture.
    """
    own = {}
    if not config.scale_embedding:
        own["token_embedding"] = "E[token]"
    if config.activation != "relu":
        own["hidden"] = f"{_ACTIVATIONS[config.activation]}(x W_1 + b_1)"
    if config.output_bias:
        own["logits"] = "decoded W_Uᵀ + b_U"
    if config.norm == "post":
        own |= {"x": "resid", "memory": "resid_post", "decoded": "resid_post"}
        own |= dict.fromkeys(("resid_mid", "resid_cross"), "norm(x + sublayer(x))")
        own["resid_post"] = own["resid_mid"]
    return own.get(name.split(".")[-1], SHAPES[name].formula)


def recorded_names(config: ModelConfig) -> dict[str, Recorded]:
    """SHAPES with every ``{layer}`` written out: all that one forward pass records."""
    names: dict[str, Recorded] = {}
    for name, recorded in SHAPES.items():
        layers = range(config.n_layers) if "{layer}" in name else range(1)
        names |= {name.format(layer=layer): recorded for layer in layers}
    return names
