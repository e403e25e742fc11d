"""The shipped nginx.conf, run by a real nginx. Each replica answers with its own port."""

import gzip
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.deploy.asking import ask
from tests.deploy.conftest import proxy
from tests.deploy.replicas import PROGRAM, replica
from tests.waiting import until
from ui.state.address import Address, encode


def served_by(port: int, visitor: str, path: str = "/explorer?head=2") -> tuple[int, str]:
    answer = ask(port, path, Cookie=visitor)
    return int(answer.body), answer.cookie


def test_new_visitors_are_distributed_and_each_stays_with_its_replica(proxied):
    port, replicas = proxied
    came = [ask(port) for _ in range(6)]
    first = [int(answer.body) for answer in came]
    assert sorted(first) == sorted(3 * [server.port for server in replicas])
    for answer, own in zip(came, first, strict=True):
        assert answer.cookie == f"replica={own}"
        assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= set(
            answer.headers["Set-Cookie"].split("; ")
        )
        for _ in range(5):
            assert served_by(port, answer.cookie) == (own, "")  # and the cookie is not sent again
        address = f"ws://127.0.0.1:{port}/_stcore/stream"
        with connect(address, additional_headers={"Cookie": answer.cookie}, proxy=None) as stream:
            stream.send("hello")
            assert stream.recv(timeout=5) == f"{own} hello"


def test_an_unknown_cookie_makes_a_new_visitor(proxied):
    port, replicas = proxied
    for junk in ("replica=1", "replica=newcomers", "replica=../etc", "replica="):
        own, cookie = served_by(port, junk)
        assert own in [server.port for server in replicas]
        assert cookie == f"replica={own}"


def test_a_visitor_whose_replica_ends_stays_with_the_replica_that_takes_over(proxied):
    port, (first, second) = proxied
    first.server.shutdown()
    taken_over = second.port, f"replica={second.port}"
    assert served_by(port, f"replica={first.port}") == taken_over
    assert served_by(port, f"replica={second.port}") == (second.port, "")
    assert int(ask(port).body) == second.port


def test_without_any_replica_a_page_explains_this_and_reloads_itself(proxied):
    port, replicas = proxied
    for server in replicas:
        server.server.shutdown()
    answer = ask(port, "/explorer?head=2", Cookie=f"replica={replicas[0].port}")
    page = answer.body.decode()
    assert answer.status == 503
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.headers["Cache-Control"] == "no-store"
    assert '<meta http-equiv="refresh" content="3">' in page  # reloads the same address
    assert "starting again" in page
    assert '<p lang="zh-Hans">' in page


def test_static_files_are_compressed_once_cached_and_sent_in_a_form_that_the_browser_accepts(
    proxied,
):
    port, replicas = proxied
    for _ in range(4):
        answer = ask(port, "/static/js/index.abc.js", Accept_Encoding="gzip, br")
        assert answer.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(answer.body) == PROGRAM
        assert answer.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        # a shared cache would give the cookie to other visitors
        assert "Set-Cookie" not in answer.headers
    assert sum(len(server.asked) for server in replicas) == 1
    plain = ask(port, "/static/js/index.abc.js")
    assert "Content-Encoding" not in plain.headers
    assert plain.body == PROGRAM
    assert sum(len(server.asked) for server in replicas) == 1


def test_nginx_answers_only_to_its_own_host_names(proxied):
    port, replicas = proxied
    for name in ("localhost", f"localhost:{port}", "127.0.0.1"):
        assert ask(port, Host=name).status == 200
    for name in ("evil.example", "localhost.evil.example", "10.0.0.1"):
        answer = ask(port, Host=name)
        assert answer.status == 421
        assert b"Ask who runs it" in answer.body
    assert sum(len(server.asked) for server in replicas) == 3


def test_every_answer_has_each_security_header_once(proxied):
    port, replicas = proxied
    app = [ask(port), ask(port, "/static/js/index.js"), ask(port, "/static/js/index.js")]
    for server in replicas:
        server.server.shutdown()
    nginx = [
        ask(port, Host="evil.example"),  # answered with status 421
        ask(port),  # answered with status 503
        ask(port, "/?" + 70_000 * "x"),  # answered with status 414
        ask(port, Content_Length="3000000"),  # answered with status 413
    ]
    assert [answer.status for answer in app + nginx] == [200, 200, 200, 421, 503, 414, 413]
    for answers, policy in (
        (app, "default-src 'self'"),
        (nginx, "default-src 'none'; style-src 'unsafe-inline'"),
    ):
        for answer in answers:
            assert answer.headers.get_all("Referrer-Policy") == ["no-referrer"]
            assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"]
            assert answer.headers.get_all("Content-Security-Policy") == [policy]


def test_the_number_of_visitors_from_one_address_is_limited(nginx):
    with replica() as only, proxy(nginx, [only], visitors=2) as port:
        address = f"ws://127.0.0.1:{port}/_stcore/stream"
        with connect(address, proxy=None) as first, connect(address, proxy=None) as second:
            with pytest.raises(InvalidStatus, match="429"):
                connect(address, proxy=None)
            for stream in (first, second):
                stream.send("hello")
                assert stream.recv(timeout=5) == f"{only.port} hello"
            assert ask(port).status == 200  # requests for files do not count as visitors
        until(lambda: _is_accepted(address))  # nginx has noticed that the visitors left


def _is_accepted(address: str) -> bool:
    with suppress(InvalidStatus), connect(address, proxy=None):
        return True
    return False


def test_one_address_can_load_whole_pages_at_once_but_the_rate_is_limited(nginx):
    with replica() as only, proxy(nginx, [only], visitors=1) as port:
        statuses = [ask(port, "/static/js/index.js").status for _ in range(200)]
    assert statuses[:140] == [200] * 140
    assert 429 in statuses[140:]


@pytest.mark.parametrize("text", ["看" * 1000, "\N{CAT FACE}" * 1000])
def test_a_link_as_long_as_the_app_writes_is_passed_on(proxied, monkeypatch, text):
    # limit of the servers that stand in for the app
    monkeypatch.setattr("websockets.http11.MAX_LINE_LENGTH", 10**6)
    port, _ = proxied
    link = encode(Address(sentence=text, target=text, second=text))
    assert set(link) == {"sentence", "target", "second"}
    link["masks.other.3"] = text
    for path in (f"/many?{urlencode(link)}", f"/_stcore/health?{urlencode(link)}"):
        assert ask(port, path).status == 200
