"""What is too long or wrong is told in numbers that are right, and cut to what can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from model import InputError, load
from model.data.corpus import LARGEST as LARGEST_CORPUS
from model.data.references import read_references
from model.decoding.batch import translate_batch
from model.files.json_file import LARGEST
from model.files.regular_file import read_regular
from model.heads.alignment_error_rate import read_alignments
from model.trace.base import read_sentence
from model.translation_model import AnyTranslationModel


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> AnyTranslationModel:
    return load(tiny_checkpoint)


@pytest.mark.parametrize("n", [99, 100, 101, 300])
def test_a_wrong_line_is_shown_up_to_its_hundredth_character(n: int, tmp_path: Path) -> None:
    path, line = tmp_path / "x.tsv", "x" * n
    path.write_text(f"a\tb\t0-0\t\n{line}\n", "utf-8")
    with pytest.raises(ValueError, match=r"^line 2 ") as caught:
        read_references(path)
    shown = line if n <= 100 else f"{line[:100]}…"
    assert str(caught.value).endswith(f"source TAB reference: {shown!r}")
    with pytest.raises(ValueError, match=r"^line 2 ") as caught:
        read_alignments(path)
    assert str(caught.value).endswith(f"0-0 2-1: {line[:100]!r}")


def test_the_first_text_that_is_too_long_is_told_with_its_beginning(t: AnyTranslationModel) -> None:
    limit = t.config.max_length
    fits = next(
        text for n in range(limit) if len(t.tokenizer.encode(text := "a " * n + "a")) == limit
    )
    longer = f"{fits} a"
    assert len(translate_batch(t.model, t.tokenizer, [fits])) == 1
    with pytest.raises(ValueError, match=rf"^text 2 has {limit + 1} tokens, and at most {limit}"):
        translate_batch(t.model, t.tokenizer, [fits, longer, longer])
    text = "abcdefghi " * 100
    with pytest.raises(ValueError, match=r"^text 1 has") as caught:
        translate_batch(t.model, t.tokenizer, [text])
    assert f"are taken: {text[:60]!r} … " in str(caught.value)


@pytest.mark.parametrize("limit", [None, 7, 10**6])
def test_a_sentence_may_have_just_the_tokens_that_are_taken(
    limit: int | None, t: AnyTranslationModel
) -> None:
    most = 7 if limit == 7 else t.config.max_length
    lengths = {n: len(t.tokenizer.encode("a " * n + "a")) for n in range(most)}
    for n, length in lengths.items():
        text = "a " * n + "a"
        if length <= most:
            assert len(read_sentence(t.model, t.tokenizer, text, limit=limit)) == length
        else:
            with pytest.raises(InputError) as caught:
                read_sentence(t.model, t.tokenizer, text, limit=limit)
            reason = caught.value.reason
            assert (reason, caught.value.n, caught.value.limit) == ("too_long", length, most)
    assert most in lengths.values()
    assert most + 1 in lengths.values()


def test_a_text_may_have_just_the_characters_that_could_fit(t: AnyTranslationModel) -> None:
    most = t.tokenizer.most_characters(5)
    with pytest.raises(InputError) as caught:
        read_sentence(t.model, t.tokenizer, " " * most, limit=5)
    assert (caught.value.reason, caught.value.n, caught.value.limit) == ("empty", 2, 5)
    with pytest.raises(InputError) as caught:
        read_sentence(t.model, t.tokenizer, " " * (most + 1), limit=5)
    assert (caught.value.n, caught.value.limit) == (most + 1, most)


def test_an_accent_of_its_own_is_a_character_that_costs_nothing(t: AnyTranslationModel) -> None:
    """Two characters for a byte of the longest subword, for every token: no text has more."""
    longest = max(map(len, t.tokenizer.bpe.get_vocab()))
    assert t.tokenizer.most_characters(1) == 2 * longest
    assert t.tokenizer.most_characters(7) == 7 * t.tokenizer.most_characters(1)


@pytest.mark.parametrize(
    ("limit", "said"), [(2_600_000, "3 MB"), (LARGEST, "32 MB"), (LARGEST_CORPUS, "500 MB")]
)
def test_sizes_are_told_in_megabytes(limit: int, said: str, tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(limit + 1)  # takes no place on the disk
    with pytest.raises(OSError, match=f"^it is larger than {said}$"):
        read_regular(tmp_path / "x", limit)
