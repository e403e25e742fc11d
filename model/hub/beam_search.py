"""Run the library's beam search ``generate``, for which Hub models were tuned.

It differs from our own in ``model.decoding.beam``. Hypotheses that have ended are kept apart, and
are ranked by log-probability / length^length_penalty. The search stops as ``early_stopping`` says.
``length_penalty`` and ``early_stopping`` are settings of the model, as are the rules for what it
may write (``HubTransformer.restrict``).

Source: Wolf et al. 2020, "Transformers: State-of-the-Art Natural Language Processing".
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from model.hub.model import HubTransformer
from model.tokenizers.tokenizer import SpecialIds, end_ids


@dataclass(frozen=True)
class Candidate:
    """A hypothesis that a step of the search can choose."""

    ids: tuple[int, ...]  # the token that the decoder read first, and those written so far
    log_prob: float  # natural log-probability of all tokens
    is_kept: bool  # whether the search continues it, or keeps it as one that has ended


@torch.inference_mode()
def search(
    model: HubTransformer,
    src: Tensor,
    memory: Tensor,
    limits: Tensor,
    *,
    beam: int,
    special_ids: SpecialIds,
    observer: "StepsOfSearch | None" = None,
) -> Tensor:
    """Return the best translation of each sentence, found by ``generate``.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        memory: (B, S, d_model), the result of ``encode``.
        limits: (B,) int64, most tokens of each translation. No EOS is forced at the limit.
        beam: K >= 2 hypotheses kept.
        special_ids: of the tokenizer.
        observer: collects the candidates of each step, of one sentence (B = 1).

    Returns:
        (B, T) int64, the ids of each translation, without the token that the decoder reads first.
        What follows EOS has no meaning.
    """
    from transformers.modeling_outputs import BaseModelOutput

    def at_limit(candidates: Tensor, _scores: Any) -> Tensor:
        """Return whether each candidate has reached the length limit of its sentence."""
        n_candidates = len(candidates) // len(limits)  # of each sentence
        return candidates.shape[1] - 1 >= limits.repeat_interleave(n_candidates)

    result: Tensor = model.library_model.generate(
        src,
        attention_mask=(src != special_ids["pad_id"]).long(),
        encoder_outputs=BaseModelOutput(last_hidden_state=memory),
        num_beams=beam,
        do_sample=False,
        num_return_sequences=1,
        max_new_tokens=int(limits.max()),
        max_length=None,
        decoder_start_token_id=special_ids["bos_id"],
        eos_token_id=[*end_ids(special_ids)],
        pad_token_id=special_ids["pad_id"],
        forced_bos_token_id=special_ids.get("first_id"),
        forced_eos_token_id=None,
        logits_processor=[observer.see_scores] if observer else [],
        stopping_criteria=[at_limit, *([observer.see_candidates] if observer else [])],
    )
    return result[:, 1:]


class StepsOfSearch:
    """Records the candidates at each step of the search for one sentence.

    Args:
        beam: K hypotheses kept.
        bos_id: the token that the decoder reads first.
        ends: the tokens that end a translation.
        limit: most tokens of the translation.
    """

    def __init__(self, beam: int, bos_id: int, ends: tuple[int, ...], limit: int) -> None:
        self.steps: list[list[Candidate]] = []  # the candidates of each step, best first
        self._beam = beam
        self._ends = ends
        self._limit = limit
        # Candidates of the last step, among them the hypotheses that the search continues, and
        # their total log-probabilities:
        self._log_probs: dict[tuple[int, ...], float] = {(bos_id,): 0.0}
        self._rows: dict[tuple[int, ...], Tensor] = {}  # their (V,) log-probabilities

    def see_scores(self, written: Tensor, scores: Tensor) -> Tensor:
        """Record the log-probabilities of the next tokens.

        Args:
            written: (K, t) int64, the hypotheses.
            scores: (K, V) log-probabilities.

        Returns:
            ``scores``, unchanged.
        """
        self._rows = {}
        for ids, row in zip(written.tolist(), scores, strict=True):
            # In the first step all K hypotheses are equal, so only the first is counted.
            self._rows.setdefault(tuple(ids), row)
        return scores

    def see_candidates(self, candidates: Tensor, _scores: Any) -> Tensor:
        """Record the candidates of one step.

        Args:
            candidates: (2 K, t + 1) int64, best first.

        Returns:
            (2 K,) bool, False: none of them ends the search.
        """
        step: dict[tuple[int, ...], Candidate] = {}
        n_continued = 0
        for rank, ids in enumerate(map(tuple, candidates.tolist())):
            log_prob = self._log_probs[ids[:-1]] + float(self._rows[ids[:-1]][ids[-1]])
            if ids in step or log_prob == -torch.inf:
                continue
            if ids[-1] in self._ends or len(ids) > self._limit:
                is_kept = rank < self._beam
            else:
                is_kept = n_continued < self._beam
                n_continued += 1
            step[ids] = Candidate(ids, log_prob, is_kept)
        self.steps.append([*step.values()])
        self._log_probs = {ids: candidate.log_prob for ids, candidate in step.items()}
        return torch.zeros(len(candidates), dtype=torch.bool, device=candidates.device)


def length_penalty(model: HubTransformer) -> float:
    """Return the exponent of the length in the score log p / length^exponent."""
    penalty: float | None = model.library_model.generation_config.length_penalty
    return 1.0 if penalty is None else penalty
