"""Heads that look along grammatical relations, counted again by hand and from the weights."""

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec import to_builtins
from msgspec.structs import astuple, replace

from model.heads.analysis import analyse
from model.heads.analysis_file import Inputs, read_analysis, save_analysis
from model.heads.syntax import (
    MARGIN,
    RELATIONS,
    main,
    marked_sentences,
    relation,
    sentences_for,
    syntax,
)
from model.translation_model import TranslationModel, load_transformer
from tests.conftest import change_json
from tests.hub_models import save_folder

pytestmark = pytest.mark.usefixtures("short_texts")

LINES = [
    {"sentence": "I see a cat.", "subject": "I", "verb": "see", "object": "cat"},
    {"sentence": "The dog bites men.", "subject": "dog", "verb": "bites", "object": "men"},
    {"sentence": "What does she want?", "subject": "she", "verb": "want", "object": "What"},
    {"sentence": "They often read very long books.", "subject": "They", "verb": "read",
     "object": "books"},
]  # fmt: skip
REFERENCES = {"Hi.": ["Salut."]}


@pytest.fixture
def analysed(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """Return the folder of an English model with an analysis without syntax."""
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))
    change_json(folder / "config.json", lambda v: v["training"].update(languages=["en", "fr"]))
    analysis = analyse(load_transformer(folder), REFERENCES)
    inputs = Inputs(sentences="--pairs FILE.tsv --sentences 500")
    save_analysis(folder, replace(analysis, inputs=inputs))
    return folder


def _words(t: TranslationModel, sentence: str) -> list[list[int]]:
    """Return the positions of the subwords of each word."""
    words: list[list[int]] = []
    for position, token in enumerate(t.trace(sentence, target=".").src):
        if token.text in ("<bos>", "<eos>"):
            continue
        if token.text.startswith(" ") or not words or not token.text.strip().isalpha():
            words.append([])
        words[-1].append(position)
    return words


def test_the_shares_follow_from_the_attention_weights(t: TranslationModel) -> None:
    shares = syntax(t, LINES)
    assert shares.sentences == 4
    hits = {name: np.zeros((2, 3)) for name in RELATIONS}
    offsets: dict[str, Counter[int]] = {name: Counter() for name in RELATIONS}
    for line in LINES:
        groups, weights = _words(t, line["sentence"]), t.trace(line["sentence"]).encoder_self
        spelt = line["sentence"].rstrip(".?").split()
        at = {part: spelt.index(line[part]) for part in ("subject", "verb", "object")}
        for name, (first, second) in RELATIONS.items():
            offsets[name][at[second] - at[first]] += 1
            for head in np.ndindex(2, 3):
                rows = weights[head][groups[at[first]]].mean(axis=0)
                sums = [rows[group].sum() for group in groups]
                hits[name][head] += sums.index(max(sums)) == at[second]
    assert any(table.any() for table in hits.values())
    for name in RELATIONS:
        measured = getattr(shares.relations, name)
        np.testing.assert_allclose(measured.heads, hits[name] / 4)
        [(offset, count)] = offsets[name].most_common(1)
        assert (measured.offset, measured.baseline) == (offset, count / 4)


def test_a_head_has_to_beat_the_best_distance_in_both_halves() -> None:
    """Each half has ten sentences. The most frequent distance is right in 5 and in 4 of them."""
    offsets = [0] * 20
    offsets[0::2] = [2] * 5 + [1, 3, 4, 5, 6]
    offsets[1::2] = [2] * 4 + [1, 3, 4, 5, 6, 7]

    def hits(first: int, second: int) -> list[bool]:
        looked = [False] * 20
        looked[0::2] = [n < first for n in range(10)]
        looked[1::2] = [n < second for n in range(10)]
        return looked

    assert MARGIN == 1.1
    heads = np.array([[hits(6, 5), hits(5, 9), hits(10, 4)]])  # (1, 3, 20)
    measured = relation(heads.transpose(2, 0, 1), offsets)
    assert (measured.offset, measured.baseline) == (2, 0.45)
    assert measured.heads == [[0.55, 0.7, 0.7]]
    assert measured.like == [[True, False, False]]


