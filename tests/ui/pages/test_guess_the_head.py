"""Guess a head, then measure all heads; compare a word with a rival."""

import math
import re
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from model.interventions.ablation import ablation_effect, ablations_of
from model.interventions.contrast import contrast_with, encode_after, steps_of_words
from model.maps.logit_attribution import attribute_logits
from model.nn.hooks import Hooks
from model.pictures.tokens import display
from model.trace.next_tokens import next_tokens
from model.transformer.heads import all_heads
from model.transformer.masks import padding_mask
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, Page, blob, opens
from tests.ui.pages.test_experiments import ROWS
from tests.ui.saved_files import Files
from ui.experiments import guess_the_head
from ui.experiments.contrast import both_words
from ui.text.numbers import signed

ANSWER, ASK = EN("experiments.title_each_head"), EN("experiments.title_guess")
GUESS = {"experiments.guess": "cross-2-3"}
REVEALED = GUESS | {"experiments.revealed": "1"}
GUESSED = "Your guess: "
_page, _contrast = opens("experiments"), opens("experiments", show="contrast")


@pytest.fixture(scope="module")
def measured(t, trace) -> np.ndarray:
    """Return the change of the translation's log-probability without each head."""
    off = [ablations_of(t.config, [head], "zero") for head in all_heads(t.config)]
    after = [ablation_effect(t, trace, ablations).log_probs for ablations in off]
    return np.array([(log_probs - trace.log_probs).sum() for log_probs in after])


def test_a_visitor_guesses_a_head_sees_the_answer_and_can_start_again(measured, files: Files):
    page = _page()
    assert page.headers == [EN("experiments.question"), EN("experiments.title_workbench")]
    labels = {"rows": ROWS, "columns": "123"}
    page.matrices_are("experiments.guess_map", {ASK: np.full((6, 3), np.nan)}, **labels)
    buttons = [button.key for button in page.app.button]
    assert "experiments.reveal" not in buttons  # the grid is what to click
    assert "experiments.ask_again" not in buttons
    assert GUESSED not in page.text
    page.click("experiments.guess_map", [0, 5, 2])
    assert EN("experiments.your_guess", head="Cross 2, head 3") in page.text
    assert ANSWER not in page.pictures  # the guess alone shows no answer
    assert GUESS.items() <= page.link.items()
    assert "experiments.revealed" not in page.link
    page.press("experiments.reveal")
    shown = {ANSWER: measured.reshape(6, 3)}
    page.matrices_are("experiments.each_head_map", shown, **labels, largest=100)
    files.name = "each_head"
    assert_same(np.array(files.column("heads", "log_prob_change")), measured, largest=100)
    assert files.json()["guess"] == "c2.3"
    row, column = divmod(measured.argmin(), 3)
    worst = EN("experiments.a_head", row=ROWS[row], head=column + 1)
    rank = 1 + (measured < measured[-1]).sum()  # cross-attention, layer 2, head 3 is the last entry
    rank_text = f"number {rank} of 18" if rank > 1 else "Your guess is right"
    hardly = f"{(np.abs(measured) < 0.1).sum()} of the 18 heads"
    for words in (rank_text, worst, f"{measured.min():+.2f}".replace("-", "−"), hardly):
        assert words in page.text
    assert page.link["experiments.revealed"] == "1"
    page.press("experiments.ask_again")
    assert ANSWER not in page.pictures
    assert not [name for name in page.link if name.startswith("experiments.")]


def test_a_new_sentence_or_a_reset_starts_a_new_question():
    page = _page(**REVEALED)
    measure = EN("about.measure.log_prob_change_of_target")
    assert ANSWER in page.pictures
    assert measure in page.html
    page.use({"choice.sentence": "You see a dog."})
    assert ANSWER not in page.pictures
    assert measure not in page.html
    assert "experiments.revealed" not in page.link
    assert EN("experiments.your_guess", head="Cross 2, head 3") in page.text
    assert ANSWER in page.press("experiments.reveal").pictures
    page.press("reset")
    assert GUESSED not in page.text
    assert ANSWER not in page.pictures
    assert not REVEALED.keys() & page.link.keys()


