"""The choices of one visitor, synchronised between widgets, session and link."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import streamlit as st

from ui.state.address import LONGEST, NAMES, Address, decode, encode
from ui.state.codecs import Codec
from ui.state.language import LANGUAGE, SWITCH, language_in_link, language_now
from ui.state.link import write_link
from ui.state.presenting import PRESENT
from ui.text.markup import escape_markdown
from ui.text.translator import translator

T = TypeVar("T")
_SESSION_KEY = "visitor"
_LONGEST_NOTICE = 100  # characters of names in a toast: a link can name anything


class Visitor:
    """All choices of one visitor, which a link, a widget or a click may change.

    A choice has a key. Without a dot, such as ``layer``, it is a field of the ``Address`` that
    pages share. With a dot, such as ``qkv.step``, it belongs to one page. The life of a value:

    1. A link says ``layer=2&qkv.step=scale``. ``from_link`` notices that this is not what the last
       run wrote there, and forgets what was stored before under the keys that have changed.
    2. Fields are decoded at once, because the page needs them to open its model. A value of the
       page waits as a text: what it can be is known only when the page asks for it.
    3. ``get`` returns the stored value, or else what the link says, or else the default. If this
       value is not allowed, ``get`` returns the default, and a toast names the key if the value
       came from the link. A widget (``ui.frame.controls``) or a picture shows what ``get`` returns.
    4. The visitor uses the widget, or clicks on a picture, which calls ``set``. Streamlit's session
       stores the new value under the key (``widget_key`` for a field), and the page runs again.
    5. ``to_link`` writes the fields into the link, ``get`` writes a value of the page. A default is
       not in the link, nor is a text that is too long for one. The first checkpoint is named where
       a link without any choice would open a different one, see ``ui.state.models``.

    Another page: Streamlit drops all widgets of the one before. The fields stay in ``address``;
    a value that no widget shows stays in the session until its page opens again.
    *Back*: the browser says so, and the link is not what the last run wrote: step 1 follows.
    Two quick clicks: the second one carries the link from before the first one. ``ui.state.link``
    corrects it before step 1.
    A widget that is not drawn: Streamlit drops it with the run, so it begins again with its
    default, unless ``ui.frame.controls`` keeps its value.
    Junk in a link: the default is shown. A link reaches no other part of the session, because
    only keys that a page has asked for are read or forgotten.
    """

    def __init__(self) -> None:
        self.address: Address | None = None  # of the last run, if any
        self.page = ""  # name of the last run's page
        self._first_checkpoint = ""  # of a link without any choice
        self._fields_in_link: dict[str, str] = {}  # fields in the link, as the last run wrote them
        self._clicked: dict[str, object] = {}  # fields that clicks have set since the last run
        self._watched: list[Callable[[], bool]] = []  # see ``watch``
        self._asked: dict[str, str] = {}  # values of this page in a link, until ``get`` reads them
        self._shown: dict[str, str] = {}  # values of this page that are not defaults, as texts
        self._subjects: dict[str, Hashable] = {}  # key -> argument ``subject`` of ``get``
        self._listed: dict[str, Sequence[str]] = {}  # key -> argument ``texts`` of ``show_again``
        self.keys_read: set[str] = set()  # keys that a link can reach

    # Fields of the address: each method is called once per run

    def from_link(self, page: str, names: Sequence[str], *, first_checkpoint: str = "") -> Address:
        """Return the address that the visitor sees now.

        A widget that was just used or a click has the highest priority. Then comes a link that was
        opened, also by the browser's back button, and then what the visitor looked at before, here
        or on another page.

        Args:
            page: a key of ``ui.frame.page.PAGES``.
            names: the fields that the page has widgets for.
            first_checkpoint: what a link without any choice means, for this visitor's language.
        """
        self._first_checkpoint = first_checkpoint
        link = {
            name: text
            for name, text in st.query_params.to_dict().items()
            if name not in (LANGUAGE, PRESENT) and "." not in name
        }
        if self.address is None:
            return self._opened(link)
        # The visitor comes from another page. Or no page is stored, because the first run was
        # interrupted, for example by *Reset* while a model loads.
        if self.page != page:
            return self._opened(link) if link else replace(self.address, show="")
        now = self._with_widgets(names)
        if now != self.address:
            return now
        return self.address if link == self._fields_in_link else self._opened(link)

    def to_link(
        self,
        page: str,
        address: Address,
        names: Sequence[str],
        *,
        spelled_out: Mapping[str, str] | None = None,
    ) -> None:
        """Synchronise widgets, session and link. Call this before any widget is drawn.

        Args:
            page: as for ``from_link``.
            address: what the page shows, with a layer, a head and checkpoints that exist.
            names: as for ``from_link``.
            spelled_out: fields that the link must name although they have their defaults.
        """
        params = st.query_params.to_dict()
        is_new_page = self.page != page
        for name in names:
            # Widgets of a new page start empty, even if the session has values under their keys.
            key = widget_key(name)
            if is_new_page or st.session_state.get(key) != getattr(address, name):
                st.session_state.pop(key, None)
        own_params = {
            key: text for key, text in params.items() if "." in key and not is_shared(key)
        }
        is_new_view = self.address is None or self.address.show != address.show
        self._take_own_params(own_params, is_new_page=is_new_page, is_new_view=is_new_view)
        self.address = address
        self.page = page
        self._fields_in_link = encode(address, names) | dict(spelled_out or {})
        self._clicked = {}
        self._watched = []
        self._write_whole_link()

    def field(self, name: str) -> Any:
        """Return the value of a field. The field's widget has it as its default."""
        return getattr(self.address, name)

    def address_now(self) -> Address:
        """Return the address during a click, with the current values of the page's widgets."""
        return self._with_widgets(NAMES)

    def take_along(self, address: Address) -> None:
        """Let the next page open with this address. Call this before switching the page."""
        self.address = address

    @property
    def has_clicked(self) -> bool:
        """Whether a click has set fields that the page has not read yet."""
        return bool(self._clicked)

    def watch(self, is_outdated: Callable[[], bool]) -> None:
        """Let the page draw a part again that depends on a fragment's controls.

        Args:
            is_outdated: whether the part shows an earlier choice. When it becomes true in a run of
                a fragment, the whole page runs instead.
        """
        self._watched.append(is_outdated)

    @property
    def has_outdated_parts(self) -> bool:
        """Whether a watched part of the page shows an earlier choice."""
        return any(is_outdated() for is_outdated in self._watched)

    # Page-specific choices, by key

    def get(self, key: str, codec: Codec[T], *, subject: Hashable = None) -> T:
        """Return a value of the page; store it and write it into the link.

        Args:
            key: with a dot, as in a link.
            codec: what the value can be, and what it is at first.
            subject: what the value belongs to, such as the tokens of a map. If it changes, the
                value is reset to its default.
        """
        state = st.session_state
        self.keys_read.add(key)
        if key in state and self._subjects.get(key) != subject:
            del state[key]
        self._subjects[key] = subject
        value = codec.read(self.peek(key), codec.first)
        is_stored = key in state and state[key] == value and type(state[key]) is type(value)
        if not is_stored:  # types are compared, too, because 1 == True
            state[key] = value
        self._show_in_link(key, codec, value)
        return value

    def peek(self, key: str) -> object:
        """Return the stored value, or else the link's text, or else None, without validation.

        The key counts as read, so that it can be reset.
        """
        self.keys_read.add(key)
        state = st.session_state
        return state[key] if key in state else self._asked.get(key)

    def set(self, values: Mapping[str, object]) -> None:
        """Store values as if widgets had set them. Called on a click.

        If one of them is a field of the address, the whole page runs again, even after a click in
        a fragment: see ``ui.server.page_slots``.

        Args:
            values: by the keys that they have in a link.
        """
        for key, value in values.items():
            if "." in key:
                st.session_state[key] = value
            else:
                self._clicked[key] = value

    def show_again(self, key: str, value: object, texts: Sequence[str]) -> None:
        """Let a drop-down list show its value anew if the texts of its options have changed.

        The browser keeps the text of a chosen option, even if the page has another language now.

        Args:
            key, value: of the list, which is not drawn yet.
            texts: of all its options.
        """
        if self._listed.get(key, texts) != texts:
            st.session_state[key] = value
        self._listed[key] = texts

    def reset(self) -> None:
        """Reset the page to its defaults. Called on a click."""
        self._forget([*map(widget_key, NAMES), *self._shown])
        self.address = None
        self._fields_in_link = {}
        self._clicked = {}
        write_link(language_in_link())

    def warn(self, *names: str) -> None:
        """Warn the visitor that some entries of the link cannot be used."""
        if names:
            tr = translator(language_now())
            text = escape_markdown(tr.listed(names)[:_LONGEST_NOTICE])
            st.toast(tr("link.ignored", names=text))

    # Helpers of the methods above

    def _opened(self, link: dict[str, str]) -> Address:
        """Return the address in a link, and warn about invalid entries.

        Where a language has a model of its own, the app writes this language only together with
        the model. So a link with a language but no model was written by hand, and means the model
        of its language. A link without a language may be from a reader of the default language,
        and means the first model.
        """
        params = st.query_params.to_dict()
        if not params.keys() - {LANGUAGE, PRESENT}:
            return Address(checkpoint=self._first_checkpoint)
        address = decode(link)
        if LANGUAGE in params and "checkpoint" not in link:
            address = replace(address, checkpoint=self._first_checkpoint)
        wanted = link.keys() - encode(address).keys()
        defaults = {name: str(getattr(Address(), name)) for name in NAMES}
        self.warn(*sorted(name for name in wanted if link[name] != defaults.get(name)))
        return address

    def _with_widgets(self, names: Sequence[str]) -> Address:
        """Return the address of the last run, updated by the widgets and the clicks since then."""
        assert self.address is not None
        values = asdict(self.address)
        for name in names:
            value = st.session_state.get(widget_key(name))
            if value is not None:  # it is None if the widget was not drawn
                values[name] = value
        return decode(values | self._clicked, longest=None)

    def _take_own_params(
        self, params: Mapping[str, str], *, is_new_page: bool, is_new_view: bool
    ) -> None:
        """Read the page's own values from a link that the visitor has opened or gone back to.

        Controls that the link no longer names will show their defaults.

        Args:
            params: the page's own keys in the link, and their texts.
            is_new_page: whether the visitor comes from a different page.
            is_new_view: whether the visitor comes from a different view of this page.
        """
        before = {} if is_new_page else self._own_params_in_link()
        if params != before:
            changed = {key for key, text in before.items() if params.get(key) != text}
            self._forget(changed | params.keys())
            self._asked = dict(params)
            self._shown = dict(params)
        elif is_new_page or is_new_view:
            self._asked = {}
            self._shown = {}

    def _own_params_in_link(self) -> dict[str, str]:
        return {key: text for key, text in self._shown.items() if len(text) <= LONGEST}

    def _forget(self, keys: Iterable[str]) -> None:
        """Reset these controls. Keys that no page uses are ignored."""
        for key in self.keys_read & set(keys):
            st.session_state.pop(key, None)
            self._subjects.pop(key, None)

    def _show_in_link(self, key: str, codec: Codec[T], value: T) -> None:
        """Write a value of the page into the link, and warn if the link asked for another one.

        Args:
            key: of the widget and of the link; a field of the address is left alone.
            codec: how the value is written; its default is left out of the link.
            value: what the page shows.
        """
        if is_shared(key):
            return
        text = codec.spell(value)
        asked = self._asked.pop(key, text)
        if set(asked.split(",")) != set(text.split(",")):  # in any order
            self.warn(key)
        self._write(key, None if value == codec.default else text)

    def _write(self, key: str, text: str | None) -> None:
        """Write a text into the link, unless it is too long; None removes the text."""
        if self._shown.get(key) == text:
            return
        if text is None:
            del self._shown[key]
        else:
            self._shown[key] = text
        self._write_whole_link()

    def _write_whole_link(self) -> None:
        link = self._fields_in_link | language_in_link() | self._own_params_in_link()
        write_link(link)


def visitor() -> Visitor:
    """Return the visitor of this page: one object for each Streamlit session."""
    if _SESSION_KEY not in st.session_state:
        st.session_state[_SESSION_KEY] = Visitor()
    owner: Visitor = st.session_state[_SESSION_KEY]
    return owner


def widget_key(name: str) -> str:
    """Return the key of the widget that sets this field of the address."""
    return f"choice.{name}"


def is_shared(key: str) -> bool:
    """Return whether a widget sets the language or a field of the address."""
    return key.startswith("choice.") or key == SWITCH
