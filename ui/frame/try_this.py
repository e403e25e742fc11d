"""A button in each lesson that performs the experiment that the lesson suggests."""

from collections.abc import Mapping

import streamlit as st

from ui.state.visitor import visitor
from ui.text.translator import Translator

# The choices that the button sets, by their names in a link.
_CHANGES: dict[str, dict[str, object]] = {
    "qkv": {"qkv.step": "product"},
    "masks": {"show": "cheating"},
    "positions": {"show": "order"},
    "scaling": {"show": "", "scaling.d_k": 1024},
    "norms": {"show": "order"},
    "cost": {"show": "", "cost.n": 512},
    "architecture": {"architecture.part": ("decoder.softmax",)},
}


def show_try(lesson: str, tr: Translator) -> None:
    """Show the suggested experiment, and the button for it.

    Where the visitor has already made its choices, there is no button, and the text says what to do
    next (``# tried`` instead of ``# try`` in the lesson's text).
    """
    changes = _CHANGES[lesson]
    is_made = _is_made(changes)
    visitor().watch(lambda: _is_made(changes) != is_made)  # a slider may be in a fragment
    with st.container(key="try", gap="xsmall"):
        text = tr.section(lesson, "tried" if is_made else "try")
        st.markdown(f"**{tr('lesson.try')}** {text}")
        if not is_made:
            st.button(
                tr(f"try.{lesson}"), key="lesson.try", on_click=visitor().set, args=(changes,)
            )


def _is_made(changes: Mapping[str, object]) -> bool:
    """Return whether the visitor has made all these choices, by their names in a link."""
    return all(_now(name) == value for name, value in changes.items())


def _now(name: str) -> object:
    """Return the current value of a choice, by its name in a link."""
    return st.session_state.get(name) if "." in name else visitor().field(name)
