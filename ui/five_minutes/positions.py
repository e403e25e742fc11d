"""Step 8: without positions, "dog bites man" and "man bites dog" are the same input."""

import streamlit as st

from model import TranslationModel
from model.lessons.positions import OrderExperiment, compare_orders, translate_without_positions
from model.pictures.tokens import CONTINUES, display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about_page, figure
from ui.export.python_lines import lines_of_two_orders
from ui.export.tables import Labels
from ui.five_minutes.stage import Stage, show_note
from ui.frame.pickers import choose_named
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.text.languages import translation_or_note
from ui.text.markup import gloss
from ui.text.translator import Translator

FIRST = "dog bites man"
SECOND = "man bites dog"
_ROW = 68  # pixels: one row of large cells, which a class reads from afar
_WIDEST_CELL = 270  # pixels


def show_positions(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor remove the positions, and show the effect on encoder and decoder.

    Args:
        stage: the screen.
        run: the model.
        tr: the visitor's language.
    """
    # 1. The control
    t = run.model
    with stage.control:
        positions = choose_named(
            "five_minutes.positions", ("on", "off"), tr, label_visibility="collapsed"
        )
    has_positions = positions == "on"

    # 2. The claim
    experiments = remember(  # without positions, then with them
        "orders", (t.version, FIRST, SECOND), lambda: [_compare(t, False), _compare(t, True)]
    )
    experiment = experiments[int(has_positions)]
    words = slice(1, -1)  # all tokens but the special ones at both ends
    limit = max(float(each.moved[words].max()) for each in experiments)  # the same colours for both
    translations = [_translation(t, sentence, has_positions) for sentence in (FIRST, SECOND)]
    outcome = {  # (with positions, equal translations) -> the claim that is true
        (True, False): "different",
        (False, True): "same",
        (True, True): "both",
        (False, False): "neither",
    }[has_positions, translations[0] == translations[1]]
    stage.say(tr(f"five_minutes.positions.{outcome}", first=FIRST, second=SECOND))

    # 3. The picture
    source_language, target_language = t.languages
    description = about_page(
        "five_minutes",
        checkpoint=t.name,
        sentence=FIRST,
        second_sentence=SECOND,
        positions=positions,
    )
    title = tr("five_minutes.positions.title")
    labels = Labels(columns=display(experiment.first[words]), languages=(None, source_language))
    row = Matrix(experiment.moved[None, words].numpy(), title, labels=labels, limit=limit)
    with stage.result:
        for sentence, text in zip((FIRST, SECOND), translations, strict=True):
            shown, language = translation_or_note(text, target_language, tr)
            st.html(gloss(f"{sentence} →", shown, lang=language))
    python = lines_of_two_orders(t, FIRST, SECOND, positions=has_positions)
    with (
        stage.picture,
        figure("word_order", tr, title=title, about=description, python=python) as fig,
    ):
        show_matrices([row], fig, key="five_minutes.moved", largest=_ROW, widest=_WIDEST_CELL)
        if any(token.startswith(CONTINUES) for token in labels.columns):
            show_note(tr("positions.joined"))


def _compare(t: TranslationModel, has_positions: bool) -> OrderExperiment:
    return compare_orders(t, FIRST, SECOND, positions=has_positions)


def _translation(t: TranslationModel, sentence: str, has_positions: bool) -> str:
    """Return the translation with or without positions.

    Args:
        t: the model and its tokenizer.
        sentence: the source.
        has_positions: whether the model gets its positional encoding.
    """
    if has_positions:
        return trace_of(t, sentence).target_text
    key = (t.version, sentence)
    return remember("without_positions", key, lambda: translate_without_positions(t, sentence))
