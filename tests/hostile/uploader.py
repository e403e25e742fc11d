"""A visitor who sends files, as a browser does: the bytes, then a word that they are there."""

from __future__ import annotations

import html
import http.client
import re
import uuid

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.visitor import Answer, Visitor

_BOUNDARY = "a-line-between-the-parts"


class Uploader(Visitor):
    """A visitor of a page on which a model of one's own can be opened.

    ``told`` is what the page said of the last one.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.told: list[str] = []
        self.n = 0

    def put(self, content: bytes, file: str) -> int:
        """Send the bytes alone; the status of the answer."""
        host = self.address.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.request("GET", "/_stcore/health")
        healthy = connection.getresponse()
        healthy.read()
        [token] = re.findall(r"_streamlit_xsrf=([^;]+)", healthy.getheader("Set-Cookie", ""))
        part = 'Content-Disposition: form-data; name="file"; filename="mine.zip"'
        body = f"--{_BOUNDARY}\r\n{part}\r\n\r\n".encode() + content
        connection.request(
            "PUT",
            f"/_stcore/upload_file/{self.session}/{file}",
            body + f"\r\n--{_BOUNDARY}--\r\n".encode(),
            {
                "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
                "Cookie": f"_streamlit_xsrf={token}",
                "X-Xsrftoken": token,
            },
        )
        status = connection.getresponse().status
        connection.close()
        return status

    def upload(self, content: bytes) -> Answer:
        """Choose a file where the page asks for a model."""
        file = str(uuid.uuid4())
        assert self.put(content, file) == 204
        state = WidgetState(id=self.widget(f"own.file{self.n}"))
        said = state.file_uploader_state_value.uploaded_file_info.add()
        said.file_id, said.name, said.size = file, "mine.zip", len(content)
        self.n += 1
        self.told.clear()
        return self.choose(state)

    def _see(self, message: ForwardMsg, answer: Answer) -> None:
        super()._see(message, answer)
        shown = message.delta.new_element.html.body
        said = re.findall(r'role="alert"[^>]*>(mine.zip: [^<]*)<', shown)
        self.told += map(html.unescape, said)
