"""What the README of the checkpoints and the page "From RNN" say of the shipped models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from model import load
from model.evaluation.comparison import read_comparison
from model.training.runs import read_run
from tests.ui.app import open_page, text_of
from ui.from_rnn.lineage import ORDER
from ui.state.models import checkpoints_folder
from ui.text.examples import REORDERED
from ui.text.translator import translator

AUGMENTATION = ("copying", "made_sentences", "agreement", "as_typed", "joined")
SHIPPED = Path(__file__).parents[2] / "checkpoints"
SEQ2SEQ, BAHDANAU, TRANSFORMER = "en-fr-seq2seq", "en-fr-bahdanau", "en-fr"
ALIKE = "en-fr-11"  # the Transformer again, trained as those two were; compared and not kept


@pytest.fixture(scope="module")
def comparison():
    found = read_comparison(SHIPPED)
    assert found is not None
    return found


@pytest.mark.parametrize("name", [SEQ2SEQ, BAHDANAU, TRANSFORMER])
def test_scores_are_those_of_each_card(comparison, name):
    config = json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))
    for decoding in ("greedy", "beam search"):
        own = config["training"]["scores"][f"test, {decoding}"]
        measured = comparison["models"][name][decoding]
        assert measured["bleu"] == pytest.approx(own["bleu"], abs=0.05)
        assert measured["chrf"] == pytest.approx(own["chrf"], abs=0.05)
        assert measured["sentences"] == own["sentences"]


def test_all_saw_the_same_sentences(comparison):
    trained = {
        name: json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))["training"]
        for name in comparison["models"]
        if name != ALIKE
    }
    assert "--corpus fra-eng.zip" in comparison["models"][ALIKE]["command"]
    assert len({t["corpus"]["sha256"] for t in trained.values()}) == 1
    assert len({json.dumps(t["split"]) for t in trained.values()}) == 1
    tokenizers = {(SHIPPED / name / "tokenizer.json").read_bytes() for name in trained}
    assert len(tokenizers) == 1


def test_three_were_trained_alike_and_the_fourth_six_times_as_long(comparison):
    """For as many epochs, on the corpus as it is; en-fr-11 is en-fr's size."""
    assert list(comparison["models"]) == [SEQ2SEQ, BAHDANAU, ALIKE, TRANSFORMER]
    facts = comparison["models"]
    assert {facts[name]["epochs"] for name in (SEQ2SEQ, BAHDANAU, ALIKE)} == {11.17}
    assert facts[ALIKE]["n_parameters"] == facts[TRANSFORMER]["n_parameters"]
    assert facts[TRANSFORMER]["epochs"] > 6 * facts[ALIKE]["epochs"]
    for option in AUGMENTATION:
        assert f"--{option.replace('_', '-')} 0.0 " in facts[ALIKE]["command"]
        for name in (SEQ2SEQ, BAHDANAU):
            assert not read_run(SHIPPED / name).settings_history[-1].get(option)


def test_with_attention_it_is_the_short_sentences_that_set_two_apart(comparison):
    ahead = {
        bucket["joined"]: bucket["bleu"][ALIKE] - bucket["bleu"][BAHDANAU]
        for bucket in comparison["joined"]
    }
    assert all(5 < ahead[n] < 7 for n in (1, 2))
    assert all(0 < ahead[n] < 2 for n in ahead if n >= 4)


def test_the_ancestors_are_not_larger_than_the_transformer(comparison):
    sizes = {name: facts["n_parameters"] for name, facts in comparison["models"].items()}
    assert max(sizes.values()) <= 1.05 * sizes[TRANSFORMER]


def test_the_card_shows_what_was_measured(comparison):
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    for facts in comparison["models"].values():
        assert f"{facts['greedy']['bleu']:.2f} | {facts['greedy']['chrf']:.2f}" in card
    assert comparison["command"] in card
    assert comparison["date"] in card


