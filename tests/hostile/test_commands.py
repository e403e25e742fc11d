"""Damaged checkpoints, damaged corpora and wrong options: one sentence, never a traceback."""

from __future__ import annotations

import importlib
import shutil
import zipfile
from pathlib import Path
from random import Random

import pytest

from tests.hostile import inputs
from tests.hostile_folders import damage

SMALL = "--steps 1 --d-model 8 --n-heads 2 --n-layers 1 --d-ff 8 --vocab-size 300 --threads 1"
SOUND = {  # what would do, if the files were as they should be
    "train": f"--corpus PAIRS --out OUT {SMALL} --device cpu --precision float32",
    "translate": "Hello. --checkpoint FOLDER",
    "evaluate": "--checkpoint FOLDER --pairs PAIRS",
    "analyse": "--checkpoint FOLDER --pairs PAIRS",
    "compare": "--checkpoints FOLDER --pairs PAIRS",
    "download": "fra-eng --to OUT --url http://127.0.0.1:9/fra.zip",
}
OPTIONS = {
    "train": "n-heads dropout max-length cell norm arch threads seed token-budget muon-lr "
    "warmup eval-every snapshots resume precision corpus",
    "translate": "beam json checkpoint",
    "evaluate": "beam json split pairs corpus",
    "analyse": "alignments means-only baseline sentences split",
    "compare": "split pairs checkpoints",
    "download": "url sha256",
}
VALUES = (
    "",
    "-1",
    "0",
    "1",
    "1.5",
    "nan",
    "inf",
    "1e9",
    "9" * 30,
    "x",
    "--",
    "/dev/null",
    "/",
    "\n",
)
VALUES += ("\n", "none/there", "http://127.0.0.1:9/", "file:///etc/passwd", "seq2seq", "test", "٣")
CORPORA = (
    lambda path, rng: path.write_bytes(rng.randbytes(rng.choice((0, 1, 10_000)))),
    lambda path, _: path.write_text("Hello.\tSalut.\n" * 50, encoding="utf-16"),
    lambda path, _: path.write_text("a" * 3_000_000 + "\tb\n", encoding="utf-8"),
    lambda path, rng: path.write_text("".join(rng.choices("\t\n\r\0\u2028 ab", k=500))),
    lambda path, _: zipped(path, "fra.txt", bytes(10**8), 10**8),
    lambda path, rng: zipped(path, "../x", rng.randbytes(100), rng.choice((10, 60, 10**6))),
    lambda path, _: path.mkdir(),
    lambda *_: None,  # nothing is there
)


def zipped(path: Path, name: str, content: bytes, length: int) -> None:
    """An archive of one file, or its beginning."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    path.write_bytes(path.read_bytes()[:length])


def line(rng: Random, sound: Path, room: Path) -> tuple[str, list[str], str]:
    """A command, its words, and what lies in the files that are made for it in a folder."""
    command = rng.choice(list(SOUND))
    folder, pairs = sound, room / "pairs.tsv"
    pairs.write_text("I am here.\tJe suis ici.\nA cat.\tUn chat.\n" * 40, "utf-8")
    if rng.random() < 0.6:
        folder = shutil.copytree(sound, room / "checkpoint")
        about = damage(folder, rng)
    else:
        pairs = room / rng.choice(("corpus.tsv", "corpus.zip", "corpus"))
        kind = rng.randrange(len(CORPORA))
        CORPORA[kind](pairs, rng)
        about = f"corpus {kind}"
    places = {"PAIRS": str(pairs), "FOLDER": str(folder), "OUT": str(room / "out")}
    words = [places.get(word, word) for word in SOUND[command].split()]
    if rng.random() < 0.5:
        option = f"--{rng.choice(OPTIONS[command].split())}"
        words += [option, *rng.choices(VALUES, k=rng.choice((0, 1, 1, 1, 2)))]
    if command == "translate":
        words[0] = inputs.text(rng)[:2_000].replace("\0", "") or "x"
    return command, words, about


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(100, 700), marks=pytest.mark.slow)])
def test_hostile_command_lines(seeds, tiny_checkpoint, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in seeds:
        room = tmp_path / str(seed)
        room.mkdir()
        command, words, about = line(Random(seed), tiny_checkpoint, room)
        what = f"seed {seed}: {command} {' '.join(words)[:600]!r}\n  {about}"
        try:
            status = importlib.import_module(f"model.{command}").main(words)
        except SystemExit as end:
            status = end.code
        except BaseException as error:
            pytest.fail(f"{what}\n{error!r}")
        assert capsys.readouterr().err.strip() or not status, f"{what}\nfailed without a word"
        shutil.rmtree(room)
