"""Hostile visitors attack the app as `make app` serves it.

An audit hook in the server's process reports what it does with the network. If a test fails, its
message names a seed: ``python -m tests.hostile.attack ADDRESS SEED`` repeats the attack.
"""

import http.client
import re
import resource
import shutil
import socket
import struct
import time
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest

from benchmarks.classroom import actions
from tests.deploy.asking import KNOCK, ask
from tests.hostile.attack import attack, tracebacks
from tests.server import serve
from tests.visitor import Visitor
from ui.server.upload_limiter import MOST as MOST_FILES
from ui.state.models import FIRST, FOLDER_VARIABLE

MOST = 2_000_000  # kB; the limit for the server's memory
WALL = 12 * 2**30  # bytes of address space: an endless file must stop the server, not the machine
HALF_A_MESSAGE = 150_000_000  # bytes; Streamlit's default limit would allow the whole message
BOUNDARY = "a-line-between-the-parts"
WATCH = """
import os, sys

def note(event, args):
    if event in ("socket.bind", "socket.connect", "socket.getaddrinfo"):
        host = args[0] if event == "socket.getaddrinfo" else args[1][0]
        with open(os.environ["NETWORK_LOG"], "a") as log:
            print(event, host, file=log)

sys.addaudithook(note)
"""


@pytest.fixture(scope="module")
def root(tiny_checkpoint, tmp_path_factory):
    """Return the folder of checkpoints."""
    root = tmp_path_factory.mktemp("watched") / "checkpoints"
    shutil.copytree(tiny_checkpoint, root / FIRST)
    return root


@pytest.fixture(scope="module")
def server(root):
    (root.parent / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    own = {"PYTHONPATH": str(root.parent), "NETWORK_LOG": str(root.parent / "calls")}
    with serve(root.parent / "log", environment=own | {FOLDER_VARIABLE: str(root)}) as server:
        resource.prlimit(server.process, resource.RLIMIT_AS, (WALL, WALL))
        yield server


def test_the_server_listens_on_this_machine_only_and_connects_to_nobody(server, root):
    calls = root.parent / "calls"
    assert calls.read_text() == "socket.bind 127.0.0.1\n"
    with Visitor(server.address) as visitor:
        visitor.open()
    for headers, status in (
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Host": "elsewhere.example"}, 403),
        ({"Origin": server.address}, 101),
    ):
        assert ask(port_of(server.address), "/_stcore/stream", **KNOCK | headers).status == status
    assert "getaddrinfo" not in calls.read_text()


def test_small_files_wait_for_no_acknowledgement(server):
    """Without uvloop, Nagle's algorithm and delayed acknowledgements cost 40 ms for each file."""
    connection, took = http.client.HTTPConnection("127.0.0.1", port_of(server.address)), []
    for _ in range(20):
        start_time = time.perf_counter()
        connection.request("GET", "/favicon.png")
        connection.getresponse().read()
        took.append(time.perf_counter() - start_time)
    connection.close()
    assert min(took[1:]) < 0.03


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def put(visitor: Visitor, content: bytes, file: str) -> int:
    """Upload the bytes as a browser does, and return the status of the answer."""
    cookie = ask(port_of(visitor.address), "/_stcore/health").cookie
    token = cookie.removeprefix("_streamlit_xsrf=")
    part = 'Content-Disposition: form-data; name="file"; filename="list.txt"'
    headers = {
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Cookie": cookie,
        "X-Xsrftoken": token,
    }
    begin, end = f"--{BOUNDARY}\r\n{part}\r\n\r\n", f"\r\n--{BOUNDARY}--\r\n"
    body = begin.encode() + content + end.encode()
    connection = http.client.HTTPConnection(visitor.address.removeprefix("http://"), timeout=120)
    connection.request("PUT", f"/_stcore/upload_file/{visitor.session}/{file}", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_number_and_size_of_a_visitors_files_are_limited(server):
    with Visitor(server.address) as first, Visitor(server.address) as second:
        for visitor in (first, second):
            visitor.open("many")
            assert put(visitor, bytes(5_000_000), "large") == 413
            statuses = [put(visitor, b"x", f"{n}") for n in range(MOST_FILES + 1)]
            assert statuses == [204] * MOST_FILES + [429]


def test_the_limits_allow_a_visitor_of_a_class(server):
    with Visitor(server.address) as visitor:
        visitor.open("explorer")
        for action, act in islice(actions(visitor, Random(1), n_layers=2, n_heads=2), 14):
            query_before = visitor.query
            answer = act()
            assert (answer.exceptions, answer.closed, answer.unfinished) == ([], False, False)
            assert visitor.query != query_before, action


FOREIGN_HOSTS = (
    "elsewhere.example",
    "127.0.0.1.elsewhere.example",
    "10.0.0.1",
    "localhost@e.example",
)
EVERY_KIND_OF_PATH = (
    "/",
    "/explorer?sentence=Hello",
    "/favicon.png",
    "/static/js/none.js",
    "/own/static/none.js",
    "/component/none",
    "/media/none.html",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/bidi-components/none",
    "/_stcore/agent/openapi.json",
    "/_stcore/upload_file/none/none",
)


@pytest.mark.parametrize("path", EVERY_KIND_OF_PATH)
def test_a_foreign_host_is_refused_for_every_path(server, path):
    port = port_of(server.address)
    for host in FOREIGN_HOSTS:
        answer = ask(port, path, Host=host)
        assert answer.status == 421, host
        assert b"Ask who runs it" in answer.body
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    for host in ("localhost", f"LOCALHOST.:{port}", "127.0.0.1:80"):
        assert ask(port, path, Host=host).status != 421, host


@pytest.mark.parametrize("text", ["看" * 1000, "\N{CAT FACE}" * 1000])
def test_a_link_as_long_as_the_app_writes_is_read(server, text):
    link = {"sentence": text, "target": text, "masks.other.2": text, "masks.other.3": text}
    assert ask(port_of(server.address), f"/masks?{urlencode(link)}").status == 200


def test_a_foreign_site_cannot_upload_a_file(server):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=20)
    path = "/_stcore/upload_file/none/none"
    connection.request("PUT", path, b"x", {"Host": "elsewhere.example"})
    assert connection.getresponse().status == 421
    connection.close()


@pytest.mark.parametrize("path", EVERY_KIND_OF_PATH)
def test_every_answer_has_a_content_security_policy(server, path):
    headers = ask(port_of(server.address), path).headers
    policy = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
    assert "'unsafe-inline'" not in policy["script-src"]
    assert "'unsafe-eval'" not in policy["script-src"]
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "*"
    assert policy["connect-src"].endswith(f" wss://{server.address.removeprefix('http://')}")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in headers["Permissions-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/metrics/",
        "/_stcore/metrics//",
        "/_stcore//metrics",
        "//_stcore/metrics",
        "/_stcore/%6detrics",
        "/_stcore/metrics?families=session_events",
        "/class/_stcore/metrics",
    ],
)
def test_the_metrics_are_closed_at_every_spelling_of_their_path(server, path):
    answer = ask(port_of(server.address), path, Accept="application/x-protobuf")
    assert answer.status in (400, 403)  # 400: Streamlit refuses a path that begins with two slashes
    assert b"session" not in answer.body


