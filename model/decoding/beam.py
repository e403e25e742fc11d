"""Beam search: keep the K best hypotheses at each step."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, greedy, hypotheses, length_limits
from model.hub.beam_search import search
from model.hub.model import HubTransformer
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds, end_ids
from model.transformer.masks import padding_mask

MAX_BEAM = 100  # hypotheses; each needs as much memory as one sentence
ALPHA = 0.6  # strength of the length normalisation; Vaswani et al. 2017, section 6.1


@dataclass(frozen=True)
class BeamStep:
    """One step of the search for B sentences: the 2 K best candidates, of which K are kept."""

    # (B, 2K) int64, the index of the hypothesis of the previous step that this candidate extends
    parent: Tensor
    token: Tensor  # (B, 2K) int64, the token that continues it; padding after EOS
    score: Tensor  # (B, 2K) log-probability of the candidate, length-normalised, best first


@torch.inference_mode()
def beam_search(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    memory: Tensor | None = None,
    alpha: float = ALPHA,
    on_step: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """Return the best translations of each sentence of a batch.

    Hypotheses are ranked by log-probability / ((5 + length) / 6)^alpha. A hypothesis that has
    reached EOS stays in the beam and competes, until all have reached it. Models of the Hub have a
    different search, see ``model.hub.beam_search``.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K from 1 to ``MAX_BEAM``; with 1 the result is that of ``greedy``.
        pad_id: id of the padding.
        bos_id: id of the token that the decoder reads first.
        eos_id: id of the token that ends a translation.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        alpha: strength of the length normalisation; 0 ranks by log-probability alone.
        on_step: called with the candidates of each step.

    Returns:
        For each sentence K hypotheses, best first.

    Raises:
        ValueError: ``beam`` is not from 1 to ``MAX_BEAM``.

    Source: Wu et al. 2016, section 7, equation 14, without coverage.
    """
    check_beam(beam)

    # 1. Encode each source once, and repeat its memory for the K hypotheses
    n_sentences = len(src)
    if memory is None:
        memory = model.encode(src, padding_mask(src, pad_id))
    memory = memory.repeat_interleave(beam, dim=0)  # (B K, S, d_model)
    src = src.repeat_interleave(beam, dim=0)  # (B K, S)
    src_mask = padding_mask(src, pad_id)  # (B K, 1, 1, S)
    limits = length_limits(model, src, pad_id).view(n_sentences, beam)  # (B, K)
    first_row = torch.arange(n_sentences, device=src.device)[:, None] * beam  # (B, 1)

    # 2. Start with K empty hypotheses
    cache = model.new_cache()
    token = src.new_full((len(src),), bos_id)  # (B K,)
    tokens = src.new_empty((len(src), 0))  # (B K, t)
    token_log_probs = memory.new_empty((len(src), 0))  # (B K, t)
    total = memory.new_full((n_sentences, beam), -math.inf)  # (B, K) log-probability
    total[:, 0] = 0.0  # all K hypotheses are equal at first: only one of them counts
    length = src.new_zeros((n_sentences, beam))  # (B, K) tokens up to EOS
    done = torch.zeros(n_sentences, beam, dtype=torch.bool, device=src.device)  # (B, K)

    for step in range(1, int(limits.max()) + 1):
        # 3. Score every next token of every hypothesis
        logits = model.decode(token[:, None], memory, src_mask, cache=cache)[:, -1]  # (B K, V)
        log_probs = logits.log_softmax(dim=-1).view(n_sentences, beam, -1)  # (B, K, V)

        # 4. Keep the W = 2 K best continuations of each hypothesis. The others cannot be among the
        # best 2 K of all, because all candidates have the same length.
        best_tokens = log_probs.topk(min(2 * beam, log_probs.shape[-1]))  # (B, K, W)
        gains, ids = _only_padding(best_tokens.values, best_tokens.indices, done, pad_id)

        # 5. Rank the continuations of all hypotheses
        new_total = total[..., None] + gains  # (B, K, W)
        new_length = length + ~done  # (B, K)
        score = new_total / ((5 + new_length[..., None]) / 6) ** alpha  # (B, K, W)
        candidates = score.flatten(1).topk(2 * beam)  # (B, 2K)
        parents = candidates.indices // gains.shape[-1]  # (B, 2K)
        next_ids = ids.flatten(1).gather(1, candidates.indices)  # (B, 2K)
        if on_step is not None:
            on_step(BeamStep(parents, next_ids, candidates.values))

        # 6. Continue with the best K
        best = candidates.indices[:, :beam]  # (B, K)
        parent = parents[:, :beam]  # (B, K)
        token = next_ids[:, :beam]  # (B, K)
        total = new_total.flatten(1).gather(1, best)  # (B, K)
        length = new_length.gather(1, parent)  # (B, K)
        done = done.gather(1, parent) | (token == eos_id) | (step >= limits)  # (B, K)
        rows = (first_row + parent).flatten()  # (B K,)
        gain = gains.flatten(1).gather(1, best).flatten()  # (B K,)
        token = token.flatten()  # (B K,)
        tokens = torch.cat((tokens[rows], token[:, None]), dim=1)  # (B K, t)
        token_log_probs = torch.cat((token_log_probs[rows], gain[:, None]), dim=1)  # (B K, t)
        cache.select(rows)
        if done.all():
            break

    # 7. Cut every hypothesis after its EOS
    translations = hypotheses(
        tokens, token_log_probs, limits.flatten(), (eos_id,)
    )  # B K hypotheses
    return [translations[row : row + beam] for row in range(0, len(translations), beam)]


def _only_padding(gains: Tensor, ids: Tensor, done: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """Let a finished hypothesis continue only with padding, at log-probability 0.

    Args:
        gains: (B, K, W) log-probabilities of the continuations.
        ids: (B, K, W) int64, their tokens.
        done: (B, K) bool, which hypotheses are finished.
        pad_id: id of the padding.

    Returns:
        Gains and ids, changed for the finished hypotheses.
    """
    padding_gains = torch.full_like(gains[0, 0], -math.inf)  # (W,)
    padding_gains[0] = 0.0
    done = done[..., None]  # (B, K, 1)
    return torch.where(done, padding_gains, gains), ids.masked_fill(done, pad_id)


def check_beam(beam: int) -> None:
    """Raise ValueError if the number of hypotheses is not from 1 to ``MAX_BEAM``."""
    if not 1 <= beam <= MAX_BEAM:
        raise ValueError(f"a beam holds from 1 to {MAX_BEAM} hypotheses, not {beam}")


def best_translations(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    memory: Tensor | None = None,
    **special_ids: Unpack[SpecialIds],
) -> list[Hypothesis]:
    """Return the best translation of each sentence; a beam of 1 is greedy search.

    For a model of the Hub, the beam search of its library is used.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K, from 1 to ``MAX_BEAM``.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.

    Returns:
        B hypotheses.

    Raises:
        ValueError: ``beam`` is not from 1 to ``MAX_BEAM``.
    """
    if beam == 1:
        return greedy(model, src, memory=memory, **special_ids)
    if isinstance(model, HubTransformer):
        return _search_of_library(model, src, beam, memory, special_ids)
    beams = beam_search(
        model,
        src,
        beam=beam,
        pad_id=special_ids["pad_id"],
        bos_id=special_ids["bos_id"],
        eos_id=special_ids["eos_id"],
        memory=memory,
    )
    return [best for best, *_ in beams]


@torch.inference_mode()
def _search_of_library(
    model: HubTransformer, src: Tensor, beam: int, memory: Tensor | None, special_ids: SpecialIds
) -> list[Hypothesis]:
    """Translate with the library's beam search, and return the log-probability of each token.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K, from 2 to ``MAX_BEAM``.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        special_ids: of the tokenizer.

    Returns:
        B hypotheses.

    Raises:
        ValueError: ``beam`` is out of range.
    """
    check_beam(beam)

    # 1. Search
    src_mask = padding_mask(src, special_ids["pad_id"])  # (B, 1, 1, S)
    if memory is None:
        memory = model.encode(src, src_mask)  # (B, S, d_model)
    limits = length_limits(model, src, special_ids["pad_id"])  # (B,)
    sequences = search(model, src, memory, limits, beam=beam, special_ids=special_ids)  # (B, T)

    # 2. Decode each translation again for its logits, one at a time, because the logits of all may
    # not fit into memory
    translations = []
    for row, tokens in enumerate(sequences):
        row_slice = slice(row, row + 1)
        tgt = torch.cat((tokens.new_tensor([special_ids["bos_id"]]), tokens[:-1]))[None]  # (1, T)
        logits = model.decode(tgt, memory[row_slice], src_mask[row_slice])  # (1, T, V)
        log_probs = logits.log_softmax(dim=-1).gather(2, tokens[None, :, None])[..., 0]  # (1, T)
        translations += hypotheses(tokens[None], log_probs, limits[row_slice], end_ids(special_ids))
    return translations
