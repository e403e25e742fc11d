"""The tokens that a visitor has chosen: the earlier ones stay, up to eight of them."""

import pytest

from ui.explorer import chosen_tokens
from ui.explorer.chosen_tokens import choose_token
from ui.state.codecs import ClickedValue

SEVEN = {0: 10, 1: 11, 2: 12, 3: 13, 4: 14, 5: 15, 6: 16}
IN_LINK = (0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16)


@pytest.mark.parametrize(
    ("before", "position", "in_link"),
    [
        ({}, 3, (3, 99)),
        ({1: 5, 3: 6, 4: 7}, 3, (1, 5, 3, 99)),  # the model writes again what comes after
        (SEVEN, 9, (*IN_LINK, 9, 99)),
        (SEVEN | {7: 17}, 9, (*IN_LINK, 9, 99)),
    ],
)
def test_a_choice_drops_the_choices_after_it(
    before: dict[int, int],
    position: int,
    in_link: ClickedValue,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Recorder:
        def set(self, values: dict[str, ClickedValue]) -> None:
            assert values == {"writing.chosen": in_link}

    monkeypatch.setattr(chosen_tokens, "visitor", Recorder)
    choose_token(before, position, 99)
