"""Generators of checkpoint folders that are not what they should be.

``damage(folder, random)`` changes one file of a sound folder in one way and says which.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file

Random = random.Random
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    10**9,
    10**15,
    10**30,
    1e308,
    -1e308,
    0.5,
    "",
    "x",
    "7",
    "\u202e<b>*x*",
    [],
    [[]],
    {},
    {"a": 1},
    [None],
    [1, 2, 3],
)


def damage(folder: Path, draw: Random) -> str:
    """Change one file of a folder; returns what was done."""
    path = draw.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    ways: list[Callable[[Path, Random], object]] = [flip, cut, fill, special]
    if path.suffix == ".json":
        ways += [change_value] * 6 + [nest, not_a_number]
    if path.suffix == ".jsonl":
        ways += [change_line] * 6
    if path.suffix == ".safetensors":
        ways += [change_tensor] * 4 + [change_metadata]
    way = draw.choice(ways)
    done = way(path, draw)
    return f"{way.__name__} of {path.relative_to(folder)}: {done}"


def flip(path: Path, draw: Random) -> object:
    """Some bytes are others."""
    content = bytearray(path.read_bytes())
    places = [draw.randrange(len(content)) for _ in range(draw.choice([1, 1, 3, 50]))]
    for place in places:
        content[place] = draw.randrange(256)
    path.write_bytes(content)
    return places


def cut(path: Path, draw: Random) -> object:
    """The end is missing."""
    content = path.read_bytes()
    length = draw.choice([0, 1, 8, 100, len(content) // 2, len(content) - 1])
    path.write_bytes(content[:length])
    return length


def fill(path: Path, draw: Random) -> object:
    """It is something else."""
    content = draw.choice(
        [b"", b"\0" * 5000, b"\xff\xfe{\0}\0", draw.randbytes(5000), b"[" * 10**6, b"x" * 10**6]
    )
    path.write_bytes(content)
    return content[:9]


def special(path: Path, draw: Random) -> object:
    """It is no regular file, or far too large."""
    kind = draw.choice(["folder", "pipe", "loop", "device", "nowhere", "sparse"])
    path.unlink()
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to(path.name)
        case "device":
            path.symlink_to("/dev/zero")
        case "nowhere":
            path.symlink_to("nowhere")
        case _:
            with path.open("wb") as file:
                file.truncate(10**11)  # a hole: it takes no room on the disk
    return kind


def nest(path: Path, draw: Random) -> object:
    """A value is nested more deeply than any reader goes by itself."""
    depth = draw.choice([900, 5000, 200_000])
    values = json.loads(path.read_text("utf-8"))
    holder, key = draw.choice(list(_places(values)))
    holder[key] = "HERE"
    text = json.dumps(values).replace('"HERE"', "[" * depth + "]" * depth)
    path.write_text(text, "utf-8")
    return key, depth


def not_a_number(path: Path, draw: Random) -> object:
    """A value that Python writes and JSON does not know."""
    values = json.loads(path.read_text("utf-8"))
    holder, key = draw.choice(list(_places(values)))
    holder[key] = draw.choice([float("nan"), float("inf"), -float("inf")])
    path.write_text(json.dumps(values), "utf-8")
    return key


def change_value(path: Path, draw: Random) -> object:
    """A value is another one, is missing, or stands twice."""
    values = json.loads(path.read_text("utf-8"))
    done = _change(values, draw)
    path.write_text(json.dumps(values), "utf-8")
    return done


def change_line(path: Path, draw: Random) -> object:
    """A line of the history is odd, or out of order."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    done: object = draw.choice(["order", "twice", "value", "value", "value"])
    match done:
        case "order":
            lines.reverse()
        case "twice":
            lines.append(lines[0])
        case _:
            done = _change(lines, draw)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return done


def change_tensor(path: Path, draw: Random) -> object:
    """One of the tensors is not what it should be."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    name = draw.choice(sorted(tensors))
    done = draw.choice(["nan", "inf", "missing", "shape", "kind", "more", "empty", "large"])
    tensor = tensors[name]
    match done:
        case "nan" | "inf":
            tensor.view(-1)[draw.randrange(tensor.numel())] = float(done)
        case "missing":
            del tensors[name]
        case "shape":
            tensors[name] = torch.zeros(3, 2, dtype=tensor.dtype)
        case "kind":
            tensors[name] = tensor.to(draw.choice([torch.int64, torch.bool, torch.float64]))
        case "more":
            tensors["surprise"] = torch.zeros(2)
        case "empty":
            tensors[name] = torch.zeros(0, dtype=tensor.dtype)
        case _:
            tensors[name] = torch.full_like(tensor, 6e4)
    save_file(tensors, path, metadata)
    return done, name


def change_metadata(path: Path, draw: Random) -> object:
    """What the header says beside the tensors."""
    with safe_open(path, "pt") as file:
        metadata = dict(file.metadata() or {})
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    name = draw.choice(sorted(metadata) or ["tokenizer"])
    metadata[name] = draw.choice(
        ["", "{", "[" * 10**5, "null", "-1", "[]", "{}", "x", '{"step": -1}']
    )
    save_file(tensors, path, metadata)
    return name, metadata[name][:9]


def copies(folder: Path, to: Path, n: int, seed: int) -> Iterator[tuple[Path, str]]:
    """Damaged copies of a folder one after the other, each with what was done to it."""
    draw = Random(seed)
    for _ in range(n):
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(folder, to)
        yield to, damage(to, draw)


def _places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Every table and list of JSON values with each of its keys."""
    if isinstance(values, dict | list):
        for key in values if isinstance(values, dict) else range(len(values)):
            yield values, key
            yield from _places(values[key])


def _change(values: Any, draw: Random) -> object:
    holder, key = draw.choice(list(_places(values)))
    what = draw.choice(["other", "other", "other", "missing", "more"])
    if what == "other":
        holder[key] = draw.choice(ODD)
        return key, holder[key]
    if what == "missing":
        del holder[key]
    elif isinstance(holder, dict):
        holder["surprise"] = draw.choice(ODD)
    else:
        holder.append(draw.choice(ODD))
    return key, what
