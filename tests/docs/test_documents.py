"""Each document followed once from scratch, as it is written, in a copy of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.follow import DOCS, blocks_of, copy_project, follow

FOLLOWED = ("pages", "languages", "checkpoints", "corpora", "traces")
IN_WORDS = ("README", "api", "numbers")  # nothing in them is to be done

ORDINARY = ("pages",)
CASES = [
    pytest.param(name, marks=[] if name in ORDINARY else pytest.mark.slow) for name in FOLLOWED
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_what_a_document_says_can_be_done(name, project):
    follow(DOCS / f"{name}.md", project)


def test_every_document_is_followed_or_has_nothing_to_follow():
    names = {path.stem for path in DOCS.glob("*.md")}
    assert names == {*FOLLOWED, *IN_WORDS}
    for name in IN_WORDS:
        assert blocks_of((DOCS / f"{name}.md").read_text(encoding="utf-8")) == []