def test_the_log_says_nothing_about_a_visitor(server):
    """Each part of a request that can identify or quote a visitor holds an unusual word."""
    port = port_of(server.address)
    with Visitor(server.address) as visitor:
        visitor.open("explorer", "?sentence=A+quokka+sleeps.")
        put(visitor, b"quokka " * 1_000_000, "quokka")
    own = {"Referer": f"{server.address}/?sentence=quokka", "X_Forwarded_For": "203.0.113.77"}
    for path in (*EVERY_KIND_OF_PATH, "/oauth2callback", "/auth/login", "/auth/logout", "/quokka"):
        ask(port, f"{path}?error=quokka&error_description=quokka&sentence=quokka", **own)
    foreign_sites = ("http://quokka.example", "http://[quokka", "null quokka")
    foreign = [{"Origin": site} for site in foreign_sites] + [{"Host": "quokka.example"}]
    for headers in foreign:
        assert ask(port, "/_stcore/stream", **KNOCK | own | headers).status == 403
    log = server.log.read_text(encoding="utf-8")
    assert "You can now view your Streamlit app" in log
    assert "quokka" not in log
    assert "203.0.113.77" not in log


def connect_stream(address: str) -> socket.socket:
    """Open a websocket on which the test writes the frames itself."""
    host, port = address.removeprefix("http://").split(":")
    headers = {"Host": f"{host}:{port}", "Sec-WebSocket-Protocol": "streamlit"}
    headers |= {name.replace("_", "-"): value for name, value in KNOCK.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(f"GET /_stcore/stream HTTP/1.1\r\n{lines}\r\n".encode())
    assert connection.recv(4096).startswith(b"HTTP/1.1 101 ")
    return connection


def frame_header(size: int, *, first: bool = True, last: bool = True) -> bytes:
    """Return the header of a frame. Its mask is zero, so that the payload follows unchanged.

    Args:
        size: bytes that the frame announces.
        first: whether a message begins with it; otherwise it continues one.
        last: whether the message ends with it.
    """
    opcode = 2 if first else 0  # 2 is a binary frame, 0 a continuation
    return bytes([opcode + (128 if last else 0), 255]) + struct.pack(">Q", size) + bytes(4)


def resident_bytes(process: int) -> int:
    """Return the bytes of memory that the process uses."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    size = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert size
    return 1000 * int(size[1])


def is_refused_as_too_large(connection: socket.socket) -> bool:
    """Return whether the server closes the connection with code 1009, "message too big"."""
    return struct.pack(">H", 1009) in connection.recv(4096)


def test_a_message_larger_than_the_app_ever_needs_is_refused_at_its_header(server):
    for size in (10_500_000, HALF_A_MESSAGE, 2**62):
        with connect_stream(server.address) as connection:
            connection.sendall(frame_header(size))
            assert is_refused_as_too_large(connection), size
    # many small frames can form one large message
    with connect_stream(server.address) as connection:
        connection.sendall(frame_header(6_000_000, last=False) + bytes(6_000_000))
        connection.sendall(frame_header(6_000_000, first=False, last=False))
        assert is_refused_as_too_large(connection)


def test_an_unfinished_large_message_takes_no_memory(server):
    before = resident_bytes(server.process)
    with ExitStack() as connections:
        for _ in range(4):
            connection = connections.enter_context(connect_stream(server.address))
            with suppress(OSError):  # the server may have closed the connection
                connection.sendall(frame_header(HALF_A_MESSAGE + 1) + bytes(HALF_A_MESSAGE))
        assert resident_bytes(server.process) - before < HALF_A_MESSAGE


@pytest.mark.slow
def test_hostile_visitors_cause_no_fault(server):
    faults = [fault for seed in range(1000, 1120) for fault in attack(server.address, seed)]
    faults += tracebacks(server.log.read_text(encoding="utf-8", errors="replace"))
    assert not faults, "\n".join(faults)
    status = Path(f"/proc/{server.process}/status").read_text(encoding="ascii")
    held = re.search(r"VmHWM:\s+(\d+)", status)
    assert held
    assert int(held[1]) < MOST
