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
ALIKE = "en-fr-10"  # the Transformer again, trained as those two were; compared and not kept


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


def test_all_saw_the_same_sentences_in_the_same_subwords(comparison):
    trained = {
        name: json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))["training"]
        for name in comparison["models"]
        if name != ALIKE
    }
    assert "--corpus fra-eng.zip" in comparison["models"][ALIKE]["command"]
    assert len({t["corpus"]["sha256"] for t in trained.values()}) == 1
    assert len({json.dumps(t["split"]) for t in trained.values()}) == 1
    vocabularies = {  # what is around them differs: en-fr's was made before there was Chinese
        json.dumps(json.loads((SHIPPED / name / "tokenizer.json").read_text("utf-8"))["model"])
        for name in trained
    }
    assert len(vocabularies) == 1


def test_three_were_trained_alike_and_the_fourth_seven_times_as_long(comparison):
    """For as many epochs, with the same made, joined and sloppy sentences; en-fr has such, too."""
    assert list(comparison["models"]) == [SEQ2SEQ, BAHDANAU, ALIKE, TRANSFORMER]
    facts = comparison["models"]
    assert {facts[name]["epochs"] for name in (SEQ2SEQ, BAHDANAU, ALIKE)} == {10.02}
    assert facts[ALIKE]["n_parameters"] == facts[TRANSFORMER]["n_parameters"]
    assert facts[TRANSFORMER]["epochs"] > 7 * facts[ALIKE]["epochs"]
    last = {n: read_run(SHIPPED / n).settings_history[-1] for n in (SEQ2SEQ, BAHDANAU, TRANSFORMER)}
    for option in AUGMENTATION:
        assert last[SEQ2SEQ][option] == last[BAHDANAU][option] > 0
        assert last[TRANSFORMER][option] > 0
        as_written = f"--{option.replace('_', '-')} {last[BAHDANAU][option]} "
        assert as_written in facts[ALIKE]["command"]


def test_the_ancestors_are_not_larger_than_the_transformer(comparison):
    sizes = {name: facts["n_parameters"] for name, facts in comparison["models"].items()}
    assert max(sizes.values()) <= 1.05 * sizes[TRANSFORMER]


def test_the_card_shows_what_was_measured(comparison):
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    for facts in comparison["models"].values():
        assert f"{facts['greedy']['bleu']:.2f} | {facts['greedy']['chrf']:.2f}" in card
    assert comparison["command"] in card
    assert comparison["date"] in card


def test_all_lose_a_fifth_with_twice_as_many_sentences_as_they_learned_from(comparison):
    joined = {bucket["joined"]: bucket["bleu"] for bucket in comparison["joined"]}
    assert all(joined[8][name] < 0.8 * joined[4][name] for name in comparison["models"])


def test_up_to_five_words_the_two_are_close(comparison):
    for bucket in comparison["by_length"]:
        ahead = bucket["bleu"][BAHDANAU] - bucket["bleu"][SEQ2SEQ]
        assert 0 < ahead < 5 if bucket["words"][1] <= 5 else ahead > 9


def test_with_attention_nine_tenths_of_four_sentences_stay_and_with_one_vector_a_third(comparison):
    """Though all have learned from up to four."""
    for facts in comparison["models"].values():
        assert "--joined 0.1 " in facts["command"]
    joined = {bucket["joined"]: bucket["bleu"] for bucket in comparison["joined"]}
    assert joined[4][SEQ2SEQ] < joined[1][SEQ2SEQ] / 3
    for name in (BAHDANAU, ALIKE, TRANSFORMER):
        assert all(joined[n][name] > 0.9 * joined[1][name] for n in (2, 3, 4))


def test_one_vector_does_not_hold_a_name():
    kept = {
        name: json.loads((SHIPPED / name / "config.json").read_text("utf-8"))["training"][
            "robustness"
        ]["names"]
        for name in (SEQ2SEQ, BAHDANAU)
    }
    assert kept[SEQ2SEQ] == pytest.approx(2, abs=0.5)
    assert kept[BAHDANAU] == pytest.approx(75, abs=2)


def test_the_transformer_is_ahead_of_attention_alone_at_every_length(comparison):
    for kind in ("by_length", "joined"):
        ahead = [b["bleu"][ALIKE] - b["bleu"][BAHDANAU] for b in comparison[kind]]
        assert min(ahead) > 0
    assert (round(min(ahead)), round(max(ahead))) == (4, 10)


def test_longer_training_adds_three_to_six_at_every_length(comparison):
    buckets = (*comparison["by_length"], *comparison["joined"])
    added = [bucket["bleu"][TRANSFORMER] - bucket["bleu"][ALIKE] for bucket in buckets]
    assert (round(min(added)), round(max(added))) == (3, 6)


def test_every_sentence_has_one_reference_since_short_ones_have_more(comparison):
    """As it stands below the curve, with the numbers of the shortest and the longest."""
    by_length = comparison["by_length"]
    assert {bucket["references"] for bucket in by_length} == {1}
    assert by_length[0]["available"] == max(bucket["available"] for bucket in by_length)
    assert by_length[0]["available"] > 1.3 * by_length[-1]["available"]
    app = open_page("pages/from_rnn.py", show="length")
    short, long = (f"{bucket['available']:.1f}" for bucket in (by_length[0], by_length[-1]))
    assert translator("en")("from_rnn.by_length_note", short=short, long=long) in text_of(app)


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
    """Of "The red house is near the white church." red and near; attention keeps them."""
    first = REORDERED[0]
    written = {name: load(SHIPPED / name).trace(first).target_text for name in (SEQ2SEQ, BAHDANAU)}
    assert not {"rouge", "près"} & set(written[SEQ2SEQ].replace(".", "").split())
    assert {"rouge", "blanche", "près"} <= set(written[BAHDANAU].replace(".", "").split())
