"""A check of the gallery accepts a map that shows its phenomenon, and refuses others."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from model.files.checkpoint_error import CheckpointError
from model.gallery import checks
from model.gallery.example import NOTHING, Candidate, Evidence, Example, candidates_for
from model.gallery.finding import find, read_gallery, save_gallery
from model.gallery.phenomena import PHENOMENA
from model.maps.view import AttentionView

pytestmark = pytest.mark.usefixtures("short_texts")
HEAD = ("cross", 1, 2)


class Drawn:
    """A scene with one map that the test defines by its labels and the peak of each row."""

    def __init__(self, rows: str, columns: str, peaks: list[int], candidate: Candidate) -> None:
        self.candidate = candidate
        weights = np.full((len(rows.split()), len(columns.split())), 0.1, dtype=np.float32)
        weights[range(len(peaks)), peaks] = 0.6
        maps = np.zeros((2, 3, *weights.shape), dtype=np.float32)
        maps[1, 2] = weights
        tokens = tuple(rows.split()), tuple(columns.split())
        view = AttentionView(maps, maps[0], None, *tokens, normalised=False)
        self.view = lambda *_: view
        self.trace = SimpleNamespace(target_text=rows)
        self.second = SimpleNamespace(target_text="le chien")


def about(*links: tuple[str, str], **fields) -> Candidate:
    return Candidate(phenomenon="x", sentence="x", links=links, **fields)


BOTH = about(("pas", "not"), ("ne", "not"))
HOUSE = about(("maison", "house"), ("rouge", "red"))
DOG = about(("chien", "dog"))
SIX = about(*zip("abcdef", "ABCDEF", strict=True))
IT = ("elle", "it")
HERE, THERE = about(IT, changes=("elle", "chien")), about(IT, changes=("elle", "il"))
BANK = about(("banque", "bank"), changes=("banque", "rive"))
NAME, NOBODY = about(name="abc"), about()
ODD = about(("a", "A"), ("b", "B"), changes=("a", "x"))


@pytest.mark.parametrize(
    ("check", "rows", "columns", "peaks", "candidate", "shown"),
    [
        # the cell of the link is the largest of its row
        (checks.linked, "il ne va pas", "he goes not", [0, 2, 1, 2], BOTH, True),
        (checks.linked, "il ne va pas", "he goes not", [0, 0, 1, 2], BOTH, False),
        (checks.linked, "il va pas", "he goes not", [0, 1, 2], BOTH, False),
        # words cross only if they are neighbours
        (checks.crossed, "maison rouge", "red house", [1, 0], HOUSE, True),
        (checks.crossed, "maison rouge", "red house", [0, 1], HOUSE, False),
        (checks.crossed, "rouge maison", "red house", [0, 1], HOUSE, False),
        (checks.crossed, "maison toute rouge", "red house", [1, 0, 0], HOUSE, False),
        # of two equal words, each row attends to its own
        (checks.repeated, "chien et chien", "dog and dog", [0, 1, 2], DOG, True),
        (checks.repeated, "chien et chien", "dog and dog", [2, 1, 0], DOG, False),
        (checks.repeated, "chien et", "dog and dog", [0, 1], DOG, False),
        # at least four words must be there
        (checks.aligned, "a b c d", "A B C D", [0, 1, 2, 3], SIX, True),
        (checks.aligned, "a b c d", "A B C D", [0, 1, 2, 0], SIX, False),
        (checks.aligned, "a b c", "A B C D", [0, 1, 2], SIX, False),
        # the other sentence has another word
        (checks.contrasted, "elle va", "it goes", [0, 1], HERE, True),
        (checks.contrasted, "elle va", "it goes", [0, 1], THERE, False),
        (checks.contrasted, "elle va", "it goes", [1, 1], HERE, False),
        # no mistake if the word is right
        (checks.mistaken, "la banque", "the bank", [0, 1], BANK, True),
        (checks.mistaken, "banque rive", "the bank", [1, 0], BANK, False),
        # a copied name is a diagonal of three cells
        (checks.copied, "x a b c", "a b c y", [3, 0, 1, 2], NAME, True),
        (checks.copied, "x a b c", "a b c y", [3, 0, 2, 1], NAME, False),
        (checks.copied, "x ab c", "ab c y", [2, 0, 1], NAME, False),
        (checks.copied, "x a b c", "ab c y", [2, 0, 1, 1], NAME, False),
        # patterns in all rows
        (checks.previous, "a b c d", "a b c d", [0, 0, 1, 2], NOBODY, True),
        (checks.previous, "a b c d", "a b c d", [0, 1, 2, 2], NOBODY, False),
        (checks.previous, "a", "a", [0], NOBODY, False),
        (checks.sunk, "a b c", "a . c", [1, 1, 1], NOBODY, True),
        (checks.sunk, "a b c", "a b c", [1, 1, 1], NOBODY, False),
        # without named words nothing is found, whatever the file contains
        (checks.linked, "a b", "A B", [0, 1], NOBODY, False),
        (checks.crossed, "a b", "A B", [0, 1], NOBODY, False),
        (checks.repeated, "a b", "A B", [0, 1], NOBODY, False),
        (checks.aligned, "a b", "A B", [0, 1], NOBODY, False),
        (checks.repeated, "a b", "A B", [0, 1], ODD, False),
        (checks.contrasted, "a b", "A B", [0, 1], about(changes=("a", "chien")), False),
        (checks.mistaken, "a b", "A B", [0, 1], about(changes=("a", "x")), False),
    ],
)
def test_each_check_finds_its_phenomenon_only_in_the_right_map(
    check, rows, columns, peaks, candidate, shown
):
    result = check(Drawn(rows, columns, peaks, candidate), HEAD)
    assert round(result.strength, 4) == (0.6 if shown else NOTHING.strength)
    cells = [(row, peaks[row]) for row, _ in result.cells]
    assert list(result.cells) == cells
    assert bool(cells) == shown


@pytest.mark.parametrize(("n_others", "is_shown"), [(1, True), (2, False)])
def test_nine_of_ten_rows_attend_to_the_token_before_them(n_others, is_shown):
    letters = " ".join("abcdefghijk")
    peaks = [0, *range(10 - n_others), *[10] * n_others]
    evidence = checks.previous(Drawn(letters, letters, peaks, NOBODY), HEAD)
    assert (evidence != NOTHING) == is_shown


def test_a_name_that_is_not_in_the_sentence_is_not_found():
    assert checks.run_of([" a"], "Zerlina") == []


@pytest.mark.parametrize(
    ("same", "lost", "spared", "needed"),
    [(True, 0.05, True, False), (True, 0.051, False, False), (False, 3.0, False, True)],
)
def test_a_head_is_removable_or_needed_depending_on_the_translation_without_it(
    monkeypatch, same, lost, spared, needed
):
    text = "a b" if same else "b"
    monkeypatch.setattr(checks, "_without", lambda *_: (text, lost))
    scene = Drawn("a b", "A B", [0, 1], about())
    strength = 0.6 if spared else NOTHING.strength
    assert checks.spared(scene, HEAD).strength == pytest.approx(strength)
    assert (checks.needed(scene, HEAD) != NOTHING) == needed
    assert checks.needed(scene, HEAD).lost == (lost if needed else 0)
    monkeypatch.setattr(checks, "_without", lambda *_: ("a, b!", lost))
    assert checks.needed(scene, HEAD) == NOTHING


# Costs for which hiding A, B or C has the largest effect.
A = [0.2, 0.1, 0.1]
B = [0.1, 0.2, 0.1]
C = [0.1, 0.1, 0.2]


@pytest.mark.parametrize(
    ("costs", "hits", "hits_read"),
    [
        ([B, A, B, A, B], 0, 5),  # every row is right if it is shifted by one
        ([A, A, B, A, B], 1, 4),
        ([B, A, B, A, C], 0, 4),
        ([A, B, B, A, B], 2, None),  # too many rows are right without the shift
        ([B, A, B, C, C], 0, None),  # too few rows are right with the shift
        ([A, B, A, B, A], 5, None),
    ],
)
def test_labels_mislead_where_each_row_points_at_what_the_token_read_needs(costs, hits, hits_read):
    """Five rows and that of <eos>. The first and the last column are special tokens."""
    scene = Drawn("a b c d e <eos>", "<bos> A B C <eos>", [1, 2, 1, 2, 1, 2], NOBODY)
    scene.costs = SimpleNamespace(positions=[1, 2, 3], each_hidden=np.array(costs))
    evidence = checks.misleading(scene, HEAD)
    if hits_read is None:
        assert evidence == NOTHING
        return
    assert evidence.strength == pytest.approx(0.6)
    assert evidence.cells == ((0, 1), (1, 2), (2, 1), (3, 2), (4, 1))
    assert (evidence.hits, evidence.hits_read) == (hits, hits_read)


def test_without_mean_outputs_no_removal_is_tested(t):
    candidates = [Candidate(phenomenon=n, sentence="I see.") for n in ("removable", "needed")]
    assert find(t, candidates) == {}


def test_found_examples_are_saved_and_read_back(t):
    words = {"links": (("a", "b"),), "second": "x", "changes": ("a", "b")}
    values = {"phenomenon": "agreement", "sentence": "I see.", **words}
    example = Example(**values, attention="decoder_self", layer=2, head=3)
    path = save_gallery(t, [example])
    assert read_gallery(t) == [example]
    text = path.read_text("utf-8")
    for broken in (
        text.replace('"head": 3', '"head": 4'),
        text.replace("agreement", "banana"),
        text.replace("decoder_self", "cross"),
        text.replace('"layer": 2', '"layer": "2"'),
        text.replace('"b"', '""'),
        text.replace('"b"', f'"{"b" * 101}"'),
        text[:-20],
    ):
        path.write_text(broken, "utf-8")
        with pytest.raises(CheckpointError, match="find_examples"):
            read_gallery(t)
    path.write_text(text.replace('"model": "', '"model": "other'), "utf-8")
    assert read_gallery(t) == []
    path.unlink()
    assert read_gallery(t) == []


def shown_by(
    t, monkeypatch, strengths, looked_for, min_strength=0.5
) -> dict[str, tuple[str, float]]:
    """Return phenomenon -> (sentence, strength), if all heads show a sentence equally well."""

    def check(scene, _) -> Evidence:
        return Evidence(strengths[scene.candidate.sentence])

    candidates = []
    for name, sentences in looked_for.items():
        changed = replace(PHENOMENA[name], check=check, min_strength=min_strength)
        monkeypatch.setitem(PHENOMENA, name, changed)
        candidates += [Candidate(phenomenon=name, sentence=sentence) for sentence in sentences]
    shown = find(t, candidates)
    return {
        name: (example.sentence, evidence.strength)
        for name, (example, _, evidence) in shown.items()
    }


def test_the_strongest_example_is_kept_if_it_is_strong_enough(t, monkeypatch):
    strengths = {"I see.": 0.6, "I see a cat.": 0.9, "Hello.": 0.8}
    sinks = {"sink": list(strengths)}
    clearest = {"sink": ("I see a cat.", 0.9)}
    assert shown_by(t, monkeypatch, strengths, sinks) == clearest
    assert shown_by(t, monkeypatch, strengths, sinks, min_strength=0.9) == clearest
    assert shown_by(t, monkeypatch, strengths, sinks, min_strength=0.91) == {}


def test_the_strongest_head_is_kept_and_numbered_from_1(t, monkeypatch):
    def check(_, head) -> Evidence:
        _, layer, number = head
        return Evidence(1.5 if (layer, number) == (1, 2) else 0.5)

    monkeypatch.setitem(PHENOMENA, "sink", replace(PHENOMENA["sink"], check=check))
    example, _, _ = find(t, [Candidate(phenomenon="sink", sentence="I see.")])["sink"]
    assert (example.layer, example.head) == (2, 3)


def test_a_sentence_is_used_once_if_another_sentence_shows_the_same(t, monkeypatch):
    both = ["Hello.", "I see."]
    looked_for = {"sink": both, "removable": both, "needed": ["I see."]}
    shown = shown_by(t, monkeypatch, {"I see.": 0.9, "Hello.": 0.8}, looked_for)
    expected = {"sink": "I see.", "removable": "Hello.", "needed": "I see."}
    assert {name: sentence for name, (sentence, _) in shown.items()} == expected


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_every_candidate_has_a_known_phenomenon_and_the_fields_of_its_check(target):
    candidates = candidates_for(("en", target))
    for candidate in candidates:
        # The largest cell of a row is in one column only.
        assert len({row for row, _ in candidate.links}) == len({*candidate.links})
        check = PHENOMENA[candidate.phenomenon].check
        if check in (checks.linked, checks.crossed, checks.aligned):
            assert candidate.links
        if check in (checks.repeated, checks.contrasted, checks.mistaken):
            assert len(candidate.links) == 1
        assert check not in (checks.contrasted, checks.mistaken) or all(candidate.changes)
        assert check is not checks.copied or candidate.name in candidate.sentence
    other = {"fr": "zh", "zh": "fr"}[target]
    everywhere = [*candidates, *candidates_for(("en", other))]
    assert {candidate.phenomenon for candidate in everywhere} == set(PHENOMENA)
    assert all(
        0.3 <= phenomenon.min_strength <= 1 for phenomenon in PHENOMENA.values()
    )  # one strength is in weights, one in nats
    with pytest.raises(ValueError, match="en-fr"):
        candidates_for(("fr", "en"))
