"""The page says why the model wrote a word and not its rival."""

import numpy as np
import pytest

from model.interventions.contrast import (
    contrast_with,
    contrast_without,
    difference,
    steps_of_words,
)
from model.interventions.leave_one_out import read_without_each_head, read_without_each_token
from model.maps.logit_attribution import attribute_logits
from model.pictures.tokens import display
from model.trace.next_tokens import next_tokens
from tests.tolerance import assert_same
from tests.ui.drawn import EN, opens
from tests.ui.saved_files import Files
from ui.experiments.contrast import both_words

_page = opens("experiments", show="contrast")
KINDS = ("encoder_self", "decoder_self", "cross")
NUMBER = 2  # the word, from 1


@pytest.fixture
def contrast(t, trace):
    """Return the second word and the likeliest other token at its first step."""
    word = steps_of_words(t.tokenizer, trace)[NUMBER - 1]
    best = next_tokens(trace, t.tokenizer, word.start, k=6)
    return contrast_with(trace, word, [next(token.id for token in best if not token.chosen)])


def test_the_change_of_the_difference_is_drawn_and_described(t, trace, contrast, files: Files):
    page = _page(**{"experiments.word": str(NUMBER)})
    word = both_words(t, contrast)["word"]
    without_token = contrast_without(read_without_each_token, t, trace, contrast)
    page.matrices_are(
        "experiments.contrast_tokens",
        {EN("experiments.contrast_tokens", word=word): np.concatenate([*without_token])[None]},
        columns=display(trace.src_tokens),
        largest=10,
    )
    without_head = contrast_without(read_without_each_head, t, trace, contrast)
    of_heads = np.concatenate([*without_head]).reshape(6, 3)
    page.matrices_are(
        "experiments.contrast_heads",
        {EN("experiments.contrast_heads", word=word): of_heads},
        rows=[EN(f"experiments.row.{kind}", n=n) for kind in KINDS for n in (1, 2)],
        columns="123",
        largest=10,
    )
    files.name = "contrast"
    about = files.about()
    assert about["measure"] == "contrast_change"
    assert about["target_step"] == contrast.step + 1
    assert about["log_prob_difference"] == pytest.approx(difference(trace, contrast), rel=1e-4)


def test_the_parts_of_the_difference_are_described_and_add_up(t, trace, contrast, files: Files):
    _page(**{"experiments.word": str(NUMBER)})
    files.name = "parts"
    about = files.about()
    assert about["measure"] == "logit_parts"
    assert about["target_step"] == contrast.step + 1
    parts = attribute_logits(t.model, trace, contrast.step, contrast.word, contrast.rival)
    assert_same(parts.total, difference(trace, contrast), largest=10)


def test_at_first_two_words_compete_and_not_a_sign_or_the_end_of_the_sentence(t, trace):
    """The page opens with the least probable word that has letters; the rival is no special one."""
    page = _page()
    words = steps_of_words(t.tokenizer, trace)
    texts = [t.tokenizer.decode([trace.tgt_ids[step + 1] for step in word]) for word in words]
    with_letters = [n for n, text in enumerate(texts) if any(map(str.isalpha, text))]
    chosen = page.app.button_group(key="experiments.word").value
    assert chosen - 1 == min(with_letters, key=lambda n: trace.log_probs[words[n].start])
    rivals = page.app.button_group(key="experiments.rival")
    first = next(n for n, name in enumerate(rivals.options, 1) if not name.startswith("\\<"))
    assert rivals.value == first
