"""The maps that the page "Experiments" compares and that the tour mentions."""

from collections.abc import Collection

# Names as in ``source_maps``. Each layer has a map of the first kind, the model one of the second.
_MAPS_OF_LAYERS = ("mean", "contributions")
_MAPS_OF_MODEL = (
    "mean_layers",
    "value_norms_layers",
    "alti",
    "gradient",
    "gradient_input",
    "random",
)


def compared_maps(
    maps: Collection[str], n_layers: int, best_head: tuple[int, int] | None
) -> list[str]:
    """Return the names of the compared maps that exist.

    They are the map of the head on the start page, those of each layer and of the whole model,
    gradients, and a random map.

    Args:
        maps: names of all maps that there are, see ``source_maps``.
        n_layers: of the model.
        best_head: layer and head, from 0, that align best; None if that is not known.
    """
    names = []
    if best_head:
        layer, head = best_head
        names.append(f"read.{layer + 1}.{head + 1}")
    for name in _MAPS_OF_LAYERS:
        names += [f"{name}.{layer + 1}" for layer in range(n_layers)]
    names += _MAPS_OF_MODEL
    return [name for name in names if name in maps]
