"""The colours of queries, keys, values and other roles are readable and used by name."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.charts.colour_vision import CONES, OKLAB, VISIONS, linear, luminance, settings_of_theme
from ui.text.markup import formula
from ui.text.roles import ROLES, role_of, role_styles

ROOT = Path(__file__).parents[2]
TEXTS = [*ROOT.glob("ui/text/content/*/*.md"), *ROOT.glob("ui/text/locales/*/*.json")]
_LINK = re.compile(r"\[([^\]]+)\]\(#role-(\w+)\)")
themes = pytest.mark.parametrize("theme", ["light", "dark"])


def _contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _mixed(colour: str, share: float, ground: str) -> str:
    front, back = (bytes.fromhex(value[1:]) for value in (colour, ground))
    mixed = (round(share * a + (1 - share) * b) for a, b in zip(front, back, strict=True))
    return f"#{bytes(mixed).hex()}"


@themes
def test_a_word_of_a_role_can_be_read_on_every_background(theme):
    """On the page, the sidebar, the box of an experiment, and under the pointer."""
    settings = settings_of_theme(theme)
    paper, boxed = settings["backgroundColor"], settings["primaryColor"]
    for role, look in ROLES.items():
        colour = getattr(look, theme)
        grounds = [paper, settings["secondaryBackgroundColor"], _mixed(boxed, 0.09, paper)]
        grounds += [_mixed(colour, 0.14, paper)]
        assert min(_contrast(colour, ground) for ground in grounds) >= 4.5, role  # WCAG 2.2, 1.4.3
    ends = (settings["chartDivergingColors"][0], settings["chartDivergingColors"][-1])
    assert (getattr(ROLES["lost"], theme), getattr(ROLES["gained"], theme)) == ends


@pytest.mark.parametrize("vision", VISIONS)
@themes
def test_no_two_roles_look_the_same_to_most_people_and_each_has_its_own_underline(theme, vision):
    roles = ["query", "key", "value", "score", "weight"]
    light = np.array([linear(getattr(ROLES[role], theme)) for role in roles])
    seen = (light @ np.transpose(VISIONS[vision])).clip(0, 1)
    lab = np.cbrt(seen @ np.transpose(CONES)) @ np.transpose(OKLAB)
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)[np.triu_indices(len(roles), k=1)]
    # a difference that is just visible; the underlines distinguish the rest
    assert apart.min() > 0.02
    assert len({ROLES[role].line for role in roles}) == len(roles)


def test_styles_and_texts_have_the_same_roles():
    styles = role_styles()
    for role, look in ROLES.items():
        assert f"--role-{role}: light-dark({look.light}, {look.dark});" in styles
        assert f'a[href="#role-{role}"]' in styles
    named = {path: _LINK.findall(path.read_text("utf-8")) for path in TEXTS}
    assert {role for roles in named.values() for _, role in roles} >= {"query", "key", "value"}
    for path, roles in named.items():
        assert {role for _, role in roles} <= ROLES.keys(), path
        english = Path(str(path).replace("/zh/", "/en/"))
        assert sorted(role for _, role in roles) == sorted(role for _, role in named[english])


def test_results_have_the_roles_that_their_names_say():
    for letter, role in {"q": "query", "k": "key", "v": "value"}.items():
        for name in (letter, f"{letter}_flat", f"{letter}_split", f"w_{letter}"):
            assert role_of(name) == role
    assert {role_of(name) for name in ("product", "scores", "masked_scores")} == {"score"}
    assert role_of("weights") == "weight"
    assert {role_of(name) for name in ("x", "keys_from", "w_o", "head_out", "attn_out")} == {None}
    assert formula("x", "y") == '<p class="formula"><b>x</b> = y</p>'
