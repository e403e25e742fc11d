"""Occlusion: hide source tokens, and measure the log-probability that each target token loses.

There are two modes, because both have been criticised. "masked" hides a token by the mask, but the
model was never trained on such inputs. "replaced" puts a different token in its position, but this
changes the meaning of the sentence.

Source: DeYoung et al. 2020, "ERASER: A Benchmark to Evaluate Rationalized NLP Models", section 4;
Jain & Wallace 2019, "Attention is not Explanation", section 4.2.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from model.arrays import Array
from model.interventions.effect import ids_of, rows_per_batch, target_log_probs
from model.tokenizers.tokenizer import is_special
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

OcclusionMode = Literal["masked", "replaced"]
OCCLUSION_MODES: tuple[OcclusionMode, ...] = get_args(OcclusionMode)
MAX_SET_SIZE = 3  # tokens that are hidden or shown together
Positions = tuple[int, ...]  # positions in the source, ascending


@dataclass(frozen=True)
class OcclusionCosts:
    """The cost of hiding tokens: the nats that each of T - 1 target tokens (without EOS) loses.

    A negative number means that the token became more probable.
    """

    sets: tuple[Positions, ...]  # N sets of source positions: each one, each pair, each triple
    hidden: Array  # (N, T - 1) nats lost without the tokens of a set
    shown: Array  # (N, T - 1) nats lost with only the tokens of a set and the special tokens

    @property
    def positions(self) -> list[int]:
        """The positions of the n source tokens that can be hidden."""
        return [positions[0] for positions in self.sets if len(positions) == 1]

    @property
    def max_set_size(self) -> int:
        """The number of tokens in the largest sets."""
        return len(self.sets[-1])

    @property
    def each_hidden(self) -> Array:
        """The nats lost when one token is hidden, (T - 1, n)."""
        n_tokens = len(self.positions)
        return self.hidden[:n_tokens].T


def ordinary_positions(trace: Trace) -> list[int]:
    """Return the positions of the source tokens that are not special; ``<unk>`` is special."""
    return [n for n, token in enumerate(trace.src_tokens) if not is_special(token)]


def occlusion_costs(
    t: TranslationModel,
    trace: Trace,
    mode: OcclusionMode,
    *,
    max_set_size: int = MAX_SET_SIZE,
    seed: int = 0,
) -> OcclusionCosts:
    """Measure the cost of hiding each set of source tokens, and of showing only this set.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        mode: how tokens are hidden.
        max_set_size: number of tokens in the largest sets, at least 1.
        seed: draws the tokens that replace others.

    Raises:
        ValueError: all source tokens are special, or unknown.
    """
    positions = ordinary_positions(trace)
    if not positions:
        raise ValueError("every source token is special or unknown, so none can be hidden")
    sets: list[Positions] = []
    for size in range(1, max_set_size + 1):
        sets += combinations(positions, size)

    source = range(len(trace.src))
    device = t.model.device
    in_set = torch.tensor([[n in members for n in source] for members in sets], device=device)
    is_ordinary = torch.tensor([n in positions for n in source], device=device)  # (S,)
    return OcclusionCosts(
        sets=tuple(sets),
        hidden=_lost(t, trace, in_set, mode, seed),
        shown=_lost(t, trace, is_ordinary & ~in_set, mode, seed),
    )


def random_replacements(t: TranslationModel, src: Sequence[int], seed: int) -> list[int]:
    """Draw a random replacement for each source id: another id that is not special.

    Args:
        t: its vocabulary is drawn from, each id with the same probability.
        src: S ids.
        seed: the same seed gives the same ids.

    Returns:
        S ids.
    """
    random = np.random.default_rng(seed)
    vocab_size = t.tokenizer.src_vocab_size
    special = set(t.tokenizer.special_ids.values())
    drawn = []
    for id in src:
        replacement = id
        while replacement == id or replacement in special:
            replacement = int(random.integers(vocab_size))
        drawn.append(replacement)
    return drawn


@torch.inference_mode()
def _lost(
    t: TranslationModel, trace: Trace, is_hidden: Tensor, mode: OcclusionMode, seed: int
) -> Array:
    """Return the nats that each target token except EOS loses.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        is_hidden: (N, S) bool, the source tokens that each of N runs hides.
        mode: how they are hidden.
        seed: draws the tokens that replace them.

    Returns:
        (N, T - 1).
    """
    src, tgt = ids_of(trace, t.model.device)  # (1, S), (1, T)
    drawn = random_replacements(t, src[0].tolist(), seed)
    replacements = torch.tensor([drawn], device=src.device)  # (1, S)
    lost = []
    for hidden in torch.split(is_hidden, rows_per_batch(tgt.shape[1], t.config.vocab_size)):
        if mode == "masked":
            sources = src.expand(len(hidden), -1)  # (n, S)
            visible = ~hidden
        else:
            sources = torch.where(hidden, replacements, src)
            visible = torch.ones_like(hidden)
        targets = tgt.expand(len(hidden), -1)  # (n, T)
        logits = t.model(sources, targets, visible[:, None, None, :])  # (n, T, V)
        after = target_log_probs(trace, logits.log_softmax(dim=-1)).cpu().numpy()  # (n, T)
        lost.append(trace.log_probs - after)
    return np.concatenate(lost)[:, :-1]
