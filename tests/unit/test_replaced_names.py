"""New names and numbers on both sides of a pair, with correct French around them."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from model.augmentation.names.invented import SubwordNames
from model.augmentation.names.language_pair import LanguagePair, language_pair_of
from model.augmentation.names.nouns import nouns
from model.augmentation.names.tables import read_table
from model.augmentation.quantities import KINDS
from model.augmentation.replaced_names import Copying
from model.corpora.pairs import Pair
from tests.unit.conftest import is_about

SLOT = re.compile(r"\{\w+\}")
ENDING = re.compile(r"_(?:bare|in|to|from|of|f)\}")
WRITTEN_OTHERWISE = re.compile("|".join(f"{{{kind}" for kind in (*KINDS, "date", *nouns("fr"))))
FAMOUS = "The agreement on the European Economic Area was signed in August 1992."


@pytest.fixture(scope="module")
def copying(french: LanguagePair) -> Copying:
    return Copying(french)


def many(make, n: int = 300) -> list[Pair]:
    random = np.random.default_rng(1)
    return [make(random) for _ in range(n)]


def others(copying: Copying, pair: Pair, n: int = 300) -> list[Pair]:
    return many(lambda random: copying.replace(pair, random), n)


def test_the_new_name_is_the_same_on_both_sides_and_keeps_the_gender(copying):
    pair = ("Tom's sister knows Tom and Mary.", "La sœur de Tom connaît Tom et Mary.")
    women = set()
    for source, target in others(copying, pair):
        sister = re.fullmatch(r"(.+)'s sister knows \1 and (.+)\.", source)
        assert sister, source
        man, woman = sister.groups()
        assert re.fullmatch(rf"La sœur (de |d'){man} connaît {man} et {woman}\.", target)
        assert {"Tom", "Mary"}.isdisjoint((man, woman))
        women.add(woman)
    lists = read_table("train.json")
    assert women & set(lists["woman"])
    assert women.isdisjoint(lists["man"])


@pytest.mark.parametrize(
    ("name", "with_de", "that"),
    [*((name, "d'", "qu'") for name in ("Anna", "Émile", "Øyvind", "Yves"))]
    + [(name, "de ", "que ") for name in ("Yuki", "Łukasz", "Hans")],
)
def test_de_and_que_are_adapted_to_the_name(copying, monkeypatch, name, with_de, that):
    monkeypatch.setattr(copying, "new_name", lambda _kind, _random: name)
    pair = ("I know that Tom is Tom's son.", "Je sais que Tom est le fils de Tom.")
    [(_, target)] = others(copying, pair, 1)
    assert target == f"Je sais {that}{name} est le fils {with_de}{name}."


@pytest.mark.parametrize(
    "pair",
    [
        ("Tom sleeps.", "Il dort."),  # the name is on one side only
        ("He sleeps.", "Tom dort."),
        ("Tommy sleeps.", "Tommy dort."),  # part of another name
        ("Come at 2:30.", "Venez à 2:30."),
        ("It costs 10,000 yen.", "Ça coûte 10 000 yens."),
        ("It weighs 3.5 kilos.", "Ça pèse 3,5 kilos."),
        ("The 17th was wet.", "Le 17e était humide."),
        ("I have 1 dog.", "J'ai 1 chien."),  # another number would need "dogs"
        ("I have 0 cats.", "J'ai 0 chats."),
        ("She is 25.", "Elle a vingt-cinq ans."),
    ],
)
def test_a_pair_that_a_new_name_or_number_would_make_wrong_is_not_changed(copying, pair):
    assert set(others(copying, pair, 20)) == {pair}


@pytest.mark.parametrize(
    ("number", "lowest", "highest"),
    [(2, 2, 9), (48, 10, 99), (365, 100, 999), (2100, 1000, 9999)]
    + [(year, 1000, 2099) for year in (1000, 2099)],
)
def test_numbers_keep_their_length_and_years_stay_years(copying, number, lowest, highest):
    replaced = others(copying, (f"In {number}.", f"En {number}."))
    assert all(target == source.replace("In", "En") for source, target in replaced)
    numbers = [int(source[3:-1]) for source, _ in replaced]
    few = (highest - lowest) // 20  # 300 draws stay within the range and come close to both ends
    assert lowest <= min(numbers) <= lowest + few
    assert highest - few <= max(numbers) <= highest


def test_a_chinese_name_is_replaced_by_a_name_in_latin_letters():
    chinese = [("Tom is here.", "汤姆在这儿。"), ("You are not in Boston.", "你不在波士顿。")]
    languages = language_pair_of(chinese)
    assert languages.name == "en-zh"
    copying = Copying(languages)
    pair = ("Tom was in Boston with Mary in 1992.", "1992年汤姆和玛丽在波士顿。")
    for source, target in others(copying, pair):
        match = re.fullmatch(r"(.+) was in (.+) with (.+) in (\d{4})\.", source)
        assert match, source
        man, city, woman, year = match.groups()
        assert target == f"{year}年{man}和{woman}在{city}。"
        assert {"Tom", "Boston", "Mary"}.isdisjoint((man, city, woman))


def test_numbers_need_no_language_pair_but_names_do():
    copying = Copying(LanguagePair())
    [(source, target)] = others(copying, ("Tom hat 365 Kerzen.", "Tom 365 sveče."), 1)
    assert re.sub(r"\d+", "365", source) == "Tom hat 365 Kerzen."
    assert source != "Tom hat 365 Kerzen."
    assert re.findall(r"\d+", source) == re.findall(r"\d+", target)
    assert not copying.templates


@pytest.mark.parametrize(
    ("name", "pair"),
    [("en-fr", ("You are here.", "Vous êtes là.")), ("en-zh", ("You are here.", "你在这。"))],
)
def test_templates_have_the_same_slots_and_cannot_make_a_measured_or_famous_sentence(name, pair):
    languages = language_pair_of([pair])
    assert languages.name == name
    assert len(languages.month) == 12
    lists = read_table("test.json")
    frames = {frame for key in lists if key.endswith("frames") for frame in lists[key]}
    for source, target in languages.templates:
        there = sorted(ENDING.sub("}", slot) for slot in SLOT.findall(target))
        assert sorted(SLOT.findall(source)) == there != [], source
        assert SLOT.sub("{}", source) not in frames
        assert all(text == " ".join(text.split()) for text in (source, target))
        # nor may a template make the famous sentence with one word changed
        for sentence in (FAMOUS, FAMOUS.replace("agreement", "treaty")):
            assert not can_make(source).fullmatch(sentence), source
    assert can_make("The agreement on {zone} was signed in {month} {year}.").fullmatch(FAMOUS)


def can_make(template: str) -> re.Pattern[str]:
    """Match all that a template can make, and more: any three capitalised words count as a name."""
    name = r"(?:[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2})"
    tables = {
        kind: "|".join(re.escape(row[0]) for row in rows) for kind, rows in nouns("fr").items()
    }

    def filling(slot: str) -> str:
        kind = slot.strip("{}0123456789")
        if kind in tables:
            return f"(?:{tables[kind]})"
        if kind == "month":
            return r"(?:[A-Z]\w+)"
        if kind in ("year", "number"):
            return r"(?:\d+)"
        if kind in (*KINDS, "date"):
            return r"(?:\w[\w $€:,.]*)"
        return name

    texts = re.split(r"(\{\w+\})", template)
    patterns = [filling(text) if text.startswith("{") else re.escape(text) for text in texts]
    return re.compile("".join(patterns))


@pytest.mark.parametrize(
    ("template", "made"),
    [
        ("{country}|Dans {country}", ("The Netherlands", "Dans les Pays-Bas")),
        ("{one_country}|{one_country}", ("India", "L'Inde")),
        ("{woman} is {nationality}.|Elle est {nationality_f}.", None),
    ],
)
def test_a_sentence_begins_with_a_capital(template, made):
    source, target = template.split("|")
    languages = LanguagePair(name="en-fr", templates=[(source, target)])
    pairs = many(Copying(languages).make, 2000)
    assert made is None or made in pairs
    assert all(text[0].isupper() for pair in pairs for text in pair)


def test_full_names_have_two_to_four_words_or_a_hyphen():
    full = [name for name, _ in filled("{fullname}", 2000)]
    real = set(read_table("train.json")["full"])
    assert is_about(sum(name in real for name in full), 2000, 0.2)
    assert {"Maria Garcia Lopez", "Nguyễn Văn Đức", "Jean-Pierre Dubois"} <= set(full)
    lengths = Counter(name.count(" ") for name in full)
    assert min(lengths) == 1
    assert lengths[1] > 400
    assert lengths[2] > 400
    assert any(re.search(r"\w (van der|de la|bin) \w", name) for name in full)
    assert any(re.search(r" [^\W\d]\. ", name) for name in full)


def test_made_sentences_have_all_slots_filled_and_the_same_names_on_both_sides(copying, french):
    made = many(copying.make, 3000)
    assert not any("{" in text for pair in made for text in pair)
    # the text of a time can end with a full stop
    assert not any(".." in source for source, _ in made)
    plain = [pair for pair in french.templates if not WRITTEN_OTHERWISE.search(pair[0])]
    # only templates without quantities, which test_quantities tests
    same = Copying(replace(french, templates=plain))
    for source, target in many(same.make, 1000):
        assert sorted(re.findall(r"\d+", source)) == sorted(re.findall(r"\d+", target))
    named = [pair for pair in made if re.match(r"My name is (?!.* and I )", pair[0])]
    assert len(named) > 15
    assert all(
        source.removeprefix("My name is ")
        == target.removeprefix("Mon nom est ").removeprefix("Je m'appelle ")
        for source, target in named
    )


def only(monkeypatch: pytest.MonkeyPatch, *, similar: float) -> None:
    monkeypatch.setattr("model.augmentation.replaced_names._REAL", 0.0)
    monkeypatch.setattr("model.augmentation.replaced_names._SIMILAR", similar)


def test_a_name_like_others_is_a_new_name(copying, monkeypatch):
    only(monkeypatch, similar=1.0)
    lists = [*read_table("train.json").values(), *read_table("test.json").values()]
    real = {name.casefold() for list_ in lists for name in list_}
    made = {copying.new_name("man", np.random.default_rng(seed)) for seed in range(200)}
    assert len(made) > 150
    assert real.isdisjoint(name.casefold() for name in made)


def test_names_from_subwords_begin_with_a_capital_and_use_all_subwords_equally(french):
    subwords = [
        " Pri",
        " Say",
        " the",
        "Up",
        " Mc",
        "y",
        "a",
        "arth",
        " ",
        "!",
        "<C3>",
        "的",
        " NO",
    ]
    of_subwords = SubwordNames(subwords)
    random = np.random.default_rng(1)
    made = [of_subwords.invent(random) for _ in range(3000)]
    joined = re.compile(r"(Pri|Say|Mc)((?:y|arth|a){1,3})")
    assert all(joined.fullmatch(name) for name in made)
    assert max(map(len, made)) == len("Mcarthartharth") == 14
    for first in ("Pri", "Say", "Mc"):
        assert is_about(sum(name.startswith(first) for name in made), 3000, 1 / 3)
    assert {"Priya", "Mcarthy", "Sayaaa"} <= set(made)
    of_two_letters = SubwordNames([" Qx", "xq"])
    lengths = Counter(len(of_two_letters.invent(random)) for _ in range(3000))
    # two, three or four subwords; names of four are half as frequent
    assert all(is_about(lengths[n], 3000, share) for n, share in ((4, 0.4), (6, 0.4), (8, 0.2)))
    copying = Copying(french, [" Qx", "xq"])
    assert is_about(
        sum(set(copying.new_name("man", random)) == set("Qxq") for _ in made), 3000, 0.3
    )


def words_of_names(table: str) -> set[str]:
    lists = read_table(table)
    names = [name for category in ("man", "woman", "family", "place") for name in lists[category]]
    return {word.casefold() for name in names for word in name.split()}


@pytest.mark.parametrize("subwords", [[], [" Pri"], ["y"]])
def test_without_subwords_that_make_a_name_syllables_take_their_share(monkeypatch, subwords):
    """Names of the measurement are never put into a training."""
    assert words_of_names("train.json").isdisjoint(words_of_names("test.json"))
    only(monkeypatch, similar=0.0)
    invented = iter(["Priya", "KOFI", "Lomu"])
    monkeypatch.setattr(
        "model.augmentation.replaced_names.syllable_name", lambda _random: next(invented)
    )
    assert not SubwordNames(subwords)
    copying = Copying(LanguagePair(), subwords)
    assert copying.new_name("man", np.random.default_rng(1)) == "Lomu"


MONTHS = [(f"M{i}", f"N{i}") for i in range(12)]


def filled(slots: str, n: int = 4000) -> list[Pair]:
    return many(Copying(LanguagePair(templates=[(slots, slots)], month=MONTHS)).make, n)


def test_days_ages_and_months_take_exactly_their_possible_values():
    # 1 is written as a word or needs another noun
    for slot, last in (("{day}", 31), ("{age}", 99)):
        assert set(filled(slot)) == {(f"{n}", f"{n}") for n in range(2, last + 1)}
    assert set(filled("{month}")) == set(MONTHS)


def test_numbers_of_one_to_four_digits_are_equally_frequent_and_years_span_eleven_centuries():
    numbers = [number for number, _ in filled("{number}")]
    for digits in (1, 2, 3, 4):
        values = [int(number) for number in numbers if len(number) == digits]
        assert is_about(len(values), 4000, 1 / 4)
        lowest = max(2, 10 ** (digits - 1))
        highest = 10**digits - 1
        assert lowest <= min(values) <= lowest + 0.02 * highest
        assert 0.98 * highest <= max(values) <= highest
    years = [int(year) for year, _ in filled("{year}")]
    assert min(years) in range(1000, 1010)
    assert max(years) in range(2090, 2100)


def test_two_fifths_of_the_names_are_real_and_half_of_the_people_are_women():
    lists = read_table("train.json")
    n = 4000
    people = [name for name, _ in filled("{person}", n)]
    assert is_about(sum(name in {*lists["man"], *lists["woman"]} for name in people), n, 0.4)
    for kind, other in (("man", "woman"), ("woman", "man")):
        only_so = set(lists[kind]) - set(lists[other])
        share = 0.2 * len(only_so) / len(lists[kind])  # half of two fifths of the names
        assert is_about(sum(name in only_so for name in people), n, share)
