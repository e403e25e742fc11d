"""The numbers of an experiment as a file that says what they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui.translator import Translator


def show_saving(
    rows: Mapping[str, npt.NDArray[np.floating]],
    tokens: Sequence[str],
    *,
    about: Mapping[str, object],
    tr: Translator,
) -> None:
    """A button that saves some rows of numbers as JSON.

    Args:
        rows: name -> (T,) numbers.
        tokens: T labels.
        about: what they belong to.
        tr: the visitor's language.
    """
    content = {**about, "tokens": list(tokens)}
    content |= {name: [round(float(x), 6) for x in values] for name, values in rows.items()}
    st.download_button(
        f"{tr('download.label')} ({tr('download.json')})",
        json.dumps(content, ensure_ascii=False, indent=1),
        file_name="experiment.json",
        mime="application/json",
        on_click="ignore",
        key="experiments.save",
    )
