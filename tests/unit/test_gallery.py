"""The checks of the gallery say yes where a map shows it, and no where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from model.files.checkpoint_error import CheckpointError
from model.gallery import patterns, removals
from model.gallery.candidates_file import candidates_for
from model.gallery.example import NOTHING, Candidate, Example, Found
from model.gallery.finding import find
from model.gallery.gallery_file import read_gallery, save_gallery
from model.gallery.looks import aligned, contrasted, copied, crossed, linked, mistaken, repeated
from model.gallery.phenomena import PHENOMENA, check
from model.gallery.scene import Scene, run_of
from model.maps.view import View
from model.translation_model import TranslationModel, load_transformer

HEAD = ("cross", 0, 0)


class Drawn:
    """A scene whose one map was drawn by hand: its rows and columns, and what it says."""

    def __init__(self, rows: str, columns: str, peaks: list[int], candidate: Candidate) -> None:
        self.candidate = candidate
        weights = np.full((len(rows.split()), len(columns.split())), 0.1, dtype=np.float32)
        weights[range(len(peaks)), peaks] = 0.6
        maps = weights[None, None]
        tokens = tuple(rows.split()), tuple(columns.split())
        self._view = View(maps, maps[0], None, *tokens, normalised=False)
        self.trace = Text(rows)
        self.second = Text("le chien")

    def view(self, *_: object) -> View:
        return self._view


class Text:
    def __init__(self, target_text: str) -> None:
        self.target_text = target_text


def about(*links: tuple[str, str], **more) -> Candidate:
    return Candidate(phenomenon="x", sentence="x", links=links, **more)


def strength(check, *scene) -> float:
    found: Found = check(Drawn(*scene), HEAD)
    return round(found.strength, 4)


NO = NOTHING.strength


def test_a_link_is_there_where_its_cell_is_the_strongest_of_its_row():
    both = about(("pas", "not"), ("ne", "not"))
    assert strength(linked, "il ne va pas", "he goes not", [0, 2, 1, 2], both) == 0.6
    assert strength(linked, "il ne va pas", "he goes not", [0, 0, 1, 2], both) == NO
    assert strength(linked, "il va pas", "he goes not", [0, 1, 2], both) == NO


def test_words_cross_only_side_by_side():
    words = about(("maison", "house"), ("rouge", "red"))
    assert strength(crossed, "maison rouge", "red house", [1, 0], words) == 0.6
    assert strength(crossed, "maison rouge", "red house", [0, 1], words) == NO
    assert strength(crossed, "rouge maison", "red house", [0, 1], words) == NO
    assert strength(crossed, "maison toute rouge", "red house", [1, 0, 0], words) == NO


def test_each_of_two_equal_words_looks_at_its_own():
    word = about(("chien", "dog"))
    assert strength(repeated, "chien et chien", "dog and dog", [0, 1, 2], word) == 0.6
    assert strength(repeated, "chien et chien", "dog and dog", [2, 1, 0], word) == NO
    assert strength(repeated, "chien et", "dog and dog", [0, 1], word) == NO


def test_where_no_words_are_named_nothing_is_found():
    """A file may say anything."""
    for check_ in (linked, crossed, repeated, aligned):
        assert strength(check_, "a b", "A B", [0, 1], about()) == NO
    both = about(("a", "A"), ("b", "B"), changes=("a", "x"))
    assert strength(repeated, "a b", "A B", [0, 1], both) == NO
    assert strength(contrasted, "a b", "A B", [0, 1], about(changes=("a", "chien"))) == NO
    assert strength(mistaken, "a b", "A B", [0, 1], about(changes=("a", "x"))) == NO


def test_a_head_aligns_by_its_mean_over_the_words_that_are_there():
    links = about(*zip("abcdef", "ABCDEF", strict=True))
    assert strength(aligned, "a b c d", "A B C D", [0, 1, 2, 3], links) == 0.6
    assert strength(aligned, "a b c d", "A B C D", [0, 1, 2, 0], links) == NO
    assert strength(aligned, "a b c", "A B C D", [0, 1, 2], links) == NO


def test_a_contrast_needs_another_word_in_the_other_sentence():
    link = ("elle", "it")
    here, there = about(link, changes=("elle", "chien")), about(link, changes=("elle", "il"))
    assert strength(contrasted, "elle va", "it goes", [0, 1], here) == 0.6
    assert strength(contrasted, "elle va", "it goes", [0, 1], there) == NO
    assert strength(contrasted, "elle va", "it goes", [1, 1], here) == NO


def test_a_mistake_is_none_where_the_right_word_stands():
    candidate = about(("banque", "bank"), changes=("banque", "rive"))
    assert strength(mistaken, "la banque", "the bank", [0, 1], candidate) == 0.6
    assert strength(mistaken, "banque rive", "the bank", [1, 0], candidate) == NO


def test_a_name_is_copied_along_a_diagonal_of_three():
    name = about(name="abc")
    assert strength(copied, "x a b c", "a b c y", [3, 0, 1, 2], name) == 0.6
    assert strength(copied, "x a b c", "a b c y", [3, 0, 2, 1], name) == NO
    assert strength(copied, "x ab c", "ab c y", [2, 0, 1], about(name="abc")) == NO
    assert strength(copied, "x a b c", "ab c y", [2, 0, 1, 1], name) == NO


def test_patterns_of_all_rows():
    nothing = about()
    assert strength(patterns.previous, "a b c d", "a b c d", [0, 0, 1, 2], nothing) == 0.6
    assert strength(patterns.previous, "a b c d", "a b c d", [0, 1, 2, 2], nothing) == NO
    assert strength(patterns.sunk, "a b c", "a . c", [1, 1, 1], nothing) == 0.6
    assert strength(patterns.sunk, "a b c", "a b c", [1, 1, 1], nothing) == NO


def test_a_name_is_found_among_its_subwords():
    assert run_of([" a", " Zer", "lina", "s"], "Zerlina") == [1, 2]
    assert run_of([" a"], "Zerlina") == []


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path, short_texts: None) -> TranslationModel:  # noqa: ARG001
    return load_transformer(tiny_checkpoint)


@pytest.mark.parametrize(
    ("same", "lost", "spared", "needed"),
    [(True, 0.01, True, False), (True, 0.2, False, False), (False, 3.0, False, True)],
)
def test_a_head_is_free_or_needed_by_what_follows_without_it(
    monkeypatch, same, lost, spared, needed
):
    text = "a b" if same else "b"
    monkeypatch.setattr(removals, "_without", lambda *_: (text, lost))
    scene = Drawn("a b", "A B", [0, 1], about())
    assert (removals.spared(scene, HEAD) != NOTHING) == spared
    assert (removals.needed(scene, HEAD) != NOTHING) == needed
    assert removals.needed(scene, HEAD).lost == (lost if needed else 0)
    monkeypatch.setattr(removals, "_without", lambda *_: ("a, b!", lost))
    assert removals.needed(scene, HEAD) == NOTHING


def test_without_means_nothing_is_said_of_a_removal(t):
    found = find(
        t, [Candidate(phenomenon=name, sentence="I see.") for name in ("removable", "needed")]
    )
    assert found == {}


def test_what_is_found_holds_and_comes_back_from_its_file(t):
    example = Example(
        candidate=Candidate(
            phenomenon="agreement",
            sentence="I see.",
            links=(("a", "b"),),
            second="x",
            changes=("a", "b"),
        ),
        attention="decoder_self",
        layer=2,
        head=3,
    )
    path = save_gallery(t, [example])
    assert read_gallery(t) == [example]
    text = path.read_text("utf-8")
    for broken in (
        text.replace('"head": 3', '"head": 4'),
        text.replace("agreement", "banana"),
        text.replace("decoder_self", "cross"),
        text.replace('"layer": 2', '"layer": "2"'),
        text[:-20],
    ):
        path.write_text(broken, "utf-8")
        with pytest.raises(CheckpointError, match="find_examples"):
            read_gallery(t)
    path.write_text(text.replace('"model": "', '"model": "other'), "utf-8")
    assert read_gallery(t) == []
    path.unlink()
    assert read_gallery(t) == []


def test_of_a_phenomenon_the_clearest_is_kept(t, monkeypatch):
    sentences = ("I see.", "I see a cat.", "Hello.")
    strengths = dict(zip(sentences, (0.6, 0.9, 0.8), strict=True))
    made = replace(
        PHENOMENA["sink"], check=lambda scene, _: Found(strengths[scene.candidate.sentence])
    )
    monkeypatch.setitem(PHENOMENA, "sink", made)
    found = find(t, [Candidate(phenomenon="sink", sentence=one) for one in sentences])
    example, _, seen = found["sink"]
    assert (example.candidate.sentence, seen.strength) == ("I see a cat.", 0.9)
    monkeypatch.setitem(PHENOMENA, "sink", replace(made, least=0.95))
    assert find(t, [example.candidate]) == {}


def test_a_sentence_is_shown_once_where_another_one_shows_the_same(t, monkeypatch):
    """The gallery had one sentence for the pronoun and for the gender."""
    strengths = {"I see.": 0.9, "Hello.": 0.8}
    for name in ("sink", "removable", "needed"):
        check_ = lambda scene, _: Found(strengths[scene.candidate.sentence])  # noqa: E731
        monkeypatch.setitem(PHENOMENA, name, replace(PHENOMENA[name], check=check_, least=0.5))
    candidates = [
        Candidate(phenomenon=name, sentence=sentence)
        for name, sentences in (
            ("sink", ["Hello.", "I see."]),
            ("removable", ["Hello.", "I see."]),
            ("needed", ["I see."]),
        )
        for sentence in sentences
    ]
    found = {name: seen[0].candidate.sentence for name, seen in find(t, candidates).items()}
    assert found == {"sink": "I see.", "removable": "Hello.", "needed": "I see."}


def test_every_phenomenon_is_looked_for_in_some_language():
    languages = (("en", "fr"), ("en", "zh"))
    found = {one.phenomenon for pair in languages for one in candidates_for(pair)}
    assert found == set(PHENOMENA)


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_every_candidate_is_of_a_known_phenomenon_and_has_what_its_check_needs(target):
    candidates = candidates_for(("en", target))
    assert {candidate.phenomenon for candidate in candidates} <= set(PHENOMENA)
    for candidate in candidates:
        columns = {
            row: {other for word, other in candidate.links if word == row}
            for row, _ in candidate.links
        }
        assert all(len(of_row) == 1 for of_row in columns.values())  # it looks most at one only
        match PHENOMENA[candidate.phenomenon].check:
            case check_ if check_ in (linked, crossed, aligned):
                assert candidate.links
            case check_ if check_ is repeated:
                assert len(candidate.links) == 1
            case check_ if check_ in (contrasted, mistaken):
                assert all(candidate.changes)
                assert len(candidate.links) == 1
            case check_ if check_ is copied:
                assert candidate.name in candidate.sentence
    with pytest.raises(ValueError, match="en-fr"):
        candidates_for(("fr", "en"))


def test_what_is_too_weak_is_not_shown(t, monkeypatch):
    scene = Scene(t, Candidate(phenomenon="sink", sentence="I see."))
    for found, shown in ((Found(0.5), True), (Found(0.49), False), (NOTHING, False)):
        made = replace(PHENOMENA["sink"], check=lambda *_, found=found: found, least=0.5)
        monkeypatch.setitem(PHENOMENA, "sink", made)
        assert (check(scene, HEAD) is not None) == shown
