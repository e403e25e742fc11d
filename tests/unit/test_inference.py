"""The translations whose time the benchmark of inference compares."""

import torch

from benchmarks.inference import SENTENCES, without_cache
from model import load


@torch.inference_mode()
def test_without_a_cache_the_same_tokens_are_written(shipped_checkpoint) -> None:
    t = load(shipped_checkpoint)
    sentence = SENTENCES[0]
    written = t.translate([sentence])[0].ids
    assert without_cache(t, t.tokenizer.encode_ids([sentence])[0], len(written)) == list(written)


def test_each_sentence_is_longer_than_the_one_before() -> None:
    n_words = [len(sentence.split()) for sentence in SENTENCES]
    assert n_words == sorted(set(n_words))
