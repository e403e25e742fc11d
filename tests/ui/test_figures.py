"""Whatever draws is part of a figure, and a figure gives away its picture and its numbers."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from model import load
from tests.ui.app import finished, html_of, matrices_of, open_page, run, tables_of
from tests.ui.saved_files import Files
from ui.text.translator import translator

pytestmark = pytest.mark.usefixtures("family")

SENTENCE = "I see a cat."
LINK = {"sentence": SENTENCE, "layer": "2", "head": "3"}
SHOWN = (
    "weight",
    "y",
    "value",
    "score",
    "angle",
)  # columns of a chart that are numbers, not places
VIEWS = [
    ("explorer", {"panel": "map"}, {"map", "grid"}),
    ("explorer", {"view": "head", "cell.row": "1", "cell.column": "2"}, {"map", "grid", "cell"}),
    ("explorer", {"panel": "lines"}, {"lines", "grid"}),
    ("explorer", {"panel": "steps"}, {"step", "grid"}),
    ("explorer", {"panel": "compare"}, {"compare", "grid"}),
    ("explorer", {"panel": "beam"}, {"beam", "grid"}),
    ("explorer", {"panel": "logit_lens"}, {"logit_lens", "grid"}),
    ("explorer", {"panel": "space"}, {"space", "grid"}),
    ("explorer", {"map.hidden_row": "2"}, {"map", "grid"}),
    ("experiments", {"show": "ablations", "ablated": "c2.3"}, {"ablated", "ablations", "guess"}),
    ("experiments", {"experiments.revealed": "1"}, {"ablated", "each_head"}),
    ("experiments", {"show": "contrast"}, {"contrast"}),
    ("experiments", {"show": "left_out"}, {"left_out"}),
    ("experiments", {"show": "pair"}, {"pair"}),
    ("experiments", {"show": "untrained"}, {"untrained"}),
    ("from_rnn", {"show": "side"}, {"side_by_side"}),
    ("from_rnn", {"show": "memory"}, {"context", "forgetting"}),
    ("from_rnn", {"show": "gates"}, {"units", "gates"}),
    ("qkv", {}, {"matrices", "change"}),
    ("masks", {"show": "batch", "attention": "decoder_self"}, {"batch"}),
    ("masks", {"show": "editor"}, {"mask", "losses"}),
    ("masks", {"show": "padding"}, {"padding"}),
    ("positions", {"show": "matrix"}, {"positions"}),
    ("positions", {"show": "order"}, {"word_order"}),
    ("positions", {"show": "waves"}, {"waves", "wavelengths"}),
    ("positions", {"show": "helix"}, {"helix"}),
    ("positions", {"show": "counter"}, {"counter"}),
    ("positions", {"show": "distance"}, {"distance"}),
    ("positions", {"show": "rotation"}, {"rotation"}),
    ("positions", {"show": "addition"}, {"addition"}),
    ("scaling", {"show": "dimension"}, {"dimension"}),
    ("scaling", {"show": "temperature"}, {"temperature"}),
    ("scaling", {"show": "bench"}, {"scores"}),
    ("norms", {"show": "stream"}, {"stream"}),
    ("norms", {"show": "padding"}, {"norms", "padding"}),
    ("norms", {"show": "order"}, {"order"}),
    ("norms", {"show": "path"}, {"path"}),
    ("norms", {"show": "feed_forward"}, {"feed_forward"}),
    ("cost", {"show": "table"}, {"table"}),
    ("cost", {"show": "memory"}, {"memory", "limit"}),
    ("architecture", {}, {"machine"}),
]


def _named(value: object) -> str | None:
    """A page by its name, a link by what it shows; the rest in numbers."""
    return "-".join(value.values()) if isinstance(value, dict) else None


def _bars(app) -> dict[str, str]:
    """Name of each figure -> its title, as its bar says."""
    found = re.findall(r'data-title="([^"]*)" data-name="([^"]*)"', html_of(app))
    return {name: unescape(title) for title, name in found}


def _numbers(files: Files) -> set[float]:
    """All that the files hold."""
    found: set[float] = set()
    for name in files.names():
        files.name = name
        assert files.json()["tables"], name
        assert len(files.csv()[1]) == len(files.json()["tables"])
        for _, rows in files.tables().values():
            cells = [cell for row in rows for cell in row if isinstance(cell, int | float)]
            found |= set(np.array(cells, dtype=np.float32).tolist())
    return found


def _shown(app) -> set[float]:
    """All that charts and matrices on the page show."""
    numbers = [matrix.ravel() for _, matrix in matrices_of(app)]
    for table in tables_of(app):
        numbers += [table[name].to_numpy(np.float32) for name in SHOWN if name in table]
    found = np.concatenate([*numbers, np.zeros(0)]).astype(np.float32)
    return set(found[np.isfinite(found)].tolist())


@pytest.mark.parametrize(("page", "link", "names"), VIEWS, ids=_named)
def test_each_figure_has_a_bar_and_gives_away_what_it_shows(page, link, names, files):
    app = finished(open_page(f"pages/{page}.py", **LINK, **link))
    files.write.clear()
    app = run(app)
    bars = _bars(app)
    assert set(bars) == files.names() == names
    assert all(title and "{" not in title and "*" not in title for title in bars.values())
    angles_turn = page == "positions" and link["show"] == "rotation"  # drawn within one turn
    missing = _shown(app) - _numbers(files)
    assert angles_turn or missing == set()


def test_the_grid_gives_away_every_head(files, family):
    open_page("pages/explorer.py", **LINK)
    files.name = "grid"
    for layer, heads in enumerate(load(family / "en-fr").trace(SENTENCE).cross, 1):
        for head, weights in enumerate(heads, 1):
            found = files.numbers(f"layer {layer} head {head}")
            np.testing.assert_allclose(found, weights, atol=1e-6)


def test_hidden_scores_are_in_the_files_as_minus_infinity(files):
    open_page("pages/masks.py", **LINK, show="batch", attention="decoder_self")
    files.name = "batch"
    rows = files.numbers("masked_scores")
    assert np.isneginf(rows[0, 1:]).all()
    assert np.isfinite(rows[0, 0])


def test_the_bar_names_its_buttons_by_what_they_take():
    app = open_page("pages/positions.py", **LINK, show="helix")
    title = translator("en")("positions.view_helix")
    names = re.findall(r'data-take="(\w+)" aria-label="([^"]*)"', html_of(app))
    labels = [translator("en")(f"take.{kind}") for kind, _ in names]
    assert [unescape(name) for _, name in names] == [f"{label} · {title}" for label in labels]
    assert [kind for kind, _ in names] == ["png", "svg", "csv", "json", "copy"]
