"""Translate with a coarse draft that the exact model checks: speculative decoding.

A decoder that writes n tokens needs n passes, one after the other. A decoder that reads n tokens
needs one pass, and this pass says for each position which token it would have written there. So a
cheaper decoder writes a draft, and the exact one reads it. The tokens before the first difference
are kept. From there on the exact model writes, so the result is its own greedy translation.

Here the draft is cheap because its weights are rounded to few bits. ``decoding/draft.py`` is what
translations really use: always 16 bits, and a draft is kept as a whole or not at all.

Sources: Stern et al. 2018, "Blockwise Parallel Decoding for Deep Autoregressive Models"; Leviathan
et al. 2023, "Fast Inference from Transformers via Speculative Decoding", whose method also samples.
"""

import copy
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

import torch
from torch import Tensor, nn

from model.decoding.draft import Drafter
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import continue_from
from model.tokenizers.tokenizer import Tokenizer
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer

BITS = (16, 8, 6, 5, 4, 3)  # of a draft's weights; 16 are those of ``decoding/draft.py``


class DraftedTranslation(NamedTuple):
    """A draft, the answers of the exact model, and the translation that both give together."""

    draft: tuple[int, ...]  # T tokens after BOS
    # (T,) the token that the exact model would write after BOS and the draft's tokens before
    answers: tuple[int, ...]
    ids: tuple[int, ...]  # N tokens after BOS: the exact model's greedy translation

    @property
    def n_kept(self) -> int:
        """The number of the draft's tokens that are kept."""
        pairs = zip(self.draft, self.answers, strict=True)
        return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])

    @property
    def n_passes(self) -> int:
        """The passes that the exact model needs, one after the other. Without a draft it needs N.

        The first pass reads the draft. It also says the token that comes after those that are kept.
        Each further token needs a pass of its own.
        """
        return max(1, len(self.ids) - self.n_kept)


def translate_with_draft(
    model: Transformer, tokenizer: Tokenizer, src_ids: Sequence[int], *, n_bits: int
) -> DraftedTranslation:
    """Translate one sentence with a draft.

    Args:
        model: the exact model, in eval mode.
        tokenizer: of this model.
        src_ids: of the sentence, EOS last.
        n_bits: of each weight of the draft's decoder, one of ``BITS``.

    Returns:
        The draft and what became of it.
    """
    src = torch.tensor([src_ids], device=model.device)  # (1, S)
    src_mask = padding_mask(src, tokenizer.pad_id)  # (1, 1, 1, S)
    special_ids = tokenizer.special_ids
    with torch.inference_mode():
        memory = model.encode(src, src_mask)  # (1, S, d_model)

    # 1. The coarse decoder writes, token by token
    drafter = Drafter(model, coarse_writer(model, n_bits))
    draft = drafter.write(src, memory, src_mask, special_ids)  # T ids

    # 2. The exact decoder reads the draft in one pass
    logits = drafter.read(draft, memory, src_mask, special_ids)  # (T, V)
    answers = logits.argmax(dim=-1).tolist()  # T ids
    checked = DraftedTranslation(tuple(draft), tuple(answers), tuple(draft))
    if checked.n_kept == len(draft):
        return checked

    # 3. After the kept tokens and its own next token, the exact decoder writes the rest. First it
    # reads those tokens again one by one: that is simpler than keeping their part of a cache
    begin = answers[: checked.n_kept + 1]
    exact = continue_from(model, src, dict(enumerate(begin)), **special_ids)
    return checked._replace(ids=exact.ids)


def coarse_writer(model: Transformer, n_bits: int) -> FusedTransformer:
    """Return a decoder whose weights have few bits.

    With 16 bits, weights and activations are floating-point numbers, as in ``decoding/draft.py``.
    With fewer bits, weights are whole numbers, see ``rounded``. They are multiplied as 32-bit
    numbers: this shows what rounding does to a translation, and saves no time.

    Args:
        model: in eval mode. It does not change.
        n_bits: of each weight, one of ``BITS``.

    Raises:
        ValueError: ``n_bits`` is none of ``BITS``.
    """
    if n_bits not in BITS:
        raise ValueError(f"a draft has weights of {BITS} bits, got {n_bits}")
    if n_bits == 16:
        return FusedTransformer(model, torch.float16)
    coarse = copy.deepcopy(model, {id(model.encoder): model.encoder})  # a draft needs no encoder
    parts = nn.ModuleList([coarse.tgt_embedding, coarse.decoder, coarse.unembed])
    for parameter in parts.parameters():  # a shared matrix comes once
        if parameter.dim() == 2:
            parameter.data = rounded(parameter.data, n_bits)
    return FusedTransformer(coarse)


def rounded(weight: Tensor, n_bits: int) -> Tensor:
    """Round a matrix so that each row has at most 2^n_bits - 1 different numbers.

    A number becomes a whole number from -m to m, m = 2^(n_bits - 1) - 1, times a factor that is the
    same in its row: the largest absolute value of the row, divided by m.

    Args:
        weight: (out, in).
        n_bits: from 2.

    Returns:
        (out, in).

    >>> rounded(torch.tensor([[3.0, 1.4, -0.6], [0.3, -0.2, 0.0]]), n_bits=3)
    tensor([[ 3.0000,  1.0000, -1.0000],
            [ 0.3000, -0.2000,  0.0000]])
    """
    m = 2 ** (n_bits - 1) - 1
    factor = weight.abs().amax(dim=1, keepdim=True) / m  # (out, 1)
    factor = factor.clamp(min=torch.finfo(weight.dtype).tiny)  # a row of zeros stays zero
    return (weight / factor).round() * factor
