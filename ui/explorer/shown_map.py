"""The selected map of a sentence, and the maps of all heads behind it."""

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
from ui.export.python_lines import PythonLines, lines_of_heads, lines_of_map
from ui.export.tables import Labels
from ui.frame.head_kinds import rows_of
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.translator import Translator


@dataclass(frozen=True)
class ShownMap:
    """The maps of one attention of one trace, with the selected measure and view."""

    model: TranslationModel
    trace: Trace
    address: Address  # with a layer and a head that exist and a view that is defined
    rows: Rows  # the tokens that label a decoder's rows: written or read
    name: MapName
    all: AttentionView  # the maps of all heads
    map: npt.NDArray[np.float32]  # (T, S), the large map
    labels: Labels  # the displayed tokens of rows and columns
    rows_sum_to_1: bool
    is_causal: bool  # whether a causal mask hid the cells right of the diagonal
    framed: Sequence[Cell] = ()  # cells of the map that have a frame
    covered: Sequence[int] = ()  # rows, from 0, that are hidden; their numbers are NaN

    @property
    def heads(self) -> npt.NDArray[np.float32]:
        """The maps of all heads, (layers, heads, T, S)."""
        return self.all.heads

    @property
    def heads_of_layer(self) -> npt.NDArray[np.float32]:
        """The maps of the chosen layer's heads, (heads, T, S)."""
        layer, _ = self.address.layer_and_head
        return self.heads[layer]

    @property
    def means(self) -> npt.NDArray[np.float32] | None:
        """The mean map of each layer, (layers, T, S); None if the cells are not weights."""
        return self.heads.mean(axis=1) if self.address.cells == "weights" else None

    @property
    def head(self) -> int | None:
        """The number of the selected head, from 1; None if several heads are combined."""
        return self.address.head if self.address.view == "head" else None

    @property
    def tile(self) -> int | None:
        """The large map's number among the small maps of its layer, from 1; the mean comes last.

        None if no small map shows the same.
        """
        if self.address.view == "mean" and self.means is not None:
            return self.heads.shape[1] + 1
        return self.head

    @property
    def sink(self) -> int | None:
        """The column of the attention sink, a key with most of the attention but little meaning.

        None if there is no such key, or if rows do not sum to 1.
        """
        return sink_column(self.map, self.all.key_tokens) if self.rows_sum_to_1 else None

    @property
    def limit(self) -> float:
        """The value of the strongest colour: 1 for weights, else the maximum of all maps."""
        if self.address.cells == "weights":
            return 1.0
        return float(max(np.nanmax(self.heads), np.nanmax(self.map))) or 1.0

    @property
    def full_line(self) -> float:
        """The number whose line is as high as its token; no query's lines are higher together.

        1 for weights, else the largest row sum in the chosen layer.
        """
        if self.address.cells == "weights":
            return 1.0
        return float(self.heads_of_layer.sum(axis=-1).max()) or 1.0

    @property
    def rest(self) -> npt.NDArray[np.float32] | None:
        """1 minus the sum of each row, (T,); None if rows sum to 1."""
        return 1 - self.map.sum(axis=-1) if self.name.rest else None

    def title(self, tr: Translator, *, as_lines: bool = False) -> str:
        """Return the title.

        By default, the rows of a decoder are labelled with the token written. If this map labels
        them differently, the title says so. Another map on the page, or the map in the previous
        step of the tour, may use the default.

        Args:
            tr: the visitor's language.
            as_lines: whether the heads are drawn as lines between tokens.
        """
        attention = tr(f"attention.{self.address.attention}")
        layer = self.address.layer
        if as_lines:  # the picture's buttons decide which heads it shows: Python does not know it
            title = tr("lines.title", attention=attention, layer=layer)
        else:
            title = tr(
                f"map.title_{self.name.combination}",
                attention=attention,
                layer=layer,
                head=self.address.head,
                heads=self.heads.shape[1],
            )
        has_read_rows = self.rows == "read" and self.address.attention != "encoder_self"
        if not has_read_rows:
            return title
        if as_lines:
            return tr("lines.title_read", title=title)
        return tr("map.title_read", title=title)

    def side(self, tr: Translator) -> str:
        """Return a short description that distinguishes this map from a second map beside it."""
        return tr(
            f"two.side_{self.name.combination}",
            layer=self.address.layer,
            head=self.address.head,
            heads=self.heads.shape[1],
        )

    def about(
        self, measure: str | list[str], layer: int | str = "all", head: int | str = "all"
    ) -> About:
        """Describe the origin of the numbers in a figure.

        Args:
            measure: the measure in its cells.
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
        """Describe the origin of the large map's numbers; "" means the map's own measure."""
        return self.about(measure or self.name.measure, self.name.layer, self.name.head)

    def python(self) -> PythonLines | None:
        """Return the Python code that draws the large map; None if a row is covered."""
        if self.covered:
            return None
        layer, head = self.address.layer_and_head
        return lines_of_map(
            self.model,
            self.trace,
            kind=self.address.attention,
            view=self.address.view,
            layer=layer,
            head=head,
            cells=self.address.cells,
            unit=self.address.unit,
            special=self.address.special == "shown",
            rows=self.rows,
        )

    def python_of_heads(self, *, of_layer: bool = False) -> PythonLines | None:
        """Return the Python code that draws all heads; None if a row is covered.

        Args:
            of_layer: only the heads of the chosen layer.
        """
        if self.covered:
            return None
        layer, _ = self.address.layer_and_head
        return lines_of_heads(
            self.model,
            self.trace,
            kind=self.address.attention,
            layer=layer if of_layer else None,
            cells=self.address.cells,
            unit=self.address.unit,
            special=self.address.special == "shown",
            rows=self.rows,
        )


def shown_map(t: TranslationModel, trace: Trace, address: Address) -> ShownMap:
    """Compute the map that an address selects, from a trace.

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

    # 2. Select one head, or combine several heads
    layer, head = address.layer_and_head
    chosen = aggregate(maps, address.view, layer=layer, head=head)  # (T, S)
    rows_sum_to_1 = maps.normalised and bool(np.allclose(chosen.sum(axis=-1), 1, atol=1e-3))

    # 3. Name the map, its rows and its columns
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
    """Compute the maps. Contributions are cached, because they take longest by far.

    Args:
        t: the model and its tokenizer.
        trace: the traced translation.
        options: what is drawn: the attention, the cells, words or subwords.
    """

    def measure() -> AttentionView:
        return attention_view(t.model, t.tokenizer, trace, options)

    if options.cells != "contributions":
        return measure()
    key = (t.version, trace.source_text, trace.tgt_ids, options)
    return remember("contributions", key, measure)
