"""BPE-dropout: split words into random subwords, so that the model learns more of them.

While a word is put together from its characters, merges are left out at random: "bites" is
sometimes read as "b" + "ites". A seeded generator decides, so that a resumed training sees the same
subwords. The bytes of one character are always put together: alone they mean nothing.

Source: Provilkov et al. 2020, algorithm 1.
"""

import json
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import BYTES_SUBWORD

_N_VARIANTS = 16  # segmentations of each word


class BpeDropout:
    """Splits texts into subwords with randomly skipped merges.

    Each word of the known texts gets 16 segmentations at once, and each of its occurrences takes
    one of them. Any other word, such as a name that was put in, is segmented where it occurs.

    Args:
        tokenizer: whose merges are used.
        texts: the known texts.
        p: probability in [0, 1) that a possible merge is left out.
        seed: decides the 16 segmentations.
    """

    def __init__(
        self, tokenizer: ByteLevelTokenizer, texts: Sequence[str], p: float, seed: int
    ) -> None:
        self._tokenizer = tokenizer
        self._p = p
        merges: list[Sequence[str]] = json.loads(tokenizer.bpe.to_str())["model"]["merges"]
        self._rank = {(left, right): rank for rank, (left, right) in enumerate(merges)}
        self._vocab: dict[str, int] = tokenizer.bpe.get_vocab()
        self._incomplete = {  # subwords that are bytes of a character
            subword
            for subword, id in self._vocab.items()
            if BYTES_SUBWORD.fullmatch(tokenizer.subword(id))
        }

        self._words = {text: self._words_of(text) for text in texts}
        different_words = dict.fromkeys(word for words in self._words.values() for word in words)
        random = np.random.default_rng(seed)
        self._variants = {
            word: [self.segment(word, random) for _ in range(_N_VARIANTS)]
            for word in different_words
        }

    def sample(self, texts: Sequence[str], seed: Sequence[int]) -> list[list[int]]:
        """Split texts into random subwords, and return their ids.

        Args:
            texts: any texts; those that the constructor was given take less time.
            seed: decides the segmentations.

        Returns:
            The ids of each text, BOS ... EOS.
        """
        random = np.random.default_rng(seed)
        bos_id = self._tokenizer.bos_id
        eos_id = self._tokenizer.eos_id
        sampled = []
        for text in texts:
            words = self._words.get(text) or self._words_of(text)
            draws = random.integers(_N_VARIANTS, size=len(words)).tolist()
            ids = [bos_id]
            for word, n in zip(words, draws, strict=True):
                variants = self._variants.get(word)
                ids += variants[n] if variants else self.segment(word, random)
            ids.append(eos_id)
            sampled.append(ids)
        return sampled

    def segment(self, word: str, random: np.random.Generator) -> list[int]:
        """Merge the characters of one word into subwords, but skip some merges at random.

        Args:
            word: in byte-level spelling.
            random: decides which possible merges are skipped.

        Returns:
            The ids of the subwords.

        Source: Provilkov et al. 2020, algorithm 1.
        """
        subwords = list(word)
        while True:
            merges = []  # (rank, position); BPE takes the lowest rank first
            for i, pair in enumerate(pairwise(subwords)):
                rank = self._rank.get(pair)
                if rank is None:
                    continue
                is_certain = self._p == 0 or not self._incomplete.isdisjoint(pair)
                if is_certain or random.random() >= self._p:
                    merges.append((rank, i))
            if not merges:
                return [self._vocab[subword] for subword in subwords]
            _, i = min(merges)
            subwords[i : i + 2] = [subwords[i] + subwords[i + 1]]

    def _words_of(self, text: str) -> list[str]:
        """Return the words that BPE splits, in byte-level spelling."""
        bpe = self._tokenizer.bpe
        words = bpe.pre_tokenizer.pre_tokenize_str(bpe.normalizer.normalize_str(text))
        return [sys.intern(word) for word, _ in words]
