"""A page gets its styles before its first element, and a notice for a proxy without websockets."""

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.components.page_styles import PAGE_STYLES
from ui.server.first_paint import FirstPaint
from ui.server.waiting_page import NOTICE

# The tags are also in a comment, which must stay as it is.
COMMENT = "<!-- <html> <head> </head> -->"
PAGE = f"<html><head><title>x</title></head><body>{COMMENT}{'<p>long</p>' * 500}</body></html>"


@pytest.fixture
def client(tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    parts = [PAGE[:500], PAGE[500:]]
    routes = [
        Route("/", lambda _: HTMLResponse(PAGE)),
        Route("/file", lambda _: FileResponse(tmp_path / "page.html")),
        Route("/parts", lambda _: StreamingResponse(parts, media_type="text/html")),
        Route("/text", lambda _: Response("</head>", media_type="text/plain")),
        Route("/gone", lambda _: HTMLResponse(PAGE, status_code=404)),
    ]
    app = Starlette(routes=routes)
    return TestClient(FirstPaint(GZipMiddleware(app)))


def without_additions(page: str) -> str:
    return re.sub(r"<link.*/>\n", "", page).replace(NOTICE.decode(), "")


@pytest.mark.parametrize("path", ["/", "/file", "/parts"])
def test_a_page_links_its_styles_in_every_encoding(client, path):
    answer = client.get(path, headers={"accept": "text/html", "accept-encoding": "gzip"})
    [link] = re.findall(r'<link rel="stylesheet" href="\./(.*)" />', answer.text)
    assert link == PAGE_STYLES
    assert without_additions(answer.text) == PAGE
    assert int(answer.headers["content-length"]) == len(answer.content)
    # if a browser cached this page, it would miss the styles of the next version
    assert not {"etag", "last-modified", "accept-ranges"} & set(answer.headers)


def test_a_page_ends_with_a_sentence_for_a_proxy_without_websockets(client):
    page = client.get("/", headers={"accept": "text/html"}).text
    assert page.count("This page gets no connection to its server.") == 1
    assert page.endswith("</p></body></html>")


@pytest.mark.parametrize(("path", "accept"), [("/text", "text/html"), ("/gone", "text/html")])
def test_other_answers_are_not_changed(client, path, accept):
    answer = client.get(path, headers={"accept": accept}).text
    assert PAGE_STYLES not in answer
    assert "no connection" not in answer


def test_other_files_are_still_compressed(client):
    answer = client.get("/", headers={"accept": "*/*", "accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text == PAGE


@pytest.mark.parametrize(
    ("query", "marked"),
    [("?present=1", True), ("?sentence=a&present=1", True), ("?present=0", False)],
)
def test_a_page_with_a_presentation_link_is_marked_from_the_beginning(client, query, marked):
    answer = client.get(f"/{query}", headers={"accept": "text/html"})
    beginning = "<html data-present>" if marked else "<html>"
    assert without_additions(answer.text) == PAGE.replace("<html>", beginning, 1)
