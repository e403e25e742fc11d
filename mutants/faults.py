"""Small faults that could be in a module: another operator, constant or condition."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator


@dataclass(frozen=True)
class Fault:
    """One fault in one module.

    Args:
        path: of the module, from the root of the project.
        line: of the fault, from 1.
        old, new: that line without and with the fault.
        source: the whole module with the fault.
    """

    path: str
    line: int
    old: str
    new: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it stands under in the list of accepted ones, wherever its line moves to."""
        return self.path, self.old, self.new


def draw(root: Path, folder: str, operators: list[str], *, number: int, seed: int) -> list[Fault]:
    """Draw places in the code, each as probable as any other, and at each one fault.

    Args:
        root: of the project.
        folder: that holds the modules, all levels of it.
        operators: cosmic-ray's names.
        number: how many to draw.
        seed: the same seed draws the same faults from the same code.
    """
    drawn = random.Random(seed)
    places = []
    for file in sorted((root / folder).rglob("*.py")):
        found: dict[tuple[int, int], list[tuple[str, int]]] = {}
        for position, operator, occurrence in _positions(file.read_text("utf-8"), operators):
            found.setdefault(position, []).append((operator, occurrence))
        places += [(file, position, found[position]) for position in sorted(found)]
    drawn.shuffle(places)
    faults: list[Fault] = []
    for file, (line, _), choices in places:
        drawn.shuffle(choices)
        made = (_fault(root, file, line, *choice) for choice in choices)
        faults += [fault for fault in made if fault][:1]
        if len(faults) == number:
            break
    return faults


def _positions(source: str, operators: list[str]) -> Iterator[tuple[tuple[int, int], str, int]]:
    """(line, column) of everything that can be changed, by which operator, and its how manieth."""
    nodes = list(ast_nodes(get_ast(source)))
    for name in operators:
        operator = get_operator(f"core/{name}")()
        places = ((node, start) for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (node, start) in enumerate(places):
            if node.parent is None or node.parent.type != "parameters":  # the * of f(x, *, y)
                yield start, name, occurrence


def _fault(root: Path, file: Path, line: int, operator: str, occurrence: int) -> Fault | None:
    """The fault, unless Python refuses it or it changes nothing that is computed."""
    source = file.read_text("utf-8")
    faulty = mutate_code(source, get_operator(f"core/{operator}")(), occurrence)
    try:
        if _meaning(faulty) == _meaning(source):
            return None
    except SyntaxError:
        return None
    lines = zip_longest(source.splitlines(), faulty.splitlines(), fillvalue="")
    old, new = next((old, new) for old, new in lines if old != new)
    return Fault(str(file.relative_to(root)), line, old.strip(), new.strip(), faulty)


def _meaning(source: str) -> str:
    """What the code does, as text: its syntax tree without annotations and zip's ``strict``.

    That both are equally long is asserted there, and an assertion that holds is not missed.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
    return ast.dump(tree)
