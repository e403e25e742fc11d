"""The languages of a corpus, nouns with their articles, and invented names."""

import re
import unicodedata
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from model.augmentation.names import language_pair
from model.augmentation.names.invented import SimilarNames, syllable_name
from model.augmentation.names.language_pair import LanguagePair, language_pair_of
from model.augmentation.names.nouns import french_forms, nouns
from model.augmentation.names.tables import read_table
from model.corpora.chinese import is_chinese
from tests.unit.conftest import is_about


@pytest.mark.parametrize(("common", "name"), [(2, "en-fr"), (1, "")])
def test_a_fifth_of_the_sentences_must_have_common_words_of_both_languages(common, name):
    on_both_sides = [("The cat sleeps.", "Le chat est là.")] * common
    on_one_side = [("The cat sleeps.", "Die Katze schläft."), ("Hallo!", "Vous !")] * 4
    on_none = [("Hallo!", "Hei!")] * (2 - common)
    assert language_pair_of([*on_one_side, *on_both_sides, *on_none]).name == name


def test_of_two_language_pairs_that_fit_the_first_by_name_counts(monkeypatch):
    both = [("The cat sleeps.", "Le chat est là."), ("You are here.", "你在这。")]
    folder = language_pair.FOLDER
    for order in (["en-fr.json", "en-zh.json"], ["en-zh.json", "en-fr.json"]):
        listed = SimpleNamespace(glob=lambda _, order=order: [folder / name for name in order])
        monkeypatch.setattr(language_pair, "FOLDER", listed)
        assert language_pair_of(both).name == "en-fr"


def test_a_corpus_of_other_languages_has_no_language_pair():
    assert language_pair_of([("Wo bist du?", "Where are you?")]) == LanguagePair()


@pytest.mark.parametrize(
    ("name", "in_", "from_", "of_name"),
    [
        ("le Japon", "au Japon", "du Japon", "du Japon"),
        ("les États-Unis", "aux États-Unis", "des États-Unis", "des États-Unis"),
        ("Cuba", "à Cuba", "de Cuba", "de Cuba"),
        ("Israël", "en Israël", "d'Israël", "d'Israël"),
        ("l'hébreu", "en hébreu", "d'hébreu", "de l'hébreu"),
        ("la Côte d'Ivoire", "en Côte d'Ivoire", "de Côte d'Ivoire", "de la Côte d'Ivoire"),
        ("Lyon", "à Lyon", "de Lyon", None),
        ("Athènes", "à Athènes", "d'Athènes", None),
        ("Le Caire", "au Caire", "du Caire", None),
        ("La Havane", "à La Havane", "de La Havane", None),
    ],
)
def test_countries_and_cities_get_their_french_prepositions(name, in_, from_, of_name):
    forms = french_forms(name, city=of_name is None)
    assert (forms[""], forms["_in"], forms["_from"]) == (name, in_, from_)
    assert forms["_to"] == in_ if of_name is None else forms["_of"] == of_name


def test_nouns_have_three_names_and_the_article_fits_the_first_letter():
    french = nouns("fr")
    chinese = nouns("zh")
    for kind, rows in french.items():
        english = [name for name, _ in rows]
        assert [name for name, _ in chinese[kind]] == english
        assert all(is_chinese(forms[""]) for _, forms in chinese[kind])
        assert kind == "zone" or len(set(english)) == len(english)
        for _, forms in rows:
            assert kind == "nationality" or not re.match(r"l[ea] [aeiouéèê]", forms[""].lower())
    cities = {name for name, _ in french["city"]}
    # a place has either French prepositions of its own or is a plain name, not both
    assert cities.isdisjoint(read_table("train.json")["place"])
    measured = {name for kind in ("place", "family") for name in read_table("test.json")[kind]}
    assert measured.isdisjoint(name for rows in french.values() for name, _ in rows)
    assert {"Netherlands", "Philippines"}.isdisjoint(
        name.removeprefix("the ") for name, _ in french["one_country"]
    )


def test_any_three_letters_of_an_invented_name_follow_each_other_in_a_real_name():
    similar = SimilarNames(["Banan", "Anna"])
    random = np.random.default_rng(1)
    made = {similar.invent(random) for _ in range(500)}
    assert {"Banan", "Anna", "Ban", "Banana", "Annan"} <= made
    assert {name[:2] for name in made} == {"Ba", "An"}
    triples = {name[i : i + 3] for name in made for i in range(len(name) - 2)}
    assert triples == {"Ban", "ana", "nan", "Ann", "nna"}


def test_a_name_like_others_has_3_to_12_letters():
    similar = SimilarNames(["a" * 20])  # any number of letters would be possible
    random = np.random.default_rng(1)
    assert {len(similar.invent(random)) for _ in range(200)} == set(range(3, 13))


def test_invented_names_are_of_a_few_syllables_some_of_two_words_or_with_an_accent():
    """Only the letters b d f h j k m p t v w x have no accented form here."""
    random = np.random.default_rng(2)
    n = 4000
    invented = [syllable_name(random) for _ in range(n)]
    assert len(set(invented[:1000])) > 950
    assert is_about(sum(" " in name for name in invented), n, 0.1)
    words = [word for name in invented for word in name.split(" ")]
    assert all(word == word.capitalize() and word for word in words)

    decomposed = [unicodedata.normalize("NFD", word.lower()) for word in words]
    plain = ["".join(filter(str.isalpha, word)) for word in decomposed]
    takes_accent = [sum(c in "acegilnorsuyzøł" for c in word) / len(word) for word in plain]
    n_accents = sum(not word.isascii() for word in words)
    assert is_about(n_accents, round(sum(takes_accent)), 0.2)

    counts = Counter(len(re.findall(r"[aeiouø]+", word)) for word in plain)
    assert set(counts) == {1, 2, 3}
    assert counts[2] > counts[1] > counts[3]
