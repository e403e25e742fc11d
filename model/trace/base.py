"""The base of all traces: the tensors and tokens of one sentence pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from model.arrays import Array
from model.tokenizers.tokenizer import Token


@dataclass(frozen=True)
class Origin:
    """The checkpoint that a trace comes from, described in words."""

    name: str  # of the checkpoint's folder
    # of source and target; None if a language is not known
    languages: tuple[str | None, str | None]
    n_parameters: int  # number of parameters of the model
    mark: str  # fingerprint of the weights; it changes when the model is trained further
    card: str  # the checkpoint's README; empty if it has none


@dataclass(frozen=True)
class BaseTrace:
    """The tensors and tokens of one sentence pair, for any model. All arrays are read-only.

    Row t of the decoder has *read* ``tgt_tokens[t]`` last and *writes* ``next_tokens[t]``.

    Args:
        source_text: the sentence, as typed.
        target_text: the translation, or the target as given.
        target_origin: ``"generated"`` by the model, or ``"given"`` by the visitor and read
            token by token (teacher forcing).
        beam: hypotheses kept while generating; 1 is greedy.
        truncated: whether the translation stopped at the length limit and not at EOS.
        src: the S source tokens, EOS last, with their positions in ``source_text``.
        tgt_ids: the whole target, BOS ... EOS: T + 1 ids.
        tgt_tokens: the T tokens that the decoder read, BOS first.
        next_tokens: the T tokens that it wrote (or should have written), EOS last.
        log_probs: (T,) natural log-probability of each of ``next_tokens``.
        records: every recorded tensor by its name, without the batch axis.
        origin: the checkpoint that computed it; None for a model without a checkpoint.
    """

    source_text: str
    target_text: str
    target_origin: Literal["generated", "given"]
    beam: int
    truncated: bool
    src: tuple[Token, ...]
    tgt_ids: tuple[int, ...]
    tgt_tokens: tuple[str, ...]
    next_tokens: tuple[str, ...]
    log_probs: Array
    records: Mapping[str, Array]
    origin: Origin | None = None

    @property
    def src_tokens(self) -> tuple[str, ...]:
        """The texts of the S source tokens."""
        return tuple(token.text for token in self.src)

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """The languages of source and target; None if a language is not known."""
        return self.origin.languages if self.origin else (None, None)

    def __repr__(self) -> str:
        shape = f"{len(self.next_tokens)} × {len(self.src)} tokens"
        return f"<{type(self).__name__}: {self.source_text} → {self.target_text} ({shape})>"
