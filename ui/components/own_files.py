"""The app's JavaScript and styles as files that a browser asks for once and keeps.

What Streamlit is given as a text it sends again in every run: on the explorer 70 kB.
"""

from hashlib import sha256
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOLDER = "own/static"  # a proxy knows by the second name that it may keep them
_TYPES = {"js": "text/javascript", "css": "text/css"}
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
texts: dict[str, str] = {}  # by the names of the files


def address_of(name: str, text: str) -> str:
    """Where a browser gets this text, seen from a page; another text is somewhere else.

    ``name`` ends with ``.js`` or ``.css``.
    """
    stem, suffix = name.split(".")
    file = f"{stem}.{sha256(text.encode()).hexdigest()[:16]}.{suffix}"
    texts[file] = text
    return f"{_FOLDER}/{file}"


def module(name: str, text: str) -> str:
    """JavaScript that stands for a module with this text; of one line only it would be a path."""
    address = f'new URL("{address_of(f"{name}.js", text)}", document.baseURI)'
    return f"const own = await import({address});\nexport default own.default;"


def declare() -> None:
    """Let every component say what its files are, also one that was never drawn here."""
    for found in iter_modules([str(Path(__file__).parent)]):
        import_module(f"{__package__}.{found.name}")


async def _send(request: Request) -> Response:
    file = request.path_params["file"]
    if file not in texts:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return Response(texts[file], media_type=_TYPES[file.rpartition(".")[2]], headers=_KEPT)


own_files = Route(f"/{_FOLDER}/{{file}}", _send)
