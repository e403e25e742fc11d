"""The names that hooks record, with their shapes, formulas and meanings: one table for all.

Tests run a model against it and pages render it, so neither can drift from the code.
"""

from dataclasses import dataclass

from model.transformer.config import ModelConfig

_ADDS = "adds to the residual stream"


@dataclass(frozen=True)
class Recorded:
    """One tensor that a forward pass records."""

    dims: tuple[str, ...]  # B batch, S source length, T target length, H heads, V vocabulary
    formula: str  # how it is computed, in the letters of the paper and of the code
    meaning: str  # one line for a reader


def _table(path: str, *rows: tuple[str, str, str, str]) -> dict[str, Recorded]:
    """Names below a path, each with its dims, formula and meaning."""
    return {f"{path}{name}": Recorded(tuple(dims.split()), *said) for name, dims, *said in rows}


def _attention(path: str, t: str, s: str, keys_from: str) -> dict[str, Recorded]:
    x, q, k, scores = f"B {t} d_model", f"B H {t} d_head", f"B H {s} d_head", f"B H {t} {s}"
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


def _feed_forward(path: str, t: str) -> dict[str, Recorded]:
    return _table(
        path,
        ("hidden", f"B {t} d_ff", "max(0, x W_1 + b_1)", "which hidden units fire"),
        ("ffn_out", f"B {t} d_model", "hidden W_2 + b_2", f"what the feed-forward {_ADDS}"),
    )


def _stream(path: str, t: str, formula: str, meaning: str) -> dict[str, Recorded]:
    return _table("", (path, f"B {t} d_model", formula, meaning))


def _embedding(path: str, t: str) -> dict[str, Recorded]:
    return _table(
        path,
        ("token_embedding", f"B {t} d_model", "√d_model E[token]", "what each token is"),
        ("position", f"{t} d_model", "PE(position)", "where it stands"),
        ("embedded", f"B {t} d_model", "token_embedding + position", "what enters the first block"),
    )


_SUM, _ENTERS = "x + sublayer(x)", "embedded; n > 1: resid_post[n - 1]"
_ACTIVATIONS = {"silu": "SiLU", "gelu": "GELU"}

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
    """How a tensor of ``SHAPES``, which has the paper's formulas and pre-norm, is computed here."""
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
    return {
        name.format(layer=layer): recorded
        for name, recorded in SHAPES.items()
        for layer in range(config.n_layers)
    }
