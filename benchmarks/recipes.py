"""Which settings help most in the same time: one small training each, nothing else beside it.

python -m benchmarks.recipes --corpus data/cmn-eng.zip --simplified --minutes 10

A few steps are timed first; then each variant is trained for as many as fit into the time, so that
its learning rate comes down to nothing at the end. Where a step costs the same, all variants take
the same number: one that happened to be timed in a slow moment would be trained for less. A
comparison that was stopped goes on with the same command. What was found is written to ``--out`` as
JSON, and as a table to the screen.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from model import train
from model.checkpoint.checkpoint import CONFIG, read_history
from model.training.state import STATE, read_state

SIZES = "--d-model 128 --n-heads 4 --n-layers 3 --d-ff 512 --vocab-size 6000"
VARIANTS = {
    "the defaults": "",
    "dropout 0.2": "--dropout 0.2",
    "dropout 0.3": "--dropout 0.3",
    "no BPE-dropout": "--bpe-dropout 0",
    "BPE-dropout 0.1": "--bpe-dropout 0.1",
    "average over 100 steps": "--ema-decay 0.99",
    "no average": "--ema-decay 0",
    "rates of Muon and AdamW halved": "--muon-lr 0.0025 --adamw-lr 0.0015",
    "rates of Muon and AdamW doubled": "--muon-lr 0.01 --adamw-lr 0.006",
    "separate embeddings": "--no-tie-embeddings",
    "the corpus as it is": "--copying 0 --made-sentences 0 --agreement 0 --as-typed 0 --joined 0",
}
_DEARER = ("separate embeddings",)  # a step takes longer
_TIMED = ("--steps", "30", "--eval-every", "60")


def main() -> int:
    """Train every variant that is not there yet; print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--out", type=Path, default=Path("runs/recipes"), metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=[])
    options, of_training = parser.parse_known_args()
    variants = {name: words.split() for name, words in VARIANTS.items()}
    for name in options.only or variants:
        folder = _folder(options.out, name)
        of_variant = [*of_training, *SIZES.split()]
        timed = name if name in _DEARER else "the defaults"
        steps = _folder(options.out, f"{timed}.steps")
        if not steps.exists():
            words = [*of_variant, *variants[timed]]
            if failed := _time(steps, words, 60 * options.minutes):
                return failed
        words = [*of_variant, *variants[name], "--out", str(folder)]
        if failed := _trained(folder, [*words, "--steps", steps.read_text(encoding="utf-8")]):
            return failed
    done = [name for name in variants if (_folder(options.out, name) / CONFIG).exists()]
    rows = [{"variant": name} | dict(read_history(_folder(options.out, name))[-1]) for name in done]
    (options.out / "recipes.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    print(
        "| variant | steps | epochs | seconds | loss | dev BLEU | dev chrF |\n" + "|---" * 7 + "|"
    )
    for row in rows:
        figures = ("variant", "step", "epochs", "seconds", "loss", "dev_bleu", "dev_chrf")
        print("| " + " | ".join(str(row.get(figure, "")) for figure in figures) + " |")
    return 0


def _folder(out: Path, name: str) -> Path:
    return out / name.replace(" ", "-").replace(",", "")


def _time(steps: Path, words: list[str], seconds: float) -> int:
    """Write how many steps fit into the time; the status of the command."""
    timed = steps.with_suffix(".timed")
    shutil.rmtree(timed, ignore_errors=True)
    if failed := train.main([*words, "--out", str(timed), *_TIMED]):
        return failed
    progress = read_state(timed / STATE).progress
    shutil.rmtree(timed)
    steps.write_text(str(round(seconds * progress["step"] / progress["seconds"])), "utf-8")
    return 0


def _trained(folder: Path, words: list[str]) -> int:
    """Train, unless that is done; the status of the command."""
    if (folder / CONFIG).exists():
        return 0
    resume = ["--resume"] if (folder / STATE).exists() else []
    return train.main([*words, *resume])


if __name__ == "__main__":
    sys.exit(main())
