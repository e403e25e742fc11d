"""Files of older versions: the names of today, wherever one stands as a key, and only there."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

from hypothesis import given
from hypothesis import strategies as st

from model import load
from model.checkpoint.checkpoint import read_history
from model.files.former_names import FORMER_NAMES, with_present_names
from model.training.runs import read_run

_WORDS = st.sampled_from([*FORMER_NAMES, "step", '{"passes": 1, "course": 2}', "{passes}", "é"])
_JSON = st.recursive(
    st.none() | st.integers() | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=4),
    max_leaves=20,
)


def _renamed(values: object) -> object:
    if isinstance(values, list):
        return [_renamed(value) for value in values]
    if isinstance(values, dict):
        return {FORMER_NAMES.get(key, key): _renamed(value) for key, value in values.items()}
    return values


@given(_JSON, st.sampled_from([None, 2]), st.booleans())
def test_keys_are_renamed_and_texts_are_not(values, indent, as_text) -> None:
    written = json.dumps(values, indent=indent, ensure_ascii=False)
    found = with_present_names(written if as_text else written.encode())
    assert json.loads(found) == _renamed(values)


def test_a_checkpoint_of_an_older_version_keeps_its_facts(tmp_path: Path) -> None:
    today = Path(__file__).parents[2] / "checkpoints" / "en-fr-bahdanau"
    older = copytree(today, tmp_path / today.name)
    for name in ("config.json", "history.jsonl"):
        text = before = (older / name).read_text(encoding="utf-8")
        for former, present in FORMER_NAMES.items():
            text = text.replace(f'"{present}":', f'"{former}":')
        assert text != before
        (older / name).write_text(text, encoding="utf-8")
    assert read_run(older).settings_history == read_run(today).settings_history
    assert read_history(older) == read_history(today)
    assert load(older).training == load(today).training
