"""The link in the address bar: a run writes it, and the browser learns it a moment later.

Whoever clicks twice quickly sends the second click before the answer to the first one: with a link
that the first run has replaced. Taken at its word, that link would undo the first click.
"""

import time
from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.state.presenting import PRESENT, presenting_in_link

_SESSION_KEY = "link"
# Seconds for which the browser may still send a link that a run has replaced: the rest of that run,
# which may translate a long sentence, and the way there and back.
_SECONDS_ON_THE_WAY = 10.0


class _WrittenLink:
    """What the runs of one page have written into the link of one visitor."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.now: dict[str, str] = {}  # as last written; presentation mode is left out
        self.replaced: list[tuple[float, dict[str, str]]] = []  # when (s), and the link before

    def replace(self, before: Mapping[str, str], link: Mapping[str, str]) -> None:
        """Remember that a run has written a link in place of the one before."""
        self._forget_old()
        if before != link:
            self.replaced.append((time.monotonic(), dict(before)))
        self.now = dict(link)

    def is_replaced(self, link: Mapping[str, str]) -> bool:
        """Return whether the browser may have sent this link before it learned the newer one."""
        self._forget_old()
        return link != self.now and any(link == replaced for _, replaced in self.replaced)

    def _forget_old(self) -> None:
        earliest = time.monotonic() - _SECONDS_ON_THE_WAY
        self.replaced = [entry for entry in self.replaced if entry[0] > earliest]


def receive_link(page: str) -> None:
    """Put a link right that was sent before the browser learned what the last run wrote.

    A link that the visitor has opened or gone back to stays as it is. Call this first in each run.

    Args:
        page: name of the page.
    """
    written = _written_link(page)
    if has_gone_back():
        written.replaced = []
    sent = _without_presenting(st.query_params.to_dict())
    if written.is_replaced(sent):
        _put(written.now)


def write_link(page: str, link: Mapping[str, str]) -> None:
    """Write the whole link into the address bar.

    Args:
        page: name of the page.
        link: parameters and their texts. Presentation mode is left out: the browser writes it.
    """
    written = _written_link(page)
    written.replace(_without_presenting(st.query_params.to_dict()), link)
    _put(link)


def has_gone_back() -> bool:
    """Return whether this run follows the browser's Back or Forward button."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def _written_link(page: str) -> _WrittenLink:
    written: _WrittenLink | None = st.session_state.get(_SESSION_KEY)
    if written is None or written.page != page:
        written = _WrittenLink(page)
        st.session_state[_SESSION_KEY] = written
    return written


def _put(link: Mapping[str, str]) -> None:
    whole = {**link, **presenting_in_link()}
    if st.query_params.to_dict() != whole:
        st.query_params.from_dict(whole)


def _without_presenting(link: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in link.items() if name != PRESENT}
