"""A trace of a recurrent model: its states, its gates, and its alignment where it attends."""

from typing import Literal, get_args

from model.arrays import Array
from model.pictures.offline_page import AttentionData
from model.pictures.tokens import display
from model.recurrent.cells import CELLS
from model.recurrent.config import RecurrentConfig
from model.trace.base import BaseTrace

RecurrentPart = Literal["forwards", "backwards", "decoder"]


class RecurrentTrace(BaseTrace):
    """What a recurrent model computed for one sentence pair; see ``BaseTrace``.

    ``records`` holds every name of ``recurrent_names``.
    """

    @property
    def alignment(self) -> Array | None:
        """(T, S): where the decoder looked when it wrote each token; None without attention."""
        return self.records.get("decoder.weights")

    def attentions(self) -> tuple[AttentionData, ...]:
        """The one of the decoder, as one layer with one head; none without attention."""
        if self.alignment is None:
            return ()
        queries, keys = {"written": display(self.next_tokens)}, display(self.src_tokens)
        weights = self.alignment[None, None]
        return (AttentionData("cross", weights, queries, keys, ("target", "source")),)

    @property
    def parts(self) -> tuple[RecurrentPart, ...]:
        """The cells at work: one or two that read the source, and the decoder's."""
        return tuple(part for part in get_args(RecurrentPart) if _path(part) in self.records)

    def states(self, part: RecurrentPart) -> Array:
        """(S or T, d_hidden): the state after each token."""
        return self.records[_path(part)]

    def gates(self, part: RecurrentPart) -> dict[str, Array]:
        """What a cell computed at each token by name, each (S or T, d_hidden); none for an RNN."""
        prefix = _path(part).rpartition(".")[0]
        gates = dict.fromkeys(gate for cell in CELLS.values() for gate in cell.gates)
        paths = {gate: f"{prefix}.{gate}" for gate in gates}
        return {gate: self.records[path] for gate, path in paths.items() if path in self.records}


def _path(part: RecurrentPart) -> str:
    return "decoder.s" if part == "decoder" else f"encoder.{part}.h"


def recurrent_names(config: RecurrentConfig) -> dict[str, tuple[str, ...]]:
    """All that one forward pass records, with its symbolic shape."""
    gates = CELLS[config.cell].gates
    ways = ("forwards", "backwards") if config.bidirectional else ("forwards",)
    states = [f"encoder.{way}.{name}" for way in ways for name in (*gates, "h")]
    scores = () if config.arch == "seq2seq" else ("decoder.masked_scores", "decoder.weights")
    return {
        "encoder.embedded": ("B", "S", "d_model"),
        **dict.fromkeys(states, ("B", "S", "d_hidden")),
        "encoder.memory": ("B", "S", "d_memory"),
        "decoder.embedded": ("B", "T", "d_model"),
        "decoder.s_0": ("B", "1", "d_hidden"),  # tanh(W_s summary + b)
        **{f"decoder.{name}": ("B", "T", "d_hidden") for name in (*gates, "s")},
        **dict.fromkeys(scores, ("B", "T", "S")),  # -∞ where hidden; their softmax
        "decoder.context": ("B", "T", "d_memory"),  # weights memory, or the summary
        "decoder.decoded": ("B", "T", "d_model"),  # tanh(W_o [s; y; context] + b)
        "logits": ("B", "T", "V"),
    }
