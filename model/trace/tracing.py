"""How a trace is made: a sentence is read, translated, and everything is written down."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeVar

import torch

from model.arrays import read_only
from model.corpora.plain_text import reading
from model.decoding.beam import best_translations
from model.nn.encoder_decoder import Decodable, Model
from model.nn.hooks import Hooks
from model.tokenizers.tokenizer import Side, Token, Tokenizer
from model.trace.base import BaseTrace
from model.transformer.masks import padding_mask

R = TypeVar("R", bound=BaseTrace)
Target = str | Sequence[int]
Reason = Literal["empty", "too_long", "too_many_characters"]
_COUNTED = {"too_long": "tokens", "too_many_characters": "characters"}


class InputError(ValueError):
    """A text that the model cannot take: empty, too long, or too many characters to even look.

    ``n`` is its length in tokens with BOS and EOS, or in characters; ``limit`` the largest taken.
    """

    def __init__(self, reason: Reason, n: int, limit: int) -> None:
        self.reason, self.n, self.limit = reason, n, limit
        super().__init__(
            "The sentence is empty: type at least one word."
            if reason == "empty"
            else f"The text has {n:,} {_COUNTED[reason]}, and at most {limit:,} are taken: "
            "use a shorter one."
        )


@torch.inference_mode()
def trace_pair(
    kind: type[R],
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    *,
    target: Target | None = None,
    beam: int = 1,
    writer: Decodable | None = None,
) -> R:
    """Translate a sentence (or read a given target) and write everything down.

    Args:
        target: what to read instead of generating something: a text, or ids that a model of this
            tokenizer wrote, BOS first. Those need not be cut into the same subwords when their text
            is read, and together with a new EOS may be too many; as ids they can always be read.
        writer: what generates in place of the model; the same model, laid out for speed.

    InputError for a text as ``read_sentence``; ValueError for a model in train mode, where dropout
    would falsify every number.
    """
    if model.training:
        raise ValueError("the model is in train mode: call model.eval() before tracing")
    src = read_sentence(model, tokenizer, text)
    if isinstance(target, str):
        given = [t.id for t in read_sentence(model, tokenizer, target, side="target")]
    else:
        given = list(target or ())
    src_ids = torch.tensor([[token.id for token in src]])  # (1, S)
    src_mask = padding_mask(src_ids, tokenizer.pad_id)
    records: dict[str, torch.Tensor] = {}
    memory = model.encode(src_ids, src_mask, hooks=Hooks(records))  # (1, S, d_model)
    ids, truncated = given, False
    if target is None:
        special = tokenizer.special_ids
        [best] = best_translations(writer or model, src_ids, beam=beam, memory=memory, **special)
        ids, truncated = [tokenizer.bos_id, *best.ids], not best.finished
    tgt = torch.tensor([ids[:-1]])  # (1, T)
    logits = model.decode(tgt, memory, src_mask, hooks=Hooks(records))  # (1, T, V)
    next_ids = torch.tensor(ids[1:])
    log_probs = logits[0].log_softmax(dim=-1).gather(1, next_ids[:, None])[:, 0]
    subwords = [tokenizer.subword(id) for id in ids]
    # of a batch of one its only row; the positions have no batch axis
    rows = {name: t[0] if t.dim() > 2 else t for name, t in records.items()}
    return kind(
        source_text=text,
        target_text=target if isinstance(target, str) else tokenizer.decode(ids),
        target_origin="generated" if target is None else "given",
        beam=beam,
        truncated=truncated,
        src=tuple(src),
        tgt_ids=tuple(ids),
        tgt_tokens=tuple(subwords[:-1]),
        next_tokens=tuple(subwords[1:]),
        log_probs=read_only(log_probs.numpy()),
        records=MappingProxyType({name: read_only(row.numpy()) for name, row in rows.items()}),
    )


def read_sentence(
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    *,
    side: Side = "source",
    limit: int | None = None,
) -> list[Token]:
    """The tokens of a visitor's text as it is read, EOS last; a target begins with BOS.

    ``limit``: most tokens, where fewer are allowed than the model takes. InputError for a text that
    is empty or too long; one that cannot fit is not even cut into tokens.
    """
    longest = model.config.max_length
    limit = longest if limit is None else min(limit, longest)
    if len(text) > (most := tokenizer.most_characters(limit)):
        raise InputError("too_many_characters", len(text), most)
    found = reading(text)
    tokens = [
        replace(token, start=start, end=end)
        for token in tokenizer.encode(found.text, side)
        for start, end in [found.typed(token.start, token.end)]
    ]
    if not any(token.start < token.end for token in tokens):  # nothing that a vocabulary spells
        raise InputError("empty", len(tokens), limit)
    if len(tokens) > limit:
        raise InputError("too_long", len(tokens), limit)
    return tokens
