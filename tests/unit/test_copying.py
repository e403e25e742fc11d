"""Another name or number on both sides, and right French around it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from model.data.copying import Copying
from model.data.corpus import Pair
from model.data.language_pair import LanguagePair, language_pair_of, names
from model.data.names.invented_names import invented_name
from model.data.names.similar_names import SimilarNames
from model.data.names.subword_names import SubwordNames

SLOT = re.compile(r"\{\w+\}")


@pytest.fixture(scope="module")
def french(pairs: list[Pair]) -> LanguagePair:
    return language_pair_of(pairs)


@pytest.fixture(scope="module")
def copying(french: LanguagePair) -> Copying:
    return Copying(french)


def many(make: Callable[[np.random.Generator], Pair], n: int = 300) -> list[Pair]:
    random = np.random.default_rng(1)
    return [make(random) for _ in range(n)]


def only_with(copying: Copying, monkeypatch: pytest.MonkeyPatch, *, name: str) -> None:
    monkeypatch.setattr(copying, "_name", lambda _kind, _random: name)


@pytest.mark.parametrize("pair", [("He sleeps.", "Tom dort."), ("Tom sleeps.", "Il dort.")])
def test_a_name_that_stands_on_one_side_only_stays(copying: Copying, pair: Pair) -> None:
    assert set(many(lambda random: copying.replaced(pair, random), 20)) == {pair}


def test_the_language_pair_is_known_by_its_common_words(french: LanguagePair) -> None:
    assert french.name == "en-fr"
    german = [("The dog is old.", "Der Hund ist alt."), ("Where are you?", "Wo bist du?")]
    assert language_pair_of(german) == LanguagePair()


def test_the_same_new_name_on_both_sides(copying: Copying) -> None:
    pair = ("Tom's sister knows Tom and Mary.", "La sœur de Tom connaît Tom et Mary.")
    for source, target in many(lambda random: copying.replaced(pair, random)):
        sister = re.fullmatch(r"(.+)'s sister knows \1 and (.+)\.", source)
        assert sister, source
        man, woman = sister.groups()
        assert re.fullmatch(rf"La sœur (de |d'){man} connaît {man} et {woman}\.", target)
        assert {"Tom", "Mary"}.isdisjoint((man, woman))


def test_real_names_keep_the_sex_that_the_french_agrees_with(copying: Copying) -> None:
    lists = names("train")
    pair = ("Mary is tired.", "Mary est fatiguée.")
    women = {source.split(" is ")[0] for source, _ in many(lambda r: copying.replaced(pair, r))}
    assert women & set(lists["woman"])
    assert women.isdisjoint(lists["man"])


@pytest.mark.parametrize(
    ("name", "of", "that"),
    [
        ("Anna", "d'Anna", "qu'Anna"),
        ("Émile", "d'Émile", "qu'Émile"),
        ("Øyvind", "d'Øyvind", "qu'Øyvind"),
        ("Yves", "d'Yves", "qu'Yves"),
        ("Yuki", "de Yuki", "que Yuki"),
        ("Łukasz", "de Łukasz", "que Łukasz"),
        ("Hans", "de Hans", "que Hans"),
    ],
)
def test_de_and_que_before_a_name(
    copying: Copying, monkeypatch: pytest.MonkeyPatch, name: str, of: str, that: str
) -> None:
    only_with(copying, monkeypatch, name=name)
    pair = ("I know that Tom is Tom's son.", "Je sais que Tom est le fils de Tom.")
    _, target = copying.replaced(pair, np.random.default_rng(1))
    assert target == f"Je sais {that} est le fils {of}."


@pytest.mark.parametrize(
    "pair",
    [
        ("Tom sleeps.", "Il dort."),  # only on one side
        ("Tommy sleeps.", "Tommy dort."),  # another name
        ("Come at 2:30.", "Venez à 2:30."),
        ("It costs 10,000 yen.", "Ça coûte 10 000 yens."),
        ("It weighs 3.5 kilos.", "Ça pèse 3,5 kilos."),
        ("The 17th was wet.", "Le 17e était humide."),
        ("I have 1 dog.", "J'ai 1 chien."),  # more of them would be dogs
        ("She is 25.", "Elle a vingt-cinq ans."),
    ],
)
def test_what_stays(copying: Copying, pair: Pair) -> None:
    assert all(new == pair for new in many(lambda random: copying.replaced(pair, random), 20))


@pytest.mark.parametrize("number", ["7", "48", "365", "1992", "2150"])
def test_numbers_keep_their_length_and_years_are_years(copying: Copying, number: str) -> None:
    pair = (f"In {number}.", f"En {number}.")
    found = many(lambda random: copying.replaced(pair, random))
    numbers = [re.findall(r"\d+", source) for source, _ in found]
    assert all(target == source.replace("In", "En") for source, target in found)
    assert all(len(n) == len(number) for [n] in numbers)
    assert len({n for [n] in numbers}) > 5
    if number == "1992":
        assert all(1000 <= int(n) < 2100 for [n] in numbers)


def test_a_name_in_chinese_gives_way_to_one_in_latin_letters() -> None:
    chinese = [("Tom is here.", "汤姆在这儿。"), ("You are not in Boston.", "你不在波士顿。")]
    languages = language_pair_of(chinese)
    assert languages.name == "en-zh"
    copying = Copying(languages)
    pair = ("Tom was in Boston with Mary in 1992.", "1992年汤姆和玛丽在波士顿。")
    for source, target in many(lambda random: copying.replaced(pair, random)):
        said = re.fullmatch(r"(.+) was in (.+) with (.+) in (\d{4})\.", source)
        assert said, source
        man, place, woman, year = said.groups()
        assert target == f"{year}年{man}和{woman}在{place}。"
        assert {"Tom", "Boston", "Mary"}.isdisjoint((man, place, woman))


def test_numbers_need_no_language_pair_names_do() -> None:
    copying = Copying(LanguagePair())
    random = np.random.default_rng(1)
    source, target = copying.replaced(("Tom hat 365 Kerzen.", "Tom 365 sveče."), random)
    assert re.sub(r"\d+", "365", source) == "Tom hat 365 Kerzen."
    assert source != "Tom hat 365 Kerzen."
    assert re.findall(r"\d+", source) == re.findall(r"\d+", target)
    assert copying.templates == 0


@pytest.mark.parametrize("name", ["en-fr", "en-zh"])
def test_every_template_has_the_same_slots_on_both_sides(name: str) -> None:
    sentences = {
        "en-fr": ("You are here.", "Vous êtes là."),
        "en-zh": ("You are here.", "你在这。"),
    }
    languages = language_pair_of([sentences[name]])
    assert languages.name == name
    assert len(languages.month) == 12
    for source, target in languages.templates:
        slots = SLOT.findall(source)
        assert slots, source
        assert sorted(slots) == sorted(SLOT.findall(target)), source


def test_made_sentences_have_no_slot_left_and_say_the_same_names(copying: Copying) -> None:
    made = many(copying.made, 3000)
    assert not any("{" in text for pair in made for text in pair)
    for source, target in made:
        assert sorted(re.findall(r"\d+", source)) == sorted(re.findall(r"\d+", target))
    named = [pair for pair in made if pair[0].startswith("My name is")]
    assert len(named) > 20
    assert all(
        source.removeprefix("My name is ")
        == target.removeprefix("Mon nom est ").removeprefix("Je m'appelle ")
        for source, target in named
    )


def test_names_of_the_measurement_are_never_put_in(
    copying: Copying, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = names("test")
    seen = {word.casefold() for kind in names("train").values() for n in kind for word in n.split()}
    for kind in ("man", "woman", "family", "place"):
        assert seen.isdisjoint(word.casefold() for name in lists[kind] for word in name.split())
    invented = iter(["Priya", "KOFI", "Lomu"])
    monkeypatch.setattr("model.data.copying.invented_name", lambda _random: next(invented))
    monkeypatch.setattr("model.data.copying._REAL", 0.0)
    monkeypatch.setattr("model.data.copying._SIMILAR", 0.0)
    assert copying._name("man", np.random.default_rng(1)) == "Lomu"


def test_templates_and_frames_of_the_measurement_are_different_sentences(
    french: LanguagePair,
) -> None:
    frames = {
        frame for key, list_ in names("test").items() if key.endswith("frames") for frame in list_
    }
    assert frames.isdisjoint(SLOT.sub("{}", source) for source, _ in french.templates)


def test_invented_names() -> None:
    random = np.random.default_rng(1)
    invented = [invented_name(random) for _ in range(1000)]
    assert all(word == word.capitalize() and word for name in invented for word in name.split(" "))
    assert len(set(invented)) > 950
    assert any(" " in name for name in invented)
    assert 50 < sum(not name.isascii() for name in invented) < 300


def test_names_like_others_follow_every_two_letters_with_one_that_follows_them_there() -> None:
    similar, random = SimilarNames(["Banan", "Anna"]), np.random.default_rng(1)
    made = {similar.one(random) for _ in range(500)}
    assert {"Banan", "Anna", "Ban", "Banana", "Annan"} <= made
    assert all(3 <= len(name) <= 12 for name in made)
    begin, follow = {name[:2] for name in made}, {n[i : i + 3] for n in made for i in range(len(n))}
    assert begin == {"Ba", "An"}
    assert {three for three in follow if len(three) == 3} == {"Ban", "ana", "nan", "Ann", "nna"}


def test_a_name_like_others_is_none_of_them(
    copying: Copying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.data.copying._REAL", 0.0)
    monkeypatch.setattr("model.data.copying._SIMILAR", 1.0)
    lists = [*names("train").values(), *names("test").values()]
    real = {name.casefold() for list_ in lists for name in list_}
    made = {copying._name("man", np.random.default_rng(seed)) for seed in range(500)}
    assert len(made) > 400
    assert real.isdisjoint(name.casefold() for name in made)


def test_names_of_subwords_begin_with_a_capital_and_any_subword_comes_as_often() -> None:
    subwords = [" Pri", " Say", " the", "Up", " B", "y", "a", "arth", " ", "!", "<C3>", "的", " NO"]
    of_subwords, random = SubwordNames(subwords), np.random.default_rng(1)
    made = [of_subwords.one(random) for _ in range(3000)]
    cut = re.compile(r"(Pri|Say|B)((?:y|arth|a){1,3})")
    assert all(cut.fullmatch(name) for name in made)
    assert max(map(len, made)) <= 14
    for first in ("Pri", "Say", "B"):
        share = sum(name.startswith(first) for name in made)
        assert abs(share - 1000) < 5 * (3000 * 2 / 9) ** 0.5  # five standard deviations
    assert {"Priya", "Barthy", "Sayaaa"} <= set(made)


@pytest.mark.parametrize("subwords", [[], [" Pri"], ["y"]])
def test_without_subwords_that_make_a_name_syllables_take_their_share(
    monkeypatch: pytest.MonkeyPatch, subwords: list[str]
) -> None:
    monkeypatch.setattr("model.data.copying._REAL", 0.0)
    monkeypatch.setattr("model.data.copying._SIMILAR", 0.0)
    monkeypatch.setattr("model.data.copying.invented_name", lambda _random: "Lomu")
    assert not SubwordNames(subwords)
    copying = Copying(LanguagePair(), subwords)
    assert copying._name("man", np.random.default_rng(1)) == "Lomu"


def test_three_names_in_ten_are_of_subwords(french: LanguagePair) -> None:
    copying, random, n = Copying(french, [" Qx", "xq"]), np.random.default_rng(1), 4000
    made = sum(set(copying._name("man", random)) == set("Qxq") for _ in range(n))
    assert abs(made - 0.3 * n) < 5 * (0.21 * n) ** 0.5


def filled(slots: str, n: int = 4000) -> list[str]:
    """What comes into the slots of a template, n times."""
    languages = LanguagePair(
        templates=[(slots, slots)], month=[(f"m{i}", f"M{i}") for i in range(12)]
    )
    made = many(Copying(languages).made, n)
    assert "month" in slots or all(source == target for source, target in made)
    return [source for source, _ in made]


@pytest.mark.parametrize(("slot", "values"), [("{day}", range(2, 32)), ("{age}", range(2, 100))])
def test_days_and_ages_take_all_their_values_and_no_other(slot: str, values: range) -> None:
    """Neither is 1, which some languages write as a word, or with another noun."""
    assert {int(found) for found in filled(slot)} == set(values)


def test_months_are_the_twelve_of_both_languages() -> None:
    languages = LanguagePair(
        templates=[("{month}", "{month}")], month=[(f"m{i}", f"M{i}") for i in range(12)]
    )
    assert set(many(Copying(languages).made)) == {(f"m{i}", f"M{i}") for i in range(12)}


def test_years_are_of_the_last_eleven_centuries() -> None:
    years = [int(year) for year in filled("{year}")]
    assert min(years) in range(1000, 1010)
    assert max(years) in range(2090, 2100)


def test_numbers_of_one_to_four_digits_come_equally_often() -> None:
    numbers = filled("{number}")
    for digits in (1, 2, 3, 4):
        found = [int(number) for number in numbers if len(number) == digits]
        assert abs(len(found) - 1000) < 5 * (4000 * 3 / 16) ** 0.5  # five standard deviations
        lowest, highest = max(2, 10 ** (digits - 1)), 10**digits - 1
        assert lowest <= min(found) <= lowest + 0.02 * highest
        assert 0.98 * highest <= max(found) <= highest


def test_two_fifths_of_the_names_are_real_and_half_of_the_people_are_women() -> None:
    lists, n = names("train"), 4000
    spread = 5 * n**0.5 / 2  # five standard deviations of a fair coin, or more
    people = filled("{person}", n)
    real = set(lists["man"]) | set(lists["woman"])
    assert abs(sum(name in real for name in people) - 0.4 * n) < spread
    for kind, other in (("man", "woman"), ("woman", "man")):
        only = set(lists[kind]) - set(lists[other])
        share = 0.2 * len(only) / len(lists[kind])  # half of them, and two fifths of the names
        assert abs(sum(name in only for name in people) - share * n) < spread


def test_years_at_their_borders(copying: Copying) -> None:
    for number, is_year in (("1000", True), ("2099", True), ("2100", False)):
        pair = (f"In {number}.", f"En {number}.")
        found = {int(s[3:-1]) for s, _ in many(lambda r, pair=pair: copying.replaced(pair, r))}
        assert (max(found) < 2100) == is_year
        assert min(found) >= 1000


def test_two_is_a_number_like_others_and_nothing_is_none(copying: Copying) -> None:
    for number, stays in (("0", True), ("1", True), ("2", False), ("9", False)):
        pair = (f"I have {number} cats.", f"J'ai {number} chats.")
        found = many(lambda r, pair=pair: copying.replaced(pair, r), 50)
        assert all(new == pair for new in found) == stays


def test_one_in_ten_invented_names_has_two_words_one_in_five_an_accent_if_it_can() -> None:
    """The letters that take no accent here are few: b d f h j k m p t v w x."""
    random, n = np.random.default_rng(2), 4000
    invented = [invented_name(random) for _ in range(n)]
    assert abs(sum(" " in name for name in invented) - 0.1 * n) < 5 * (0.09 * n) ** 0.5
    parts = [word for name in invented for word in name.split()]
    plain = [unicodedata.normalize("NFD", word.lower()) for word in parts]
    can = sum(
        sum(letter in "acegilnorsuyzøł" for letter in word) / sum(c.isalpha() for c in word)
        for word in plain
    )
    accented = sum(not word.isascii() for word in parts)
    assert abs(accented - 0.2 * can) < 5 * (0.16 * can) ** 0.5


def test_invented_names_have_one_to_three_syllables_most_of_them_two() -> None:
    random = np.random.default_rng(3)
    words = [word for _ in range(4000) for word in invented_name(random).split()]
    bases = [
        "".join(c for c in unicodedata.normalize("NFD", w.lower()) if c.isalpha()) for w in words
    ]
    counts = Counter(len(re.findall(r"[aeiouø]+", base)) for base in bases)
    assert set(counts) == {1, 2, 3}
    assert counts[2] > counts[1] > counts[3]


@pytest.mark.parametrize(("common", "name"), [(2, "en-fr"), (1, "")])
def test_a_fifth_of_the_sentences_must_have_common_words_on_both_sides(
    common: int, name: str
) -> None:
    both = [("The cat sleeps.", "Le chat est là.")] * common
    one = [("The cat sleeps.", "Die Katze schläft."), ("Hallo!", "Vous !")] * 4
    assert language_pair_of([*one, *both, *[("Hallo!", "Hei!")] * (2 - common)]).name == name
