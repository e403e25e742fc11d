"""What hiding source tokens costs each token of a translation, and what keeping them alone does.

Hiding is done in two ways, since each has its critics: by the mask, which no training ever saw, and
by another token in the place, which says something else.

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
from model.interventions.effect import ids_of, of_target, rows_at_once
from model.tokenizers.tokenizer import SPECIALS
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

Way = Literal["masked", "replaced"]
WAYS: tuple[Way, ...] = get_args(Way)
MOST = 3  # tokens hidden, or kept, together
Places = tuple[int, ...]  # positions in the source, ascending


@dataclass(frozen=True)
class Costs:
    """In nats, for each of T - 1 target tokens, EOS apart; negative: it became more probable."""

    sets: tuple[Places, ...]  # N sets of source tokens: each alone, each pair, each three
    hidden: Array  # (N, T - 1) what is lost without these tokens
    kept: Array  # (N, T - 1) what is lost with these tokens alone, and the special ones

    @property
    def places(self) -> list[int]:
        """The n tokens that can be hidden."""
        return [place for (place, *more) in self.sets if not more]

    @property
    def most(self) -> int:
        """How many are hidden together."""
        return len(self.sets[-1])

    @property
    def alone(self) -> Array:
        """(T - 1, n) what is lost without each token."""
        return self.hidden[: len(self.places)].T


def inner_places(trace: Trace) -> list[int]:
    """Where the source has a token that is not special."""
    return [n for n, token in enumerate(trace.src_tokens) if token not in SPECIALS]


def costs(t: TranslationModel, trace: Trace, way: Way, *, most: int = MOST, seed: int = 0) -> Costs:
    """Of every set of up to ``most`` source tokens; ``seed`` draws those that replace others."""
    places, src = inner_places(trace), range(len(trace.src))
    sets = tuple(s for size in range(1, most + 1) for s in combinations(places, size))
    apart = torch.tensor([[n in chosen for n in src] for chosen in sets])  # (N, S)
    others = torch.tensor([n in places for n in src]) & ~apart  # (N, S)
    return Costs(sets, *(_lost(t, trace, hidden, way, seed) for hidden in (apart, others)))


def random_others(t: TranslationModel, src: Sequence[int], seed: int) -> list[int]:
    """For each source id another one, drawn from all that are not special."""
    draw = np.random.default_rng(seed)
    size = t.config.src_vocab_size or t.config.vocab_size
    special = set(t.tokenizer.special_ids.values())
    drawn = []
    for id in src:
        other = id
        while other == id or other in special:
            other = int(draw.integers(size))
        drawn.append(other)
    return drawn


@torch.inference_mode()
def _lost(t: TranslationModel, trace: Trace, hidden: Tensor, way: Way, seed: int) -> Array:
    """(N, S) bool, what is hidden -> (N, T - 1) nats that each target token but EOS loses."""
    src, tgt = ids_of(trace)
    others = torch.tensor([random_others(t, src[0].tolist(), seed)])
    lost = []
    for some in torch.split(hidden, rows_at_once(tgt.shape[1], t.config.vocab_size)):
        seen, sources = ~some, src.expand(len(some), -1)
        if way == "replaced":
            seen, sources = torch.ones_like(some), torch.where(some, others, src)
        logits = t.model(sources, tgt.expand(len(some), -1), seen[:, None, None, :])
        lost.append(trace.log_probs - of_target(trace, logits.log_softmax(dim=-1)).numpy())
    return np.concatenate(lost)[:, :-1]