def test_a_click_on_the_answer_opens_the_head():
    page = _page(**REVEALED).click("experiments.each_head_map", [0, 2, 0])
    assert page.link["ablated"] == "d1.1"
    assert page.pictures[EN("experiments.change_row")].any()


@pytest.mark.parametrize(
    ("changes", "guess", "aligner", "says", "says_not"),
    [
        ([-1, -0.5, 0.2], 0, 1, ["guess is right", "Cross 1, head 2 aligns words best"], ["Such"]),
        ([-1, -0.5, 0.2], 1, 0, ["number 2 of 3", "head 1 is also", "36.8% of"], ["surprise"]),
        ([-1, -0.01, 0.02], 2, 1, ["number 3 of 3", "hardly needs", "by −0.01 nats", "Such"], []),
        ([-1, -0.5, 0.02], None, 2, ["does not need", "by +0.02 nats"], ["guess"]),
        ([0.1, 0.5, 0.2], 0, 2, ["needs no single head", "number 1 of 3"], ["right", "loses most"]),
        ([-0.05, -0.01, 0.0], 0, 0, ["right", "hardly needs"], ["is also"]),
        ([-1, -1, 0.2], 1, None, ["guess is right"], ["loses most without **"]),
    ],
)  # fmt: skip
def test_every_sentence_of_the_answer_agrees_with_the_measurements(
    changes, guess, aligner, says, says_not
):
    heads = [("cross", 0, n) for n in range(len(changes))]
    selected = [None if n is None else heads[n] for n in (guess, aligner)]
    verdict = " ".join(guess_the_head.verdict(np.array(changes), *selected, heads, EN))
    assert [part for part in says if part not in verdict] == []
    assert [part for part in says_not if part in verdict] == []


def test_a_change_of_a_tenth_is_not_little_and_half_of_the_heads_are_not_most():
    heads = [("cross", 0, n) for n in range(4)]
    # Two of four hardly matter: one loses 0.09 and one gains 0.05.
    verdict = guess_the_head.verdict(np.array([-0.1, -0.09, 0.05, 0.2]), None, None, heads, EN)
    numbers = {"few": 2, "n": 4, "little": 0.1, "more": 2}
    assert verdict[-1] == EN("experiments.little", **numbers)
    verdict = guess_the_head.verdict(np.array([-0.1, -0.09, 0.05, 0.0]), None, None, heads, EN)
    numbers = {"few": 3, "n": 4, "little": 0.1, "more": 1}
    assert verdict[-2:] == [EN("experiments.little", **numbers), EN("experiments.redundancy")]


@pytest.mark.parametrize(
    ("changes", "degree"),
    [
        ([-1.0, 0.0], "gained"),
        ([-1.0, -0.09], "little"),
        ([-1.0, -0.1], "lost"),
        ([-0.1, -1.0], "worst"),
    ],
)
def test_a_sentence_says_how_much_is_lost_without_the_last_head(changes, degree):
    heads = [("cross", 0, 0), ("cross", 0, 1)]
    verdict = guess_the_head.verdict(np.array(changes), None, heads[1], heads, EN)
    name = EN("experiments.a_head", row=EN("experiments.row.cross", n=1), head=2)
    said = {
        "head": name,
        "change": signed(changes[1]),
        "rank": 1 + (changes[1] > changes[0]),
        "n": 2,
        "left": f"{100 * math.exp(changes[1]):.3g}",
    }
    assert EN(f"experiments.aligner_{degree}", **said) in verdict


@torch.inference_mode()
def _difference(t, trace, step: int, pair: tuple[int, int], *, hidden=None, off=()) -> float:
    """Return log p(word) - log p(rival), without a source token or without heads.

    Args:
        t: the model.
        trace: of the translation.
        step: the step that writes the word.
        pair: token ids of the word and of its rival.
        hidden: position of a source token that is hidden; None hides none.
        off: heads that are switched off.
    """
    src = torch.tensor([[token.id for token in trace.src]])
    mask = padding_mask(src, t.tokenizer.pad_id).clone()
    if hidden is not None:
        mask[..., hidden] = False
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    logits = t.model(src, tgt, mask, hooks=Hooks(ablations=ablations_of(t.config, off, "zero")))
    row = logits[0, step].log_softmax(dim=-1)
    return float(row[pair[0]] - row[pair[1]])