def test_all_get_worse_with_length(comparison):
    """From four words on; the recurrent ones with every sentence that is joined."""
    from_four = [bucket for bucket in comparison["by_length"] if bucket["words"][0] >= 4]
    assert len(from_four) == len(comparison["by_length"]) - 1
    for name in comparison["models"]:
        assert _falls([bucket["bleu"][name] for bucket in from_four])
    for name in (SEQ2SEQ, BAHDANAU, ALIKE):
        assert _falls([bucket["bleu"][name] for bucket in comparison["joined"]])


def test_who_learned_from_joined_sentences_keeps_nearly_all_of_four(comparison):
    """And falls where it has seen no more of them."""
    assert read_run(SHIPPED / TRANSFORMER).settings_history[-1]["joined"] > 0
    for name in (SEQ2SEQ, BAHDANAU):
        assert not read_run(SHIPPED / name).settings_history[-1].get("joined")
    joined = {bucket["joined"]: bucket["bleu"][TRANSFORMER] for bucket in comparison["joined"]}
    one = joined.pop(1)
    assert all(joined[n] > 0.9 * one for n in (2, 3, 4))
    assert _falls([bleu for n, bleu in joined.items() if n >= 4])
    assert joined[max(joined)] < 0.8 * one


def _falls(bleu):
    return bleu == sorted(bleu, reverse=True)


def test_every_sentence_has_one_reference_since_short_ones_have_more(comparison):
    """As it stands below the curve, with the numbers of the shortest and the longest."""
    by_length = comparison["by_length"]
    assert {bucket["references"] for bucket in by_length} == {1}
    assert by_length[0]["available"] == max(bucket["available"] for bucket in by_length)
    assert by_length[0]["available"] > 1.3 * by_length[-1]["available"]
    app = open_page("pages/from_rnn.py", show="length")
    short, long = (f"{bucket['available']:.1f}" for bucket in (by_length[0], by_length[-1]))
    assert translator("en")("from_rnn.by_length_note", short=short, long=long) in text_of(app)


def test_one_vector_is_not_enough_for_two_sentences(comparison):
    one, two, *_ = comparison["joined"]
    assert (one["joined"], two["joined"]) == (1, 2)
    kept = {name: two["bleu"][name] / one["bleu"][name] for name in one["bleu"]}
    assert kept[SEQ2SEQ] < 0.5
    assert all(kept[name] > 0.5 for name in (BAHDANAU, ALIKE, TRANSFORMER))


def test_the_context_of_seq2seq_is_one_vector_and_bahdanau_s_is_not():
    fixed = load(SHIPPED / SEQ2SEQ).trace("The cat is black.").records["decoder.context"]
    attended = load(SHIPPED / BAHDANAU).trace("The cat is black.").records["decoder.context"]
    assert (fixed == fixed[:1]).all()
    assert abs(attended - attended[:1]).max() > 0.1


def test_every_kind_the_page_begins_with_is_shipped():
    assert {"seq2seq", "bahdanau", "transformer"} <= set(ORDER)
    for name in (SEQ2SEQ, BAHDANAU, TRANSFORMER):
        assert (checkpoints_folder() / name / "model.safetensors").is_file()


REORDERED_IN_FRENCH = {
    "The red house is near the white church.": {"La maison rouge est près de l'église blanche."},
    "She bought an old red car.": {"Elle a acheté une vieille voiture rouge."},
    "My brother's car is red.": {"La voiture de mon frère est rouge."},
    "He lives in a small white house.": {"Il vit dans une petite maison blanche."},
    "They don't understand me.": {"Ils ne me comprennent pas."},
}


@pytest.mark.parametrize("name", [BAHDANAU, TRANSFORMER])
def test_with_attention_the_examples_come_out_right(name):
    assert set(REORDERED_IN_FRENCH) == set(REORDERED)
    t = load(SHIPPED / name)
    for english, french in REORDERED_IN_FRENCH.items():
        assert t.trace(english).target_text in french


def test_through_one_vector_words_are_lost():
    """Both colours of the first example; attention finds them again."""
    first = REORDERED[0]
    written = {name: load(SHIPPED / name).trace(first).target_text for name in (SEQ2SEQ, BAHDANAU)}
    assert not {"rouge", "blanche"} & set(written[SEQ2SEQ].replace(".", "").split())
    assert {"rouge", "blanche"} <= set(written[BAHDANAU].replace(".", "").split())
