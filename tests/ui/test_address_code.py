"""The QR code with the address of a presented view, for the phones of a class."""

from html import escape
from urllib.parse import unquote

import pytest
from streamlit import config, net_util

from tests.ui.drawn import Page
from ui.frame.address_code import qr_code, reachable_site
from ui.text.translator import translator


@pytest.mark.parametrize(
    ("url", "listens", "own", "expected"),
    [
        (
            "https://maps.school.example/app/explorer",
            "",
            "10.0.0.7",
            "https://maps.school.example/app/explorer",
        ),
        ("http://10.0.0.7:8501/?lang=zh", "0.0.0.0", "10.0.0.7", "http://10.0.0.7:8501/"),
        ("http://localhost:8501/masks", "0.0.0.0", "10.0.0.7", "http://10.0.0.7:8501/masks"),
        ("http://localhost:8501/masks", "127.0.0.1", "10.0.0.7", None),
        # the server would not answer to this host name
        ("http://127.0.0.1:8501/masks", "0.0.0.0", "10.0.0.8", None),
        ("http://[::1]:8501/", "::1", "10.0.0.7", None),
    ],
)
def test_the_code_contains_an_address_that_other_devices_can_reach(
    monkeypatch, url, listens, own, expected
):
    options = {"server.address": listens, "server.allowedHosts": ["10.0.0.7"]}
    get_option = config.get_option
    monkeypatch.setattr("streamlit.get_option", lambda key: options.get(key, ""))
    monkeypatch.setattr(config, "get_option", lambda key: options.get(key, get_option(key)))
    monkeypatch.setattr(net_util, "get_internal_ip", lambda: own)
    assert reachable_site(url) == expected


def test_the_code_is_black_on_white_in_every_theme():
    pytest.importorskip("segno")
    picture = unquote(qr_code("http://10.0.0.7:8501/?sentence=A+cat."))
    assert picture.startswith("data:image/svg+xml")
    assert "white" in picture or "#fff" in picture
    assert qr_code("http://a.example/") != qr_code("http://b.example/")


def test_only_a_presented_page_has_a_code_and_a_local_page_says_why_it_has_none():
    local = translator("en")("tools.local")
    assert local not in Page("masks").html
    assert local in Page("masks", present="1").html


def test_the_code_of_a_presented_page_leads_to_its_view_without_the_presentation(monkeypatch):
    pytest.importorskip("segno")
    url = property(lambda _: "https://maps.school.example/masks?present=1")
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.url", url)
    html = Page("masks", present="1", layer="2", sentence="A cat.").html
    address = "https://maps.school.example/masks?layer=2&sentence=A+cat."
    assert escape(address) in html
    assert qr_code(address) in html
