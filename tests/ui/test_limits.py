"""What the operator may set, and what is said about nonsense."""

from __future__ import annotations

import pytest

from ui.state.limits import (
    MEMORY_VARIABLE,
    REPLICAS_VARIABLE,
    TOKENS_VARIABLE,
    LimitError,
    memory_bytes,
    replicas,
    sentence_tokens,
)


def test_the_operator_sets_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    default = sentence_tokens(), memory_bytes(), replicas()
    monkeypatch.setenv(TOKENS_VARIABLE, " 7 ")
    monkeypatch.setenv(MEMORY_VARIABLE, "12345")
    monkeypatch.setenv(REPLICAS_VARIABLE, "4")
    assert (sentence_tokens(), memory_bytes(), replicas()) == (7, 12345, 4)
    monkeypatch.setenv(TOKENS_VARIABLE, "")
    monkeypatch.delenv(MEMORY_VARIABLE)
    monkeypatch.setenv(REPLICAS_VARIABLE, " ")
    assert (sentence_tokens(), memory_bytes(), replicas()) == default == (100, 10**9, 1)


@pytest.mark.parametrize("nonsense", ["many", "-5", "2", "1.5", "1e3", "١٠٠", "9" * 5000])
def test_nonsense_is_named_with_what_to_write(
    nonsense: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKENS_VARIABLE, nonsense)
    with pytest.raises(LimitError, match=f"^{TOKENS_VARIABLE} is .* at least 3, for instance 100"):
        sentence_tokens()
