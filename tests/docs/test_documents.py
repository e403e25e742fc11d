"""Each document followed once from scratch, as it is written, in a copy of the project."""

from __future__ import annotations

import json

import pytest

from tests.docs.follow import DOCS, blocks_of, copy_project, follow
from tests.marian_files import write_marian_tokenizer
from tests.marian_models import random_marian, save

IN_WORDS = {"README", "api"}  # nothing in them is to be done
# For machines or nights that a test does not have; what can be, tests/deploy does.
ELSEWHERE = {"deployment", "mutants"}
THERE = {path.stem for path in DOCS.glob("*.md")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(THERE - IN_WORDS - ELSEWHERE))
def test_what_a_document_says_can_be_done(name, tmp_path, pairs):
    """A model as one downloads it is there, for the document that begins with that."""
    project = copy_project(tmp_path)
    folder = project / "downloads" / "opus-mt-en-fr"
    write_marian_tokenizer(folder, pairs)
    n = len(json.loads((folder / "vocab.json").read_text("utf-8")))
    save(random_marian(11, pad_id=n - 1, vocab_size=n, activation_function="swish"), folder)
    follow(DOCS / f"{name}.md", project)


def test_where_nothing_is_followed_nothing_is_to_be_done():
    for name in IN_WORDS:
        assert blocks_of((DOCS / f"{name}.md").read_text(encoding="utf-8")) == []
