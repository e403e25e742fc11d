"""A table of all tensors that hooks record: name, shape, formula and meaning.

Tests compare a model's records with this table and pages show it, so none of them can differ from
the code.
"""

from dataclasses import dataclass

from model.nn.attention_model import AttentionConfig
from model.transformer.config import ModelConfig

_ADDS = "adds to the residual stream"


@dataclass(frozen=True)
class Recorded:
    """One tensor that a forward pass records."""

    dims: tuple[str, ...]  # B batch, S source length, T target length, H heads, V vocabulary
    formula: str  # its formula in the symbols of the paper and of the code
    meaning: str  # one line for a reader


def _table(path: str, *rows: tuple[str, str, str, str]) -> dict[str, Recorded]:
    """Describe the tensors below a path. Each row has a name, dims, a formula and a meaning."""
    return {
        f"{path}{name}": Recorded(tuple(dims.split()), formula, meaning)
        for name, dims, formula, meaning in rows
    }


def _attention(path: str, n_queries: str, n_keys: str, keys_from: str) -> dict[str, Recorded]:
    """Describe the tensors of one attention.

    Args:
        path: of the attention, with a dot at its end.
        n_queries: the letter for the number of queries, ``"S"`` or ``"T"``.
        n_keys: the letter for the number of keys.
        keys_from: what keys and values are projected from, as the formula writes it.
    """
    x = f"B {n_queries} d_model"
    q = f"B H {n_queries} d_head"
    k = f"B H {n_keys} d_head"
    scores = f"B H {n_queries} {n_keys}"
    return _table(
        path,
        ("x", x, "norm(resid)", "what the queries are made of"),
        ("q", q, "heads(x W_Q + b_Q)", "what each query looks for"),
        ("k", k, f"heads({keys_from} W_K + b_K)", "what each key offers"),
        ("v", k, f"heads({keys_from} W_V + b_V)", "what each key hands over"),
        ("scores", scores, "q kᵀ / √d_head", "how well each query fits each key"),
        ("masked_scores", scores, "scores + M, M ∈ {0, -∞}", "the scores a query may use"),
        ("weights", scores, "softmax(masked_scores)", "where each query looks; rows sum to 1"),
        ("head_out", q, "weights v", "the mixture of values each head found"),
        ("attn_out", x, "concat(head_out) W_O + b_O", f"what the attention {_ADDS}"),
    )


def _feed_forward(path: str, n_tokens: str) -> dict[str, Recorded]:
    """Describe the tensors of one feed-forward network."""
    return _table(
        path,
        ("hidden", f"B {n_tokens} d_ff", "max(0, x W_1 + b_1)", "which hidden units fire"),
        ("ffn_out", f"B {n_tokens} d_model", "hidden W_2 + b_2", f"what the feed-forward {_ADDS}"),
    )


def _stream(name: str, n_tokens: str, formula: str, meaning: str) -> dict[str, Recorded]:
    """Describe the residual stream at one point.

    Args:
        name: the name of the recorded tensor.
        n_tokens: the axis of the tokens, S or T.
        formula: in plain characters.
        meaning: one phrase.
    """
    return _table("", (name, f"B {n_tokens} d_model", formula, meaning))


def _embedding(path: str, n_tokens: str) -> dict[str, Recorded]:
    """Describe the input of the first block of the encoder or decoder."""
    batch = f"B {n_tokens} d_model"
    return _table(
        path,
        ("token_embedding", batch, "√d_model E[token]", "what each token is"),
        ("position", f"{n_tokens} d_model", "PE(position)", "where it stands"),
        ("embedded", batch, "token_embedding + position", "what enters the first block"),
    )


_SUM = "x + sublayer(x)"
_ENTERS = "embedded; n > 1: resid_post[n - 1]"

SHAPES: dict[str, Recorded] = (
    _embedding("encoder.", "S")
    | _stream("encoder.{layer}.resid_pre", "S", _ENTERS, "enters the block")
    | _stream("encoder.{layer}.resid_mid", "S", _SUM, "after self-attention")
    | _attention("encoder.{layer}.self.", "S", "S", "x")
    | _feed_forward("encoder.{layer}.ffn.", "S")
    | _stream("encoder.{layer}.resid_post", "S", _SUM, "leaves the block")
    | _stream("encoder.memory", "S", "norm(resid_post)", "the source as the decoder sees it")
    | _embedding("decoder.", "T")
    | _stream("decoder.{layer}.resid_pre", "T", _ENTERS, "enters the block")
    | _stream("decoder.{layer}.resid_mid", "T", _SUM, "after masked self-attention")
    | _attention("decoder.{layer}.self.", "T", "T", "x")
    | _stream("decoder.{layer}.resid_cross", "T", _SUM, "after cross-attention")
    | _attention("decoder.{layer}.cross.", "T", "S", "memory")
    | _feed_forward("decoder.{layer}.ffn.", "T")
    | _stream("decoder.{layer}.resid_post", "T", _SUM, "leaves the block")
    | _stream("decoder.decoded", "T", "norm(resid_post)", "from which the next token is read")
    | _table("", ("logits", "B T V", "decoded W_Uᵀ", "a score for every next token"))
)


def formula_of(name: str, config: ModelConfig) -> str:
    """Return the formula for a tensor in a given model.

    ``SHAPES`` has the formulas of a model as in the paper, but with pre-norm.

    Args:
        name: a name in ``SHAPES``.
        config: architecture of the model.

    Returns:
        The formula of ``SHAPES``, or a different one where this architecture differs.
    """
    differences = {}
    if config.norm == "post":
        differences["x"] = "resid"
        differences["memory"] = "resid_post"
        differences["decoded"] = "resid_post"
        differences["resid_mid"] = "norm(x + sublayer(x))"
        differences["resid_cross"] = "norm(x + sublayer(x))"
        differences["resid_post"] = "norm(x + sublayer(x))"
    last_name = name.split(".")[-1]
    return differences.get(last_name, SHAPES[name].formula)


def recorded_names(config: AttentionConfig) -> dict[str, Recorded]:
    """Return all records of one forward pass: SHAPES with a number in place of ``{layer}``."""
    return {
        name.format(layer=layer): recorded
        for name, recorded in SHAPES.items()
        for layer in range(config.n_layers)
    }
