"""The chosen map of a sentence, and the maps of all heads that it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model import Trace, TranslationModel
from model.maps.measures import Cell, sink_column
from model.maps.view import AttentionView, ViewOptions, aggregate, attention_view
from model.pictures.tokens import display
from model.trace.transformer import Rows
from ui.explorer.map_name import MapName, name_of_map
from ui.export.figure import About, about
from ui.export.tables import Labels
from ui.frame.head_kinds import rows_of
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.translator import Translator


@dataclass(frozen=True)
class ShownMap:
    """One kind of attention of one trace, as the visitor has chosen to see it."""

    model: TranslationModel
    trace: Trace
    address: Address  # with a layer and a head that exist and a view that is defined
    rows: Rows  # what names the rows of a decoder's map
    name: MapName
    all: AttentionView  # the maps of all heads
    map: npt.NDArray[np.float32]  # (T, S), the one that is large
    labels: Labels  # the visible tokens of both sides
    rows_sum_to_1: bool
    is_causal: bool  # whether the cells right of the diagonal were hidden from the model
    framed: Sequence[Cell] = ()  # cells of the map that have a frame
    covered: Sequence[int] = ()  # rows, from 0, that are hidden; their numbers are NaN

    @property
    def heads(self) -> npt.NDArray[np.float32]:
        """(layers, heads, T, S)."""
        return self.all.heads

    @property
    def heads_of_layer(self) -> npt.NDArray[np.float32]:
        """(heads, T, S) of the chosen layer."""
        layer, _ = self.address.layer_and_head
        return self.heads[layer]

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
        if self.address.view == "mean" and self.means is not None:
            return self.heads.shape[1] + 1
        return self.head

    @property
    def sink(self) -> int | None:
        """The column that takes most of the attention though it says little, if there is one."""
        return sink_column(self.map, self.all.key_tokens) if self.rows_sum_to_1 else None

    @property
    def limit(self) -> float:
        """What the strongest colour means: 1 for weights, else the largest number there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(max(np.nanmax(self.heads), np.nanmax(self.map))) or 1.0

    @property
    def full_line(self) -> float:
        """What the lines of one query may be together: 1, or the largest sum of a row there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(self.heads_of_layer.sum(axis=-1).max()) or 1.0

    @property
    def rest(self) -> npt.NDArray[np.float32] | None:
        """(T,) what each row lacks to a sum of 1, if ``name.rest`` says what that is."""
        return 1 - self.map.sum(axis=-1) if self.name.rest else None

    def title(self, tr: Translator, several: str = "") -> str:
        """Return what is shown; ``several`` is the combination where heads are side by side."""
        combination = several if several and self.head is None else self.name.combination
        return tr(
            f"map.title_{combination}",
            attention=tr(f"attention.{self.address.attention}"),
            layer=self.address.layer,
            head=self.address.head,
            heads=self.heads.shape[1],
        )

    def side(self, tr: Translator) -> str:
        """Return what the map is, beside another of the same attention."""
        return tr(
            f"two.side_{self.name.combination}",
            layer=self.address.layer,
            head=self.address.head,
            heads=self.heads.shape[1],
        )

    def about(
        self, measure: str | list[str], layer: int | str = "all", head: int | str = "all"
    ) -> About:
        """Return where the numbers of a figure come from.

        Args:
            measure: what its cells are.
            layer, head: from 1, or which of them together, as in ``MapName``.
        """
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

    def about_map(self, measure: str | list[str] = "") -> About:
        """Return where the numbers of the large map come from; empty: with its own measure."""
        return self.about(measure or self.name.measure, self.name.layer, self.name.head)


def shown_map(t: TranslationModel, trace: Trace, address: Address) -> ShownMap:
    """Take the map that an address asks for out of a trace.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        address: clamped to this model.
    """
    # 1. Measure all heads
    rows = rows_of(t, address)
    options = ViewOptions(
        kind=address.attention,
        rows=rows,
        cells=address.cells,
        unit=address.unit,
        special=address.special == "shown",
    )
    maps = _attention_view(t, trace, options)

    # 2. Take one of them, or several together
    layer, head = address.layer_and_head
    chosen = aggregate(maps, address.view, layer=layer, head=head)  # (T, S)
    rows_sum_to_1 = maps.normalised and bool(np.allclose(chosen.sum(axis=-1), 1, atol=1e-3))

    # 3. Name it, and its rows and columns
    languages = sides(t.languages, address.attention)
    labels = Labels(display(maps.query_tokens), display(maps.key_tokens), languages)
    return ShownMap(
        model=t,
        trace=trace,
        address=address,
        rows=rows,
        name=name_of_map(address, rows, t.config.n_layers),
        all=maps,
        map=chosen,
        labels=labels,
        rows_sum_to_1=rows_sum_to_1,
        is_causal=options.causal,
    )


def _attention_view(t: TranslationModel, trace: Trace, options: ViewOptions) -> AttentionView:
    """Measure the maps; contributions take much longer than all else, so they are remembered."""

    def measure() -> AttentionView:
        return attention_view(t.model, t.tokenizer, trace, options)

    if options.cells != "contributions":
        return measure()
    key = (t.version, trace.source_text, trace.tgt_ids, options)
    return remember("contributions", key, measure)
