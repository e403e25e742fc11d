"""A visitor's text stays text on a page; and how tokens are written."""

import unicodedata
from html import unescape
from re import findall, sub

from hypothesis import given
from hypothesis import strategies as st

from model.pictures.tokens import display, display_subword
from model.tokenizers.byte_level.pre_tokenizer import words_in
from ui.text.cell_markup import bars, steps, table
from ui.text.markup import (
    alert,
    attended_words,
    candidate_list,
    changed_words,
    exhibit_card,
    exhibit_text,
    logit_lens_table,
    paragraph,
    play_button,
    probability_bars,
    subwords,
    tensor,
    token_rows,
    translation,
)

SHOWN = {
    " dog": "dog", "ing": "·ing", "3": "·3", ".": ".", "'s": "'s", "<eos>": "<eos>",
    " <b>": "<b>", " ": "␣", "a b": "·a␣b", "\t": "␉", "\x1b": "␛", "\x7f": "U+007F",
    "\u200d": "U+200D", "\u202e": "U+202E", "\u00a0": "U+00A0", "\u0301": "◌\u0301",
    " שלום": "שלום", "🙂": "🙂", "<F0>": "0xF0", "": "∅",
}  # fmt: skip


def _read(html: str) -> tuple[list[str], str]:
    """Return the names of the tags, and the text."""
    return findall(r"<(\w+)", html), unescape(sub(r"<[^<>]*>", "", html))


@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_any_text_is_shown_unchanged(text):
    assert _read(paragraph(text, kind="model")) == (["p"], text)
    assert _read(alert(text)) == (["p"], text)
    for lang in (text, None):
        tags, read = _read(translation(text, "", lang=lang))
        assert tags == ["p", "bdi", "span"]
        assert read.strip() == text.strip()


def test_subwords_show_probabilities():
    tokens, log_probs = [" <b>", "s", "<eos>"], [0.0, -0.6931472, -4.6]
    tags, read = _read(subwords(tokens, log_probs, label='a "label"', lang="fr"))
    assert tags == ["ol"] + ["li", "bdi", "span", "i", "small"] * 3
    assert read == "<b>1.00·s0.50<eos>0.01"


def test_changed_words_are_marked_and_the_text_is_complete():
    html = changed_words("Now", words_in("她给了我那本书。"), {3}, lang="zh")
    assert "她给了<mark>我</mark>那本书。" in html
    html = changed_words("Now", words_in("l'eau est <b>"), {2}, lang="fr")
    assert "l&#x27;eau <mark>est</mark> &lt;b&gt;" in html


def test_subwords_are_written_in_order():
    assert {subword: display_subword(subword) for subword in SHOWN} == SHOWN
    assert display([" a", "a", " a"]) == ("a", "·a", "a")


@given(st.text())
def test_invisible_characters_become_visible(subword):
    shown = display_subword(subword)
    assert shown
    assert not any(unicodedata.category(character)[0] in "CZ" for character in shown)


def test_a_probability_and_the_rest_to_one_are_written_beside_the_two_words():
    html = probability_bars({"with <b>": 0.25, "without": 1.0}, "elle", "il", lang="fr")
    word, rival = '<bdi lang="fr">elle</bdi>', '<bdi lang="fr">il</bdi>'
    assert html == (
        '<div class="contest">'
        '<p class="label">with &lt;b&gt;</p><p class="against" style="--p:0.2500">'
        f"<span>{word} <small>25.0%</small></span><span>{rival} <small>75.0%</small></span></p>"
        '<p class="label">without</p><p class="against" style="--p:1.0000">'
        f"<span>{word} <small>100.0%</small></span><span>{rival} <small>0.0%</small></span></p>"
        "</div>"
    )


def test_each_word_has_its_attention_and_the_written_word_is_the_current_one():
    html = attended_words(["I", "<b>"], [0.125, 0.876], "Je", lang=None)
    assert html == (
        '<ol class="attended"><li style="--w:0.125"><bdi>I</bdi><small>0.12</small></li>'
        '<li style="--w:0.876"><bdi>&lt;b&gt;</bdi><small>0.88</small></li>'
        '<li aria-current="true"><bdi>Je</bdi><small>◂</small></li></ol>'
    )
    assert '<ol class="attended" dir="rtl">' in attended_words(["שלום"], [1.0], "a", lang="he")


def test_rows_of_tokens_have_their_names_and_a_part_of_a_character_its_bytes():
    assert token_rows({"<in>": ["I", "see"], "out": ["Je"]}, lang="fr") == (
        '<div class="token-table"><table><tbody>'
        '<tr><th scope="row">&lt;in&gt;</th>'
        '<td><bdi lang="fr">I</bdi></td><td><bdi lang="fr">see</bdi></td></tr>'
        '<tr><th scope="row">out</th><td><bdi lang="fr">Je</bdi></td></tr>'
        "</tbody></table></div>"
    )


def test_an_example_of_the_gallery_has_its_sentences_its_map_and_the_map_in_words():
    text = exhibit_text("I <see>", "Je vois", "Look!", languages=("en", None))
    assert text == (
        '<p class="sentence"><bdi lang="en">I &lt;see&gt;</bdi></p>'
        '<p class="written"><bdi>Je vois</bdi></p><p class="look" dir="auto">Look!</p>'
    )
    card = exhibit_card("A & B", text, "a.png", on_paper="a.png", alt='"map"', caption="head 1")
    assert card == (
        f'<h2 class="exhibit">A &amp; B</h2>{text}<figure class="exhibit">'
        '<img src="a.png" alt="&quot;map&quot;"><figcaption>head 1</figcaption></figure>'
    )


