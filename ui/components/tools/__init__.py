"""The tools of every page: a link to the page, projector mode, figures as files, languages.

The browser does all the work. The server only sends the texts.
"""

from collections.abc import Callable, Mapping

from model.pictures.colours import COLOURS, css_of_light
from model.pictures.text import language_tag
from ui.components import picture_component, sent
from ui.export.figure import request
from ui.text.translator import Translator

# Names of the tools' texts: first of buttons and messages, then of the worksheet.
_WORDS = (
    *("copy", "copied", "by_hand", "present", "no_copy", "no_picture", "no_file", "too_large"),
    *("guarded", "no_webgl", "not_drawn"),
    *("enter", "enter_list"),
    *(f"sheet_{part}" for part in ("title", "map", "numbers", "grid", "lines", "print", "cancel")),
    *(
        f"sheet_{label}"
        for label in ("name", "sentence", "translation", "fill", "too_small", "marks", "answers")
    ),
    *(f"sheet_asks_{kind}" for kind in ("cross", "encoder_self", "decoder_self")),
    "sheet_no_map",
)
# Text of a Streamlit menu entry -> key of our translation.
_MENU = {
    "Main menu": "menu",
    "Theme": "theme",
    "System": "theme_system",
    "Light": "theme_light",
    "Dark": "theme_dark",
    "About": "about",
    "Close": "close",
    "Copy version to clipboard": "copy_version",
}
# Streamlit's own colours in the dark theme, for axis labels and grid lines.
_LABELS = "#e6eaf1"
_NAMES = "#fafafa"  # its lightest grey, of the names in a scene
_GRID_LINES = ("#31333f", "#212327")
_KEY = "tools.buttons"
_tools = picture_component("tools", "app/tools/tools.js", "app/tools/tools.css")


def tools(
    tr: Translator,
    controls: Mapping[str, object],
    *,
    keys: str,
    on_present: Callable[[bool], None],
) -> None:
    """Show the tool buttons, and tell the browser the language of the page.

    Streamlit always writes ``<html lang="en">``, but screen readers, hyphenation and fonts need the
    true language.

    Args:
        tr: the words.
        controls: CSS selectors of the controls that keys and the play button move:
            ``setControls`` in ``web/app/tools/page_controls.js`` describes them.
        keys: what the keys do on this page in presentation mode.
        on_present: called when the visitor begins or ends presenting, with True or False.
    """

    def changed() -> None:
        match sent(_KEY, "presents"):
            case bool(is_on):
                on_present(is_on)

    menu = {foreign: tr(f"tools.{name}") for foreign, name in _MENU.items()}
    data = {
        "words": {name: tr(f"tools.{name}") for name in _WORDS} | {"keys": keys},
        "menu": menu,
        "lang": language_tag(tr.language),
        "controls": controls,
        "light": _LIGHT,
    }
    _tools(
        key=_KEY,
        data=data,
        on_again_change=lambda: None,  # nothing to do: the page runs again anyway
        on_take_change=_take,
        on_presents_change=changed,
        width="content",
        height="content",
    )


def _light() -> dict[str, object]:
    """Return the colours of saved pictures. They are light in both themes.

    ``css`` has variables for the app's own pictures. ``swaps`` has the light colour of each dark
    one, for charts, whose colours are fixed when they are drawn.
    """
    dark = COLOURS["dark"]
    light = COLOURS["light"]
    swaps = {dark.paper: "#ffffff", dark.ink: light.ink, dark.accent: light.accent}
    swaps |= {_LABELS: light.ink, _NAMES: light.ink} | dict.fromkeys(_GRID_LINES, light.border)
    for scale in ("sequential", "diverging", "categorical"):
        swaps |= zip(getattr(dark, scale), getattr(light, scale), strict=True)
    return {"css": css_of_light(), "ink": light.ink, "swaps": swaps}


_LIGHT = _light()


def _take() -> None:
    """Offer the file that the visitor has requested in the bar below a figure."""
    match sent(_KEY, "take"):
        case [name, kind, *drawn]:
            request(name, kind, *drawn)
