"""One script, or one style sheet, from the files in ``web/`` that it needs.

The scripts are ES modules: each says in ``import`` lines what it needs. A browser gets them as one
script, in which each module is a function that returns what it exports. Style sheets say what they
need in ``@import`` lines. So the app and the saved pages need no other tool to be built.
"""

import re
from functools import cache
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"\n]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async function|function|class|const) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import|export)\b.*|.*\bimport\(.*", re.MULTILINE)
_STYLE = re.compile(r'^@import "(\.[^"\n]*)";\n', re.MULTILINE)
_OTHER_STYLE = re.compile(r"^.*@import.*", re.MULTILINE)


@cache
def bundle_script(entry: str) -> str:
    """Return one script of a module and everything that it imports.

    Args:
        entry: path of the module in ``web/``. What it exports by default, the script exports too.

    Raises:
        ValueError: a module says what this function does not understand, imports a name that is
            not exported, or needs itself.
    """
    exports: dict[str, list[str]] = {}
    parts = ['"use strict";\nconst modules = {};\n']
    for path, needs, text in _in_order(entry, _IMPORT):
        names = []
        for listed, needed in needs:
            for name in filter(None, map(str.strip, listed.split(","))):
                if name not in exports[needed]:
                    raise ValueError(f"web/{path}: {needed} does not export {name!r}")
                names.append((name, needed))
        body = _EXPORT.sub(r"\1", text)
        if path == entry and len(_DEFAULT.findall(body)) == 1:
            body_to_check = _DEFAULT.sub("", body)
        else:
            body_to_check = body
        if found := _OTHER.search(body_to_check):
            raise ValueError(f"web/{path}: cannot bundle {found[0].strip()!r}")
        exports[path] = [name for _, name in _EXPORT.findall(text)]
        imported = "".join(f'const {{ {name} }} = modules["{needed}"];\n' for name, needed in names)
        if path == entry:
            parts.append(f"// {path}\n{imported}{body}")
        else:
            given = ", ".join(exports[path])
            parts.append(
                f'modules["{path}"] = (() => {{\n{imported}{body}return {{ {given} }};\n}})();\n'
            )
    return "".join(parts)


@cache
def bundle_styles(entry: str) -> str:
    """Return one style sheet of a file in ``web/`` and everything that it imports.

    Raises:
        ValueError: a file imports what is not in ``web/``, or needs itself.
    """
    parts = []
    for path, _, text in _in_order(entry, _STYLE):
        if found := _OTHER_STYLE.search(text):
            raise ValueError(f"web/{path}: cannot bundle {found[0].strip()!r}")
        parts.append(text)
    return "".join(parts)


@cache
def read_web(path: str) -> str:
    """Return the text of an HTML file in ``web/``."""
    return (WEB / path).read_text(encoding="utf-8")


Needs = list[tuple[str, str]]  # the names, if the file lists any, and the path in ``web/``


def _in_order(entry: str, pattern: re.Pattern[str]) -> list[tuple[str, Needs, str]]:
    """Return path, needs and remaining text of every file, each after those that it needs."""
    done: dict[str, tuple[str, Needs, str]] = {}
    begun: list[str] = []

    def visit(path: str) -> None:
        if path in done:
            return
        if path in begun:
            raise ValueError(f"web/{path} needs itself: {' > '.join([*begun, path])}")
        begun.append(path)
        text = (WEB / path).read_text(encoding="utf-8")
        needs = []
        for match in pattern.finditer(text):
            *names, relative = match.groups()
            target = (WEB / path).parent.joinpath(relative).resolve().relative_to(WEB.resolve())
            needs.append(("".join(names), target.as_posix()))
        for _, needed in needs:
            visit(needed)
        begun.pop()
        done[path] = (path, needs, pattern.sub("", text))

    visit(entry)
    return list(done.values())
