"""Numbers that somebody chose stand in docs/numbers.md, with the reason for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
Named = Iterator[tuple[str, ast.expr]]


def rows(columns: int) -> list[list[str]]:
    """The cells of all tables of so many columns, without their heads."""
    lines = (ROOT / "docs" / "numbers.md").read_text(encoding="utf-8").splitlines()
    found = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line[:1] == "|"]
    heads = ("option", "name", "---")
    return [cells for cells in found if len(cells) == columns and cells[0] not in heads]


def assigned(node: ast.stmt, prefix: str) -> Named:
    """``A = 3``, ``A: int = 3`` and ``A, B = 3, 4``."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        yield f"{prefix}{node.target.id}", node.value
    if isinstance(node, ast.Assign):
        target = node.targets[-1]
        if isinstance(target, ast.Name):
            yield f"{prefix}{target.id}", node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for name, value in zip(target.elts, node.value.elts, strict=True):
                yield f"{prefix}{ast.unparse(name)}", value


def defaults(node: ast.FunctionDef, prefix: str) -> Named:
    """``def f(a=3, *, b=4)``."""
    arguments = node.args
    last = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    pairs = [*zip(last, arguments.defaults, strict=True)]
    pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    for argument, value in pairs:
        if value is not None:
            yield f"{prefix}{node.name}.{argument.arg}", value


def in_body(body: list[ast.stmt], prefix: str) -> Named:
    """What a module or a class says outside of its functions, and their defaults."""
    for node in body:
        yield from assigned(node, prefix)
        if isinstance(node, ast.FunctionDef):
            yield from defaults(node, prefix)
        if isinstance(node, ast.ClassDef):
            yield from in_body(node.body, f"{prefix}{node.name}.")


def number(value: ast.expr) -> object:
    """The number, or several, that an expression without any name comes to; else None."""
    if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(value)):
        return None
    result = eval(compile(ast.Expression(value), "model", "eval"), {})
    several = result if isinstance(result, tuple) else (result,)
    return result if several and all(isinstance(n, int | float) for n in several) else None


def test_every_chosen_number_is_written_down() -> None:
    written = {name: ast.literal_eval(value) for name, value, _ in rows(3)}
    settings = {f"training.trainer.TrainingConfig.{name}": default for name, default, *_ in rows(4)}
    written |= {name: ast.literal_eval(value) for name, value in settings.items() if value}
    found = {}
    for path in (ROOT / "model").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT / "model").with_suffix("").parts)
        for name, value in in_body(ast.parse(path.read_text(encoding="utf-8")).body, f"{module}."):
            if (chosen := number(value)) not in (None, 0, False):
                found[name] = chosen
    assert found == {name: value for name, value in written.items() if value}
