"""Whatever text a visitor sends, wherever: one sentence that names the limit, and no work."""

from __future__ import annotations

import pytest

from model import InputError
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from tests.ui.app import html_of, open_page, run
from ui.state.limits import TOKENS_VARIABLE
from ui.state.memory import memory
from ui.state.models import open_any_trace

HUGE = "a" * 500_000
BOXES = {  # every text box: its page, what is chosen there, its key
    "sentence": ("app.py", {}, "choice.sentence"),
    "explorer": ("pages/explorer.py", {}, "choice.sentence"),
    "target": ("pages/explorer.py", {}, "choice.target"),
    "second": ("pages/experiments.py", {"show": "pair"}, "choice.second"),
    "batch": ("pages/masks.py", {"show": "batch"}, "masks.other.2"),
    "order": ("pages/positions.py", {"show": "order"}, "positions.second"),
    "from_rnn": ("pages/from_rnn.py", {}, "choice.sentence"),
}


@pytest.fixture
def lengths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of the texts that were cut into tokens."""
    found: list[int] = []
    encode = ByteLevelTokenizer.encode

    def watched(self, text, side="source"):
        found.append(len(text))
        return encode(self, text, side)

    monkeypatch.setattr(ByteLevelTokenizer, "encode", watched)
    return found


@pytest.mark.parametrize("name", BOXES)
def test_a_long_text_is_refused_by_its_characters(name, checkpoints, lengths):  # noqa: ARG001
    page, choices, key = BOXES[name]
    app = open_page(page, **choices)
    lengths.clear()
    box = app.text_input(key=key)
    box.max_chars = 0  # a browser would stop typing; this one sends what it likes
    box.set_value(HUGE)
    assert "are possible here: use a shorter one" in html_of(run(app))
    assert max(lengths, default=0) < 2000


def test_a_text_from_anywhere_else_is_refused_too(checkpoints, lengths):  # noqa: ARG001
    for sentence, target in ((HUGE, ""), ("I see.", HUGE)):
        with pytest.raises(InputError, match=r"500,000 characters, and at most 1,[05]"):
            open_any_trace("", sentence, target=target, beam=1)
    assert not lengths
    assert "traces" not in [held.name for held in memory().held()]


def test_the_operators_limit_is_the_one_in_force(checkpoints, monkeypatch):  # noqa: ARG001
    monkeypatch.setenv(TOKENS_VARIABLE, "9")
    app = open_page("app.py")
    app.text_input(key="choice.sentence").set_value("one two three four five six seven eight")
    assert "but at most 9 are possible here" in html_of(run(app))
