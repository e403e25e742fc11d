"""One row of one head: a query of the visitor's sentence, with the keys and values it sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
import torch
from torch import Tensor

from model import Trace
from model.pictures.tokens import display
from model.transformer.heads import attention_name
from ui.export.provenance import About, about
from ui.frame.controls import pick
from ui.frame.pickers import attention_picker, choose_place
from ui.state.address import Address
from ui.state.models import PageRun
from ui.text.translator import Translator


@dataclass(frozen=True)
class SoftmaxRow:
    """What one query of the model works with.

    Args:
        q: (d_head,).
        k: (S, d_head), only the keys that the query may see.
        v: (S, d_head).
        key_tokens: S visible tokens.
        place: position of the query in its sentence, from 0.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    key_tokens: Sequence[str]
    place: int


def pick_row(trace: Trace, address: Address, tr: Translator) -> SoftmaxRow:
    """Let the visitor choose attention, layer, head and query."""
    n_layers, n_heads = trace.encoder_self.shape[:2]
    maps = trace.attention(address.attention, rows=address.rows)
    queries = display(maps.query_tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        for name, n in (("layer", n_layers), ("head", n_heads)):
            choose_place(name, n, tr)
        place = pick(
            tr("scaling.query"),
            range(len(queries)),
            default=1,
            key="scaling.query",
            format_func=lambda place: f"{place} · {queries[place]}",
            width=170,
        )
    layer, head = address.place
    path = attention_name(address.attention, layer)
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]) for name in "qkv")
    visible = place + 1 if address.attention == "decoder_self" else len(k)
    return SoftmaxRow(
        q=q[place],
        k=k[:visible],
        v=v[:visible],
        key_tokens=display(maps.key_tokens[:visible]),
        place=place,
    )


def about_row(row: SoftmaxRow, trace: Trace, run: PageRun) -> About:
    """Which row it is, for who takes its numbers away."""
    address = run.address
    return about(
        run.model,
        trace,
        page="scaling",
        attention=address.attention,
        layer=address.layer,
        head=address.head,
        query=row.place,
    )
