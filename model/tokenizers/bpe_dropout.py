"""BPE-dropout: the same word in other subwords, so that the model learns what its parts mean.

Merges are left out at random while a word is put together: "bites" is sometimes read as
"b" + "ites". Drawn by a seeded generator, so that a resumed training sees the same subwords.
The bytes of one character are always put together: alone they mean nothing.

Source: Provilkov et al. 2020, algorithm 1.
"""

import json
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import PART

_VARIANTS = 16


class BpeDropout:
    """Random segmentations, in which each possible merge is left out with probability ``p``.

    Each word of the texts gets 16 of them, from which every occurrence takes one. Any other word,
    such as a name that was put in, is segmented anew where it occurs.
    """

    def __init__(
        self, tokenizer: ByteLevelTokenizer, texts: Sequence[str], p: float, seed: int
    ) -> None:
        self._tokenizer = tokenizer
        merges: list[Sequence[str]] = json.loads(tokenizer.bpe.to_str())["model"]["merges"]
        self._rank = {(left, right): rank for rank, (left, right) in enumerate(merges)}
        self._vocab: dict[str, int] = tokenizer.bpe.get_vocab()
        self._parts = {s for s, id in self._vocab.items() if PART.fullmatch(tokenizer.subword(id))}
        self._p = p
        self._words = {text: self._words_of(text) for text in texts}
        random = np.random.default_rng(seed)
        words = dict.fromkeys(word for words in self._words.values() for word in words)
        self._variants = {
            word: [self.segment(word, random) for _ in range(_VARIANTS)] for word in words
        }

    def sample(self, texts: Sequence[str], seed: Sequence[int]) -> list[list[int]]:
        """BOS ... EOS ids of each of these texts, known or new, drawn anew for each ``seed``."""
        random = np.random.default_rng(seed)
        bos, eos = self._tokenizer.bos_id, self._tokenizer.eos_id
        sampled = []
        for text in texts:
            words = self._words.get(text) or self._words_of(text)
            draws = random.integers(_VARIANTS, size=len(words)).tolist()
            ids = [bos]
            for word, draw in zip(words, draws, strict=True):
                variants = self._variants.get(word)
                ids += variants[draw] if variants else self.segment(word, random)
            sampled.append([*ids, eos])
        return sampled

    def segment(self, word: str, random: np.random.Generator) -> list[int]:
        """Put one word together from its characters, some merges left out."""
        p, subwords = self._p, list(word)
        while True:
            merges = [
                (rank, i)
                for i, pair in enumerate(pairwise(subwords))
                if (rank := self._rank.get(pair)) is not None
                and (p == 0 or not self._parts.isdisjoint(pair) or random.random() >= p)
            ]
            if not merges:
                return [self._vocab[subword] for subword in subwords]
            _, i = min(merges)
            subwords[i : i + 2] = [subwords[i] + subwords[i + 1]]

    def _words_of(self, text: str) -> list[str]:
        """The words that BPE works on, in its byte-level spelling."""
        bpe = self._tokenizer.bpe
        words = bpe.pre_tokenizer.pre_tokenize_str(bpe.normalizer.normalize_str(text))
        return [sys.intern(word) for word, _ in words]
