"""Choices on one half of the pairs, judged on the other: by hand, and on real pairs."""

import json
from itertools import accumulate, pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from benchmarks import human_alignments
from model.alignment import cross_validation, error_rate
from model.alignment.error_rate import METHODS, Rates, error_rates, subwords_of, word_maps
from model.alignment.gold import AlignedPair
from model.tokenizers.tokenizer import Token

WORST = Rates([[0.9, 0.9], [0.9, 0.9]], [0.9, 0.9])
FIRST = dict.fromkeys(METHODS, WORST) | {
    "weights AWI": Rates([[0.5, 0.1], [0.6, 0.7]], [0.5, 0.3]),
    "norms AWI": Rates([[0.3, 0.4], [0.8, 0.2]], [0.2, 0.6]),
}
SECOND = dict.fromkeys(METHODS, WORST) | {
    "weights AWI": Rates([[0.5, 0.4], [0.2, 0.3]], [0.7, 0.4]),
    "norms AWI": Rates([[0.35, 0.15], [0.8, 0.2]], [0.3, 0.6]),
}
ALIGNMENT = cross_validation.Alignment(pairs=9, rates=FIRST, halves=(FIRST, SECOND))
WHOLE = replace(ALIGNMENT, halves=None)


def test_the_best_head_of_each_half_is_judged_on_the_other() -> None:
    """On the first half, head 1.2 is best with 0.1; on the other half it has 0.4.

    On the second half, head 2.1 is best with 0.2; on the other half it has 0.6.
    """
    choice = cross_validation.best_head(ALIGNMENT, "weights AWI")
    assert [tuple(fold) for fold in choice.folds] == [((0, 1), 0.1, 0.4), ((1, 0), 0.2, 0.6)]
    assert choice.rate == pytest.approx(0.5)
    assert choice.indices == [(0, 1), (1, 0)]
    # A layer that is best on both halves is listed once.
    choice = cross_validation.best_layer(ALIGNMENT, "norms AWI")
    assert choice.indices == [(0,)]
    assert choice.rate == pytest.approx((0.3 + 0.2) / 2)


def test_the_method_is_chosen_together_with_the_head() -> None:
    """The first half chooses head 1.2 by its weights, the second head 1.2 by its norms (AWI).

    On the half that did not choose it, each has the rate 0.4.
    """
    choice = cross_validation.best_of_all(ALIGNMENT)
    assert choice.indices == [(1, 0, 1), (3, 0, 1)]
    assert choice.rate == pytest.approx(0.4)
    smallest = min(np.min(half[name].heads) for half in (FIRST, SECOND) for name in METHODS)
    assert choice.rate > smallest


def test_the_rate_of_a_head_is_of_the_half_that_did_not_choose_the_method() -> None:
    """For head 1.2, the first half chooses weights AWI and the second half norms AWI.

    On the half that did not choose it, each has the rate 0.4.
    """
    assert cross_validation.best_method(ALIGNMENT, 0, 1).rate == pytest.approx(0.4)
    assert cross_validation.best_method(ALIGNMENT, 0, 1).indices == [(1,), (3,)]
    assert cross_validation.best_method(ALIGNMENT, 1, 1).rate == pytest.approx(0.2)
    # Without halves, the kind of map is chosen on the pairs that give the rate.
    assert cross_validation.best_of_all(WHOLE).indices == [(1, 0, 1)]
    assert cross_validation.best_method(WHOLE, 0, 0).rate == 0.3


def test_an_analysis_contains_the_rates_of_each_half(t) -> None:
    first, second = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (2, 0)})
    texts = ("I see.", "Je vois."), ("I go.", "Je vais."), ("I am.", "Je suis.")
    pairs = [
        AlignedPair(*text, links, links)
        for text, links in zip(texts, (first, second, second), strict=True)
    ]
    measured = cross_validation.measure_alignment(t, pairs)
    for some, stored in zip(
        (pairs, pairs[::2], pairs[1::2]), (measured.rates, *measured.halves), strict=True
    ):
        for method, rates in error_rates(t, some).items():
            np.testing.assert_allclose(stored[method].heads, rates.heads, rtol=0, atol=5.1e-6)
            np.testing.assert_allclose(stored[method].layers, rates.layers, rtol=0, atol=5.1e-6)
    assert set(measured.rates) == set(METHODS) == set(FIRST)
    assert cross_validation.measure_alignment(t, pairs[:1]).halves is None


NONE = frozenset()


@pytest.mark.parametrize(
    ("words", "places", "expected"),
    [  # The| c|at|'s| |tail: a token that is only a space belongs to the word after it
        ("The| cat|'s| tail", [(0, 3), (3, 5), (5, 7), (7, 9), (9, 10), (10, 14)],
         [[1], [2, 3], [4], [5, 6]]),
        # don|'t: the second token belongs to both words
        ("do|n't", [(0, 3), (3, 5)], [[1], [1, 2]]),
        # the first two tokens are bytes of one character
        ("我|叫他", [(0, 1), (0, 1), (1, 2), (2, 3)], [[1, 2], [3, 4]]),
    ],
)  # fmt: skip
def test_the_subwords_of_each_word_are_found_by_hand(words, places, expected):
    # between BOS and EOS
    tokens = [Token(0, "", start, end) for start, end in ((0, 0), *places, (0, 0))]
    assert subwords_of(tuple(words.split("|")), tokens) == expected


