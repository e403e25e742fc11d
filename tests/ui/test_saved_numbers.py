"""The files hold the numbers that are shown, and programs can read them."""

import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from ui.export.tables import Labels, Table, as_csv, as_json, map_table

SIGNS = ["-vous", "=1+1", "+1 a", "@x", "'s", ' "', "a,b", "a\r\nb", " c ", "\t=x", "#", "Łódź 🙂"]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_text_is_read_back_unchanged(sign):
    table = Table.of(**{sign: [sign, "other"], "n": [-np.inf, -1.5]})
    frame = pd.read_csv(BytesIO(as_csv(table)))
    assert list(frame.columns) == [sign, "n"]
    assert list(frame[sign]) == [sign, "other"]
    assert list(frame["n"]) == [-np.inf, -1.5]


def test_json_has_only_digits_that_float32_can_represent():
    table = map_table(np.array([[0.1]], dtype=np.float32), Labels(["é"], ["a"]))
    [row] = json.loads(as_json({"weights": table}, about={}))["tables"]["weights"]["rows"]
    assert row == ["é", 0.1]


def _page_with_a_figure() -> None:
    """Draw one figure without a picture. The request of a file comes from a button."""
    # AppTest runs only the lines of this function.
    import streamlit as st

    from ui.export.figure import about_page, figure, request
    from ui.text.translator import translator

    st.button("ask", on_click=request, args=("tea", "csv"))
    with figure("tea", translator("en"), title="Tea", about=about_page("masks")):
        pass


def test_a_file_is_offered_longer_than_the_browser_waits_for_it(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("ui.export.figure.monotonic", lambda: clock[0])
    app = AppTest.from_function(_page_with_a_figure).run()
    assert not app.get("download_button")
    app.button[0].click().run()

    def n_offered(seconds: float) -> int:
        clock[0] = seconds
        return len(app.run().get("download_button"))

    # a training draws the page each second
    assert [n_offered(seconds) for seconds in (100, 115, 120, 121)] == [1, 1, 1, 0]
    assert n_offered(105) == 0  # the request is forgotten
