"""Word links from a head: on invented maps by hand, and by the command."""

import json
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from model import translate
from model.alignment import word_links
from model.alignment.cross_validation import Alignment
from model.alignment.error_rate import METHODS, Rates
from model.alignment.word_links import Aligner, WordAlignment, align_words, best_aligner
from tests.unit.conftest import complaint

AWO = Aligner("weights AWO", layer=0, head=1, error_rate=0.25, n_pairs=7)
AWI = replace(AWO, method="weights AWI")
SOURCE, TARGET = "I see a cat.", "Je vois un chat."
WORDS = (("I", "see", "a", "cat", "."), ("Je", "vois", "un", "chat", "."))


def with_map(trace, rows: dict[int, int]):
    """Return the trace with cross-attention in which each row looks at one source position.

    ``rows`` is row -> source position, both from 0. All other rows look at position 0, BOS.
    """
    name = "decoder.0.cross.weights"
    weights = np.zeros_like(trace.records[name])
    for row in range(weights.shape[1]):
        weights[:, row, rows.get(row, 0)] = 1
    return replace(trace, records=MappingProxyType({**trace.records, name: weights}))


@pytest.fixture
def given(t):
    return t.trace(SOURCE, target=TARGET)


def first_tokens(trace, side) -> list[int]:
    """Return the position of the first token of each word; it begins with a space or is "."."""
    tokens = trace.src_tokens if side == "source" else (*trace.tgt_tokens, trace.next_tokens[-1])
    return [n for n, token in enumerate(tokens) if token.startswith(" ") or token == "."]


def test_a_word_is_linked_to_the_largest_weight_of_its_row_by_token_read_or_written(t, given):
    """Expected: Je - I, vois - see, un - a, chat - cat, and the full stop with "see"."""
    source = first_tokens(given, "source")
    target = first_tokens(given, "target")
    assert (len(source), len(target)) == (5, 5)
    linked = dict(zip(target, (source[n] for n in (0, 1, 2, 3, 1)), strict=True))
    expected = "0-0 1-1 2-2 3-3 1-4"
    reading = align_words(t, with_map(given, linked), AWI)
    assert (reading.source_words, reading.target_words, reading.pharaoh) == (*WORDS, expected)
    rows_that_write = {position - 1: column for position, column in linked.items()}
    writing = align_words(t, with_map(given, rows_that_write), AWO)
    assert writing.pharaoh == expected
    assert str(writing) == f"I see a cat . ||| Je vois un chat . ||| {expected}"


def test_the_last_word_of_a_truncated_translation_has_no_row_that_reads_it(t):
    trace = t.trace(SOURCE, target=[t.tokenizer.bos_id, *t.tokenizer.encode_ids(["a b"])[0][:-1]])
    assert trace.next_tokens[-1] != "<eos>"
    n_words = len(align_words(t, trace, AWO).links)
    assert n_words == len(align_words(t, trace, AWO).target_words) > 1
    assert {word for _, word in align_words(t, trace, AWI).links} == set(range(n_words - 1))


def test_an_empty_translation_has_no_links(t):
    trace = t.trace(SOURCE, target=[t.tokenizer.bos_id, t.tokenizer.eos_id])
    words = align_words(t, trace, AWI)
    assert (words.target_words, words.pharaoh) == ((), "")


def test_links_are_sorted_by_the_words_of_the_translation():
    words = WordAlignment(("a", "b"), ("x", "y"), frozenset({(1, 0), (0, 1), (0, 0)}))
    assert str(words) == "a b ||| x y ||| 0-0 1-0 0-1"


def alignment(*, best: str) -> Alignment:
    """Return rates of 2 layers with 3 heads: 0.5 for all but the second head of the last layer."""
    rates = {method: Rates([[0.5] * 3, [0.5] * 3], [0.1, 0.1]) for method in METHODS}
    rates[best] = Rates([[0.5] * 3, [0.5, 0.125, 0.5]], [0.1, 0.1])
    return Alignment(pairs=9, rates=rates)


@pytest.mark.parametrize("method", ["weights AWI", "contributions AWO"])
def test_the_head_and_map_with_the_smallest_error_rate_are_used(method):
    assert best_aligner(alignment(best=method)) == Aligner(method, 1, 1, 0.125, 9)


@pytest.fixture
def measured(monkeypatch):
    """Give the tiny model an analysis in which the second head of the last layer aligns best."""
    analysis = type("Analysis", (), {"alignment": alignment(best="weights AWI")})()
    monkeypatch.setattr(translate, "read_analysis", lambda _: analysis)


@pytest.mark.usefixtures("measured", "short_texts")
def test_the_command_writes_a_line_for_each_sentence_and_the_error_rate_once(
    tiny_checkpoint, t, capsys
):
    texts = ["I see a cat.", " ", "The cat sleeps."]
    assert translate.main(["--checkpoint", str(tiny_checkpoint), "--alignments", *texts]) == 0
    out, err = capsys.readouterr()
    first, empty, last = out.splitlines()
    aligner = best_aligner(alignment(best="weights AWI"))
    assert first == str(align_words(t, t.trace(texts[0]), aligner))
    assert last == str(align_words(t, t.trace(texts[2]), aligner))
    assert last.startswith("The cat sleeps . ||| ")
    assert empty == ""
    [line] = [line for line in err.splitlines() if "AER" in line]
    assert "layer 2, head 2, by weights AWI; error rate (AER) 0.125 on 9 pairs" in line


@pytest.mark.usefixtures("measured", "short_texts")
def test_the_command_can_write_the_links_as_json(tiny_checkpoint, t, capsys):
    command = ["--checkpoint", str(tiny_checkpoint), "--alignments", "--json", SOURCE]
    assert translate.main(command) == 0
    values = json.loads(capsys.readouterr().out)
    words = align_words(t, t.trace(SOURCE), best_aligner(alignment(best="weights AWI")))
    assert values["source_words"] == list(WORDS[0])
    assert values["target_words"] == list(words.target_words)
    assert values["alignments"] == words.pharaoh
    assert values["translation"] == t.trace(SOURCE).target_text


def test_without_an_analysis_the_command_says_how_to_make_one(tiny_checkpoint, capsys):
    assert translate.main(["--checkpoint", str(tiny_checkpoint), "--alignments", "Hello."]) == 1
    assert "run python -m model.analyse heads --alignments FILE first" in complaint(capsys)


def test_links_of_words_without_a_source_are_none(t, given, monkeypatch):
    """Nobody can type a source without words, but a converted tokenizer may make one."""
    monkeypatch.setattr(word_links, "words_of_tokens", lambda *_: [])
    assert align_words(t, given, AWI).links == frozenset()
