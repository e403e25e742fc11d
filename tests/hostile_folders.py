"""Damage checkpoint folders at random.

``damage(folder, random)`` changes one file of an intact folder and describes the change. It calls
one of the functions below it; each changes one file, and returns what the description should say.
"""

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
_NUMBERS = (0, -1, 1, 7, 10**9, 10**15, 10**30, 1e308, -1e308, 0.5)
_TEXTS = ("", "x", "7", "../..", "é\0", "9" * 5000, "\u202e<b>*x*")
ODD: tuple[Any, ...] = (
    *(None, True, False, *_NUMBERS, *_TEXTS),
    *([], [[]], {}, {"a": 1}, [None], [1, 2, 3]),
    # Python writes these values, but they are not valid JSON
    *(float("nan"), float("inf"), -float("inf")),
)
_CONTENTS = (b"\0" * 5000, b"\xff\xfe{\0}\0", b"[" * 10**6, b"x" * 10**6)


def damage(folder: Path, draw: Random) -> str:
    """Change one file of a folder, and return a description of the change."""
    path = draw.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    changes: list[Callable[[Path, Random], object]] = [flip, fill, fill, special]
    if path.suffix in (".json", ".jsonl"):
        changes += [change_value] * 6 + [nest] * (path.suffix == ".json")
    if path.suffix == ".safetensors":
        changes += [change_tensor] * 4 + [change_header] * 2
    change = draw.choice(changes)
    result = change(path, draw)
    return f"{change.__name__} of {path.relative_to(folder)}: {result}"


def copies(folder: Path, to: Path, n: int, seed: int) -> Iterator[tuple[Path, str]]:
    """Yield damaged copies of a folder one after the other, each with its description.

    Args:
        folder: an intact folder.
        to: path of every copy. The next copy replaces the previous one.
        n: number of copies.
        seed: decides the damage.
    """
    draw = Random(seed)
    for _ in range(n):
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(folder, to)
        yield to, damage(to, draw)


def flip(path: Path, draw: Random) -> object:
    """Change some bytes."""
    content = bytearray(path.read_bytes())
    positions = [draw.randrange(len(content)) for _ in range(draw.choice([1, 1, 3, 50])) if content]
    for position in positions:
        content[position] = draw.randrange(256)
    path.write_bytes(content)
    return positions


def fill(path: Path, draw: Random) -> object:
    """Cut off the end of the file, or write other content."""
    content = path.read_bytes()
    cuts = [content[:n] for n in (0, 1, 8, 100, len(content) // 2, -1)]
    content = draw.choice([*cuts, *_CONTENTS, draw.randbytes(5000)])
    path.write_bytes(content)
    return len(content), content[:9]


def special(path: Path, draw: Random) -> object:
    """Delete the file, make it far too large, or put something that is not a regular file there."""
    kind = draw.choice(["folder", "pipe", "loop", "device", "nowhere", "sparse", "gone"])
    path.unlink()
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop" | "device" | "nowhere":
            path.symlink_to({"loop": path.name, "device": "/dev/zero"}.get(kind, "nowhere"))
        case "sparse":
            path.touch()
            os.truncate(path, 10**11)  # a sparse file, which takes no space on the disk
    return kind


def nest(path: Path, draw: Random) -> object:
    """Nest a value so deeply that a recursive reader fails."""
    depth = draw.choice([900, 5000, 200_000])
    values = json.loads(path.read_text("utf-8"))
    holder, key = draw.choice(list(_keys_of_all(values)))
    holder[key] = "HERE"
    text = json.dumps(values).replace('"HERE"', "[" * depth + "]" * depth)
    path.write_text(text, "utf-8")
    return key, depth


def change_value(path: Path, draw: Random) -> object:
    """Change, remove or repeat a value, or put the lines in a different order."""
    lines = path.suffix == ".jsonl"
    text = path.read_text("utf-8")
    values = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    done: object = draw.choice(["order", "twice", "value", "value", "value"]) if lines else "value"
    if done == "order":
        values.reverse()
    elif done == "twice":
        values.append(values[0])
    else:
        done = _change(values, draw)
    parts = [json.dumps(line) + "\n" for line in values] if lines else [json.dumps(values)]
    path.write_text("".join(parts), "utf-8")
    return done


def change_tensor(path: Path, draw: Random) -> object:
    """Change, remove or add a tensor."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    name = draw.choice(sorted(tensors))
    done = draw.choice(["nan", "inf", "missing", "shape", "kind", "more", "empty", "large"])
    tensor = tensors[name]
    if done in ("nan", "inf"):
        tensor.view(-1)[draw.randrange(tensor.numel())] = float(done)
    elif done == "missing":
        del tensors[name]
    else:
        other = {
            "shape": torch.zeros(3, 2, dtype=tensor.dtype),
            "kind": tensor.to(draw.choice([torch.int64, torch.bool, torch.float64])),
            "more": torch.zeros(2),
            "empty": torch.zeros(0, dtype=tensor.dtype),
            "large": torch.full_like(tensor, 6e4),
        }
        tensors["surprise" if done == "more" else name] = other[done]
    save_file(tensors, path, metadata)
    return done, name


def change_header(path: Path, draw: Random) -> object:
    """Change a value in the header of a file of tensors."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    name = draw.choice(sorted(header))
    key = draw.choice(sorted(header[name]))
    odd = {
        "dtype": ["F16", "I64"],
        "shape": [[10**9], [-1], []],
        "data_offsets": [[0, 10**12], [8, 4]],
    }
    beside = ["", "{", "[" * 10**5, "null", "-1", "[]", "{}", "x", '{"step": -1}']
    header[name][key] = draw.choice(odd.get(key, beside))
    changed = json.dumps(header).encode()
    path.write_bytes(len(changed).to_bytes(8, "little") + changed + content[end:])
    return name, key, str(header[name][key])[:20]


def _keys_of_all(values: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every table and list of JSON values with each of its keys."""
    if isinstance(values, dict | list):
        for key in values if isinstance(values, dict) else range(len(values)):
            yield values, key
            yield from _keys_of_all(values[key])


def _change(values: Any, draw: Random) -> object:
    """Change, remove or add one of these JSON values, and return its key and what was done."""
    holder, key = draw.choice(list(_keys_of_all(values)))
    change = draw.choice(["other", "other", "other", "missing", "more"])
    if change == "other":
        holder[key] = draw.choice(ODD)
        return key, holder[key]
    if change == "missing":
        del holder[key]
    elif isinstance(holder, dict):
        holder["surprise"] = draw.choice(ODD)
    else:
        holder.append(draw.choice(ODD))
    return key, change
