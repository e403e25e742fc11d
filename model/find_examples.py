"""Find the examples of the page "Gallery" in a Transformer, once per model, in a minute or two.

python -m model.find_examples --checkpoint checkpoints/en-fr

Looks through all heads and through sentences that were written for this (model/gallery/candidates)
for the clearest example of each phenomenon, prints each with its strength, and writes gallery.json
beside the checkpoint. A phenomenon that the model does not show is left out. Heads that can be
removed, and those that cannot, are only looked for if python -m model.analyse heads has measured
their mean outputs.
"""

import argparse
import sys
from collections.abc import Sequence

import torch
from msgspec.structs import replace

from model.command_line import new_parser, run
from model.files.replacing import check_writable
from model.gallery.example import candidates_for
from model.gallery.finding import Shown, find, save_gallery
from model.gallery.phenomena import PHENOMENA
from model.hub_choices import add_hub_choices, load_transformer_with_choices


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("find_examples", __doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    add_hub_choices(parser)
    return run(parser, _find_examples, arguments)


def _find_examples(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)  # a single sentence is too little work for several threads
    t = load_transformer_with_choices(options)
    check_writable(t.folder)
    shown = find(
        t,
        candidates_for(t.languages),
        lambda candidate: print(candidate.phenomenon, candidate.sentence, file=sys.stderr),
    )
    for name in PHENOMENA:
        print(f"{name}: {_in_words(shown[name]) if name in shown else 'not shown'}")
    choices = {  # as in a link
        "source_language": options.source_language or "",
        "target_language": options.target_language or "",
        "prefix": " " if options.prefix == "" else options.prefix or "",
    }
    examples = [replace(example, **choices) for example, _, _ in shown.values()]
    print(f"Written to {save_gallery(t, examples)}")


def _in_words(shown: Shown) -> str:
    """Return strength, head and sentence pair of an example as a line."""
    example, scene, evidence = shown
    head = f"{example.attention} {example.layer}.{example.head}"
    pair = f"{scene.trace.source_text} → {scene.trace.target_text}"
    return f"{evidence.strength:.3f} in {head}: {pair}"


if __name__ == "__main__":
    sys.exit(main())
