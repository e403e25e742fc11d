"""Make a trace: encode a sentence, translate it, and record every tensor."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeVar

import torch
from torch import Tensor

from model.arrays import Array, read_only
from model.corpora.plain_text import normalise_with_spans
from model.decoding.beam import best_translations
from model.decoding.draft import CheckedDraft, Drafter
from model.nn.encoder_decoder import Decodable, Model
from model.nn.hooks import Hooks
from model.tokenizers.tokenizer import Side, Token, Tokenizer, end_ids
from model.trace.base import BaseTrace
from model.transformer.masks import padding_mask

R = TypeVar("R", bound=BaseTrace)
Target = str | Sequence[int]
Reason = Literal["empty", "too_long", "too_many_characters", "too_many_maps"]
_UNITS = {"too_long": "tokens", "too_many_characters": "characters", "too_many_maps": "tokens"}


class InputError(ValueError):
    """The error for a text that the model cannot process.

    Args:
        reason: it is empty, has too many tokens, has so many characters that it is not even split
            into tokens, or has too many tokens for the maps of a model with so many heads.
        n: length of the text, in tokens with BOS and EOS, or in characters.
        limit: largest length that is taken, in the same unit.
    """

    def __init__(self, reason: Reason, n: int, limit: int) -> None:
        self.reason = reason
        self.n = n
        self.limit = limit
        if reason == "empty":
            message = "The sentence is empty: type at least one word."
        else:
            message = (
                f"The text has {n:,} {_UNITS[reason]}, and at most {limit:,} are taken: "
                "use a shorter one."
            )
        super().__init__(message)


@torch.inference_mode()
def trace_pair(
    trace_class: type[R],
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    *,
    tokens: Sequence[Token] | None = None,
    target: Target | None = None,
    beam: int = 1,
    decoder: Decodable | None = None,
    drafter: Drafter | None = None,
) -> R:
    """Translate a sentence, or score a given target, and record every tensor.

    Args:
        trace_class: class of the trace, ``Trace`` or ``RecurrentTrace``.
        model: in eval mode, on any device.
        tokenizer: of this model.
        text: the sentence, as typed.
        tokens: what ``read_sentence`` returned for ``text``, if the caller has it; None reads the
            text here.
        target: what the decoder reads instead of its own translation; None lets the model
            translate. Either a text, or ids that a model with this tokenizer generated, BOS first.
            Such ids are never too long. Their text can be: it may be split into other subwords, and
            more of them.
        beam: K >= 1 hypotheses kept while translating; 1 is greedy.
        decoder: translates in place of ``model``; the same weights, laid out for speed.
        drafter: writes drafts for ``model``, to save time; None for none.

    Returns:
        The trace, with read-only arrays on the CPU, of the model's dtype.

    Raises:
        InputError: ``text`` or ``target`` is empty or too long; see ``read_sentence``.
        ValueError: the model is in train mode, where dropout would falsify every number, or
            ``beam`` is not from 1 to ``MAX_BEAM``.
    """
    if model.training:
        raise ValueError("the model is in train mode: call model.eval() before tracing")

    # 1. Tokenize the source, and the target if it is given
    src = read_sentence(model, tokenizer, text) if tokens is None else tokens
    tgt_ids: list[int] = []
    if isinstance(target, str):
        tgt_ids = [token.id for token in read_sentence(model, tokenizer, target, side="target")]
    elif target is not None:
        tgt_ids = list(target)

    # 2. Encode the source
    records: dict[str, Tensor] = {}
    src_ids = torch.tensor([[token.id for token in src]], device=model.device)  # (1, S)
    src_mask = padding_mask(src_ids, tokenizer.pad_id)  # (1, 1, 1, S)
    memory = model.encode(src_ids, src_mask, hooks=Hooks(records))  # (1, S, d_model)

    # 3. If no target is given, translate: take a draft, or write if that fails
    draft: CheckedDraft | None = None
    if target is None and beam == 1 and drafter is not None:
        draft_records: dict[str, Tensor] = {}
        draft = drafter.translate(
            src_ids, memory, src_mask, tokenizer.special_ids, hooks=Hooks(draft_records)
        )
    if draft is not None:
        tgt_ids = [tokenizer.bos_id, *draft.ids]
    elif target is None:
        [best] = best_translations(
            decoder or model, src_ids, beam=beam, memory=memory, **tokenizer.special_ids
        )
        tgt_ids = [tokenizer.bos_id, *best.ids]
    truncated = target is None and tgt_ids[-1] not in end_ids(tokenizer.special_ids)

    # 4. Run the decoder once more over the whole target, with hooks. Step 3 has run a draft so
    if draft is not None:
        logits = draft.logits  # (T, V)
        records |= draft_records
    else:
        tgt = torch.tensor([tgt_ids[:-1]], device=model.device)  # (1, T)
        [logits] = model.decode(tgt, memory, src_mask, hooks=Hooks(records))  # (T, V)
    next_ids = torch.tensor(tgt_ids[1:], device=model.device)  # (T,)
    log_probs = logits.log_softmax(dim=-1).gather(1, next_ids[:, None])[:, 0]  # (T,)

    # 5. Make all records read-only
    subwords = [tokenizer.subword(id) for id in tgt_ids]
    return trace_class(
        source_text=text,
        target_text=target if isinstance(target, str) else tokenizer.decode(tgt_ids),
        target_origin="generated" if target is None else "given",
        beam=beam,
        truncated=truncated,
        src=tuple(src),
        tgt_ids=tuple(tgt_ids),
        tgt_tokens=tuple(subwords[:-1]),
        next_tokens=tuple(subwords[1:]),
        log_probs=_frozen(log_probs),
        records=MappingProxyType(
            {name: _frozen(_without_batch(tensor)) for name, tensor in records.items()}
        ),
    )


def _without_batch(tensor: Tensor) -> Tensor:
    """Remove the batch axis, (1, ...) -> (...). Positional encodings have none."""
    return tensor[0] if tensor.dim() > 2 else tensor


def _frozen(tensor: Tensor) -> Array:
    """Return the numbers of a tensor on any device as a read-only array."""
    return read_only(tensor.cpu().numpy())


def read_sentence(
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    *,
    side: Side = "source",
    limit: int | None = None,
) -> list[Token]:
    """Split a typed text into tokens with EOS at the end; a target also begins with BOS.

    Args:
        model: whose ``max_length`` limits the number of tokens.
        tokenizer: of this model.
        text: as typed. It is normalised before it is split (``plain_text.normalise_with_spans``).
        side: whether the text is a source or a target.
        limit: largest number of tokens with BOS and EOS, if it is below ``max_length``.

    Returns:
        The tokens; ``start`` and ``end`` are positions in ``text`` as typed.

    Raises:
        InputError: the text is empty or too long. One with too many characters to fit is refused
            before it is split.
    """
    if limit is None or limit > model.config.max_length:
        limit = model.config.max_length
    max_characters = tokenizer.max_characters(limit)
    if len(text) > max_characters:
        raise InputError("too_many_characters", len(text), max_characters)

    normalised = normalise_with_spans(text)
    tokens = []
    for token in tokenizer.encode(normalised.text, side):
        start, end = normalised.typed_span(token.start, token.end)
        tokens.append(replace(token, start=start, end=end))

    if not any(token.start < token.end for token in tokens):  # only BOS and EOS
        raise InputError("empty", len(tokens), limit)
    if len(tokens) > limit:
        raise InputError("too_long", len(tokens), limit)
    return tokens
