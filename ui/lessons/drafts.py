"""The lesson about cost, with a draft: a coarse decoder writes, and the exact model checks it."""

from itertools import zip_longest

import streamlit as st

from model import Trace, TranslationModel
from model.lessons.drafts import BITS, DraftedTranslation, translate_with_draft
from model.pictures.tokens import display, display_subword
from model.transformer.transformer import Transformer
from ui.export.figure import about, figure
from ui.export.lesson_lines import lines_of_draft
from ui.export.tables import Table
from ui.frame.controls import choose
from ui.server.page_slots import fragment
from ui.state.memory import remember
from ui.text.markup import checked_draft, paragraph
from ui.text.translator import Translator


@fragment
def show_draft(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """Show a draft of the translation, its check, and the translation that both give.

    Args:
        trace: of the visitor's sentence.
        t: the model, one of this project.
        tr: the visitor's language.
    """
    # 1. Ask for the bits, and translate
    st.markdown(tr("cost.draft_claim"))
    n_bits = choose(tr("cost.bits"), BITS, default=5, key="cost.bits")
    model = t.model
    assert isinstance(model, Transformer)
    src_ids = tuple(token.id for token in trace.src)
    drafted = remember(
        "drafts",
        (t.version, src_ids, n_bits),
        lambda: translate_with_draft(model, t.tokenizer, src_ids, n_bits=n_bits),
    )
    st.markdown(
        tr(
            "cost.draft_kept",
            bits=n_bits,
            kept=drafted.n_kept,
            tokens=len(drafted.draft),
            passes=drafted.n_passes,
            without=len(drafted.ids),
        )
    )

    # 2. Draw
    rows = _rows(drafted, t)
    description = about(
        t,
        trace,
        page="cost",
        draft_bits=n_bits,
        draft=t.tokenizer.decode(drafted.draft),
        kept=drafted.n_kept,
        passes=drafted.n_passes,
    )
    python = lines_of_draft(t, trace, n_bits)
    title = tr("cost.title_draft", bits=n_bits)
    with figure("draft", tr, title=title, about=description, python=python) as fig:
        names = (tr("cost.draft"), tr("cost.exact"), tr("cost.result"))
        picture = checked_draft(names, rows, drafted.n_kept, label=title, lang=t.languages[1])
        st.html(picture)
        # not a caption, which a file would leave out: it explains the signs of the picture
        st.html(paragraph(tr("cost.draft_legend"), kind="guide"))
        fig.numbers(lambda: {"draft": Table(("draft", "exact", "result"), rows)})
    st.markdown(tr.section("cost", "draft"))


def _rows(drafted: DraftedTranslation, t: TranslationModel) -> list[tuple[str, str, str]]:
    """Return the draft, the exact model's answer and the result at each position, as labels."""
    subword = t.tokenizer.subword
    draft = display([subword(id) for id in drafted.draft])
    result = display([subword(id) for id in drafted.ids])
    answers = []
    for position, id in enumerate(drafted.answers):
        is_same = id == drafted.draft[position]
        answers.append(draft[position] if is_same else display_subword(subword(id)))
    return [*zip_longest(draft, answers, result, fillvalue="")]
