"""Visit the app without a browser, and send messages that no browser would send.

A visitor speaks the protocol of Streamlit's page: protocol buffers over one websocket.
"""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

ONCE = ("trigger_value", "json_trigger_value")  # states of clicks, which are sent in one run only
# this run was interrupted, and the next run is the answer
_RUN_INTERRUPTED = ForwardMsg.FINISHED_EARLY_FOR_RERUN


@dataclass
class Answer:
    """The answer of the server to one message."""

    seconds: float = 0.0  # from sending until the end of the run
    # their messages, each with the traceback if the page shows one
    exceptions: list[str] = field(default_factory=list)
    closed: bool = False  # whether the server has closed the connection
    unfinished: bool = False  # whether the run did not end in time


class Visitor:
    """One connection, its widgets, and the choices of the visitor so far.

    Args:
        address: address of the server.
        patience: seconds to wait for the end of a run.
        cookie: a cookie that the server has set before.
    """

    def __init__(self, address: str, *, patience: float = 60.0, cookie: str = "") -> None:
        stream = address.replace("http://", "ws://") + "/_stcore/stream"
        self._connection = ExitStack()
        self._socket = self._connection.enter_context(
            connect(
                stream,
                subprotocols=["streamlit"],
                additional_headers={"Cookie": cookie} if cookie else None,
                max_size=None,
                open_timeout=60,
                proxy=None,
            )
        )
        self._patience = patience
        self.address = address
        self.page_hash = ""
        self.session = ""
        self.fragments: list[str] = []
        self.widgets: dict[str, str] = {}  # id -> type of the element
        self.chosen: dict[str, WidgetState] = {}  # id -> state
        self.query = ""  # query in the browser's address
        self.shown: dict[tuple[int, ...], Element] = {}  # position on the page -> element

    def open(self, page: str = "", query: str = "") -> Answer:
        """Go to a page, as a link does."""
        self.query = query
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = query
        return self.send(message.SerializeToString())

    def choose(self, *states: WidgetState, query: str | None = None, fragment: str = "") -> Answer:
        """Set widgets, and run the page or one fragment of it again.

        Args:
            states: the new states of widgets.
            query: query of the browser's address; None keeps the query of the last run.
            fragment: id of the fragment that runs; without an id, the whole page runs.
        """
        states_sent = self.chosen | {state.id: state for state in states}
        self.chosen = {
            id: state for id, state in states_sent.items() if state.WhichOneof("value") not in ONCE
        }
        message = BackMsg()
        run = message.rerun_script
        run.page_script_hash = self.page_hash
        run.query_string = self.query if query is None else query
        run.fragment_id = fragment
        run.widget_states.widgets.extend(states_sent.values())
        return self.send(message.SerializeToString())

    def send(self, raw: bytes, *, runs: bool = True) -> Answer:
        """Send any bytes, and wait for the end of the run.

        Args:
            raw: the bytes.
            runs: whether the bytes cause a run. If not, the visitor does not wait.
        """
        answer = Answer()
        start_time = time.perf_counter()
        try:
            self._socket.send(raw)
            while runs and not self._ended(answer):
                pass
        except ConnectionClosed:
            answer.closed = True
        except TimeoutError:
            answer.unfinished = True
        answer.seconds = time.perf_counter() - start_time
        return answer

    def widget(self, key: str) -> str:
        """Return the id of the widget with this key."""
        return next(name for name in self.widgets if name.endswith(f"-{key}"))

    def download(self, key: str) -> str:
        """Press the download button with this key, and return the address of the file."""
        buttons = [element.download_button for element in self.shown.values()]
        [button] = [button for button in buttons if button.id.endswith(f"-{key}")]
        message = BackMsg()
        request = message.backend_operation_request
        request.request_id = "download"
        request.session_id = self.session
        request.deferred_file.file_id = button.deferred_file_id
        self._socket.send(message.SerializeToString())
        while True:
            raw = self._socket.recv(timeout=self._patience, decode=False)
            answer = ForwardMsg.FromString(raw)
            if answer.WhichOneof("type") == "backend_operation_response":
                return str(answer.backend_operation_response.deferred_file.url)

    def _ended(self, answer: Answer) -> bool:
        """Receive one message, and return whether the run has ended."""
        message = ForwardMsg.FromString(self._socket.recv(timeout=self._patience, decode=False))
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id
                if not message.metadata.run.fragment_ids:
                    self.fragments.clear()  # the page sends its fragments again
                    self.shown.clear()
            case "navigation":
                self.page_hash = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "delta":
                self._see(message, answer)
            case "script_finished":
                return bool(message.script_finished != _RUN_INTERRUPTED)
        return False

    def _see(self, message: ForwardMsg, answer: Answer) -> None:
        """Record the fragment, element, widget or exception of a message."""
        fragment = message.delta.fragment_id
        if fragment and fragment not in self.fragments:
            self.fragments.append(fragment)
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        self.shown[tuple(message.metadata.delta_path)] = element
        kind = element.WhichOneof("type")
        if kind == "exception":
            exception = element.exception
            answer.exceptions.append(
                "\n".join((exception.type, exception.message, *exception.stack_trace))
            )
        elif kind and getattr(getattr(element, kind), "id", ""):
            self.widgets[getattr(element, kind).id] = kind

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def clicked(widget: str, event: str, value: object) -> WidgetState:
    """Return the state that one of our components sends for a click.

    Args:
        widget: id of the component.
        event: name of the event.
        value: value of the event, as JSON types.
    """
    events = json.dumps([{"event": event, "value": value}])
    return WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{widget}__events", json_trigger_value=events)
