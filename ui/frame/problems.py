"""What is wrong and what to do: one sentence on the page in place of an exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from model import CheckpointError, InputError
from model.files.checkpoint_error import NoHeadsError
from ui.frame.page import PAGES
from ui.state.choices import change
from ui.state.models import transformers
from ui.text.markup import alert
from ui.text.translator import Translator


def in_words(problem: InputError | CheckpointError, tr: Translator) -> str:
    """The sentence that says it."""
    if isinstance(problem, InputError):
        return tr(f"input.{problem.reason}", n=f"{problem.n:,}", limit=f"{problem.limit:,}")
    return str(problem)


@contextmanager
def problems_told(tr: Translator) -> Iterator[None]:
    """A text that cannot be read, or a checkpoint that cannot be used, ends the block within."""
    try:
        yield
    except NoHeadsError:
        _ways_on(tr)
    except (InputError, CheckpointError) as problem:
        st.html(alert(in_words(problem, tr)))


def _ways_on(tr: Translator) -> None:
    """From a recurrent model, where heads are looked at: to its own page, or to a Transformer."""
    st.page_link(PAGES["from_rnn"], label=tr("translation.recurrent"))
    for called, name in [*transformers().items()][:1]:
        st.button(
            tr("translation.transformer", name=name),
            key="problem.transformer",
            on_click=change,
            kwargs={"checkpoint": called},
        )