def test_the_change_without_each_token_and_head_is_that_of_a_run_without_it(t, trace, files: Files):
    page = _contrast(**{"experiments.word": "2"}).use({"experiments.rival": 3})
    steps = steps_of_words(t.tokenizer, trace)[1]
    step = steps.start
    others = [
        candidate.id for candidate in next_tokens(trace, t.tokenizer, step) if not candidate.chosen
    ]
    pair = trace.tgt_ids[step + 1], others[2]
    word = both_words(t, contrast_with(trace, steps, [others[2]]))["word"]
    before = _difference(t, trace, step, pair)
    tokens = [_difference(t, trace, step, pair, hidden=n) - before for n in range(len(trace.src))]
    heads = [
        _difference(t, trace, step, pair, off=[one_head]) - before
        for one_head in all_heads(t.config)
    ]
    source, grid = display(trace.src_tokens), np.reshape(heads, (6, 3))
    labels_of_map = {"columns": source, "largest": 20}
    title = EN("experiments.contrast_tokens", word=word)
    page.matrices_are("experiments.contrast_tokens", {title: [tokens]}, **labels_of_map)
    labels_of_map = {"rows": ROWS, "columns": "123", "largest": 20}
    title = EN("experiments.contrast_heads", word=word)
    page.matrices_are("experiments.contrast_heads", {title: grid}, **labels_of_map)
    log_prob = trace.log_probs[step]
    chances = [f"{math.exp(number):.2g}" for number in (log_prob, log_prob - before)]
    assert page.metrics == [*chances, signed(before)]
    assert files.json("contrast")["log_prob_difference"] == pytest.approx(before, abs=1e-5)
    assert_same(np.array(files.column("heads", "change")), heads, largest=20)
    assert_same(np.array(files.column("tokens", "change")), tokens, largest=20)
    places = [row[:3] for row in files.tables()["heads"][1]]
    assert places == [[kind, layer + 1, head + 1] for kind, layer, head in all_heads(t.config)]
    assert page.link["experiments.rival"] == "3"
    shown_text = page.text.replace("\\", "")
    row, column = divmod(int(np.argmin(heads)), 3)
    head = EN("experiments.a_head", row=ROWS[row], head=column + 1)
    assert min(tokens + heads) < 0
    for name, change in ((source[int(np.argmin(tokens))], min(tokens)), (head, min(heads))):
        assert f"**{name}** supports" in shown_text
        assert signed(change) in shown_text
    page.click("experiments.contrast_heads", [0, 5, 2])
    assert page.link == {"sentence": SENTENCE, "layer": "2", "ablated": "c2.3"}


def test_parts_add_up_to_the_difference_and_a_head_is_split_by_its_tokens(t, trace, files: Files):
    page = _contrast(**{"experiments.word": "2"})
    step = steps_of_words(t.tokenizer, trace)[1].start
    rival = next(
        candidate.id for candidate in next_tokens(trace, t.tokenizer, step) if not candidate.chosen
    )
    pair = trace.tgt_ids[step + 1], rival
    whole, total = attribute_logits(t.model, trace, step, *pair), _difference(t, trace, step, pair)
    maps = {kind: getattr(whole, kind) for kind in ("decoder_self", "cross")}
    sums = [whole.token, whole.position, *(contributions.sum() for contributions in maps.values())]
    sums += [whole.feed_forward.sum(), whole.bias]
    assert sum(sums) == pytest.approx(total, abs=1e-4)
    names = [*["token", "position", "decoder_self", "cross", "feed_forward", "bias"]]
    columns = [EN(f"experiments.part.{name}") for name in names]
    page.matrices_are("experiments.parts", {EN("experiments.parts_of"): [sums]}, columns=columns)
    assert page.matrices("experiments.parts")[0][0]["notes"] == [f"= {signed(total)}"]
    heads = np.concatenate([contributions.sum(axis=-1) for contributions in maps.values()])
    (of_heads, shown), (of_networks, networks) = page.matrices("experiments.parts_heads")
    assert_same(shown, heads)
    assert_same(networks[:, 0], whole.feed_forward)
    assert (of_heads["rowLabels"], of_networks["rowLabels"]) == (ROWS[2:], ["1", "2"])
    best = divmod(int(heads.argmax()), 3)
    for n, (row, column) in enumerate((best, (1, 2), (2, 1))):
        if n:
            page.click("experiments.parts_heads", [0, row, column])
            assert page.link["experiments.part"].endswith(f"{row % 2 + 1}-{column + 1}")
        kind = "cross" if row > 1 else "decoder_self"
        tokens = display(trace.src_tokens if kind == "cross" else trace.tgt_tokens)
        name = EN("experiments.a_head", row=ROWS[row + 2], head=column + 1)
        title = EN("experiments.parts_tokens", head=name)
        values = maps[kind][row % 2, column]
        page.matrices_are("experiments.parts_tokens", {title: [values]}, columns=tokens)
    page.click("experiments.parts_heads", [1, 0, 0])  # a part that is not a head
    assert page.link["experiments.part"] == "cross-1-2"
    files.name = "parts"
    each = np.concatenate([contributions.ravel() for contributions in maps.values()])
    assert_same(np.array(files.column("heads and tokens", "logits")), each)
    places = {tuple(row[:3]) for row in files.tables()["heads and tokens"][1]}
    assert places == {*product(("decoder_self", "cross"), (1, 2), (1, 2, 3))}
    page = _contrast(**{"experiments.word": "2", "experiments.part": "cross-9-1"})
    assert blob(page.component("experiments.parts_heads").proto)[0]["clicked"] == [0, *best]


