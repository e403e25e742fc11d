"""Check a picture from a visitor's browser before this server converts it to PDF.

The browser sends text, and anybody can send anything. Only the elements that ``web/app/tools``
draws with are accepted, and nothing that could make the conversion read a file or take long.
"""

import base64
import binascii
import re
import struct
from xml.etree import ElementTree

# As in web/app/tools/save_figure.js. A matrix of 256 by 256 has 1.3 million.
MAX_CHARACTERS = 2_500_000
_MAX_DEPTH = 40  # elements inside each other; the app's pictures have at most 12
_MAX_PIXELS = 40_000_000  # of all images in the picture together
_SHAPES = ("rect", "path", "circle", "ellipse", "line", "polygon", "polyline")
_OTHERS = ("svg", "g", "text", "tspan", "image", "clipPath", "defs", "title", "desc")
_GRADIENTS = ("linearGradient", "radialGradient", "stop")
_ELEMENTS = frozenset((*_SHAPES, *_OTHERS, *_GRADIENTS))
_PNG = "data:image/png;base64,"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_REFERENCE = re.compile(r"url\((?!#)|@import", re.IGNORECASE)


def is_drawn_here(svg: object) -> bool:
    """Return whether a text is an SVG picture of the kind that this app draws.

    >>> is_drawn_here('<svg xmlns="http://www.w3.org/2000/svg"><rect width="5"/></svg>')
    True
    >>> is_drawn_here('<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>')
    False
    """
    if not isinstance(svg, str) or len(svg) > MAX_CHARACTERS or "<!" in svg:
        return False
    try:
        root = ElementTree.fromstring(svg.encode())
    except ElementTree.ParseError:
        return False
    n_pixels = 0
    level = [root]
    for _ in range(_MAX_DEPTH):
        for element in level:
            if not _is_allowed(element):
                return False
            n_pixels += _n_pixels(element)
        level = [child for element in level for child in element]
        if not level:
            return n_pixels <= _MAX_PIXELS
    return False


def _is_allowed(element: ElementTree.Element) -> bool:
    """Return whether an element may occur in our pictures and refers to nothing outside."""
    namespace, _, name = element.tag.rpartition("}")
    if namespace != "{http://www.w3.org/2000/svg" or name not in _ELEMENTS:
        return False
    if name == "clipPath" and "clip-path" in element.attrib:
        return False  # clips of clips could go in circles, and our pictures have none
    for attribute, value in element.attrib.items():
        is_link = attribute.rpartition("}")[2] == "href"
        if is_link and not value.startswith((_PNG, "#")):
            return False
        if _REFERENCE.search(value):
            return False
    return not _REFERENCE.search(element.text or "")


def _n_pixels(element: ElementTree.Element) -> int:
    """Return how many pixels an image has, by its PNG header; 0 for other elements.

    An unreadable header counts as more pixels than are allowed, so the picture is refused. So does
    an image with two links: programs differ in which of them they follow.
    """
    if not element.tag.endswith("}image"):
        return 0
    links = [element.attrib[name] for name in _LINKS if name in element.attrib]
    if len(links) != 1:
        return _MAX_PIXELS + 1
    encoded = links[0].removeprefix(_PNG)
    try:
        head = base64.b64decode(encoded[:32])
        width, height = struct.unpack(">II", head[16:24])
    except (binascii.Error, struct.error, ValueError):
        return _MAX_PIXELS + 1
    return int(width) * int(height)
