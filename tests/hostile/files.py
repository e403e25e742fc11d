"""Checkpoint folders and corpora that are not what they should be, each from a seed."""

from __future__ import annotations

import json
import os
import shutil
import struct
import zipfile
from pathlib import Path
from random import Random

_JSON = ("config.json", "tokenizer.json", "history.jsonl", "analysis.json", "gallery.json")
_FILES = (*_JSON, "model.safetensors", "README.md")
_VALUES = (
    None, True, "", "x", -1, 0, 1, 2, 10**9, 10**30, 1.5, float("nan"), float("inf"),
    [], {}, [[]], "../..", "é\0", "9" * 5000,
)  # fmt: skip


def checkpoint(rng: Random, sound: Path, folder: Path) -> str:
    """Copy a sound checkpoint and damage the copy.

    Returns:
        What was done to it.
    """
    shutil.copytree(sound, folder)
    done = []
    for _ in range(rng.choice((1, 1, 2))):
        path = folder / rng.choice(_FILES)
        damage = rng.choice((_remove, _replace, _cut, _flip, _edit, _edit, _edit, _header))
        done.append(f"{damage.__name__} {path.name}: {damage(rng, path)}")
    return "; ".join(done)


def corpus(rng: Random, path: Path) -> str:
    """Write a file, or something else, that is hardly a corpus.

    Returns:
        What it is.
    """
    kind = rng.choice(("noise", "utf-16", "line", "tabs", "empty", "bomb", "zip", "folder", "none"))
    match kind:
        case "noise":
            path.write_bytes(rng.randbytes(rng.choice((1, 100, 10_000))))
        case "utf-16":
            path.write_text("Hello.\tSalut.\n" * 50, encoding="utf-16")
        case "line":
            path.write_text("a" * 3_000_000 + "\tb\n", encoding="utf-8")
        case "tabs":
            signs = "\t\n\r\0\u2028 ab"
            path.write_text("".join(rng.choices(signs, k=500)), encoding="utf-8")
        case "empty":
            path.touch()
        case "bomb":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
                bomb.writestr("fra.txt", bytes(10**8))
        case "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(rng.choice(("fra.txt", "../x", "a/")), rng.randbytes(100))
            path.write_bytes(path.read_bytes()[: rng.choice((10, 60, 10**6))])
        case "folder":
            path.mkdir()
    return kind


def _remove(_rng: Random, path: Path) -> str:
    path.unlink(missing_ok=True)
    return ""


def _replace(rng: Random, path: Path) -> str:
    """By something that is no file, or by noise."""
    path.unlink(missing_ok=True)
    kind = rng.choice(("folder", "pipe", "device", "loop", "noise", "deep", "empty"))
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path.name)
        case "noise":
            path.write_bytes(rng.randbytes(rng.choice((1, 100, 10_000))))
        case "deep":
            path.write_text(rng.choice("[{").replace("{", '{"a":') * 100_000, encoding="utf-8")
        case _:
            path.touch()
    return kind


def _cut(rng: Random, path: Path) -> str:
    if not path.is_file():
        return "not there"
    raw = path.read_bytes()
    kept = rng.randrange(len(raw) + 1)
    path.write_bytes(raw[:kept])
    return f"{kept} of {len(raw)} bytes"


def _flip(rng: Random, path: Path) -> str:
    if not path.is_file():
        return "not there"
    raw = bytearray(path.read_bytes())
    places = [rng.randrange(len(raw)) for _ in range(3) if raw]
    for place in places:
        raw[place] = rng.randrange(256)
    path.write_bytes(raw)
    return str(places)


def _edit(rng: Random, path: Path) -> str:
    """Another value somewhere in a JSON file."""
    if path.suffix != ".json" or not path.is_file():
        path = path.with_name("config.json")
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "no JSON any more"
    value = rng.choice(_VALUES)
    way: list[object] = []
    branch = {"": tree}
    place: object = ""
    while isinstance(branch[place], dict | list) and branch[place] and rng.random() < 0.85:
        branch = branch[place]
        place = rng.choice(list(branch if isinstance(branch, dict) else range(len(branch))))
        way.append(place)
    branch[place] = value
    path.write_text(json.dumps(tree if way else value), encoding="utf-8")
    return f"{way} = {value!r:.40}"


def _header(rng: Random, path: Path) -> str:
    """Another header of the weights."""
    path = path.with_name("model.safetensors")
    if not path.is_file() or path.stat().st_size < 8:
        return "not there"
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    try:
        header = json.loads(raw[8 : 8 + length])
    except ValueError:
        return "no header any more"
    name = rng.choice([name for name in header if name != "__metadata__"])
    key, value = rng.choice(
        (("dtype", "F16"), ("dtype", "I64"), ("shape", [10**9]), ("shape", [-1]), ("shape", []),
         ("data_offsets", [0, 10**12]), ("data_offsets", [8, 4]))
    )  # fmt: skip
    header[name][key] = value
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + raw[8 + length :])
    return f"{name} {key} = {value}"
