"""The caption of a figure says what it shows; the names of its files do, too."""

import re
from html import unescape

import pytest

from tests.ui.drawn import SENTENCE, TARGET, Page
from tests.ui.test_provenance import GIVEN
from ui.export.file_name import file_stem, slug


def caption_of(page: Page) -> str:
    """Return the caption of the first figure of a page."""
    return unescape(re.findall(r'<p class="caption"[^>]*>(.*?)</p>', page.html)[0])


def test_a_caption_says_sentence_translation_head_model_rows_and_columns():
    assert caption_of(Page("explorer", **GIVEN, view="head")) == (
        "Cross-attention · layer 2 · head 3. "
        f"The model en-fr reads “{SENTENCE}” with the translation “{TARGET}” "
        "(given by you (teacher forcing)). The numbers are attention weights. "
        "Rows (queries) are target tokens, each named by the token it writes; "
        "columns (keys) are source tokens."
    )


def test_a_caption_is_in_the_language_of_the_page_and_says_what_was_left_out():
    link = {"attention": "decoder_self", "rows": "read", "unit": "words", "special": "hidden"}
    caption = caption_of(Page("explorer", **GIVEN, **link, lang="zh"))
    assert caption.endswith(
        "行（查询）是目标词元，以该行刚读入的词元命名；列（键）是此前读入的目标词元。"
        "子词已合并为词。不含特殊词元。"
    )


def test_a_caption_of_a_lesson_names_what_its_title_does_not():
    caption = caption_of(Page("cost", show="memory"))
    assert re.search(r"Details: .*n: [\d,]+", caption)
    assert "…" not in caption


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ({"view": "head"}, "map_cross_layer-2_head-3_I-see-a-cat_en-fr"),
        ({"view": "layers", "attention": "encoder_self"}, "map_encoder-self_layer-mean_head-mean_"),
    ],
)
def test_files_are_named_after_what_they_hold(files, link, expected):
    Page("explorer", **GIVEN, **link)
    assert files.saved_as["map.csv"].startswith(expected)
    assert files.saved_as["map.json"].endswith(".json")
    grid = files.saved_as["grid.csv"]
    assert grid.startswith("grid_")
    assert grid.endswith(".zip")  # with one table for each head


@pytest.mark.parametrize(
    "sentence",
    ["../../etc/passwd", 'a"b\\c:d*e?<f>|g', "\u202eevil\x00", "我看见一只猫。" * 40, "?!"],
)
def test_no_sentence_makes_a_name_that_a_system_refuses(sentence):
    about = {"checkpoint": "en-fr", "sentence": sentence, "attention": "cross", "layer": 1}
    stem = file_stem("map", about)
    assert re.fullmatch(r"[\w-]+", stem)
    assert len(f"{stem}.json".encode()) <= 255
    assert stem.startswith("map_cross_layer-1")
    assert stem.endswith("en-fr")


def test_words_are_whole_in_a_name_where_they_fit():
    sentence = "She gave him the book that he had asked for."
    assert "_She-gave-him-the-book-that-he_" in file_stem("map", {"sentence": sentence}) + "_"
    assert slug("Où est-il ?") == "Où-est-il"
