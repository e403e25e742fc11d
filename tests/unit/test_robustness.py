"""Robustness of translators with known results: one echoes, one is silent, one repeats."""

import json
import re
from collections import Counter
from types import SimpleNamespace

import pytest

from model import evaluate
from model.augmentation.names.language_pair import language_pair_of
from model.augmentation.names.tables import read_table
from model.decoding.greedy import Hypothesis
from model.evaluation import robustness

pytestmark = pytest.mark.usefixtures("short_texts")
References = dict[str, list[str]]


@pytest.fixture
def measured(t, monkeypatch):
    """Return a function that measures the robustness of any function from text to text."""

    def measure(translator, references: References):
        def translate_batch(_model: object, _tokenizer: object, texts):
            ids = t.tokenizer.encode_ids([translator(text) for text in texts])
            return [Hypothesis(tuple(i[1:]), (), bool(i[2:])) for i in ids]

        monkeypatch.setattr(robustness, "translate_batch", translate_batch)
        return robustness.robustness(t.model, t.tokenizer, references)

    return measure


@pytest.fixture
def echo(pairs):
    return {source: [source] for source, _ in pairs}


def test_an_echo_loses_only_capitals_and_final_marks(measured, echo):
    shares = measured(str, echo)
    assert (shares.names, shares.numbers, shares.unfinished) == (100.0, 100.0, 0.0)
    whole = ["as they are", "2 joined", "3 joined", "4 joined"]
    assert [shares.bleu[variant] for variant in whole] == [100.0] * 4
    assert shares.bleu["both"] < shares.bleu["small letters"] < 100
    assert shares.bleu["both"] < shares.bleu["no final sign"] < 100
    assert shares.bleu["small letters"] < shares.bleu["capitals"] < 100


def test_a_silent_and_a_repeating_translator_are_measured(measured, echo, monkeypatch):
    mute = measured(lambda _: "", echo)
    assert (mute.names, mute.numbers, mute.bleu["as they are"]) == (0.0, 0.0, 0.0)
    assert mute.repeating == 0.0
    monkeypatch.setattr(robustness, "score", lambda *_: SimpleNamespace(bleu=41.2567))
    stutter = measured(lambda text: f"{text} no no no no", echo)
    assert (stutter.names, stutter.repeating) == (100.0, 100.0)
    assert set(stutter.bleu.values()) == {41.26}  # the replaced score, rounded


def test_results_are_the_per_cent_of_the_questions(measured, echo, t):
    """This translator copies everything, but writes nothing for one family name and one year."""
    family = read_table("test.json")["family"][0]
    year = robustness.numbers_in_frames()[-1][1]

    def translator(text: str) -> str:
        return "" if any(robustness.says(text, word) for word in (family, year)) else text

    shares = measured(translator, echo)
    unnamed = [robustness.says(sentence, family) for sentence, _ in robustness.names_in_frames()]
    unnumbered = [robustness.says(sentence, year) for sentence, _ in robustness.numbers_in_frames()]
    assert shares.names == round(100 - 100 * sum(unnamed) / len(unnamed), 1) < 100
    assert shares.numbers == round(100 - 100 * sum(unnumbered) / len(unnumbered), 1) < 100
    sources = [text for texts, _ in robustness.variants(echo).values() for text in texts]
    encoded = zip(sources, t.tokenizer.encode_ids(sources), strict=True)
    texts = [text for text, ids in encoded if len(ids) <= t.config.max_length]
    mute = sum(translator(text) == "" for text in texts)
    asked = len(unnamed) + len(unnumbered) + len(texts)
    silent = sum(unnamed) + sum(unnumbered) + mute
    assert shares.unfinished == round(100 * silent / asked, 1) > 0


def test_joined_sentences_are_held_out_ones_with_their_references():
    references = {f"S{i}.": [f"a{i}.", f"b{i}."][: 1 + i % 2] for i in range(10)}
    sources, targets = robustness.variants(references)["3 joined"]
    assert len(sources) == 3
    for source, joined_references in zip(sources, targets, strict=True):
        numbers = [int(word[1:-1]) for word in source.split()]
        assert joined_references[0] == " ".join(f"a{i}." for i in numbers)
        if any(i % 2 for i in numbers):
            assert joined_references[1] == " ".join(f"{'ab'[i % 2]}{i}." for i in numbers)


@pytest.mark.parametrize("n", [1, 2, 4, 7, 12])
def test_every_sentence_is_in_at_most_one_joined_row_and_as_many_as_possible_are_used(n):
    variants = robustness.variants({f"S{i}": [f"T{i}"] for i in range(n)})
    for size in (2, 3, 4):
        rows = [row.split() for row in variants.get(f"{size} joined", ([], []))[0]]
        assert len(rows) == n // size
        assert all(len(row) == size for row in rows)
        assert len({text for row in rows for text in row}) == n // size * size


