"""The names of the three attentions of a Transformer, and of all their heads."""

import re
from itertools import product
from typing import Literal

from model.nn.attention_model import AttentionConfig

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
Head = tuple[Kind, int, int]  # attention, then the numbers of layer and head, from 0


def all_heads(config: AttentionConfig) -> list[Head]:
    """Return every head: attention by attention, as in ``KINDS``, and layer by layer."""
    return [*product(KINDS, range(config.n_layers), range(config.n_heads))]


def attention_path(kind: Kind) -> tuple[str, str]:
    """Return the stack and the name of an attention, as in the names of records.

    >>> attention_path("encoder_self")
    ('encoder', 'self')
    """
    stack, _, name = kind.rpartition("_")
    return stack or "decoder", name


def attention_name(kind: Kind, layer: int) -> str:
    """Return the prefix of an attention's records, made of its name and its layer (from 0).

    >>> attention_name("cross", 1)
    'decoder.1.cross'
    """
    stack, name = attention_path(kind)
    return f"{stack}.{layer}.{name}"


def attention_names(n_layers: int) -> list[str]:
    """Return the names of all attentions, in the order of ``all_heads``."""
    return [attention_name(kind, layer) for kind in KINDS for layer in range(n_layers)]


def head_name(head: Head) -> str:
    """Return the name of a head. It numbers layers and heads from 1, as the app does.

    >>> head_name(("cross", 2, 3))
    'cross 3.4'
    """
    kind, layer, n = head
    return f"{kind} {layer + 1}.{n + 1}"


def head_named(name: str, config: AttentionConfig) -> Head:
    """Return the head with a name such as ``"cross 3.4"`` (layer 3, head 4, from 1).

    Raises:
        ValueError: the name has a different form, or the model has no such head.
    """
    match = re.fullmatch(r"(\w+) (\d+)\.(\d+)", name)
    if match:
        for head in all_heads(config):
            if head_name(head) == f"{match[1]} {int(match[2])}.{int(match[3])}":
                return head
    raise ValueError(
        f"there is no head {name!r}: give an attention of {', '.join(KINDS)}, a layer from 1 to "
        f"{config.n_layers} and a head from 1 to {config.n_heads}, such as 'cross 1.2'"
    )
