"""Read the colours of all pictures from ``.streamlit/config.toml``, as the app does."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Colours:
    """The colours of one theme, light or dark, each as ``#rrggbb``."""

    paper: str  # the background
    ink: str  # the colour of text
    border: str  # the colour of faint lines
    accent: str  # the colour of the selected element
    # colour scale of a map, from 0 to its limit, in equal steps of lightness
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]  # the scale of signed numbers, from the lowest to the highest
    categorical: tuple[str, ...]  # the colours of heads

    def of(self, share: float) -> str:
        """Return the colour of a share in [0, 1] on the sequential scale.

        Args:
            share: the number as a share in [0, 1] of the largest possible number.

        Returns:
            The colour, mixed from the two colours of the scale beside it.

        >>> COLOURS["light"].of(0), COLOURS["light"].of(0.5), COLOURS["light"].of(1)
        ('#f0f8fa', '#1e95d2', '#232e55')
        """
        position = share * (len(self.sequential) - 1)
        below = min(int(position), len(self.sequential) - 2)
        above = below + 1
        low = bytes.fromhex(self.sequential[below].removeprefix("#"))  # red, green, blue
        high = bytes.fromhex(self.sequential[above].removeprefix("#"))
        mixed = [a + (b - a) * (position - below) for a, b in zip(low, high, strict=True)]
        return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def _read_colours(theme: Theme) -> Colours:
    """Read the colours of a theme from the configuration of Streamlit."""
    path = Path(__file__).parents[2] / ".streamlit" / "config.toml"
    settings = tomllib.loads(path.read_text("utf-8"))["theme"][theme]
    return Colours(
        paper=settings["backgroundColor"],
        ink=settings["textColor"],
        border=settings["borderColor"],
        accent=settings["primaryColor"],
        sequential=tuple(settings["chartSequentialColors"]),
        diverging=tuple(settings["chartDivergingColors"]),
        categorical=tuple(settings["chartCategoricalColors"]),
    )


COLOURS: dict[Theme, Colours] = {theme: _read_colours(theme) for theme in get_args(Theme)}
# The colours of a picture that leaves the app, for a document or slides: light ones are on white.
OF_PICTURES: dict[Theme, Colours] = COLOURS | {"light": replace(COLOURS["light"], paper="#ffffff")}


def css_of_light() -> str:
    """Return the light colours on white paper as CSS variables, for a saved picture."""
    return _css_variables(OF_PICTURES["light"])


def css_of_themes() -> str:
    """Return the colours of both themes as CSS variables.

    A screen in dark mode shows the dark ones; every other screen, and paper, the light ones. The
    names are Streamlit's, so that the app and a saved page share styles and scripts.
    """
    light = _css_variables(COLOURS["light"])
    dark = _css_variables(COLOURS["dark"])
    on_dark_screens = f":root:not([data-paper]) {{{dark}}}"
    return f":root {{{light}}}\n@media (prefers-color-scheme: dark) {{ {on_dark_screens} }}\n"


def _css_variables(colours: Colours) -> str:
    return (
        f"--st-background-color:{colours.paper};--st-text-color:{colours.ink};"
        f"--st-border-color:{colours.border};--st-primary-color:{colours.accent};"
        f"--st-chart-sequential-colors:{','.join(colours.sequential)};"
        f"--st-chart-diverging-colors:{','.join(colours.diverging)};"
        f"--st-chart-categorical-colors:{','.join(colours.categorical)};"
    )
