"""Greedy decoding: at each step the most probable token, until EOS."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from model.nn.encoder_decoder import Model
from model.nn.head_ablation import Ablations
from model.nn.tape import Tape
from model.transformer.masks import padding_mask

EXTRA_TOKENS = 50  # Vaswani et al. 2017, section 6.1


@dataclass(frozen=True)
class Hypothesis:
    """One decoded sentence.

    Args:
        ids: the tokens after the start token, EOS included if it was reached.
        log_probs: natural log-probability of each of them, given those before.
        finished: whether EOS was reached before the length limit.
    """

    ids: tuple[int, ...]
    log_probs: tuple[float, ...]
    finished: bool

    @property
    def log_prob(self) -> float:
        """Natural log-probability of the whole sentence."""
        return math.fsum(self.log_probs)

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-probability of a token; 1 is certainty."""
        return math.exp(-self.log_prob / len(self.log_probs))


@dataclass(frozen=True)
class Step:
    """One step of greedy decoding, for B sentences at once.

    Args:
        token: (B,) int64, the token chosen.
        log_probs: (B, V) float32, what it was chosen from.
        tape: what the decoder recorded at this step, one query wide; None if not asked for.
    """

    token: Tensor
    log_probs: Tensor
    tape: Tape | None


def length_limits(model: Model, src: Tensor, pad_id: int) -> Tensor:
    """Most tokens that decoding may produce: source length + 50 (section 6.1), if the model can.

    Returns:
        (B,) int64; padding does not count, so a sentence's limit is its own in any batch.
    """
    return ((src != pad_id).sum(dim=1) + EXTRA_TOKENS).clamp(max=model.config.max_length)


def greedy_steps(
    model: Model,
    src: Tensor,
    *,
    pad_id: int,
    bos_id: int,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    ablations: Ablations | None = None,
    with_tape: bool = False,
) -> Iterator[Step]:
    """Decode without end, one step at a time; the caller stops.

    Args:
        model: in eval mode.
        src: (B, S) int64, padded on the right.
        pad_id: id of the padding token.
        bos_id: id of the token that opens the target.
        src_mask: (B, 1, 1, S) bool; None hides the padding, as always.
        memory: (B, S, d_model), what ``encode`` gave, where that is known.
        ablations: what is done to some heads.
        with_tape: let every step carry a tape.

    Yields:
        As many steps as the sentence with the highest of ``length_limits`` may take.
    """
    src_mask = padding_mask(src, pad_id) if src_mask is None else src_mask
    if memory is None:
        memory = model.encode(src, src_mask, ablations=ablations)
    cache = model.new_cache()
    token = src.new_full((len(src),), bos_id)
    for _ in range(int(length_limits(model, src, pad_id).max())):
        tape = Tape() if with_tape else None
        logits = model.decode(
            token[:, None], memory, src_mask, cache=cache, ablations=ablations, tape=tape
        )
        log_probs = logits[:, -1].float().log_softmax(dim=-1)  # (B, V)
        token = model.writable(log_probs).argmax(dim=-1)  # (B,)
        yield Step(token, log_probs, tape)


@torch.inference_mode()
def greedy(
    model: Model,
    src: Tensor,
    *,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    ablations: Ablations | None = None,
) -> list[Hypothesis]:
    """The greedy translation of each sentence of a batch.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        pad_id, bos_id, eos_id: ids of the special tokens.
        src_mask: (B, 1, 1, S) bool; None hides the padding, as always.
        memory: (B, S, d_model), what ``encode`` gave, where that is known.
        ablations: what is done to some heads.

    Returns:
        B hypotheses.
    """
    tokens, log_probs = [], []
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    for step in greedy_steps(
        model,
        src,
        pad_id=pad_id,
        bos_id=bos_id,
        src_mask=src_mask,
        memory=memory,
        ablations=ablations,
    ):
        tokens.append(step.token)
        log_probs.append(step.log_probs.gather(1, step.token[:, None])[:, 0])
        done |= step.token == eos_id
        if done.all():
            break
    limits = length_limits(model, src, pad_id)
    return hypotheses(torch.stack(tokens, 1), torch.stack(log_probs, 1), limits, eos_id)


def hypotheses(tokens: Tensor, log_probs: Tensor, limits: Tensor, eos_id: int) -> list[Hypothesis]:
    """Cut every row after its first EOS, or at its limit: (B, T), (B, T), (B,) -> B hypotheses."""
    found = []
    for ids, scores, limit in zip(
        tokens.tolist(), log_probs.tolist(), limits.tolist(), strict=True
    ):
        finished = eos_id in ids[:limit]
        end = ids.index(eos_id) + 1 if finished else limit
        found.append(Hypothesis(tuple(ids[:end]), tuple(scores[:end]), finished))
    return found
