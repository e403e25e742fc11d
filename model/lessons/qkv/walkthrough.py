"""One multi-head attention, one operation after another, each result kept.

``MultiHeadAttention`` does the same in fewer lines; here every operation has a name, and numbers
of q and k can be changed on the way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from model.trace.transformer import Trace
from model.transformer.attention import MultiHeadAttention
from model.transformer.heads import Kind, attention_name, attention_path
from model.transformer.shapes import SHAPES
from model.transformer.transformer import Transformer

Edits = Mapping[tuple[str, int, int, int], float]  # ("q" or "k", head, row, column): new value


@dataclass(frozen=True)
class Linear:
    """x W + b: weight (in, out), as the paper writes it, and bias (out,)."""

    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


@dataclass(frozen=True)
class AttentionInput:
    """What one attention is given."""

    x: Tensor  # (1, T, d_model) of which the queries are made
    keys_from: Tensor  # (1, S, d_model) of which keys and values are made
    mask: Tensor  # (1, 1, T, S) bool; True = may attend
    learned: Mapping[str, Linear]  # w_q, w_k, w_v and w_o, each d_model to d_model
    n_heads: int  # H
    query_tokens: Sequence[str]  # T labels
    key_tokens: Sequence[str]  # S labels

    @property
    def sizes(self) -> dict[str, int]:
        """The length of every axis, by its symbol."""
        (_, n_queries, d_model), n_keys = self.x.shape, self.keys_from.shape[1]
        lengths = {"B": 1, "T": n_queries, "S": n_keys, "H": self.n_heads}
        return lengths | {"d_model": d_model, "d_head": d_model // self.n_heads}


def attention_of(model: Transformer, trace: Trace, kind: Kind, layer: int) -> AttentionInput:
    """One attention of a model, as it was for one sentence; layers count from 0."""
    stack, name = attention_path(kind)
    block = getattr(model, stack).blocks[layer]
    module: MultiHeadAttention = getattr(block, f"{name}_attention")
    maps, path = trace.attention(kind), attention_name(kind, layer)
    x = torch.tensor(trace.records[f"{path}.x"])[None]
    memory = torch.tensor(trace.records["encoder.memory"])[None]
    masked = torch.tensor(trace.records[f"{path}.masked_scores"][:1])[None]  # the same in all heads
    layers = {w: getattr(module, w) for w in ("w_q", "w_k", "w_v", "w_o")}
    return AttentionInput(
        x=x,
        keys_from=memory if kind == "cross" else x,
        mask=masked > -math.inf,
        # PyTorch keeps the transpose
        learned={w: Linear(one.weight.detach().T, one.bias.detach()) for w, one in layers.items()},
        n_heads=module.n_heads,
        query_tokens=maps.query_tokens,
        key_tokens=maps.key_tokens,
    )


def walk(attention: AttentionInput, edits: Edits | None = None) -> dict[str, Tensor]:
    """Compute an attention and keep every result, by the names of ``RESULTS``.

    ``edits`` are numbers of q and k that are replaced before they are used.

    Source: Vaswani et al. 2017, sections 3.2.1 and 3.2.2.
    """
    results = {"x": attention.x, "keys_from": attention.keys_from}
    sources = {"q": attention.x, "k": attention.keys_from, "v": attention.keys_from}
    for name, source in sources.items():
        flat = attention.learned[f"w_{name}"](source)  # (1, T, d_model), with S for T of k and v
        split = flat.view(*flat.shape[:2], attention.n_heads, -1)  # (1, T, H, d_head)
        heads = split.transpose(1, 2).clone()  # (1, H, T, d_head)
        results |= {f"{name}_flat": flat, f"{name}_split": split, name: heads}
    for (name, head, row, column), value in (edits or {}).items():
        results[name][0, head, row, column] = value
    product = results["q"] @ results["k"].transpose(-2, -1)  # (1, H, T, S)
    scores = product / math.sqrt(results["q"].shape[-1])
    masked_scores = scores.masked_fill(~attention.mask, -math.inf)
    weights = masked_scores.softmax(dim=-1)
    head_out = weights @ results["v"]  # (1, H, T, d_head)
    merged = head_out.transpose(1, 2).flatten(2)  # (1, T, d_model)
    return results | {
        "product": product,
        "scores": scores,
        "masked_scores": masked_scores,
        "weights": weights,
        "head_out": head_out,
        "merged": merged,
        "attn_out": attention.learned["w_o"](merged),
    }


class Result(NamedTuple):
    """What one operation gives."""

    dims: tuple[str, ...]  # symbolic shape; T queries, S keys
    formula: str  # in the letters of the paper
    code: str  # the line of PyTorch that does it


def _projected(name: str, source: str, length: str) -> dict[str, Result]:
    """The three results of q, k or v."""
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
    # Cross-attention is the general case: its queries and keys have lengths of their own.
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
