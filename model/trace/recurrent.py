"""A trace of a recurrent model: its states, its gates, and its alignment where it attends."""

from __future__ import annotations

from typing import Literal

from model.pictures.attention import Attention
from model.pictures.tokens import display
from model.recurrent.cells import CELLS, CellName
from model.recurrent.config import RecurrentConfig
from model.trace.base import Array, BaseTrace
from model.transformer.shapes import Recorded

RecurrentPart = Literal["forwards", "backwards", "decoder"]


class RecurrentTrace(BaseTrace):
    """What a recurrent model computed for one sentence pair; see ``BaseTrace``.

    ``records`` holds every name of ``recurrent_names``.
    """

    @property
    def alignment(self) -> Array | None:
        """(T, S): where the decoder looked when it wrote each token; None without attention."""
        return self.records.get("decoder.weights")

    def attentions(self) -> tuple[Attention, ...]:
        """The one of the decoder, as one layer with one head; none without attention."""
        if self.alignment is None:
            return ()
        queries, keys = {"written": display(self.next_tokens)}, display(self.src_tokens)
        weights = self.alignment[None, None]
        return (Attention("cross", weights, queries, keys, ("target", "source")),)

    @property
    def parts(self) -> tuple[RecurrentPart, ...]:
        """The cells at work: one or two that read the source, and the decoder's."""
        everything: tuple[RecurrentPart, ...] = ("forwards", "backwards", "decoder")
        return tuple(part for part in everything if _path(part) in self.records)

    def states(self, part: RecurrentPart) -> Array:
        """(S or T, d_hidden): the state after each token."""
        return self.records[_path(part)]

    def gates(self, part: RecurrentPart) -> dict[str, Array]:
        """What a cell computed at each token by name, each (S or T, d_hidden); none for an RNN."""
        prefix = _path(part).rpartition(".")[0]
        names = dict.fromkeys(gate for cell in CELLS.values() for gate in cell.gates)
        return {
            name: self.records[f"{prefix}.{name}"]
            for name in names
            if f"{prefix}.{name}" in self.records
        }


def _path(part: RecurrentPart) -> str:
    return "decoder.s" if part == "decoder" else f"encoder.{part}.h"


_GATE = "σ(W x + U h + b)"  # in a decoder that reads a context, x is [y; context]
_CANDIDATE: dict[CellName, str] = {
    "lstm": "tanh(W x + U h + b)",
    "gru": "tanh(W x + r (U h) + b)",
}
_GATES = {  # formula and meaning
    "reset": (_GATE, "how much of the state a candidate sees"),
    "update": (_GATE, "how much of the state is kept"),
    "input": (_GATE, "how much of the candidate is added"),
    "forget": (_GATE, "how much of the cell is kept"),
    "output": (_GATE, "how much of the cell is shown"),
    "cell": ("f c + i g", "what is remembered"),
}


def recurrent_names(config: RecurrentConfig) -> dict[str, Recorded]:
    """All that one forward pass records, with its shape, formula and meaning."""

    def states(path: str, length: str, name: str) -> dict[str, Recorded]:
        dims = ("B", length, "d_hidden")
        meanings = _GATES | {
            "candidate": (_CANDIDATE.get(config.cell, ""), "what could be written")
        }
        gates = {
            f"{path}.{gate}": Recorded(dims, *meanings[gate]) for gate in CELLS[config.cell].gates
        }
        return gates | {f"{path}.{name}": Recorded(dims, "cell(x, h)", "the state after a token")}

    def embedded(path: str, length: str) -> dict[str, Recorded]:
        dims = ("B", length, "d_model")
        return {f"{path}.embedded": Recorded(dims, "√d_model E[token]", "what each token is")}

    directions = ("forwards", "backwards") if config.bidirectional else ("forwards",)
    names = embedded("encoder", "S")
    for direction in directions:
        names |= states(f"encoder.{direction}", "S", "h")
    names["encoder.memory"] = Recorded(
        ("B", "S", "d_memory"), "[h forwards; h backwards]", "the source as the decoder sees it"
    )
    names |= embedded("decoder", "T")
    names["decoder.s_0"] = Recorded(
        ("B", "1", "d_hidden"), "tanh(W_s summary + b)", "the state that the decoder begins with"
    )
    names |= states("decoder", "T", "s")
    if config.arch != "seq2seq":
        scores = "vᵀ tanh(W_a s + U_a h)" if config.arch == "bahdanau" else "sᵀ h"
        dims = ("B", "T", "S")
        names |= {
            "decoder.masked_scores": Recorded(
                dims, f"{scores}, -∞ where hidden", "how well each state fits each source token"
            ),
            "decoder.weights": Recorded(
                dims, "softmax(masked_scores)", "where each step looks; rows sum to 1"
            ),
        }
    context = "summary" if config.arch == "seq2seq" else "weights memory"
    return names | {
        "decoder.context": Recorded(
            ("B", "T", "d_memory"), context, "what each step knows of the source"
        ),
        "decoder.decoded": Recorded(
            ("B", "T", "d_model"),
            "tanh(W_o [s; y; context] + b)",
            "from which the next token is read",
        ),
        "logits": Recorded(("B", "T", "V"), "decoded Eᵀ", "a score for every next token"),
    }
