"""The beam as a tree: which beginnings were kept, which were given up, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from model.data.tokenizer import Tokenizer
from model.decoding.beam import BeamStep, beam_search
from model.transformer.transformer import Transformer


@dataclass(frozen=True)
class Node:
    """One hypothesis at one step.

    Args:
        step: from 1, the number of tokens written.
        slot: its rank at this step, from 0; those below the beam are kept.
        parent: slot of the hypothesis that it continues, at the step before.
        token: id of the token that it adds.
        subword: how that token reads.
        score: length-normalised log-probability of the hypothesis.
        kept: whether it stayed in the beam.
        best: whether it is part of the hypothesis that won.
    """

    step: int
    slot: int
    parent: int
    token: int
    subword: str
    score: float
    kept: bool
    best: bool = False


def beam_tree(model: Transformer, tokenizer: Tokenizer, src: list[int], *, beam: int) -> list[Node]:
    """Search once and write down what was weighed at each step.

    Args:
        model: in eval mode.
        tokenizer: the model's.
        src: ids of the source, BOS ... EOS.
        beam: K; at each step 2 K candidates are shown, of which K are kept.

    Returns:
        Step by step, best first. A hypothesis that has ended is not drawn again.
    """
    steps: list[BeamStep] = []
    beam_search(
        model, torch.tensor([src]), beam=beam, on_step=steps.append, **tokenizer.special_ids
    )
    nodes = [
        node
        for number, step in enumerate(steps, start=1)
        for node in _nodes(step, number, beam, tokenizer)
    ]
    return _marked(nodes, steps)


def _nodes(step: BeamStep, number: int, beam: int, tokenizer: Tokenizer) -> list[Node]:
    weighed = zip(
        step.parent[0].tolist(), step.token[0].tolist(), step.score[0].tolist(), strict=True
    )
    return [
        Node(number, slot, parent, token, tokenizer.subword(token), score, slot < beam)
        for slot, (parent, token, score) in enumerate(weighed)
        if token != tokenizer.pad_id and not math.isinf(score)
    ]


def _marked(nodes: list[Node], steps: list[BeamStep]) -> list[Node]:
    """The same nodes, those of the winner marked: from the last step back along the parents."""
    slot, winners = 0, set()
    for number in range(len(steps), 0, -1):
        winners.add((number, slot))
        slot = int(steps[number - 1].parent[0, slot])
    return [replace(node, best=(node.step, node.slot) in winners) for node in nodes]
