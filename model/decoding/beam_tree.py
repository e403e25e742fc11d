"""The steps of a beam search as a tree."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from model.decoding.beam import BeamStep, beam_search, check_beam
from model.decoding.greedy import length_limits
from model.hub.beam_search import StepsOfSearch, length_penalty, search
from model.hub.model import HubTransformer
from model.nn.attention_model import AttentionModel
from model.tokenizers.tokenizer import Tokenizer, end_ids
from model.transformer.masks import padding_mask


@dataclass(frozen=True)
class Node:
    """One hypothesis at one step of a beam search."""

    step: int  # from 1: the number of tokens so far
    slot: int  # its rank at this step, from 0
    parent: int  # slot, at the previous step, of the hypothesis that it continues
    token: int  # id of the token that it adds
    subword: str  # text of this token
    score: float  # length-normalised log-probability of the hypothesis
    in_beam: bool  # whether it is among the K best, which the search keeps
    best: bool  # whether it belongs to the best translation


def beam_tree(
    model: AttentionModel, tokenizer: Tokenizer, src: list[int], *, beam: int
) -> list[Node]:
    """Return the 2 K candidates of each step. The search keeps K of them.

    Args:
        model: in eval mode. For a model of the Hub, the beam search of its library is used.
        tokenizer: of this model.
        src: ids of one sentence, EOS last.
        beam: K, from 2 to ``MAX_BEAM``; our own models also take 1.

    Returns:
        The candidates, step by step, best first.

    Raises:
        ValueError: ``beam`` is out of range.
    """
    if isinstance(model, HubTransformer):
        return _tree_of_library(model, tokenizer, src, beam)

    # 1. Search
    steps: list[BeamStep] = []
    src_ids = torch.tensor([src], device=model.device)  # (1, S)
    beam_search(
        model,
        src_ids,
        beam=beam,
        pad_id=tokenizer.pad_id,
        bos_id=tokenizer.bos_id,
        eos_id=tokenizer.eos_id,
        on_step=steps.append,
    )

    # 2. Follow the parents back from the best hypothesis of the last step
    winners = set()
    slot = 0
    for number, step in reversed([*enumerate(steps, start=1)]):
        winners.add((number, slot))
        slot = int(step.parent[0, slot])

    # 3. Make the nodes
    nodes = []
    for number, step in enumerate(steps, start=1):
        candidates = zip(
            step.parent[0].tolist(), step.token[0].tolist(), step.score[0].tolist(), strict=True
        )
        for slot, (parent, token, score) in enumerate(candidates):
            if token == tokenizer.pad_id or math.isinf(score):
                continue  # it ended at an earlier step, or nothing fills this slot
            nodes.append(
                Node(
                    step=number,
                    slot=slot,
                    parent=parent,
                    token=token,
                    subword=tokenizer.subword(token),
                    score=score,
                    in_beam=slot < beam,
                    best=(number, slot) in winners,
                )
            )
    return nodes


class Finished(NamedTuple):
    """A translation that the search finished and kept."""

    ids: list[int]  # its tokens, with the one that ends it
    score: float  # length-normalised log-probability


def finished(nodes: Sequence[Node], ends: Collection[int]) -> list[Finished]:
    """Return the translations that a search finished and kept, best first.

    Args:
        nodes: of ``beam_tree``.
        ends: ids of the tokens that end a translation.
    """
    node_at = {(node.step, node.slot): node for node in nodes}
    translations = []
    for last in nodes:
        if not last.in_beam or last.token not in ends:
            continue
        node = last
        ids = [node.token]
        while node.step > 1:
            node = node_at[node.step - 1, node.parent]
            ids.insert(0, node.token)
        translations.append(Finished(ids, last.score))
    return sorted(translations, key=lambda each: each.score, reverse=True)


@torch.inference_mode()
def _tree_of_library(
    model: HubTransformer, tokenizer: Tokenizer, src: list[int], beam: int
) -> list[Node]:
    """Return the candidates at each step of the library's beam search.

    Args:
        model: in eval mode.
        tokenizer: of this model.
        src: ids of one sentence, EOS last.
        beam: K, from 2 to ``MAX_BEAM``.

    Raises:
        ValueError: ``beam`` is out of range.
    """
    check_beam(beam)

    # 1. Search
    src_ids = torch.tensor([src], device=model.device)  # (1, S)
    memory = model.encode(src_ids, padding_mask(src_ids, tokenizer.pad_id))  # (1, S, d_model)
    limits = length_limits(model, src_ids, tokenizer.pad_id)  # (1,)
    seen = StepsOfSearch(beam, tokenizer.bos_id, end_ids(tokenizer.special_ids), int(limits[0]))
    [translation] = search(
        model,
        src_ids,
        memory,
        limits,
        beam=beam,
        special_ids=tokenizer.special_ids,
        observer=seen,
    )
    best = (tokenizer.bos_id, *translation.tolist())

    # 2. Make the nodes
    penalty = length_penalty(model)
    nodes = []
    slots: dict[tuple[int, ...], int] = {(tokenizer.bos_id,): 0}  # in the step before
    for number, candidates in enumerate(seen.steps, start=1):
        for slot, candidate in enumerate(candidates):
            token = candidate.ids[-1]
            nodes.append(
                Node(
                    step=number,
                    slot=slot,
                    parent=slots[candidate.ids[:-1]],
                    token=token,
                    subword=tokenizer.subword(token),
                    score=candidate.log_prob / number**penalty,
                    in_beam=candidate.is_kept,
                    best=candidate.ids == best[: number + 1],
                )
            )
        slots = {candidate.ids: slot for slot, candidate in enumerate(candidates)}
    return nodes
