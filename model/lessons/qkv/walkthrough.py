"""Compute one multi-head attention, operation by operation, with every intermediate result.

``MultiHeadAttention`` does the same in fewer lines. Here every operation has a name, and numbers of
q and k can be changed before they are used.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from model.trace.transformer import Trace
from model.transformer.attention import MultiHeadAttention
from model.transformer.heads import Kind, attention_name, attention_path
from model.transformer.shapes import SHAPES
from model.transformer.transformer import Transformer

Edits = Mapping[tuple[str, int, int, int], float]  # ("q" or "k", head, row, column): new value


@dataclass(frozen=True)
class Linear:
    """x W + b with weight (in, out), as in the paper, and bias (out,)."""

    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


@dataclass(frozen=True)
class AttentionInput:
    """The input of one attention: vectors, mask, learned matrices, and labels."""

    x: Tensor  # (1, T, d_model) the queries are made from these vectors
    keys_from: Tensor  # (1, S, d_model) keys and values are made from these
    mask: Tensor  # (1, 1, T, S) bool; True = may attend
    learned: Mapping[str, Linear]  # w_q, w_k, w_v and w_o, each d_model to d_model
    n_heads: int  # H
    query_tokens: Sequence[str]  # T labels
    key_tokens: Sequence[str]  # S labels

    @property
    def sizes(self) -> dict[str, int]:
        """The length of each axis, by symbol."""
        _, n_queries, d_model = self.x.shape
        return {
            "B": 1,
            "T": n_queries,
            "S": self.keys_from.shape[1],
            "H": self.n_heads,
            "d_model": d_model,
            "d_head": d_model // self.n_heads,
        }


def attention_of(model: Transformer, trace: Trace, kind: Kind, layer: int) -> AttentionInput:
    """Return the input of one attention of a model for one sentence.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
        layer: from 0.
    """
    stack, name = attention_path(kind)
    block = getattr(model, stack).blocks[layer]
    module: MultiHeadAttention = getattr(block, f"{name}_attention")
    path = attention_name(kind, layer)
    x = torch.tensor(trace.records[f"{path}.x"])[None]  # (1, T, d_model)
    memory = torch.tensor(trace.records["encoder.memory"])[None]  # (1, S, d_model)
    first_head = torch.tensor(trace.records[f"{path}.masked_scores"][:1])[None]  # (1, 1, T, S)
    maps = trace.attention(kind)
    return AttentionInput(
        x=x,
        keys_from=memory if kind == "cross" else x,
        mask=first_head > -math.inf,  # the mask is the same for all heads
        learned={name: _linear(getattr(module, name)) for name in ("w_q", "w_k", "w_v", "w_o")},
        n_heads=module.n_heads,
        query_tokens=maps.query_tokens,
        key_tokens=maps.key_tokens,
    )


def _linear(module: nn.Linear) -> Linear:
    """Convert a PyTorch layer to the paper's form. PyTorch stores the transposed weight."""
    return Linear(weight=module.weight.detach().T, bias=module.bias.detach())


def walk(attention: AttentionInput, edits: Edits | None = None) -> dict[str, Tensor]:
    """Compute every intermediate result of an attention.

    Args:
        attention: its input.
        edits: numbers of q and k that are replaced before they are used.

    Returns:
        Every result, by the names of ``RESULTS``.

    Source: Vaswani et al. 2017, sections 3.2.1 and 3.2.2.
    """
    results = {"x": attention.x, "keys_from": attention.keys_from}

    # 1. Project the input to queries, keys and values, and split them into heads.
    sources = {"q": attention.x, "k": attention.keys_from, "v": attention.keys_from}
    for name, source in sources.items():
        flat = attention.learned[f"w_{name}"](source)  # (1, T, d_model), with S for T of k and v
        split = flat.view(*flat.shape[:2], attention.n_heads, -1)  # (1, T, H, d_head)
        results[f"{name}_flat"] = flat
        results[f"{name}_split"] = split
        results[name] = split.transpose(1, 2).clone()  # (1, H, T, d_head)
    if edits is not None:
        for (name, head, row, column), value in edits.items():
            results[name][0, head, row, column] = value

    # 2. Compute the scores, apply the mask, then the softmax.
    product = results["q"] @ results["k"].transpose(-2, -1)  # (1, H, T, S)
    d_head = results["q"].shape[-1]
    scores = product / math.sqrt(d_head)  # (1, H, T, S)
    masked_scores = scores.masked_fill(~attention.mask, -math.inf)  # (1, H, T, S)
    weights = masked_scores.softmax(dim=-1)  # (1, H, T, S)

    # 3. Take the weighted sum of the values, merge the heads, and project the result.
    head_out = weights @ results["v"]  # (1, H, T, d_head)
    merged = head_out.transpose(1, 2).flatten(2)  # (1, T, d_model)
    return {
        **results,
        "product": product,
        "scores": scores,
        "masked_scores": masked_scores,
        "weights": weights,
        "head_out": head_out,
        "merged": merged,
        "attn_out": attention.learned["w_o"](merged),
    }


class Result(NamedTuple):
    """The shape, the formula and the line of code of one intermediate result."""

    dims: tuple[str, ...]  # symbolic shape; T queries, S keys
    formula: str  # in the letters of the paper
    code: str  # the line of PyTorch that computes it


def _projected(name: str, source: str, length: str) -> dict[str, Result]:
    """Describe the three stages of q, k or v: projected, split, and transposed.

    Args:
        name: "q", "k" or "v".
        source: name of the vectors that are projected.
        length: the symbol of their number, "T" or "S".
    """
    letter = name.upper()
    return {
        f"{name}_flat": Result(
            ("B", length, "d_model"),
            f"{source} W_{letter} + b_{letter}",
            f"{name} = w_{name}({source})",
        ),
        f"{name}_split": Result(
            ("B", length, "H", "d_head"),
            f"{name}: d_model → H × d_head",
            f"{name} = {name}.view(1, {length}, H, d_head)",
        ),
        name: Result(
            ("B", "H", length, "d_head"),
            f"{name}: {length} × H → H × {length}",
            f"{name} = {name}.transpose(1, 2)",
        ),
    }


def _recorded(name: str, code: str) -> dict[str, Result]:
    """Describe a result that a trace records under the same name.

    Cross-attention is the general case: queries and keys have different lengths.
    """
    recorded = SHAPES[f"decoder.{{layer}}.cross.{name}"]
    return {name: Result(recorded.dims, recorded.formula, f"{name} = {code}")}


RESULTS: dict[str, Result] = {
    **_recorded("x", "norm(resid)"),
    "keys_from": Result(("B", "S", "d_model"), "x | memory", "keys_from = x  # or memory"),
    **_projected("q", "x", "T"),
    **_projected("k", "keys_from", "S"),
    **_projected("v", "keys_from", "S"),
    "product": Result(("B", "H", "T", "S"), "q kᵀ", "product = q @ k.transpose(-2, -1)"),
    **_recorded("scores", "product / math.sqrt(d_head)"),
    **_recorded("masked_scores", "scores.masked_fill(~mask, -math.inf)"),
    **_recorded("weights", "masked_scores.softmax(dim=-1)"),
    **_recorded("head_out", "weights @ v"),
    "merged": Result(
        ("B", "T", "d_model"), "concat(head_out)", "merged = head_out.transpose(1, 2).flatten(2)"
    ),
    **_recorded("attn_out", "w_o(merged)"),
}