def test_a_head_needs_only_a_tenth_more_than_the_most_frequent_distance() -> None:
    """The most frequent distance is right in 10 sentences of each half; 11 are a tenth more."""
    offsets = [1] * 20 + [2, 3] * 5
    hits = np.zeros((30, 1, 2), dtype=bool)  # (sentences, L, H)
    hits[:22, 0, 0] = True
    hits[:21, 0, 1] = True
    assert relation(hits, offsets).like == [[True, False]]


def test_a_marked_word_must_be_in_the_sentence_exactly_once(t: TranslationModel) -> None:
    wrong = LINES[0] | {"object": "dog"}
    with pytest.raises(ValueError, match="'dog' should stand once in"):
        syntax(t, [LINES[0], wrong])
    twice = {"sentence": "You see you.", "subject": "You", "verb": "see", "object": "you"}
    syntax(t, [LINES[0], twice])  # "You" and "you" are different words
    with pytest.raises(ValueError, match="should stand once"):
        syntax(t, [LINES[0], twice | {"sentence": "You see you you."}])


def test_english_sentences_are_marked_and_the_distances_vary(t: TranslationModel) -> None:
    lines = marked_sentences("en")
    assert len({line["sentence"] for line in lines}) == len(lines) >= 100
    relations = syntax(t, lines).relations
    assert all(measured.baseline < 0.65 for measured in astuple(relations))
    assert relations.verb_object.baseline < 0.35
    assert marked_sentences("fr") == marked_sentences(None) == []


def test_the_command_adds_to_an_older_analysis_and_changes_nothing_else(
    analysed: Path, tiny_checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older = json.loads((analysed / "analysis.json").read_text("utf-8"))
    assert read_analysis(analysed).syntax is None
    assert main(["--checkpoint", str(analysed)]) == 0
    assert "analysis.json" in capsys.readouterr().out
    newer = json.loads((analysed / "analysis.json").read_text("utf-8"))
    measured = syntax(load_transformer(analysed), marked_sentences("en"))
    assert newer.pop("syntax") == to_builtins(measured)
    assert newer == older
    assert "Syntax-like heads, in 120 sentences" in (analysed / "README.md").read_text("utf-8")
    (analysed / "analysis.json").unlink()
    assert main(["--checkpoint", str(analysed)]) == 1
    assert "model.analyse" in capsys.readouterr().err
    assert main(["--checkpoint", str(tiny_checkpoint)]) == 1  # a model whose languages are unknown
    assert "no sentences" in capsys.readouterr().err


def test_results_that_another_command_stored_meanwhile_are_kept(analysed, monkeypatch) -> None:
    """The measurement takes a minute, and ``model.analyse`` may store its results meanwhile."""

    def measure_while_another_saves(*arguments: object) -> object:
        stored = read_analysis(analysed)
        assert stored is not None
        save_analysis(analysed, replace(stored, inputs=Inputs(sentences="of the other command")))
        return syntax(*arguments)

    monkeypatch.setattr(f"{syntax.__module__}.syntax", measure_while_another_saves)
    assert main(["--checkpoint", str(analysed)]) == 0
    after = read_analysis(analysed)
    assert after is not None
    assert after.syntax is not None
    assert after.inputs.sentences == "of the other command"


def test_sentences_in_which_a_token_covers_two_words_are_left_out(tmp_path: Path) -> None:
    t = load_transformer(save_folder("nllb", tmp_path / "nllb"))
    sentences = sentences_for(t)  # "house." is one token here
    assert 1 < len(sentences) < len(marked_sentences("en"))
    assert syntax(t, sentences).sentences == len(sentences)