def test_only_the_marked_row_of_a_table_is_the_current_one():
    rows = [["a", "1"], ["b", "2"], ["c", "3"]]
    html = table(["name", "number"], rows, roles=["", ""], marked_row=1)
    assert [" aria-current" in row for row in html.split("<tr")[-3:]] == [False, True, False]


def test_a_bar_is_as_wide_as_its_probability():
    html = subwords(["a", "b"], [0.0, -1.3862943611], label="", lang=None)  # 1 and 1/4
    assert findall(r"width:(\S+?)%", html) == ["100", "25"]
    assert findall(r"log p = (\S+?)\"", html) == ["0.0000", "−1.3863"]
    html = candidate_list([("a", 0.5, False), ("b", 0.1234, True)], label="next", lang=None)
    assert findall(r"width:(\S+?)%", html) == ["50.0", "12.3"]
    assert findall(r"<small>(.*?)</small>", html) == ["0.500", "0.123"]


def test_only_the_written_candidate_is_the_current_one():
    html = candidate_list([("a", 0.5, False), ("b", 0.1, True)], label="next", lang=None)
    assert [" aria-current" in row for row in html.split("<li")[1:]] == [False, True]


def test_a_cell_of_the_logit_lens_is_marked_where_it_has_the_written_token():
    rows = {"layer 1": [("a", 0.25), ("x", 0.5)], "layer 2": [("a", 1.0), ("b", 0.12345)]}
    html = logit_lens_table(rows, ["a", "b"], corner="", lang=None)
    assert findall(r'<td class="(\w+)"', html) == ["right", "other", "right", "right"]
    assert findall(r"--p:(\S+?)\"", html) == ["0.250", "0.500", "1.000", "0.123"]
    assert findall(r"p = (\S+?)\"", html) == ["0.2500", "0.5000", "1.0000", "0.1235"]
    assert findall(r"<small>(.*?)</small>", html) == ["0.25", "0.50", "1.00", "0.12"]


def test_the_first_numbers_of_a_vector_have_a_minus_sign_and_go_on():
    html = tensor("q", meaning="query", numbers=["-0.5", "1.0"], length="length 2")
    assert html == '<li title="query">q<code>−0.5 1.0 …</code><small>length 2</small></li>'


def test_a_play_button_says_whether_its_slider_opens_after_the_first_step():
    words = ("Play", "Pause", "Step")
    assert "data-opens-later" in play_button(*words, pace=1, opens_later=True)
    assert "data-opens-later" not in play_button(*words, pace=1)


def test_a_play_button_names_its_pace_and_its_three_labels():
    html = play_button("Play", "Pause", "Step", pace=1200)
    assert 'data-play="1200"' in html
    assert findall(r'<span class="(\w+)">(.*?)</span>', html) == [
        ("play", "▶ Play"),
        ("pause", "❚❚ Pause"),
        ("step", "▶ Step"),
    ]


def _bars_of(values: list[float], **options: object) -> list[tuple[str, str, str, str]]:
    html = bars(values, role="query", name="q", spoken="", **options)
    pattern = r'<i( class="faint")? style="height:(\S+?)%;top:(\S+?)%" title="(.*?)"'
    return findall(pattern, html)


def test_a_positive_number_goes_up_from_the_middle_and_a_negative_one_down():
    assert _bars_of([2.0, -1.0, 0.0, 9.0], limit=4.0) == [
        ("", "25.0", "25.0", "0: 2.0000"),
        ("", "12.5", "50.0", "1: −1.0000"),
        ("", "0.0", "50.0", "2: 0.0000"),
        ("", "50.0", "0.0", "3: 9.0000"),  # no higher than the picture
    ]
    assert [height for _, height, *_ in _bars_of([0.0, 0.0], limit=0.0)] == ["0.0", "0.0"]


def test_bars_that_do_not_stand_out_are_faint():
    faint = [kind for kind, *_ in _bars_of([1.0, 1.0], limit=1.0, lit=[1])]
    assert [bool(kind) for kind in faint] == [True, False]
    assert not any(kind for kind, *_ in _bars_of([1.0, 1.0], limit=1.0))
    assert all(kind for kind, *_ in _bars_of([1.0, 1.0], limit=1.0, lit=[]))


def test_a_share_is_a_bar_at_the_end_of_its_row():
    rows = [["a", "1"], ["b", "2"], ["c", "3"]]
    html = table(["name", "n"], rows, roles=["", "key"], shares=[0.256, None, 1.0])
    cells = findall(r'<td class="share">(.*?)</td>', html)
    assert cells == ['<i style="width:25.6%"></i>', "", '<i style="width:100.0%"></i>']
    assert html.count("<td></td>") == 1  # the heading of the column of bars
    assert findall(r'<td class="role-key">(.*?)</td>', html) == ["1", "2", "3"]
    assert "share" not in table(["name", "n"], rows, roles=["", "key"])


def test_steps_are_numbered_and_the_short_ones_are_marked():
    html = steps([("One", "a"), ("Two", "b"), ("Three", "c")], short=[1])
    assert findall(r'<li( class="short")? style="--step:(\d)"', html) == [
        ("", "0"),
        (' class="short"', "1"),
        ("", "2"),
    ]
    # in the text, because a saved picture has no numbers of style sheets
    assert findall("<h3>(.*?)</h3>", html) == ["1. One", "2. Two", "3. Three"]
