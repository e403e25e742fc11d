"""Where a visitor opens a model of her own, if the operator allows it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model import CheckpointError
from model.files.archive import ArchiveError, megabytes, readable
from ui.frame.controls import upload
from ui.frame.problems import in_words
from ui.state.choices import change
from ui.state.limits import upload_bytes
from ui.state.models import checkpoint_names
from ui.state.own_model import forget_own, is_own, open_own, own_model
from ui.text.markup import alert, paragraph
from ui.text.translator import Translator

if TYPE_CHECKING:
    from streamlit.typing import UploadedFile

_NTH, _PROBLEM = "own.nth", "own.problem"
_MEBIBYTE = 2**20  # what Streamlit calls a megabyte


def label_of(name: str, tr: Translator) -> str:
    """A checkpoint in a list: the visitor's own is marked as hers.

    Args:
        name: as an address calls it.
        tr: the visitor's language.
    """
    return tr("own.label", name=name.partition("/")[2]) if is_own(name) else name


def own_model_box(tr: Translator) -> None:
    """A place for the zip of a checkpoint; what is wrong with it, or its name, stands below."""
    if not (limit := upload_bytes()):
        return
    with st.expander(tr("own.title")):
        st.caption(tr("own.how", megabytes=megabytes(limit)))
        file = upload(
            tr("own.file"),
            tr("own.choose"),
            ("zip",),
            key=f"own.file{st.session_state.get(_NTH, 0)}",  # a new one is empty
            largest=math.ceil(limit / _MEBIBYTE),
            refused=tr("own.refused", megabytes=megabytes(limit)),
        )
        if file is not None:
            with st.spinner(tr("own.opening")):
                _take(file)
            st.rerun()
        if problem := st.session_state.get(_PROBLEM):
            st.html(alert(_sentence(*problem, tr=tr)))
        if own := own_model():
            st.html(paragraph(tr("own.open", name=own.folder.name), kind="label"))
            st.button(tr("own.forget"), key="own.forget", on_click=_forget)


def _take(file: UploadedFile) -> None:
    """Open it and show it, or note what is wrong with it; the server then forgets the zip."""
    state = st.session_state
    state[_PROBLEM] = None
    try:
        change(checkpoint=open_own(file, file.name, others=checkpoint_names()).name)
    except CheckpointError as problem:
        problem.__cause__ = problem.__context__ = None  # they hold all that was read until then
        state[_PROBLEM] = readable(file.name), problem.with_traceback(None)
    finally:
        state[_NTH] = state.get(_NTH, 0) + 1
        if context := get_script_run_ctx():
            context.uploaded_file_mgr.remove_session_files(context.session_id)


def _sentence(file_name: str, problem: CheckpointError, *, tr: Translator) -> str:
    if isinstance(problem, ArchiveError):
        return f"{file_name}: {in_words(problem, tr)}"
    return tr("own.unusable", name=file_name, problem=problem)


def _forget() -> None:
    forget_own()
    change(checkpoint="")
