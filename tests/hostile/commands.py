"""Command lines that nobody should type, each from a seed."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.hostile import inputs
from tests.hostile.terminal import COMMANDS
from tests.hostile_folders import damage

_SMALL = ("--steps", "2", "--d-model", "8", "--n-heads", "2", "--n-layers", "1", "--d-ff", "8")
_QUICK = ("--vocab-size", "300", "--threads", "1", "--device", "cpu", "--precision", "float32")
_OPTIONS = {
    "train": "d-model n-heads n-layers d-ff vocab-size dropout max-length d-hidden cell norm arch "
    "threads seed token-budget muon-lr adamw-lr warmup label-smoothing bpe-dropout ema-decay "
    "eval-every save-every snapshots resume precision device corpus out",
    "translate": "beam json checkpoint",
    "evaluate": "beam json split pairs corpus",
    "analyse": "alignments means-only baseline sentences split",
    "compare": "split pairs checkpoints",
    "download": "url sha256 to",
}
_VALUES = ("", "-1", "0", "1", "3", "1.5", "nan", "inf", "1e9", "9" * 30, "x", "--", "/dev/null",
           "/", "/proc/self/mem", "none/there", "http://127.0.0.1:9/", "file:///etc/passwd", "\n",
           "seq2seq", "test", "bfloat16", "٣")  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A command line, and what lies in the files that it names."""

    words: tuple[str, ...]
    about: str


def line(rng: Random, sound: Path, room: Path) -> Line:
    """A command line whose files are made for it.

    Args:
        rng: says everything.
        sound: a checkpoint that is as it should be.
        room: an empty folder, for its files.
    """
    command = rng.choice(COMMANDS)
    folder, pairs = sound, room / "pairs.tsv"
    pairs.write_text("I am here.\tJe suis ici.\nA cat.\tUn chat.\n" * 40, "utf-8")
    if rng.random() < 0.6:
        folder = shutil.copytree(sound, room / "checkpoint")
        about = damage(folder, rng)
    else:
        pairs = room / rng.choice(("corpus.tsv", "corpus.zip", "corpus"))
        about = corpus(rng, pairs)
    words = [command, *_sound(command, str(folder), str(pairs), room)]
    if rng.random() < 0.5:
        option = f"--{rng.choice(_OPTIONS[command].split())}"
        words += [option, *rng.choices(_VALUES, k=rng.choice((0, 1, 1, 1, 2)))]
    if command == "translate":
        words += [inputs.text(rng)[:2_000].replace("\0", "") or "x"]
    return Line(tuple(word.replace("\0", "") for word in words), about)


def corpus(rng: Random, path: Path) -> str:
    """Write a file, or something else, that is hardly a corpus; returns what it is."""
    kind = rng.choice(("noise", "utf-16", "line", "tabs", "empty", "bomb", "zip", "folder", "none"))
    match kind:
        case "noise":
            path.write_bytes(rng.randbytes(rng.choice((1, 100, 10_000))))
        case "utf-16":
            path.write_text("Hello.\tSalut.\n" * 50, encoding="utf-16")
        case "line":
            path.write_text("a" * 3_000_000 + "\tb\n", encoding="utf-8")
        case "tabs":
            path.write_text("".join(rng.choices("\t\n\r\0\u2028 ab", k=500)), encoding="utf-8")
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


def _sound(command: str, folder: str, pairs: str, room: Path) -> tuple[str, ...]:
    """What would do, if the files were as they should be."""
    match command:
        case "train":
            return ("--corpus", pairs, "--out", str(room / "out"), *_SMALL, *_QUICK)
        case "translate":
            return ("--checkpoint", folder)
        case "evaluate" | "analyse":
            return ("--checkpoint", folder, "--pairs", pairs)
        case "compare":
            return ("--checkpoints", folder, "--pairs", pairs)
        case _:
            return ("fra-eng", "--to", str(room / "data"), "--url", "http://127.0.0.1:9/fra.zip")
