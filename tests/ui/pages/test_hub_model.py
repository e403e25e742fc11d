"""Models of the Hub on every page, one of each kind of folder."""

from pathlib import Path

import pytest

from tests.hub_models import save_folder
from tests.ui.drawn import SENTENCE, Page
from tests.ui.views import VIEWS


@pytest.fixture(scope="module")
def t5(shared: Path) -> str:
    """The name of an untrained T5."""
    return save_folder("t5", shared / "hub-t5").name


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_opens(t5: str, view) -> None:
    Page(view.page, any_link=True, **({"sentence": SENTENCE} | view.link | {"checkpoint": t5}))