def test_repeated_subwords_are_found():
    three_times = ([" non"], [" b", " c"], [" no", "!"], ["他"])
    for subwords in three_times:
        assert robustness.repeats([" a", *subwords * 3, "."])
        assert robustness.repeats(subwords * 3)
        assert not robustness.repeats([*subwords * 2, *subwords[:-1]])
    for subwords in ([], [" à", " ", ".", ".", "."], [" 1", "0", "0", "0"]):
        assert not robustness.repeats(subwords)


def test_a_word_is_found_only_as_a_whole_word():
    texts = [("C'est à Łódź.", "Łódź"), ("d'Özlem", "Özlem")]
    texts += [("Annelieses", "Anneliese"), ("kofi", "Kofi")]
    assert [robustness.says(text, word) for text, word in texts] == [True, True, False, False]


def test_every_name_and_every_number_is_asked_in_each_of_its_frames(monkeypatch):
    """Every fourth person is also asked with a family name.

    A frame for numbers gets three numbers each of 1, 2, 3 and 4 digits, one for years 15 years.
    """
    asked = robustness.names_in_frames()
    assert all(
        robustness.says(sentence, word) for sentence, word in asked + robustness.numbers_in_frames()
    )
    per_name, lists = Counter(name for _, name in asked), read_table("test.json")
    full = [name for name in per_name if name.split()[-1] in lists["family"]]
    people = lists["man"] + lists["woman"]
    assert [name.split()[-1] for name in full] == lists["family"]
    assert [name.rsplit(" ", 1)[0] for name in full] == people[::4]
    for name in (*people, *full):
        assert per_name[name] == len(lists["person_frames"])
    for name in lists["place"]:
        assert per_name[name] == len(lists["place_frames"])
    first_digits = set()  # each with the number of digits
    for seed in range(30):
        monkeypatch.setattr(robustness, "_SEED", seed)
        numbers = [int(number) for _, number in robustness.numbers_in_frames()]
        assert [len(str(n)) for n in numbers[:12]] == [n for n in (1, 2, 3, 4) for _ in range(3)]
        first_digits |= {(str(n)[0], len(str(n))) for n in numbers[:12]}
        assert min(numbers) >= 2
        assert all(1500 <= year < 2100 for year in numbers[-15:])  # the years of the last frame
        assert len(numbers) == 12 * len(lists["number_frames"]) + 15 * len(lists["year_frames"])
    assert first_digits == {(d, n) for n in (1, 2, 3, 4) for d in "123456789"} - {("1", 1)}


def test_prices_times_and_dates_are_asked_in_the_form_of_the_language(measured, pairs):
    """One translator writes exactly these forms, one copies. Some languages have no known form."""
    references = {source: [target] for source, target in pairs}
    questions = robustness.quantities_in_frames(language_pair_of(pairs))
    assert len(questions) == 3 * 3 * 20  # 20 in each of the three frames of a kind
    asked = dict(questions)
    assert "The old piano was sold for £111.82." in asked
    assert measured(lambda text: asked.get(text, ""), references).quantities == 100
    assert 0 < measured(str, references).quantities < 60
    assert measured(str, {source: [source] for source, _ in pairs}).quantities is None


def test_sentences_up_to_the_models_maximum_length_are_measured(measured, t):
    texts = [" ".join(["a"] * n) for n in range(1, 2 * t.config.max_length)]
    by_length = dict(zip(map(len, t.tokenizer.encode_ids(texts)), texts, strict=True))
    fits, longer = (by_length[t.config.max_length + extra] for extra in (0, 1))
    asked: list[str] = []
    measured(lambda text: asked.append(text) or text, {text: [text] for text in (fits, longer)})
    assert fits in asked
    assert longer not in asked


PRINTED = """\
names that come through     98.7 %
numbers that come through  100.0 %
prices, times and dates     65.4 %
BLEU, as they are          32.10
BLEU, 2 joined              9.80
stop at the length limit     7.6 %
say it three times           0.5 %
"""


def test_the_command_prints_robustness(tiny_checkpoint, tmp_path, monkeypatch, capsys):
    few = robustness.names_in_frames()[::90]
    monkeypatch.setattr(robustness, "names_in_frames", lambda: few)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("The cat sleeps.\tLe chat dort.\nHello!\tBonjour !\n", encoding="utf-8")
    command = ["--checkpoint", str(tiny_checkpoint), "--pairs", str(pairs), "--robustness"]
    assert evaluate.main([*command, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["checkpoint"] == "tiny"
    assert list(values["bleu"])[-1] == "2 joined"
    bleu = {"as they are": 32.1, "2 joined": 9.8}
    for quantities, lines in ((65.4, PRINTED), (None, re.sub("prices.*\n", "", PRINTED))):
        result = robustness.Robustness(98.7, 100.0, quantities, bleu, 7.6, 0.5)
        monkeypatch.setattr(evaluate, "robustness", lambda *_, result=result: result)
        assert evaluate.main(command) == 0
        assert capsys.readouterr().out == lines
