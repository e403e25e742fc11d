"""Select one attention map of a model by attention, layer and head."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.pictures.offline_page import AttentionData


@dataclass(frozen=True)
class SelectedMap:
    """One map, and whether its row labels are the tokens written or the tokens read."""

    attention: AttentionData
    layer: int  # from 0
    head: int | None  # from 0; None: the mean of all heads of the layer
    # chosen row labels, "written" or "read". An attention that has only the other kind ignores the
    # choice. It is kept for the next attention that a reader selects.
    preferred_row_name: str

    @property
    def row_name(self) -> str:
        """The row labels of this map: the chosen kind, or the only kind that it has."""
        names = self.attention.queries
        return self.preferred_row_name if self.preferred_row_name in names else next(iter(names))

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """The weights of the map, (T, S) float32 in [0, 1]."""
        heads = self.attention.weights[self.layer]  # (H, T, S)
        return heads.mean(axis=0) if self.head is None else heads[self.head]

    def title(self, words: Mapping[str, str]) -> str:
        """Return the title of the map: attention, layer and head, counted from 1.

        Args:
            words: the texts of one language, from ``words/en.json`` or a similar file.
        """
        n_layers, n_heads = self.attention.weights.shape[:2]
        if n_layers * n_heads == 1:
            return words["offline.one_map"]
        attention = words[f"attention.{self.attention.kind}"]
        if self.head is None:
            return words["map.title_mean"].format(
                attention=attention, layer=self.layer + 1, heads=n_heads
            )
        return words["map.title_head"].format(
            attention=attention, layer=self.layer + 1, head=self.head + 1
        )


def select_map(
    attentions: Sequence[AttentionData],
    kind: str,
    *,
    layer: int | None,
    head: int | None,
    rows: str,
) -> SelectedMap:
    """Return the map of an attention, layer and head, with the chosen row labels.

    Args:
        attentions: at least one.
        kind: ``kind`` of one of them.
        layer: from 0; None for the last.
        head: from 0; None for the mean of all heads of the layer, or for its only head.
        rows: ``"written"`` or ``"read"``; if no attention has rows of this name, the name that they
            have is used.

    Returns:
        The map.

    Raises:
        ValueError: there is no such attention, layer, head or name; the message lists what there
            is.
    """
    by_kind = {attention.kind: attention for attention in attentions}
    require_choice("attention", kind, by_kind)
    attention = by_kind[kind]
    n_layers, n_heads = attention.weights.shape[:2]

    if layer is None:
        layer = n_layers - 1
    require_choice("layer", layer, range(n_layers))

    if head is not None:
        require_choice("head", head, range(n_heads))
    elif n_heads == 1:
        head = 0

    require_choice("name of rows", rows, ("written", "read"))
    names = [name for each in attentions for name in each.queries]
    return SelectedMap(attention, layer, head, rows if rows in names else names[0])


def require_choice(name: str, value: object, choices: Collection[object]) -> None:
    """Raise ValueError unless an argument has one of the allowed values.

    Args:
        name: of the argument, for the message.
        value: that the caller gave.
        choices: the values that are allowed.

    Raises:
        ValueError: it is a different value; the message lists those that are allowed.
    """
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"there is no {name} {value!r}: choose one of {listed}")
