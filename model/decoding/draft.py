"""Write a draft of a translation with 16-bit numbers, and check it with the exact model.

The draft takes less time, because half as many bytes are read for each token. One pass of the exact
model over the whole draft then says which token it would have written at each position. If these
are the tokens of the draft, the draft is the exact model's greedy translation; nearly always they
are. Otherwise the exact model has to write. A trace needs the pass anyway, so its check is free.

Source: Stern et al. 2018, "Blockwise Parallel Decoding for Deep Autoregressive Models".
"""

from typing import NamedTuple

import torch
from torch import Tensor

from model.decoding.fused import FusedTransformer
from model.decoding.greedy import Hypothesis, length_limits
from model.nn.hooks import NO_HOOKS, Hooks
from model.tokenizers.tokenizer import SpecialIds
from model.transformer.transformer import Transformer

# Instruction sets for which PyTorch has fast products in float16. We measured these two.
_FAST = ("AVX2", "AVX512")


def drafts_are_fast() -> bool:
    """Return whether products in float16 are faster than in float32 on this processor."""
    return torch.backends.cpu.get_cpu_capability() in _FAST


class CheckedDraft(NamedTuple):
    """A draft that the exact model has read and agrees with."""

    ids: list[int]  # T tokens after BOS
    logits: Tensor  # (T, V), from the exact model

    def hypothesis(self, eos_id: int) -> Hypothesis:
        """Return the draft as a result of greedy search."""
        ids = torch.tensor(self.ids, device=self.logits.device)  # (T,)
        log_probs = self.logits.log_softmax(dim=-1).gather(1, ids[:, None])[:, 0]  # (T,)
        return Hypothesis(tuple(self.ids), tuple(log_probs.tolist()), self.ids[-1] == eos_id)


class Drafter:
    """Writes and checks drafts.

    Args:
        model: the exact model, in eval mode, with its final weights.
        writer: writes the drafts; None for ``model`` with 16-bit numbers.
    """

    def __init__(self, model: Transformer, writer: FusedTransformer | None = None) -> None:
        self.model = model
        self._writer = writer or FusedTransformer(model, torch.float16)

    def translate(
        self,
        src: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        special_ids: SpecialIds,
        *,
        hooks: Hooks = NO_HOOKS,
    ) -> CheckedDraft | None:
        """Translate one sentence greedily.

        Args:
            src: (1, S) int64, EOS last.
            memory: (1, S, d_model), the result of ``encode``.
            src_mask: (1, 1, 1, S) bool, True = may attend.
            special_ids: ``pad_id``, ``bos_id`` and ``eos_id``. Our models have no ``first_id``.
            hooks: of the exact model while it reads the draft.

        Returns:
            The translation, or None if the exact model would have written another one.
        """
        ids = self.write(src, memory, src_mask, special_ids)
        logits = self.read(ids, memory, src_mask, special_ids, hooks=hooks)  # (T, V)
        agrees = logits.argmax(dim=-1).tolist() == ids
        return CheckedDraft(ids, logits) if agrees else None

    @torch.inference_mode()
    def write(
        self, src: Tensor, memory: Tensor, src_mask: Tensor, special_ids: SpecialIds
    ) -> list[int]:
        """Write a draft token by token, without probabilities.

        Args:
            src, memory, src_mask, special_ids: as for ``translate``.

        Returns:
            The T ids after BOS.
        """
        limit = int(length_limits(self.model, src, special_ids["pad_id"]))
        cache = self._writer.new_cache()
        token = torch.tensor([[special_ids["bos_id"]]], device=memory.device)  # (1, 1)
        ids: list[int] = []
        while len(ids) < limit and special_ids["eos_id"] not in ids[-1:]:
            logits = self._writer.decode(token, memory, src_mask, cache=cache)  # (1, 1, V)
            token = logits.float().argmax(dim=-1)  # (1, 1); four times as fast as in float16
            ids.append(int(token))
        return ids

    @torch.inference_mode()
    def read(
        self,
        ids: list[int],
        memory: Tensor,
        src_mask: Tensor,
        special_ids: SpecialIds,
        *,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Let the exact model read a draft, all of it in one pass.

        Args:
            ids: the draft, T ids after BOS.
            memory, src_mask, special_ids, hooks: as for ``translate``.

        Returns:
            (T, V) logits of each token, given the tokens of the draft before it.
        """
        read = torch.tensor([[special_ids["bos_id"], *ids[:-1]]], device=memory.device)  # (1, T)
        logits: Tensor = self.model.decode(read, memory, src_mask, hooks=hooks)[0]  # (T, V)
        return logits
