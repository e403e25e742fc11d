"""A trace that draws its attention maps: one map as a picture, or all maps as a page."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Literal

from model.pictures.colours import COLOURS, Theme
from model.pictures.map_svg import map_svg
from model.pictures.offline_page import ENGLISH, VERSION, AttentionData, OfflinePage, offline_page
from model.pictures.selected_map import SelectedMap, require_choice, select_map
from model.pictures.svg import Picture
from model.pictures.text import within_line
from model.pictures.tokens import display
from model.trace.base import BaseTrace
from model.trace.origin import Origin

# number of hexadecimal digits of a fingerprint, enough to distinguish any two models
_SHOWN_DIGITS = 12


class DrawableTrace(BaseTrace):
    """A trace that shows its attention maps without the app, for example in a notebook."""

    @abstractmethod
    def attentions(self) -> tuple[AttentionData, ...]:
        """Return the maps of each attention of the model; () if it has no attention."""

    def _repr_html_(self) -> str | None:
        """Return the HTML of ``plot`` for a notebook; None if the model has no attention."""
        return self.plot()._repr_html_() if self.attentions() else None

    def plot(
        self,
        kind: str = "cross",
        *,
        layer: int | None = None,
        head: int | None = None,
        rows: Literal["written", "read"] = "written",
        theme: Theme = "light",
    ) -> Picture:
        """Draw one attention map. ``save("map.pdf")`` writes it to a file, also as .png or .svg.

        Args:
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
            layer: from 0, as in ``trace.cross[layer, head]``; None for the last. Titles count
                from 1.
            head: from 0; None for the mean of all heads of the layer.
            rows: whether a decoder row is named by the token it writes or by the one it has read.
            theme: ``"light"`` or ``"dark"``.

        Returns:
            The picture: a notebook shows it.

        Raises:
            ValueError: there is no such map; the message lists what can be chosen.
        """
        require_choice("theme", theme, COLOURS)
        selected = self._select(kind, layer, head, rows)
        attention = selected.attention
        languages = dict(zip(("source", "target"), self.languages, strict=True))
        row_side, column_side = attention.sides
        return map_svg(
            selected.weights,
            query_tokens=attention.queries[selected.row_name],
            key_tokens=attention.keys,
            title=selected.title(ENGLISH),
            note=self.note(selected.row_name),
            languages=(languages[row_side], languages[column_side]),
            causal=attention.causal,
            theme=theme,
        )

    def to_html(
        self,
        kind: str = "cross",
        *,
        layer: int | None = None,
        head: int | None = None,
        rows: Literal["written", "read"] = "written",
        words: Mapping[str, str] = ENGLISH,
        language: str = "en",
    ) -> OfflinePage:
        """Build an HTML page with all attention maps. The page makes no requests.

        A notebook shows it; ``save`` writes it as a file that opens offline.

        Args:
            kind: the attention that is shown first, as for ``plot``.
            layer: the layer that is shown first, as for ``plot``.
            head: the head that is shown first, as for ``plot``.
            rows: how the rows are named at first, as for ``plot``.
            words: the texts of the page, by the names in ``model/pictures/words/en.json``.
            language: the language of these texts, such as ``"en"``.

        Returns:
            The page.

        Raises:
            ValueError: there is no such map; the message lists what can be chosen.
        """
        selected = self._select(kind, layer, head, rows)
        return offline_page(
            self.source_text,
            self.target_text,
            self.attentions(),
            start={
                "kind": kind,
                "layer": selected.layer,
                "head": selected.head,
                "rows": selected.preferred_row_name,
            },
            origin=_decoding(self, words),
            notice=words["translation.truncated"] if self.truncated else "",
            tokens=[*zip(display(self.next_tokens), self.log_probs.tolist(), strict=True)],
            facts=_facts(self, words),
            card=self.origin.card if self.origin else "",
            languages=self.languages,
            words={name: words[name] for name in ENGLISH},
            language=language,
        )

    def _select(self, kind: str, layer: int | None, head: int | None, rows: str) -> SelectedMap:
        """Return the map that the arguments of ``plot`` and ``to_html`` select.

        Args:
            kind: the attention.
            layer: from 0; None for the last.
            head: from 0; None for the mean of all heads of the layer.
            rows: ``"written"`` or ``"read"``, the tokens that label the rows.

        Raises:
            ValueError: the model has no attention, or not this layer or head.
        """
        attentions = self.attentions()
        if not attentions:
            name = self.origin.name if self.origin else "this model"
            raise ValueError(
                f"{name} has no attention, so there is no map of it: "
                "take a model with attention, for instance en-fr or en-fr-bahdanau"
            )
        return select_map(attentions, kind, layer=layer, head=head, rows=rows)

    def note(self, row_name: str) -> str:
        """Return the line below a picture: model, sentence pair, decoding method and row naming.

        Args:
            row_name: ``"written"`` or ``"read"``: the token that names a row.
        """
        source = within_line(self.source_text)
        target = within_line(self.target_text)
        rows = ENGLISH[f"rows.{row_name}"]
        note = f"{source} → {target} · {_decoding(self, ENGLISH)} · rows: {rows}"
        return f"{self.origin.name} · {note}" if self.origin else note


def _decoding(trace: BaseTrace, words: Mapping[str, str]) -> str:
    """Describe the origin of the target: typed by the user, or generated and by which method."""
    if trace.target_origin == "given":
        return words["origin.given"]
    if trace.beam == 1:
        search = words["origin.greedy"]
    else:
        search = words["origin.beam"].format(beam=trace.beam)
    return f"{words['origin.generated']} · {search}"


def _facts(trace: BaseTrace, words: Mapping[str, str]) -> dict[str, str]:
    """Return the facts that a page lists, by name: those of the model, then of the sentence."""
    if trace.origin:
        facts = _facts_of_model(trace.origin, words)
    else:
        facts = {words["offline.model"]: words["offline.unknown"]}
    facts[words["offline.decoding"]] = _decoding(trace, words)
    facts[words["offline.score"]] = f"{trace.log_probs.sum():z.3f}".replace("-", "−")
    facts[words["offline.tokens"]] = words["offline.tokens_of"].format(
        source=len(trace.src), target=len(trace.next_tokens)
    )
    facts[words["offline.version"]] = f"{words['app.name']} {VERSION}"
    return facts


def _facts_of_model(origin: Origin, words: Mapping[str, str]) -> dict[str, str]:
    """Return a model's name, languages if known, number of parameters, and fingerprint."""
    description = [origin.name]
    source, target = origin.languages
    if source and target:
        description.append(
            words["offline.languages"].format(
                source=words.get(f"language.{source}", source),
                target=words.get(f"language.{target}", target),
            )
        )
    description.append(words["offline.parameters"].format(n=f"{origin.n_parameters:,}"))
    return {
        words["offline.model"]: " · ".join(description),
        words["offline.weights"]: origin.mark[:_SHOWN_DIGITS],
    }
