"""The link in the address bar: a run writes it, and the browser learns it a moment later.

A visitor who clicks twice quickly sends the second click before the answer to the first one
arrives. The second click then brings a link that the first run has replaced. If this link were
used, it would undo the first click. What a link holds is in ``address`` and ``codecs``.
"""

from collections import deque
from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.state.presenting import PRESENT, presenting_in_link

_SESSION_KEY = "link.written"
# Largest number of clicks that a browser sends before it receives the link of the first click.
_CLICKS_ON_THE_WAY = 20


class _WrittenLink:
    """What the runs of one page have written into the link of one visitor.

    No link here says whether the page is presented, because the browser writes that itself.

    Args:
        page: name of the page.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.current: dict[str, str] | None = None  # as last written
        # Links that a later one has replaced, the last of them at the end
        self.replaced: deque[dict[str, str]] = deque(maxlen=_CLICKS_ON_THE_WAY)

    def write(self, sent: dict[str, str], link: dict[str, str]) -> None:
        """Remember a new link.

        Args:
            sent: what the browser sent with this run. After two quick clicks it may be older than
                ``current``, and the browser may still send either.
            link: what this run writes.
        """
        for earlier in (sent, self.current):
            if earlier is None or earlier == link:
                continue
            if earlier in self.replaced:
                self.replaced.remove(earlier)  # only the last replacement counts
            self.replaced.append(earlier)
        self.current = link


def receive_link(page: str) -> None:
    """Correct a link that the browser sent before it learned what the last run wrote.

    Call this first in each run of a whole page. A run of a fragment does not read the link.

    Args:
        page: name of the page.
    """
    written: _WrittenLink | None = st.session_state.get(_SESSION_KEY)
    if written is None or written.page != page:
        st.session_state[_SESSION_KEY] = _WrittenLink(page)
    elif written.current is not None and not follows_history():
        sent = _sent_link()
        if sent != written.current and sent in written.replaced:
            _put(written.current)


def write_link(link: Mapping[str, str]) -> None:
    """Write the link into the address bar.

    Args:
        link: all parameters and their texts, but for presentation mode, which is added here.
    """
    written: _WrittenLink = st.session_state.setdefault(_SESSION_KEY, _WrittenLink(""))
    written.write(_sent_link(), dict(link))
    _put(link)


def follows_history() -> bool:
    """Return whether this run follows the browser's Back or Forward button."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def _sent_link() -> dict[str, str]:
    """Return the link that the browser sent with this run, without presentation mode."""
    link = st.query_params.to_dict()
    return {name: text for name, text in link.items() if name != PRESENT}


def _put(link: Mapping[str, str]) -> None:
    """Write a link into the address bar, with presentation mode, if it is not there already."""
    whole = {**link, **presenting_in_link()}
    if st.query_params.to_dict() != whole:
        st.query_params.from_dict(whole)
