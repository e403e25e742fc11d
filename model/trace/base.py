"""The base of all traces: the tensors and tokens of one sentence pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from model.arrays import Array, read_only
from model.corpora.pairs import Languages
from model.tokenizers.tokenizer import Token
from model.trace.origin import Origin
from model.trace.trace_file import LOG_PROBS, RECORD_PREFIX, Header, write_trace_file


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
    def languages(self) -> Languages:
        """The languages of source and target; None if a language is not known."""
        return self.origin.languages if self.origin else (None, None)

    def save(self, path: str | Path) -> Path:
        """Write the trace to a file, completely or not at all; ``load_trace`` reads it.

        The file is a safetensors file with JSON in its header. Reading it runs no code from it.

        Raises:
            OSError: the disk is full, or the folder is not writable.
        """
        header = Header(
            kind="Trace" if type(self).__name__ == "Trace" else "RecurrentTrace",
            source_text=self.source_text,
            target_text=self.target_text,
            target_origin=self.target_origin,
            beam=self.beam,
            truncated=self.truncated,
            src=self.src,
            tgt_ids=self.tgt_ids,
            tgt_tokens=self.tgt_tokens,
            next_tokens=self.next_tokens,
            origin=self.origin,
        )
        arrays = {f"{RECORD_PREFIX}{name}": array for name, array in self.records.items()}
        write_trace_file(Path(path), header, {LOG_PROBS: self.log_probs, **arrays})
        return Path(path)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for ``pickle`` and ``copy``, which reject read-only mappings."""
        return vars(self) | {"records": dict(self.records)}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        """Set the fields of a copy, with read-only arrays."""
        records = {name: read_only(array) for name, array in fields["records"].items()}
        vars(self).update(fields)
        vars(self).update(
            records=MappingProxyType(records), log_probs=read_only(fields["log_probs"])
        )

    def __repr__(self) -> str:
        shape = f"{len(self.next_tokens)} × {len(self.src)} tokens"
        return f"<{type(self).__name__}: {self.source_text} → {self.target_text} ({shape})>"