def _places(tokens, first, last):
    """Return the positions of the tokens that end between these two characters."""
    return [n for n, x in enumerate(tokens) if x.start < x.end and first < x.end <= last]


@pytest.mark.parametrize("source_words", [("I see", " a cat."), ("I", " see", " a", " cat", ".")])
@pytest.mark.parametrize(("rows", "shift"), [("written", 1), ("read", 0)])
def test_maps_are_of_the_words_of_the_pair_or_of_the_model_s_own(t, rows, shift, source_words):
    """The row that writes a word is one before the row that has read it."""
    target_words = ("Je", " vois", ".")
    own = [source_words, target_words] if len(source_words) == 2 else []
    pair = AlignedPair("I see a cat.", "Je vois.", NONE, NONE, *own)
    trace = t.trace(pair.source, target=pair.target)
    cells = np.random.default_rng(1).random((5, len(trace.tgt_tokens), len(trace.src)))
    maps = word_maps(t, trace, cells, rows, pair)
    assert maps.shape == (5, 3, len(source_words))
    targets = t.tokenizer.encode(pair.target)
    source_ends, target_ends = (
        [*accumulate(map(len, words), initial=0)] for words in (source_words, target_words)
    )
    for source, between in enumerate(pairwise(source_ends)):
        columns = _places(trace.src, *between)
        for target, above in enumerate(pairwise(target_ends)):
            rows = [position - shift for position in _places(targets, *above)]
            expected = sum(cells[:, r, c] for r in rows for c in columns) / len(rows)
            np.testing.assert_allclose(maps[:, target, source], expected)


def test_error_rates_count_the_words_of_the_pair(t):
    """If the source has one word, every link leads to it, so no head can be wrong."""
    source, target_words = "I see a cat.", ("Je", " vois", " un chat.")
    links = frozenset((0, target) for target in range(3))
    pair = AlignedPair(source, "Je vois un chat.", links, links, (source,), target_words)
    for rates in error_rates(t, [pair]).values():
        assert np.shape(rates.heads) == (2, 3)
        assert not np.any(rates.heads)
        assert not any(rates.layers)


def test_pairs_with_the_same_source_are_in_the_same_half():
    pairs = [AlignedPair(source, str(n), NONE, NONE) for n, source in enumerate("aabcbd")]
    first, second = cross_validation.two_folds(pairs)
    assert [pair.target for pair in first] == ["0", "1", "3"]  # pairs with the sources a, a, c
    assert [pair.target for pair in second] == ["2", "4", "5"]  # pairs with the sources b, b, d
    with pytest.raises(ValueError, match="two different sentences"):
        cross_validation.two_folds(pairs[:2])


def test_both_directions_are_printed_with_four_decimals():
    first = np.array([[0.5, 0.12344], [0.6, 0.7]])
    second = np.array([[0.5, 0.45678], [0.23456, 0.3]])
    assert human_alignments.chosen_and_judged(first, second) == {
        "on the other half": 0.5284,  # (0.45678 + 0.6) / 2
        "both ways": [
            {"place": "1.2", "where it was chosen": 0.1234, "on the other half": 0.4568},
            {"place": "2.1", "where it was chosen": 0.2346, "on the other half": 0.6},
        ],
    }


@pytest.fixture
def files(tmp_path):
    """Write three pairs from Chinese to English. The second is too long for the tiny model."""
    text, gold = tmp_path / "zh-en.text", tmp_path / "zh-en.gold"
    lines = ["我 看 。 ||| i see .", f"{'我 ' * 61}||| i .", "他 睡 了 ||| he slept"]
    text.write_text("\n".join(lines) + "\n", "utf-8")
    gold.write_text("1-1 2p2 3-3\n1-1\n1-1 2-2 3p2\n", "utf-8")
    return ["--text", str(text), "--gold", str(gold)]


def test_the_command_prints_both_directions_and_the_pairs_that_it_left_out(
    tiny_checkpoint, files, capsys
):
    arguments = ["--checkpoint", str(tiny_checkpoint), *files, "--reversed"]
    assert human_alignments.main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["pairs"] == 2
    assert list(printed["left_out"]) == ["line 2"]
    assert "at most 61" in printed["left_out"]["line 2"]
    assert set(printed["error_rates"]) == set(METHODS)
    for of_reading in printed["error_rates"].values():
        for direction in of_reading["best head"]["both ways"]:
            assert direction["place"] in {
                f"{layer}.{head}" for layer in (1, 2) for head in (1, 2, 3)
            }


def test_a_target_is_cut_as_a_target(t, monkeypatch):
    """Source and target may have different vocabularies, and so different numbers of tokens."""
    read = []
    record = lambda *given, side="source": read.append((given[2], side))  # noqa: E731
    monkeypatch.setattr(error_rate, "read_sentence", record)
    assert error_rate.why_left_out(t, AlignedPair("a", "b", NONE, NONE)) is None
    assert read == [("a", "source"), ("b", "target")]
