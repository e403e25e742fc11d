"""Why this word and not that one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.experiments.contrast import words_of
from model.heads.ablation import ablations_of
from model.heads.importance import all_heads
from model.pictures.tokens import display
from model.trace.next_tokens import candidates
from model.transformer.masks import padding_mask
from tests.tolerance import assert_same
from tests.ui.drawn import EN, Page
from tests.ui.pages.test_experiments import ROWS, SENTENCE
from tests.ui.saved_files import Files

TOKENS, HEADS = EN("experiments.contrast_tokens"), EN("experiments.contrast_heads")


def _page(**link: str) -> Page:
    return Page("experiments", **{"sentence": SENTENCE, "show": "contrast"} | link)


def _signed(number: float) -> str:
    return f"{number:+.2f}".replace("-", "−")


@torch.inference_mode()
def _difference(t, trace, step: int, pair: tuple[int, int], *, hidden=None, off=()) -> float:
    src = torch.tensor([[token.id for token in trace.src]])
    mask = padding_mask(src, t.tokenizer.pad_id).clone()
    if hidden is not None:
        mask[..., hidden] = False
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    logits = t.model(src, tgt, mask, ablations=ablations_of(t.config, off, "zero"))
    row = logits[0, step].log_softmax(dim=-1)
    return float(row[pair[0]] - row[pair[1]])


def test_the_numbers_are_those_of_runs_without_each_thing(t, trace, files: Files):
    page = _page(**{"experiments.word": "2"}).use({"experiments.rival": 3})
    step = words_of(t.tokenizer, trace)[1].start
    others = [one.id for one in candidates(trace, t.tokenizer, step) if not one.chosen]
    pair = trace.tgt_ids[step + 1], others[2]
    before = _difference(t, trace, step, pair)
    tokens = [_difference(t, trace, step, pair, hidden=n) - before for n in range(len(trace.src))]
    heads = [_difference(t, trace, step, pair, off=[one]) - before for one in all_heads(t.config)]
    source, grid = display(trace.src_tokens), np.reshape(heads, (6, 3))
    how = {"columns": source, "largest": 20}
    page.matrices_are("experiments.contrast_tokens", {TOKENS: [tokens]}, **how)
    how = {"rows": ROWS, "columns": "123", "largest": 20}
    page.matrices_are("experiments.contrast_heads", {HEADS: grid}, **how)
    log_prob = trace.log_probs[step]
    chances = [f"{math.exp(one):.2g}" for one in (log_prob, log_prob - before)]
    assert page.metrics == [*chances, _signed(before)]
    files.name = "contrast"
    assert files.json()["log_prob_difference"] == pytest.approx(before, abs=1e-5)
    assert_same(np.array(files.column("heads", "change")), heads, largest=20)
    assert_same(np.array(files.column("tokens", "change")), tokens, largest=20)
    places = [row[:3] for row in files.tables()["heads"][1]]
    assert places == [[kind, layer + 1, head + 1] for kind, layer, head in all_heads(t.config)]
    assert page.link["experiments.rival"] == "3"
    said = page.text.replace("\\", "")
    row, column = divmod(int(np.argmin(heads)), 3)
    head = EN("experiments.a_head", row=ROWS[row], head=column + 1)
    assert min(tokens + heads) < 0
    for name, change in ((source[int(np.argmin(tokens))], min(tokens)), (head, min(heads))):
        assert f"**{name}** raises" in said
        assert _signed(change) in said
    page.click("experiments.contrast_heads", [0, 5, 2])
    assert page.link == {"sentence": SENTENCE, "layer": "2", "ablated": "c2.3"}


def test_the_word_that_the_model_was_least_sure_of_comes_first(t, trace):
    words = words_of(t.tokenizer, trace)
    unsure = min(words, key=lambda word: trace.log_probs[word.start])
    page = _page()
    assert page.control("experiments.word").value == words.index(unsure) + 1
    assert "experiments.word" not in page.link
    labels = page.control("experiments.word").options
    assert len({*labels}) == len(labels) == len(words)
    assert any(label.endswith(r"\(2\)") for label in labels)  # what stands there again
    first = page.pictures[TOKENS]
    page.use({"experiments.own_rival": "chien"})  # goes before
    assert not np.array_equal(first, page.pictures[TOKENS])


def test_what_cannot_be_compared_is_said_in_one_sentence(t, trace):
    words = words_of(t.tokenizer, trace)
    spelt = [t.tokenizer.decode(trace.tgt_ids[w.start + 1 : w.stop + 1]).strip() for w in words]
    n = next(n for n, text in enumerate(spelt) if text.isalpha())
    page = _page(**{"experiments.word": str(n + 1), "experiments.own_rival": spelt[n]})
    assert EN("experiments.rival.same", word=spelt[n]) in page.html
    assert TOKENS not in page.pictures
    page.use({"experiments.own_rival": "mot " * 240})
    assert page.html.count('role="alert"') == 1
    assert TOKENS not in page.pictures
    page.use({"experiments.own_rival": "狐狸"})
    assert "no subword" in page.html
    assert TOKENS in page.pictures
    assert TOKENS in page.use({"experiments.own_rival": "   "}).pictures  # none was given
