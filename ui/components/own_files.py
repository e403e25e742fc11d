"""Serve the app's JavaScript and styles as files, which a browser loads once and caches.

If Streamlit gets a script as text, it sends the text again in every run: 70 kB on the explorer.
"""

from hashlib import sha256
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOLDER = "own/static"  # "static" tells a proxy that it may cache the files
_TYPES = {"js": "text/javascript", "css": "text/css"}
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
texts: dict[str, str] = {}  # name of each file that is served -> its text


def address_of(name: str, text: str) -> str:
    """Serve a text, and return its URL, relative to a page. Different texts have different URLs.

    Args:
        name: ends with ``.js`` or ``.css``.
        text: what the file holds.
    """
    stem, suffix = name.split(".")
    file = f"{stem}.{sha256(text.encode()).hexdigest()[:16]}.{suffix}"
    texts[file] = text
    return f"{_FOLDER}/{file}"


def module(name: str, text: str) -> str:
    """Serve a module with this text, and return JavaScript that imports it.

    The JavaScript has two lines, because Streamlit interprets a text of one line as a path. It
    waits inside the function: if a module itself waits, and two pictures import it at once, WebKit
    gives the second one a module that is not ready (https://bugs.webkit.org/242740).
    """
    address = f'new URL("{address_of(f"{name}.js", text)}", document.baseURI)'
    return (
        f"const own = import({address});\n"
        "export default async (component) => (await own).default(component);"
    )


def declare() -> None:
    """Import every component, so that its files are registered before it is drawn."""
    for component in iter_modules([str(Path(__file__).parent)]):
        import_module(f"{__package__}.{component.name}")


async def _send(request: Request) -> Response:
    file = request.path_params["file"]
    if file not in texts:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return Response(texts[file], media_type=_TYPES[file.rpartition(".")[2]], headers=_KEPT)


own_files = Route(f"/{_FOLDER}/{{file}}", _send)
