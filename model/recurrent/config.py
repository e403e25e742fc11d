"""The hyperparameters of a recurrent translation model."""

from dataclasses import dataclass
from typing import Literal, get_args

from model.recurrent.cells import CELLS, CellName
from model.transformer.config import check_sizes

RecurrentArch = Literal["seq2seq", "bahdanau", "luong"]
RECURRENT_ARCHS: tuple[RecurrentArch, ...] = get_args(RecurrentArch)


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """The architecture of one recurrent encoder-decoder.

    Args:
        arch: ``"seq2seq"`` hands one fixed vector to the decoder, ``"luong"`` and
            ``"bahdanau"`` let the decoder attend to every state of the encoder.
        vocab_size: V, size of the vocabulary that source and target share.
        d_model: width of the token embedding, shared with the output matrix.
        d_hidden: width of the recurrent states.
        cell: ``"gru"``, ``"lstm"`` or ``"rnn"``.
        dropout: P_drop, on embeddings and on the states from which the next tokens are read.
        max_length: longest source or target, in tokens, that the model accepts.

    Raises:
        ValueError: a number is out of range or a name unknown.

    Source: Cho et al. 2014; Luong et al. 2015; Bahdanau et al. 2015.
    """

    arch: RecurrentArch
    vocab_size: int
    d_model: int = 256
    d_hidden: int = 512  # so that the model has about as many weights as the Transformer
    cell: CellName = "gru"
    dropout: float = 0.1
    max_length: int = 256

    def __post_init__(self) -> None:
        check_sizes(self, "vocab_size", "d_model", "d_hidden", "max_length")
        if self.arch not in RECURRENT_ARCHS:
            raise ValueError(f"arch must be one of {RECURRENT_ARCHS}, got {self.arch!r}")
        if self.cell not in CELLS:
            raise ValueError(f"cell must be one of {tuple(CELLS)}, got {self.cell!r}")

    @property
    def bidirectional(self) -> bool:
        """Whether a second cell reads the source backwards."""
        return self.arch == "bahdanau"

    @property
    def d_memory(self) -> int:
        """The width of the encoder's output."""
        return self.d_hidden * (2 if self.bidirectional else 1)

    @property
    def n_matrix_weights(self) -> int:
        """The number of weights in the token matrix and in one gate's two matrices.

        Every architecture has them, so no model has fewer weights.
        """
        return self.vocab_size * self.d_model + self.d_hidden * (self.d_model + self.d_hidden)
