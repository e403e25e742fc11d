"""The names of a map in the explorer: in titles, saved files and a model's analysis."""

from dataclasses import dataclass

from model.maps.view import Aggregate, Cells
from model.trace.transformer import Rows
from model.transformer.heads import Kind
from ui.state.address import Address


@dataclass(frozen=True)
class MapName:
    """The names of one map. Layers and heads count from 1."""

    measure: str  # the measure in a cell: one of ``Cells``, "rollout" or "alti"
    combination: str  # how heads are combined; a part of the keys ``map.title_…``
    layer: int | str  # "mean" over all layers; "1-3" through the layers one to three
    head: int | str  # "mean" or "max" of a layer's heads; "all" where their vectors are summed
    # suffix of the key ``map.…``, whose text names 1 minus a row's sum; empty if rows sum to 1
    rest: str = ""
    measured_as: str = ""  # name in ``model.faithfulness.source_maps``; empty if it has none


def name_of_map(address: Address, rows: Rows, n_layers: int) -> MapName:
    """Return the names of the map that an address asks for.

    Args:
        address: with a layer and a head that exist and a view that is defined.
        rows: what names the rows of a decoder's map.
        n_layers: of the model.
    """
    layer, head = _layer_and_head(address)
    return MapName(
        measure=_measure(address.cells, address.view),
        combination=_combination(address.cells, address.view),
        layer=layer,
        head=head,
        rest=_rest(address),
        measured_as=_measured_as(address, rows, n_layers),
    )


def _measure(cells: Cells, view: Aggregate) -> str:
    if view != "rollout":
        return cells
    return "alti" if cells == "contributions" else "rollout"


def _combination(cells: Cells, view: Aggregate) -> str:
    """Return how heads are combined: weights are averaged, vectors are summed."""
    if cells == "weights":
        return view
    match view:
        case "mean":
            return "sum"
        case "layers":
            return "layers_sum"
        case "rollout":
            return "alti"
    return view


def _layer_and_head(address: Address) -> tuple[int | str, int | str]:
    """Return layer and head as the fields of ``MapName`` have them."""
    together = "mean" if address.cells == "weights" else "all"
    match address.view:
        case "head":
            return address.layer, address.head
        case "mean":
            return address.layer, together
        case "max":
            return address.layer, "max"
        case "layers":
            return "mean", together
        case "rollout":
            return f"1-{address.layer}", together


def _rest(address: Address) -> str:
    """Return the key suffix for the missing share of a row, for maps whose rows sum to less than 1.

    It names where the rest of the output comes from: "kept" is the residual connection,
    "from_target" the target written so far, "from_source" the source. "" if the rows sum to 1.
    """
    if address.cells != "contributions" or address.special != "shown":
        return ""
    kind: Kind = address.attention
    match kind, address.view:
        case "cross", "mean" | "layers":
            return "kept"
        case "cross", "rollout":
            return "from_target"
        case "decoder_self", "rollout":
            return "from_source"
    return ""


def _measured_as(address: Address, rows: Rows, n_layers: int) -> str:
    """Return the map's name in the faithfulness measurement; "" if it was not measured.

    Args:
        address: the choices of the visitor.
        rows: whether rows are labelled with the token written or read.
        n_layers: layers of the decoder.
    """
    if address.attention != "cross" or address.unit == "words":
        return ""
    if rows == "read" and address.view != "head":
        return ""
    layer = address.layer
    head = address.head
    match address.view, address.cells:
        case "head", "weights":
            return f"{'read' if rows == 'read' else 'head'}.{layer}.{head}"
        case "mean" | "max", "weights":
            return f"{address.view}.{layer}"
        case "layers", "weights":
            return "mean_layers"
        case "mean", "value_norms" | "contributions":
            return f"{address.cells}.{layer}"
        case "layers", "value_norms":
            return "value_norms_layers"
        case "rollout", "contributions" if layer == n_layers:
            return "alti"
    return ""
