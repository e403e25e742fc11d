"""The 3D picture: a point for the embedding, and a point after each layer."""

import json
import re

from tests.ui.app import open_page


def test_each_point_names_the_layer_after_which_the_stream_is_drawn() -> None:
    app = open_page("pages/explorer.py", panel="space")
    [chart] = app.get("plotly_chart")
    spec = chart.proto.spec
    assert json.loads(chart.proto.config) == {"displayModeBar": False}  # no buttons of Plotly
    assert "embedding and position" in spec
    assert set(re.findall(r"after layer (-?\d+)", spec)) == {"1", "2"}
