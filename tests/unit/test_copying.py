"""Another name or number on both sides, and right French around it."""

import re
import unicodedata
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from model.augmentation.copying import Copying
from model.augmentation.names.invented import SimilarNames, SubwordNames, syllable_name
from model.augmentation.names.language_pair import LanguagePair, language_pair_of
from model.augmentation.names.nouns import french_forms, nouns
from model.augmentation.names.tables import read_table
from model.augmentation.quantities import KINDS
from model.corpora.chinese import is_chinese
from model.corpora.pairs import Pair

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


def near(found: int, n: int, share: float) -> bool:
    """Whether so many of n are a share, within five standard deviations."""
    return abs(found - share * n) < 5 * (n * share * (1 - share)) ** 0.5


@pytest.mark.parametrize(("common", "name"), [(2, "en-fr"), (1, "")])
def test_a_fifth_of_the_sentences_must_have_common_words_on_both_sides(common, name):
    both = [("The cat sleeps.", "Le chat est là.")] * common
    one = [("The cat sleeps.", "Die Katze schläft."), ("Hallo!", "Vous !")] * 4
    assert language_pair_of([*one, *both, *[("Hallo!", "Hei!")] * (2 - common)]).name == name
    assert language_pair_of([("Wo bist du?", "Where are you?")]) == LanguagePair()


def test_the_same_new_name_on_both_sides_of_the_sex_that_the_french_agrees_with(copying):
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
    ("name", "of", "that"),
    [*((name, "d'", "qu'") for name in ("Anna", "Émile", "Øyvind", "Yves"))]
    + [(name, "de ", "que ") for name in ("Yuki", "Łukasz", "Hans")],
)
def test_de_and_que_before_a_name(copying, monkeypatch, name, of, that):
    monkeypatch.setattr(copying, "new_name", lambda _kind, _random: name)
    pair = ("I know that Tom is Tom's son.", "Je sais que Tom est le fils de Tom.")
    [(_, target)] = others(copying, pair, 1)
    assert target == f"Je sais {that}{name} est le fils {of}{name}."


@pytest.mark.parametrize(
    "pair",
    [
        ("Tom sleeps.", "Il dort."),  # only on one side
        ("He sleeps.", "Tom dort."),
        ("Tommy sleeps.", "Tommy dort."),  # another name
        ("Come at 2:30.", "Venez à 2:30."),
        ("It costs 10,000 yen.", "Ça coûte 10 000 yens."),
        ("It weighs 3.5 kilos.", "Ça pèse 3,5 kilos."),
        ("The 17th was wet.", "Le 17e était humide."),
        ("I have 1 dog.", "J'ai 1 chien."),  # more of them would be dogs
        ("I have 0 cats.", "J'ai 0 chats."),
        ("She is 25.", "Elle a vingt-cinq ans."),
    ],
)
def test_what_stays(copying, pair):
    assert set(others(copying, pair, 20)) == {pair}


@pytest.mark.parametrize(
    ("number", "lowest", "highest"),
    [(2, 2, 9), (48, 10, 99), (365, 100, 999), (2100, 1000, 9999)]
    + [(year, 1000, 2099) for year in (1000, 2099)],
)
def test_numbers_keep_their_length_and_years_are_years(copying, number, lowest, highest):
    found = others(copying, (f"In {number}.", f"En {number}."))
    assert all(target == source.replace("In", "En") for source, target in found)
    numbers = [int(source[3:-1]) for source, _ in found]
    few = (highest - lowest) // 20  # of 300 draws none is beyond, and some are near
    assert lowest <= min(numbers) <= lowest + few
    assert highest - few <= max(numbers) <= highest


def test_a_name_in_chinese_gives_way_to_one_in_latin_letters():
    chinese = [("Tom is here.", "汤姆在这儿。"), ("You are not in Boston.", "你不在波士顿。")]
    languages = language_pair_of(chinese)
    assert languages.name == "en-zh"
    copying = Copying(languages)
    pair = ("Tom was in Boston with Mary in 1992.", "1992年汤姆和玛丽在波士顿。")
    for source, target in others(copying, pair):
        said = re.fullmatch(r"(.+) was in (.+) with (.+) in (\d{4})\.", source)
        assert said, source
        man, place, woman, year = said.groups()
        assert target == f"{year}年{man}和{woman}在{place}。"
        assert {"Tom", "Boston", "Mary"}.isdisjoint((man, place, woman))


def test_numbers_need_no_language_pair_names_do():
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
def test_templates_have_the_same_slots_and_make_no_measured_or_famous_sentence(name, pair):
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
        for said in (FAMOUS, FAMOUS.replace("agreement", "treaty")):  # or nearly the same
            assert not can_say(source).fullmatch(said), source
    assert can_say("The agreement on {zone} was signed in {month} {year}.").fullmatch(FAMOUS)


