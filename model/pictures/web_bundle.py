"""Bundle files of ``web/`` into one script or one style sheet.

A script in ``web/`` is an ES module: its ``import`` lines say what it needs. A browser gets one
script, in which each module has become a function that returns what it exports, so that names of
one module cannot clash with those of another. A style sheet says what it needs in ``@import``
lines. Nothing else has to be installed or run to build the app and the saved pages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"\n]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_EXPORT_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
# imports and exports of any other form, which are not supported
_NOT_BUNDLED = re.compile(r"^(?:import|export)\b.*|.*\bimport ?\(.*", re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "(\.[^"\n]*)";\n', re.MULTILINE)
_STYLE_NOT_BUNDLED = re.compile(r"^.*@import.*", re.MULTILINE)


@dataclass(frozen=True)
class _File:
    """A file in ``web/`` without its import lines."""

    path: str
    needs: Mapping[str, list[str]]  # path of each imported file -> names that are imported from it
    text: str


@cache
def bundle_script(entry: str) -> str:
    """Return a module and all modules that it imports as one script.

    Args:
        entry: path of the module in ``web/``. Its own names are those of the whole script; what it
            exports by default, the script exports.

    Raises:
        ValueError: a module imports or exports in a way that is not supported, imports a name that
            does not exist, or needs itself.
        OSError: a file that is needed does not exist.
    """
    exports: dict[str, list[str]] = {}
    parts = ['"use strict";\nconst modules = {};\n']
    for file in _in_order(entry, _IMPORT):
        imports = []
        for needed, names in file.needs.items():
            if missing := [name for name in names if name not in exports[needed]]:
                raise ValueError(f"web/{file.path}: {needed} does not export {missing[0]!r}")
            imports.append(f'const {{ {", ".join(names)} }} = modules["{needed}"];\n')
        exports[file.path] = _EXPORT.findall(file.text)
        body = "".join(imports) + _EXPORT.sub("", file.text)
        if file.path == entry:
            _refuse(_NOT_BUNDLED, _EXPORT_DEFAULT.sub("", body, count=1), file.path)
            parts.append(f"\n// {file.path}\n{body}")
        else:
            _refuse(_NOT_BUNDLED, body, file.path)
            given = ", ".join(exports[file.path])
            parts.append(
                f'\nmodules["{file.path}"] = (() => {{\n{body}return {{ {given} }};\n}})();\n'
            )
    return "".join(parts)


@cache
def bundle_styles(entry: str) -> str:
    """Return a style sheet and all its imports as one style sheet, imports first.

    Args:
        entry: path of the style sheet in ``web/``.

    Raises:
        ValueError: a file imports in a way that is not supported, or needs itself.
        OSError: a file that is needed does not exist.
    """
    files = _in_order(entry, _STYLE_IMPORT)
    for file in files:
        _refuse(_STYLE_NOT_BUNDLED, file.text, file.path)
    return "".join(file.text for file in files)


@cache
def read_web(path: str) -> str:
    """Return the text of a file in ``web/``."""
    return (WEB / path).read_text(encoding="utf-8")


def _refuse(pattern: re.Pattern[str], text: str, path: str) -> None:
    """Raise ValueError if a module contains something that the packer does not support.

    Args:
        pattern: finds it.
        text: the text of the module.
        path: its path in ``web``, for the message.
    """
    if match := pattern.search(text):
        raise ValueError(f"web/{path}: the packer does not support {match[0].strip()!r}")


def _in_order(entry: str, pattern: re.Pattern[str]) -> list[_File]:
    """Return a file and all files that it imports, each after its own imports.

    Args:
        entry: path in ``web/``.
        pattern: matches what a file needs: the names, if the language has them, and the path.
    """
    done: dict[str, _File] = {}
    started: list[str] = []

    def visit(path: str) -> None:
        if path in started:
            raise ValueError(f"web/{path} needs itself: {' > '.join([*started, path])}")
        if path in done:
            return
        started.append(path)
        text = read_web(path)
        needs: dict[str, list[str]] = {}
        for match in pattern.finditer(text):
            *names, relative = match.groups()
            target = (WEB / path).parent.joinpath(relative).resolve().relative_to(WEB.resolve())
            listed = "".join(names).split(",")
            needs[target.as_posix()] = [name.strip() for name in listed if name.strip()]
        for needed in needs:
            visit(needed)
        started.remove(path)
        done[path] = _File(path, needs, pattern.sub("", text))

    visit(entry)
    return list(done.values())
