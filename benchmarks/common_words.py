"""Count the training pairs with each of the 5,000 commonest English words.

python -m benchmarks.common_words --corpus data/fra-eng.zip

The list comes from the package wordfreq (`pip install wordfreq`); it also has names and profanity.
A word counts once in a sentence. With --all, every word is printed with its count.
"""

import argparse
import re
import sys
from collections import Counter

from model.augmentation.hand_written import hand_written_pairs
from model.corpora.corpus_options import add_corpus_options, open_corpora

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_MIN_PAIRS = (3, 5, 10, 20)  # a word with fewer pairs is counted


def main() -> str | None:
    """Print how many words have too few pairs; return a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.common_words", description=__doc__)
    add_corpus_options(parser, required=True)
    parser.add_argument("--all", action="store_true", help="print every word with its number")
    options = parser.parse_args()
    try:
        from wordfreq import top_n_list
    except ImportError:
        return "The list of words is missing: pip install wordfreq"
    words = [word for word in top_n_list("en", 5000) if _WORD.fullmatch(word)]
    split = open_corpora(options).split
    written = hand_written_pairs(split)
    counts = [count_sentences([source for source, _ in pairs]) for pairs in (split.train, written)]
    if options.all:
        print("\n".join(f"{word}\t{sum(n[word] for n in counts)}" for word in words))
    in_corpus, in_hand_written = counts
    in_both = in_corpus + in_hand_written
    for name, count in (("corpus", in_corpus), ("with hand-written pairs", in_both)):
        no_pair = sum(count[word] == 0 for word in words)
        few = [f"{sum(count[word] < n for word in words)} in fewer than {n}" for n in _MIN_PAIRS]
        print(f"{name}: of {len(words):,} words {no_pair} in no pair, {', '.join(few)}")
    return None


def count_sentences(sentences: list[str]) -> Counter[str]:
    """Count the sentences with each word, with and without the part after its apostrophe."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        words = _WORD.findall(sentence.lower())
        counts.update({*words, *(word.split("'")[0] for word in words)})
    return counts


if __name__ == "__main__":
    sys.exit(main())
