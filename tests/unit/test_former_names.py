"""Files of older versions: the names of today, wherever one stands as a key, and only there."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from model.files.former_names import FORMER_NAMES, with_present_names

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
