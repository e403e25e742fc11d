"""Visitors share one model from several threads: nobody gets another one's map."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from model import load

SENTENCES = ["A cat sleeps.", "Where is the station?", "No.", "She gave him the book."]


@pytest.mark.usefixtures("short_texts")
def test_four_threads_trace_as_if_each_were_alone(tiny_checkpoint):
    t = load(tiny_checkpoint)
    alone = [t.trace(sentence) for sentence in SENTENCES]
    jobs = list(range(len(SENTENCES))) * 4
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(lambda i: t.trace(SENTENCES[i]), jobs))
    for i, trace in zip(jobs, together, strict=True):
        assert (trace.source_text, trace.src) == (SENTENCES[i], alone[i].src)
        assert trace.next_tokens == alone[i].next_tokens
        assert trace.records.keys() == alone[i].records.keys()
        for name, array in trace.records.items():
            np.testing.assert_array_equal(array, alone[i].records[name], err_msg=name)
