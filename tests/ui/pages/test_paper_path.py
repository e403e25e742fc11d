"""What every lesson shows beside its picture: its place in the model, code, an experiment."""

import re
from html import escape

import pytest

from model.paper import LESSON_PARTS, PARTS, code_of, paper_address
from tests.ui.drawn import EN, opens
from ui.frame.page import LESSONS

# The changes that the button makes in the link.
CHANGES = {
    "qkv": {"qkv.step": "product"},
    "masks": {"show": "cheating"},
    "positions": {"show": "order"},
    "scaling": {"scaling.d_k": "1024"},
    "norms": {"show": "order"},
    "cost": {"cost.n": "512"},
    "architecture": {"architecture.part": "decoder.softmax"},
}

ATTENTIONS = ("self", "masked", "cross")
# The marked boxes in the map of the model: those of the encoder, then those of the decoder.
MARKED = {
    "qkv": ATTENTIONS,
    "masks": ATTENTIONS,
    "positions": ("positions", "positions"),
    "scaling": ATTENTIONS,
    "norms": ("feed_forward", "norm", "feed_forward", "norm"),
    "cost": ATTENTIONS,
    "architecture": (
        *("positions", "self", "feed_forward", "norm"),
        *("positions", "masked", "cross", "feed_forward", "norm", "softmax"),
    ),
}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_shows_its_code_and_its_section_in_the_paper(lesson):
    page = opens(lesson)()
    shown = [block.value for block in page.app.code]
    for name in LESSON_PARTS[lesson]:
        assert paper_address(PARTS[name]) in page.html
        for function in PARTS[name].code:
            code = code_of(function)
            assert code.text in shown
            lines = EN("paper.lines", file=code.file, first=code.first_line, last=code.last_line)
            assert lines in page.text
    assert f'aria-label="{EN("paper.map")}"' in page.html
    marked = re.findall(r'<i class="marked">(.*?)</i>', page.html)
    assert marked == [escape(EN(f"paper.box.{box}")) for box in MARKED[lesson]]


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_button_does_the_task_of_the_lesson(lesson):
    page = opens(lesson)()
    before = dict(page.link)
    page.press("lesson.try")
    assert not page.app.exception
    changed = {key: value for key, value in page.link.items() if before.get(key) != value}
    assert changed == CHANGES[lesson]


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_lesson_offers_what_is_already_chosen(lesson):
    page = opens(lesson)()
    assert EN.section(lesson, "try") in page.text
    page.press("lesson.try")
    assert EN.section(lesson, "tried") in page.text
    assert EN(f"try.{lesson}") not in [button.label for button in page.app.button]


def test_the_lesson_on_the_architecture_ends_with_the_table_of_the_paper():
    html = opens("architecture")().html
    for name, part in PARTS.items():
        assert EN(f"paper.part.{name}") in html
        assert all(f"<code>{file}</code>" in html for file in part.files)
