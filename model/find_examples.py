"""Find the examples of the page "Gallery" in a Transformer; a minute or two, once for a model.

python -m model.find_examples --checkpoint checkpoints/en-fr

Looks through sentences that were written for this (model/gallery/candidates) and all heads for the
clearest example of each phenomenon, prints each with its strength, and writes gallery.json beside
the checkpoint. What the model does not show is left out, and said to be. Heads that can be removed,
and those that cannot, are only looked for if python -m model.analyse heads has measured their mean
outputs.
"""

import argparse
import sys
from collections.abc import Sequence

import torch

from model.command_line import new_parser, run
from model.gallery.example import candidates_for
from model.gallery.finding import Seen, find, save_gallery
from model.gallery.phenomena import PHENOMENA
from model.translation_model import load_transformer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = new_parser("find_examples", __doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    return run(parser, _find_examples, arguments)


def _find_examples(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)  # one sentence is too little work to share
    t = load_transformer(options.checkpoint)
    found = find(
        t,
        candidates_for(t.languages),
        lambda candidate: print(candidate.phenomenon, candidate.sentence, file=sys.stderr),
    )
    for name in PHENOMENA:
        print(f"{name}: {_said(found[name]) if name in found else 'not found'}")
    print(f"Written to {save_gallery(t, [example for example, _, _ in found.values()])}")


def _said(seen: Seen) -> str:
    example, scene, found = seen
    place = f"{example.attention} {example.layer}.{example.head}"
    return f"{found.strength:.3f} in {place}: {scene.trace.source_text} → {scene.trace.target_text}"


if __name__ == "__main__":
    sys.exit(main())
