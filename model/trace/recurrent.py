"""A trace of a recurrent model: its states, its gates, and its attention if it has one."""

from typing import Literal, get_args

from model.arrays import Array
from model.pictures.offline_page import AttentionData
from model.pictures.tokens import display
from model.recurrent.cells import CELLS
from model.recurrent.config import RecurrentConfig
from model.trace.drawable import DrawableTrace

# The encoder's forward cell, the encoder's backward cell, the decoder's cell.
RecurrentCell = Literal["forwards", "backwards", "decoder"]


class RecurrentTrace(DrawableTrace):
    """The trace of a recurrent model for one sentence pair; see ``BaseTrace``.

    ``records`` holds every name of ``recurrent_names``.
    """

    @property
    def alignment(self) -> Array | None:
        """The attention of the decoder at each written token, (T, S); None without attention."""
        return self.records.get("decoder.weights")

    def attentions(self) -> tuple[AttentionData, ...]:
        """Return the decoder's attention as one layer with one head; () without attention."""
        if self.alignment is None:
            return ()
        attention = AttentionData(
            kind="cross",
            weights=self.alignment[None, None],  # (1, 1, T, S)
            queries={"written": display(self.next_tokens)},
            keys=display(self.src_tokens),
            sides=("target", "source"),
        )
        return (attention,)

    @property
    def cells(self) -> tuple[RecurrentCell, ...]:
        """The cells of this model: one or two that read the source, and the decoder's cell."""
        return tuple(cell for cell in get_args(RecurrentCell) if _state_name(cell) in self.records)

    def states(self, cell: RecurrentCell) -> Array:
        """Return the state after each token: (S, d_hidden), or (T, d_hidden) for the decoder."""
        return self.records[_state_name(cell)]

    def gates(self, cell: RecurrentCell) -> dict[str, Array]:
        """Return the gates of a cell at each token, by name; {} for an RNN.

        Each is (S, d_hidden), or (T, d_hidden) for the decoder.
        """
        path = _state_name(cell).rpartition(".")[0]
        gate_names = dict.fromkeys(gate for kind in CELLS.values() for gate in kind.gates)
        return {
            gate: self.records[f"{path}.{gate}"]
            for gate in gate_names
            if f"{path}.{gate}" in self.records
        }


def _state_name(cell: RecurrentCell) -> str:
    return "decoder.s" if cell == "decoder" else f"encoder.{cell}.h"


def recurrent_names(config: RecurrentConfig) -> dict[str, tuple[str, ...]]:
    """Return every name that one forward pass records, with its symbolic shape."""
    gates = CELLS[config.cell].gates
    encoder_cells = ("forwards", "backwards") if config.bidirectional else ("forwards",)
    encoder_states = [f"encoder.{cell}.{name}" for cell in encoder_cells for name in (*gates, "h")]
    scores = () if config.arch == "seq2seq" else ("decoder.masked_scores", "decoder.weights")
    return {
        "encoder.embedded": ("B", "S", "d_model"),
        **dict.fromkeys(encoder_states, ("B", "S", "d_hidden")),
        "encoder.memory": ("B", "S", "d_memory"),
        "decoder.embedded": ("B", "T", "d_model"),
        "decoder.s_0": ("B", "1", "d_hidden"),  # tanh(W_s summary + b)
        **{f"decoder.{name}": ("B", "T", "d_hidden") for name in (*gates, "s")},
        **dict.fromkeys(scores, ("B", "T", "S")),  # scores, -∞ for hidden keys; and their softmax
        "decoder.context": ("B", "T", "d_memory"),  # the product weights · memory, or the summary
        "decoder.decoded": ("B", "T", "d_model"),  # tanh(W_o [s; y; context] + b)
        "logits": ("B", "T", "V"),
    }
