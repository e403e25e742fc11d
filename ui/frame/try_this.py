"""A button in each lesson that performs the experiment that the lesson suggests."""

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
    """Show the suggested experiment (``# try`` in the lesson's text), and the button for it."""
    with st.container(key="try", gap="xsmall"):
        st.markdown(f"**{tr('lesson.try')}** {tr.section(lesson, 'try')}")
        st.button(
            tr(f"try.{lesson}"),
            key="lesson.try",
            on_click=visitor().set,
            args=(_CHANGES[lesson],),
        )
