"""The notebook for the first steps runs from its folder and shows what its text says."""

from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.unit.test_pictures import Elements, cells_of

NOTEBOOK = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Execute the cells of the notebook, and return them by name. An exception fails the test."""
    # independent of the settings of whoever runs the tests
    own = str(tmp_path_factory.mktemp("jupyter"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    options = {"resources": {"metadata": {"path": NOTEBOOK.parent}}, "kernel_name": "python3"}
    client = NotebookClient(notebook, timeout=300, **options)
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, own)
        client.execute()
    return {cell.id: cell for cell in notebook.cells}


def result(cell):
    [output] = [output for output in cell.outputs if output.output_type == "execute_result"]
    return output.data


def value(cell):
    return eval(result(cell)["text/plain"], {"np": __import__("numpy")})


def test_the_file_stores_no_output_and_explains_every_cell():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert len([cell for cell in cells if cell.cell_type == "code"]) > 6
    for before, cell in pairwise(cells):
        if cell.cell_type == "code":
            assert (before.id, before.cell_type) == (f"{cell.id}-text", "markdown")
            assert (cell.outputs, cell.execution_count) == ([], None)


def test_cells_show_what_they_announce(cells):
    outputs = [output for cell in cells.values() for output in cell.get("outputs", [])]
    assert [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"] == []
    translation = value(cells["translate"])
    assert {"chat", "noir"} <= set(translation.split())
    shape, least, most = value(cells["trace"])
    assert shape[:2] == (4, 8)
    assert (least, most) == pytest.approx((1, 1), abs=1e-5)
    svg = result(cells["plot"])["text/html"]
    assert svg == result(cells["plot"])["image/svg+xml"]
    assert "layer 4 · head 6" in svg
    weights = [float(text.split()[-1]) for text, _ in cells_of(svg)]
    assert sum(weights) == pytest.approx(shape[2], abs=0.01)  # each row sums to 1
    [(tag, attributes)] = Elements(result(cells["page"])["text/html"]).found
    assert tag == "iframe"
    assert translation in str(attributes["srcdoc"])
    # the largest difference between the softmax of the scores and the weights
    assert value(cells["records"]) < 1e-5
    text, change = value(cells["ablate"])
    assert isinstance(text, str)
    assert abs(change) > 1e-3
    right, wrong = value(cells["score"]).values()
    assert wrong < right < 0


def test_the_head_that_aligns_attends_to_the_word_that_was_read(cells):
    shown = dict(text.rsplit("  ", 1) for text, _ in cells_of(result(cells["align"])["text/html"]))
    for read, source in {"chat": "cat", "noir": "black"}.items():
        row = {key: float(w) for key, w in shown.items() if key.startswith(f"\u2068{read}\u2069")}
        assert max(row, key=row.__getitem__).endswith(f"\u2068{source}\u2069")
