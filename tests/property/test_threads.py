"""Visitors share one model from several threads: nobody gets another one's map."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from model import load

SENTENCES = [
    "A cat sleeps.",
    "Where is the station?",
    "I do not know.",
    "She gave him the book that he wanted.",
    "No.",
    "We have never been there before.",
    "Who is it?",
    "The small black dog runs through the old town.",
]


def test_eight_threads_trace_as_if_each_were_alone(tiny_checkpoint: Path) -> None:
    t = load(tiny_checkpoint)
    alone = [t.trace(sentence) for sentence in SENTENCES]
    jobs = list(range(len(SENTENCES))) * 6
    with ThreadPoolExecutor(max_workers=8) as pool:
        together = list(pool.map(lambda i: t.trace(SENTENCES[i]), jobs))
    for i, trace in zip(jobs, together, strict=True):
        assert trace.source_text == SENTENCES[i]
        assert trace.src == alone[i].src
        assert trace.next_tokens == alone[i].next_tokens
        assert trace.records.keys() == alone[i].records.keys()
        for name, array in trace.records.items():
            np.testing.assert_array_equal(array, alone[i].records[name], err_msg=name)
