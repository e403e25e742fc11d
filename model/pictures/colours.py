"""The colours of every picture: those of the app (``.streamlit/config.toml``; a test compares)."""

from dataclasses import dataclass
from typing import Literal

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


COLOURS: dict[Theme, Colours] = {
    "light": Colours(
        paper="#fbfbf9",
        ink="#1b1d23",
        border="#dcdcd6",
        accent="#a8360a",
        sequential=(
            *("#f0f8fa", "#b8e5f7", "#88d0f1", "#5bb9e8", "#32a1db"),
            *("#0989c9", "#0071b2", "#165996", "#214377", "#232e55"),
        ),
        diverging=(
            *("#8a3a06", "#b9550d", "#dc7f33", "#f0b27f", "#f8ddc6"),
            *("#d5e8f3", "#9ccbe6", "#57a5d3", "#1f7ab5", "#0d4f82"),
        ),
        categorical=(
            *("#0072b2", "#d55e00", "#53235d", "#ad8093"),
            *("#861501", "#8c7aef", "#042ca8", "#6e605b"),
        ),
    ),
    "dark": Colours(
        paper="#14161c",
        ink="#eceef2",
        border="#363b47",
        accent="#ff9559",
        sequential=(
            *("#1d1f29", "#1d3451", "#004b75", "#03638c", "#017ca3"),
            *("#0597b8", "#15b2cd", "#64c9d7", "#9fdfe1", "#def2f0"),
        ),
        diverging=(
            *("#ffb27a", "#e88b47", "#b9642a", "#7d4423", "#43302a"),
            *("#25384a", "#1f567b", "#2780b0", "#54abd8", "#9ed6f2"),
        ),
        categorical=(
            *("#5bb8f0", "#ff9559", "#9c3d9b", "#f1e344"),
            *("#4d7002", "#39fee9", "#4076f5", "#948382"),
        ),
    ),
}


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
