"""A command that lacks an option it cannot do without says which."""

from __future__ import annotations

import importlib

import pytest

NEEDED = {
    "translate": ["--checkpoint"],
    "evaluate": ["--checkpoint"],
    "compare": ["--checkpoints"],
    "analyse": ["--checkpoint"],
    "find_examples": ["--checkpoint"],
    "remeasure": ["--checkpoints", "--corpus"],
    "train": ["--corpus", "--out"],
    "head_kinds.syntax": ["--checkpoint"],
    "convert_marian": ["PATH", "--out"],
}


@pytest.mark.parametrize("command", NEEDED)
def test_what_is_missing_is_named(command, capsys):
    with pytest.raises(SystemExit) as caught:
        importlib.import_module(f"model.{command}").main([])
    assert caught.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert [word for word in NEEDED[command] if word not in said] == []
