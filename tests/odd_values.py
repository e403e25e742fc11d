"""Draw unusual texts, keys and links for random visitors."""

import random

from model.gallery.own_examples import OwnExample, pack
from model.interventions.ablation import ABLATION_MODES
from model.maps.view import AGGREGATES, CELLS, UNITS
from model.trace.transformer import ROWS
from model.transformer.heads import KINDS
from ui.state.address import PANELS, SPECIALS

TEXTS = (
    "I see a cat.",
    "He reads the book, and she reads it too.",
    "",
    " ",
    "word " * 300,
    "a" * 3000,
    "🙂🤷🏽‍♀️",
    "a\0\x1b\u202eb",
    "<b>x</b> <img src=x> $x$ `y` :red[z] ![i](http://example.org/i.png) {name} %s \\",
    "我喜欢读书。",
    "שלום עולם",
    "1000",
)
OWN_EXAMPLES = pack((OwnExample("I see.", "look", "why?", "layer=99&head=1&view=head"),))
NUMBERS = ("0", "1", "7", "99", "1000", "-1", "0.5", "1e9", "-1e308", "1e400", "NaN", "abc", "")
LINK_VALUES = {
    "sentence": TEXTS,
    "checkpoint": ("tiny", "en-fr-small", "en-fr-seq2seq", "none"),
    "attention": KINDS,
    "layer": ("1", "2", "99", "-1", "x"),
    "head": ("1", "2", "99", "None"),
    "view": AGGREGATES,
    "rows": (*ROWS, "None"),
    "cells": (*CELLS, "None"),
    "unit": (*UNITS, "None"),
    "special": SPECIALS,
    "panel": (*PANELS, "None"),
    "beam": ("1", "3", "8", "9"),
    "target": TEXTS[:5],
    "show": ("padding", "order", "memory", "untrained", "gates", "laboratory", "junk"),
    "ablated": ("c1.1-d2.2", "e99.99", "x"),
    "mode": (*ABLATION_MODES, "None"),
    "second": TEXTS[:5],
    "step": ("1", "3", "8", "99", "-1", "x"),
    "five_minutes.carried": ("cross-2-2", "cross-99-1", "junk"),
    "five_minutes.guess": ("cross-1-2", "none-0-0", "shown-0-0", "x"),
    "five_minutes.word": NUMBERS,
    "lang": ("en", "zh", "junk"),
    "cell.row": ("1", "0", "99", "-1", "x"),
    "cell.column": ("2", "99", ""),
    "qkv.source": ("classroom", "sentence", "junk"),
    "qkv.step": ("softmax", "junk"),
    "qkv.picked": ("weights-0-1-1", "product-0-99-1", "junk-0-0", "--"),
    "norms.cell": ("3-4", "99-99", "x"),
    "norms.stream_token": ("2", "99", "x"),
    "norms.seed": NUMBERS,
    "positions.dimensions": ("0,7", "", "0,x", ","),
    "positions.wave_count": NUMBERS,
    "positions.first": TEXTS,
    "architecture.part": ("decoder.softmax", "junk"),
    "architecture.source": NUMBERS,
    "masks.n_padding": NUMBERS,
    "masks.flipped": ("0-0", "1-2,3-0", "9-9,x", "99999-1"),
    "masks.open": ("1", ""),
    "masks.hidden_columns": ("0", "0,1,2,3", "x,1", "99999"),
    "from_rnn.models": ("en-fr-seq2seq", "none,,"),
    "gallery.own": (OWN_EXAMPLES, OWN_EXAMPLES[:30], "junk", "☃", ""),
    "gallery.own_example": NUMBERS,
    "gallery.example": ("en-fr sink", "none sink", ""),
    "many.text": TEXTS,
    "many.file": ("junk",),
    "visitor": ("junk",),
    "work.page": ("junk",),
    "work.panels": ("junk",),
}


def odd_link(chance: random.Random) -> dict[str, str]:
    """Return up to three fields of a link, with possible and impossible values."""
    names = chance.sample(sorted(LINK_VALUES), chance.randrange(4))
    return {name: chance.choice(LINK_VALUES[name]) for name in names}
