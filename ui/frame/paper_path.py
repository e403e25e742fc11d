"""The place of a lesson in the paper: a small map of the model, and the code of each formula."""

import streamlit as st

from model.paper import LESSON_PARTS, PARTS, PaperPart, code_of, paper_address
from ui.text.markup import machine_map, paper_link, paper_table
from ui.text.translator import Translator

# The boxes of the map, in the order of computation. There are norms at all of them; the map has one
# box for them, because it has to fit beside the picture of a lesson.
_ENCODER = ("positions", "self", "feed_forward", "norm")
_DECODER = ("positions", "masked", "cross", "feed_forward", "norm", "softmax")
_ATTENTIONS = ("self", "masked", "cross")
_BOXES_OF_LESSON = {  # lesson -> the boxes that it explains
    "qkv": _ATTENTIONS,
    "masks": _ATTENTIONS,
    "positions": ("positions",),
    "scaling": _ATTENTIONS,
    "norms": ("norm", "feed_forward"),
    "cost": _ATTENTIONS,
    "architecture": (*_ENCODER, *_DECODER),
}


def show_place_in_model(lesson: str, tr: Translator) -> None:
    """Show a small map of the model in which the boxes of the lesson are marked."""
    marked = _BOXES_OF_LESSON[lesson]
    rows = {
        tr("paper.encoder"): [(tr(f"paper.box.{box}"), box in marked) for box in _ENCODER],
        tr("paper.decoder"): [(tr(f"paper.box.{box}"), box in marked) for box in _DECODER],
    }
    st.html(machine_map(rows, label=tr("paper.map")))


def show_code(lesson: str, tr: Translator) -> None:
    """Show the functions of the lesson, each with its section in the paper and its file."""
    for name in LESSON_PARTS[lesson]:
        part = PARTS[name]
        st.html(paper_link(_place_in_paper(part, tr), paper_address(part)))
        for function in part.code:
            code = code_of(function)
            lines = tr("paper.lines", file=code.file, first=code.first_line, last=code.last_line)
            st.code(code.text, language="python", wrap_lines=True)
            st.caption(lines)
    st.caption(tr("paper.no_docstrings"))


def show_paper_table(tr: Translator) -> None:
    """Show all formulas of the paper with their files and pages, as in the README."""
    with st.expander(tr("paper.table")):
        titles = [tr(f"paper.table_{column}") for column in ("section", "part", "file", "page")]
        rows = [
            (
                (part.section, paper_address(part)),
                tr(f"paper.part.{name}"),
                part.files,
                [tr(f"page.{page}") for page in part.pages],
            )
            for name, part in PARTS.items()
        ]
        st.html(paper_table(titles, rows))


def _place_in_paper(part: PaperPart, tr: Translator) -> str:
    """Return the section or the equation of the paper, in words."""
    if part.equation is None:
        return tr("paper.section", section=part.section)
    return tr("paper.equation", section=part.section, equation=part.equation)
