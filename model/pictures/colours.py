"""The colours of every picture: those of the app, from ``.streamlit/config.toml``."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Colours:
    """Light or dark."""

    paper: str  # what all is drawn on
    ink: str  # of texts
    border: str  # of quiet lines
    accent: str  # of what is chosen
    # the scale of a map, from 0 to its limit, in equal steps of lightness
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]  # the scale of signed numbers, from the lowest to the highest
    categorical: tuple[str, ...]  # of heads

    def of(self, share: float) -> str:
        """The colour of a number, as a share in [0, 1] of the largest that there can be.

        >>> COLOURS["light"].of(0), COLOURS["light"].of(0.5), COLOURS["light"].of(1)
        ('#f0f8fa', '#1e95d2', '#232e55')
        """
        place = share * (len(self.sequential) - 1)
        below = min(int(place), len(self.sequential) - 2)
        low, high = (bytes.fromhex(colour[1:]) for colour in self.sequential[below : below + 2])
        mixed = (a + (b - a) * (place - below) for a, b in zip(low, high, strict=True))
        return "#" + "".join(f"{round(part):02x}" for part in mixed)


def _colours(theme: Theme) -> Colours:
    config = Path(__file__).parents[2] / ".streamlit" / "config.toml"
    chosen = tomllib.loads(config.read_text("utf-8"))["theme"][theme]
    return Colours(
        paper=chosen["backgroundColor"],
        ink=chosen["textColor"],
        border=chosen["borderColor"],
        accent=chosen["primaryColor"],
        sequential=tuple(chosen["chartSequentialColors"]),
        diverging=tuple(chosen["chartDivergingColors"]),
        categorical=tuple(chosen["chartCategoricalColors"]),
    )


COLOURS: dict[Theme, Colours] = {theme: _colours(theme) for theme in get_args(Theme)}


def css_of_themes() -> str:
    """The colours as variables of a style sheet: light, and dark where the reader's system is.

    They are called as Streamlit calls them, for the style sheet and script that both share.
    """
    light, dark = (
        f"--st-background-color:{colours.paper};--st-text-color:{colours.ink};"
        f"--st-border-color:{colours.border};--st-primary-color:{colours.accent};"
        f"--st-chart-sequential-colors:{','.join(colours.sequential)};"
        f"--st-chart-diverging-colors:{','.join(colours.diverging)};"
        f"--st-chart-categorical-colors:{','.join(colours.categorical)};"
        for colours in COLOURS.values()
    )
    return f":root {{{light}}}\n@media (prefers-color-scheme: dark) {{ :root {{{dark}}} }}\n"
