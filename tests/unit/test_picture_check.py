"""A picture from a browser is converted only if this app could have drawn it."""

import base64
import struct

import pytest

from ui.export.picture_check import is_drawn_here


def _svg(content: str, declaration: str = "") -> str:
    return f'{declaration}<svg xmlns="http://www.w3.org/2000/svg">{content}</svg>'


def _png(width: int, height: int) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return f"data:image/png;base64,{base64.b64encode(head).decode()}"


def _image(width: int, height: int) -> str:
    return f'<image href="{_png(width, height)}"/>'


def _older_image(*others: str, link: str) -> str:
    """Return an image whose link is in the namespace that older programs need."""
    xlink = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<image {xlink} xlink:href="{link}" {" ".join(others)}/>'


@pytest.mark.parametrize(
    "content",
    [
        "",
        '<g><rect width="5" fill="url(#a)"/><text>dog</text></g>',
        _image(600, 400),
        _older_image(link=_png(600, 400)),
        "<g>" * 9 + "</g>" * 9,
    ],
)
def test_pictures_of_the_app_are_accepted(content):
    assert is_drawn_here(_svg(content))


@pytest.mark.parametrize(
    "svg",
    [
        None,
        b"<svg/>",
        "",
        "<svg",
        "<svg/>",  # without a namespace
        _svg("", '<!DOCTYPE svg [<!ENTITY a "aaaaaaaa">]>'),
        _svg('<image href="/etc/passwd"/>'),
        _svg('<image href="https://example.org/a.png"/>'),
        _svg(_older_image(link="secret.png")),
        _svg(_older_image(link=_png(60_000, 60_000))),
        _svg(_older_image(f'href="{_png(60_000, 60_000)}"', link=_png(600, 400))),
        _svg('<rect fill="url(https://example.org/a.svg#b)"/>'),
        _svg('<use href="#a"/>'),
        _svg('<filter id="a"/>'),
        _svg("<script>alert(1)</script>"),
        _svg("<style>@import 'a.css'</style>"),
        _svg("<foreignObject/>"),
        _svg('<clipPath id="a" clip-path="url(#a)"/>'),
        _svg("<g>" * 50 + "</g>" * 50),
        _svg(_image(60_000, 60_000)),
        _svg('<image href="data:image/png;base64,???"/>'),
        _svg("x" * 4_000_001),
    ],
)
def test_every_other_svg_is_refused(svg):
    assert not is_drawn_here(svg)
