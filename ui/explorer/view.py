"""The chosen attention of a sentence: maps, labels, languages, and what they are called."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model import Trace, TranslationModel
from model.maps.measures import sink_column
from model.maps.view import Aggregate, AttentionView, ViewOptions, aggregate, attention_view
from model.pictures.tokens import display
from model.trace.transformer import Rows
from ui.export.figure import About, about
from ui.export.tables import Labels
from ui.frame.head_kinds import rows_of
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.translator import Translator

# What norms, or contributions, of several heads are called.
_SUMMED = {"mean": "sum", "layers": "layers_sum", "rollout": "alti"}


@dataclass(frozen=True)
class ExplorerView:
    """One kind of attention of one trace, looked at in the chosen way."""

    model: TranslationModel
    trace: Trace
    address: Address  # with a layer and a head that exist and a view that is defined
    heads: npt.NDArray[np.float32]  # (layers, heads, T, S)
    map: npt.NDArray[np.float32]  # (T, S), the one that is large
    normalised: bool  # whether its rows sum to 1
    causal: bool  # whether what lies right of the diagonal was hidden from the model
    labels: Labels  # the visible tokens of both sides
    raw_keys: Sequence[str]  # S tokens as the model has them
    marked: Sequence[tuple[int, int]] = ()  # (row, column) of the map's cells that have a frame
    covered: Sequence[int] = ()  # rows, from 0, of which nothing is shown; their numbers are NaN

    @property
    def rows(self) -> Rows:
        """What names the rows of a decoder's map."""
        return rows_of(self.model, self.address)

    @property
    def sink(self) -> int | None:
        """The column that takes most of the attention though it says little, if there is one."""
        return sink_column(self.map, self.raw_keys) if self.normalised else None

    @property
    def of_layer(self) -> npt.NDArray[np.float32]:
        """(heads, T, S) of the chosen layer."""
        return self.heads[self.address.place[0]]

    @property
    def means(self) -> npt.NDArray[np.float32] | None:
        """(layers, T, S) of each layer's heads; None where cells are no weights, but summed."""
        return self.heads.mean(axis=1) if self.address.cells == "weights" else None

    @property
    def head(self) -> int | None:
        """The head that is looked at alone, from 1; None where several are."""
        return self.address.head if self.address.view == "head" else None

    @property
    def tile(self) -> int | None:
        """Which map of the layer is large, from 1, the mean behind the heads; None for all."""
        mean = self.address.view == "mean" and self.means is not None
        return self.heads.shape[1] + 1 if mean else self.head

    @property
    def limit(self) -> float:
        """What the strongest colour stands for: 1 for weights, else the largest there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(max(np.nanmax(self.heads), np.nanmax(self.map))) or 1.0

    @property
    def full(self) -> float:
        """What the lines of one query may be together: 1, or the largest sum of a row there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(self.of_layer.sum(axis=-1).max()) or 1.0

    @property
    def rest(self) -> tuple[str, npt.NDArray[np.float32]] | None:
        """Of contributions what came from elsewhere: what it is, and (T,) shares."""
        address = self.address
        names = {
            ("cross", "mean"): "kept",
            ("cross", "layers"): "kept",
            ("cross", "rollout"): "from_target",
            ("decoder_self", "rollout"): "from_source",
        }
        name = names.get((address.attention, address.view))
        whole = address.cells == "contributions" and address.special == "shown"
        return (name, 1 - self.map.sum(axis=-1)) if name and whole else None

    @property
    def measure(self) -> str:
        """What a cell of the large map is."""
        cells = self.address.cells
        through = "alti" if cells == "contributions" else "rollout"
        return through if self.address.view == "rollout" else cells

    @property
    def together(self) -> str:
        """How heads are put together; of norms and contributions, the vectors that they bring."""
        view = self.address.view
        return view if self.address.cells == "weights" else _SUMMED.get(view, view)

    @property
    def place(self) -> tuple[int | str, int | str]:
        """Layer and head of the large map, from 1, or which of them together."""
        layer, together = self.address.layer, "mean" if self.address.cells == "weights" else "all"
        places: dict[Aggregate, tuple[int | str, int | str]] = {
            "head": (layer, self.address.head),
            "mean": (layer, together),
            "max": (layer, "max"),
            "layers": ("mean", together),
            "rollout": (f"1-{layer}", together),
        }
        return places[self.address.view]

    @property
    def measured_as(self) -> str | None:
        """The map's name in ``model.faithfulness.source_maps``; None where it is not among them."""
        address, (layer, head) = self.address, self.place
        if address.attention != "cross" or address.unit == "words":
            return None
        read, last = self.rows == "read", address.layer == self.model.config.n_layers
        if read and address.view != "head":
            return None
        names = {
            ("head", "weights"): f"{'read' if read else 'head'}.{layer}.{head}",
            ("mean", "weights"): f"mean.{layer}",
            ("max", "weights"): f"max.{layer}",
            ("layers", "weights"): "mean_layers",
            ("mean", "value_norms"): f"value_norms.{layer}",
            ("layers", "value_norms"): "value_norms_layers",
            ("mean", "contributions"): f"contributions.{layer}",
            ("rollout", "contributions"): "alti" if last else None,
        }
        return names.get((address.view, address.cells))

    def title(self, tr: Translator, several: str = "") -> str:
        """What is shown; ``several`` heads may be beside each other where the map has one."""
        how = several if several and self.head is None else self.together
        name = tr(f"attention.{self.address.attention}")
        return tr(f"map.title_{how}", attention=name, **self._numbers)

    def side(self, tr: Translator) -> str:
        """What the map is, where it stands beside another of the same attention."""
        return tr(f"two.side_{self.together}", **self._numbers)

    @property
    def _numbers(self) -> dict[str, int]:
        address = self.address
        return {"layer": address.layer, "head": address.head, "heads": self.heads.shape[1]}

    def about(
        self, measure: str | list[str], layer: int | str = "all", head: int | str = "all"
    ) -> About:
        """Where the numbers come from: what the cells are, of which layer and head, from 1."""
        address = self.address
        return about(
            self.model,
            self.trace,
            attention=address.attention,
            layer=layer,
            head=head,
            measure=measure,
            rows="read" if address.attention == "encoder_self" else self.rows,
            unit=address.unit,
            special_tokens=address.special,
        )


def explorer_view(t: TranslationModel, trace: Trace, address: Address) -> ExplorerView:
    """Take what the address, clamped to this model, asks for out of a trace."""
    how = ViewOptions(
        kind=address.attention,
        rows=rows_of(t, address),
        cells=address.cells,
        unit=address.unit,
        special=address.special == "shown",
    )
    view = _attention_view(t, trace, how)
    languages = sides(t.languages, address.attention)
    layer, head = address.place
    chosen = aggregate(view, address.view, layer=layer, head=head)
    return ExplorerView(
        model=t,
        trace=trace,
        address=address,
        heads=view.heads,
        map=chosen,
        normalised=view.normalised and bool(np.allclose(chosen.sum(axis=-1), 1, atol=1e-3)),
        causal=how.causal,
        labels=Labels(display(view.query_tokens), display(view.key_tokens), languages),
        raw_keys=view.key_tokens,
    )


def _attention_view(t: TranslationModel, trace: Trace, options: ViewOptions) -> AttentionView:
    """Measure the maps; contributions take much longer than all else, so they are remembered."""

    def measure() -> AttentionView:
        return attention_view(t.model, t.tokenizer, trace, options)

    if options.cells != "contributions":
        return measure()
    key = (t.version, trace.source_text, trace.tgt_ids, options)
    return remember("contributions", key, measure)