def _without_tokens(page: Page) -> list[np.ndarray]:
    """Return the picture of the change without each token; none if the page does not show it."""
    before, after = EN("experiments.contrast_tokens", word="|").split("|")
    pictures = page.pictures.items()
    return [picture for title, picture in pictures if re.match(f"{before}.*{after}$", title)]


def test_the_least_certain_word_is_chosen_first(t, trace):
    words = steps_of_words(t.tokenizer, trace)
    unsure = min(words, key=lambda word: trace.log_probs[word.start])
    page = _contrast()
    assert page.control("experiments.word").value == words.index(unsure) + 1
    assert "experiments.word" not in page.link
    labels = page.control("experiments.word").options
    assert len({*labels}) == len(labels) == len(words)
    # the word occurs twice, so the label has its position
    assert any(label.endswith(r"\(2\)") for label in labels)
    [first] = _without_tokens(page)
    page.use({"experiments.own_rival": "chien"})  # the visitor's own rival wins over the list
    [own] = _without_tokens(page)
    assert not np.array_equal(first, own)


def test_impossible_comparisons_are_explained_in_one_sentence(t, trace):
    words = steps_of_words(t.tokenizer, trace)
    spelt = [t.tokenizer.decode(trace.tgt_ids[w.start + 1 : w.stop + 1]).strip() for w in words]
    n = next(n for n, text in enumerate(spelt) if text.isalpha())
    page = _contrast(**{"experiments.word": str(n + 1), "experiments.own_rival": spelt[n]})
    assert EN("experiments.rival.same", word=spelt[n]) in page.html
    assert _without_tokens(page) == []
    page.use({"experiments.own_rival": "mot " * 240})
    assert page.html.count('role="alert"') == 1
    assert _without_tokens(page) == []
    page.use({"experiments.own_rival": "狐狸"})
    assert "no subword" in page.html
    assert _without_tokens(page)
    # an empty rival counts as none
    assert _without_tokens(page.use({"experiments.own_rival": "   "}))
    # the box takes no more than 1,000 characters, but a link can have more
    page = _contrast(**{"experiments.own_rival": "mot " * 300})
    assert EN("input.too_many_characters", n="1,200", limit="1,000") in page.html


def test_a_typed_rival_continues_the_words_before_the_chosen_one(t, monkeypatch):
    trace = t.trace(SENTENCE, target="Je vois un chat.")
    monkeypatch.setattr("ui.frame.page.lesson_sentence", lambda *_: trace)
    encoded = Mock(wraps=encode_after)
    monkeypatch.setattr("ui.experiments.contrast.encode_after", encoded)
    _contrast(**{"experiments.word": "3", "experiments.own_rival": "un"})
    _, before, text = encoded.call_args.args
    assert (t.tokenizer.decode(before), text) == ("Je vois", "un")