def can_say(template: str) -> re.Pattern[str]:
    """All that a template can make, and more: any three words with a capital are a name."""
    named = r"(?:[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2})"
    tables = {
        kind: "|".join(re.escape(row[0]) for row in rows) for kind, rows in nouns("fr").items()
    }

    def of(slot: str) -> str:
        kind = slot.strip("{}0123456789")
        others = {"month": r"[A-Z]\w+", **dict.fromkeys(("year", "number"), r"\d+")}
        others |= dict.fromkeys((*KINDS, "date"), r"\w[\w $€:,.]*")
        return f"(?:{tables.get(kind) or others.get(kind, named)})"

    parts = re.split(r"(\{\w+\})", template)
    return re.compile("".join(of(part) if part[:1] == "{" else re.escape(part) for part in parts))


@pytest.mark.parametrize(
    ("name", "in_", "from_", "of"),
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
def test_what_stands_before_a_country_or_a_city(name, in_, from_, of):
    forms = french_forms(name, city=of is None)
    assert (forms[""], forms["_in"], forms["_from"]) == (name, in_, from_)
    assert forms["_to"] == in_ if of is None else forms["_of"] == of


def test_nouns_have_three_names_and_the_article_that_their_first_letter_wants():
    french, chinese = nouns("fr"), nouns("zh")
    for kind, rows in french.items():
        english = [name for name, _ in rows]
        assert [name for name, _ in chinese[kind]] == english
        assert all(is_chinese(forms[""]) for _, forms in chinese[kind])
        assert kind == "zone" or len(set(english)) == len(english)
        for _, forms in rows:
            assert kind == "nationality" or not re.match(r"l[ea] [aeiouéèê]", forms[""].lower())
    cities = {name for name, _ in french["city"]}
    assert cities.isdisjoint(read_table("train.json")["place"])  # which stay as they are
    measured = {place for kind in ("place", "family") for place in read_table("test.json")[kind]}
    assert measured.isdisjoint(name for rows in french.values() for name, _ in rows)
    assert {"Netherlands", "Philippines"}.isdisjoint(
        name.removeprefix("the ") for name, _ in french["one_country"]
    )


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
    found = many(Copying(languages).make, 2000)
    assert made is None or made in found
    assert all(text[0].isupper() for pair in found for text in pair)


def test_full_names_have_two_to_four_words_or_a_hyphen():
    full = [name for name, _ in filled("{fullname}", 2000)]
    assert {"Maria Garcia Lopez", "Nguyễn Văn Đức", "Jean-Pierre Dubois"} <= set(full)
    lengths = Counter(name.count(" ") for name in full)
    assert min(lengths) == 1
    assert lengths[1] > 400
    assert lengths[2] > 400
    assert any(re.search(r"\w (van der|de la|bin) \w", name) for name in full)
    assert any(re.search(r" [^\W\d]\. ", name) for name in full)


def test_made_sentences_have_no_slot_left_and_say_the_same_names(copying, french):
    made = many(copying.make, 3000)
    assert not any("{" in text for pair in made for text in pair)
    assert not any(".." in source for source, _ in made)  # a time ends with a full stop itself
    plain = [pair for pair in french.templates if not WRITTEN_OTHERWISE.search(pair[0])]
    same = Copying(replace(french, templates=plain))  # the others are those of test_quantities
    for source, target in many(same.make, 1000):
        assert sorted(re.findall(r"\d+", source)) == sorted(re.findall(r"\d+", target))
    named = [pair for pair in made if re.match(r"My name is (?!.* and I )", pair[0])]
    assert len(named) > 15
    assert all(
        source.removeprefix("My name is ")
        == target.removeprefix("Mon nom est ").removeprefix("Je m'appelle ")
        for source, target in named
    )


def test_names_like_others_follow_every_two_letters_with_one_that_follows_them_there():
    similar, random = SimilarNames(["Banan", "Anna"]), np.random.default_rng(1)
    made = {similar.invent(random) for _ in range(500)}
    assert {"Banan", "Anna", "Ban", "Banana", "Annan"} <= made
    assert all(3 <= len(name) <= 12 for name in made)
    begin, follow = {name[:2] for name in made}, {n[i : i + 3] for n in made for i in range(len(n))}
    assert begin == {"Ba", "An"}
    assert {three for three in follow if len(three) == 3} == {"Ban", "ana", "nan", "Ann", "nna"}


def only(monkeypatch: pytest.MonkeyPatch, *, similar: float) -> None:
    monkeypatch.setattr("model.augmentation.copying._REAL", 0.0)
    monkeypatch.setattr("model.augmentation.copying._SIMILAR", similar)


def test_a_name_like_others_is_none_of_them(copying, monkeypatch):
    only(monkeypatch, similar=1.0)
    lists = [*read_table("train.json").values(), *read_table("test.json").values()]
    real = {name.casefold() for list_ in lists for name in list_}
    made = {copying.new_name("man", np.random.default_rng(seed)) for seed in range(200)}
    assert len(made) > 150
    assert real.isdisjoint(name.casefold() for name in made)


def test_names_of_subwords_begin_with_a_capital_and_any_subword_comes_as_often(french):
    subwords = [" Pri", " Say", " the", "Up", " B", "y", "a", "arth", " ", "!", "<C3>", "的", " NO"]
    of_subwords, random = SubwordNames(subwords), np.random.default_rng(1)
    made = [of_subwords.invent(random) for _ in range(3000)]
    cut = re.compile(r"(Pri|Say|B)((?:y|arth|a){1,3})")
    assert all(cut.fullmatch(name) for name in made)
    assert max(map(len, made)) <= 14
    for first in ("Pri", "Say", "B"):
        assert near(sum(name.startswith(first) for name in made), 3000, 1 / 3)
    assert {"Priya", "Barthy", "Sayaaa"} <= set(made)
    copying = Copying(french, [" Qx", "xq"])
    assert near(sum(set(copying.new_name("man", random)) == set("Qxq") for _ in made), 3000, 0.3)


@pytest.mark.parametrize("subwords", [[], [" Pri"], ["y"]])
def test_without_subwords_that_make_a_name_syllables_take_their_share(monkeypatch, subwords):
    """And the names that a measurement asks for are never put in."""
    kinds, lists = ("man", "woman", "family", "place"), map(read_table, ("train.json", "test.json"))
    train, test = ({w.casefold() for k in kinds for w in " ".join(of[k]).split()} for of in lists)
    assert train.isdisjoint(test)
    only(monkeypatch, similar=0.0)
    invented = iter(["Priya", "KOFI", "Lomu"])
    monkeypatch.setattr("model.augmentation.copying.syllable_name", lambda _random: next(invented))
    assert not SubwordNames(subwords)
    copying = Copying(LanguagePair(), subwords)
    assert copying.new_name("man", np.random.default_rng(1)) == "Lomu"


MONTHS = [(f"M{i}", f"N{i}") for i in range(12)]


def filled(slots: str, n: int = 4000) -> list[Pair]:
    return many(Copying(LanguagePair(templates=[(slots, slots)], month=MONTHS)).make, n)


def test_days_ages_and_months_take_all_their_values_and_no_other():
    for slot, last in (("{day}", 31), ("{age}", 99)):  # 1 is a word, or has another noun
        assert set(filled(slot)) == {(f"{n}", f"{n}") for n in range(2, last + 1)}
    assert set(filled("{month}")) == set(MONTHS)


def test_numbers_of_one_to_four_digits_come_equally_often_and_years_are_of_eleven_centuries():
    numbers = [number for number, _ in filled("{number}")]
    for digits in (1, 2, 3, 4):
        found = [int(number) for number in numbers if len(number) == digits]
        assert near(len(found), 4000, 1 / 4)
        lowest, highest = max(2, 10 ** (digits - 1)), 10**digits - 1
        assert lowest <= min(found) <= lowest + 0.02 * highest
        assert 0.98 * highest <= max(found) <= highest
    years = [int(year) for year, _ in filled("{year}")]
    assert min(years) in range(1000, 1010)
    assert max(years) in range(2090, 2100)


def test_two_fifths_of_the_names_are_real_and_half_of_the_people_are_women():
    lists, n = read_table("train.json"), 4000
    people = [name for name, _ in filled("{person}", n)]
    assert near(sum(name in {*lists["man"], *lists["woman"]} for name in people), n, 0.4)
    for kind, other in (("man", "woman"), ("woman", "man")):
        only_so = set(lists[kind]) - set(lists[other])
        share = 0.2 * len(only_so) / len(lists[kind])  # half of them, and two fifths of the names
        assert near(sum(name in only_so for name in people), n, share)


def test_invented_names_are_of_a_few_syllables_some_of_two_words_or_with_an_accent():
    """The letters that take no accent here are few: b d f h j k m p t v w x."""
    random, n = np.random.default_rng(2), 4000
    invented = [syllable_name(random) for _ in range(n)]
    assert len(set(invented[:1000])) > 950
    assert near(sum(" " in name for name in invented), n, 0.1)
    parts = [word for name in invented for word in name.split(" ")]
    assert all(word == word.capitalize() and word for word in parts)
    spread = (unicodedata.normalize("NFD", word.lower()) for word in parts)
    plain = ["".join(filter(str.isalpha, word)) for word in spread]
    takes_one = [sum(c in "acegilnorsuyzøł" for c in word) / len(word) for word in plain]
    assert near(sum(not word.isascii() for word in parts), round(sum(takes_one)), 0.2)
    counts = Counter(len(re.findall(r"[aeiouø]+", word)) for word in plain)
    assert set(counts) == {1, 2, 3}
    assert counts[2] > counts[1] > counts[3]
