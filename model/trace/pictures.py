"""A trace to look at: one map as a picture, all of them as a page that opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from model.pictures.attention import Attention, one_of
from model.pictures.colours import COLOURS, Theme
from model.pictures.language import within_line
from model.pictures.map_svg import Picture, map_svg
from model.pictures.offline_page import (
    ENGLISH,
    VERSION,
    OfflinePage,
    Said,
    Start,
    offline_page,
)
from model.pictures.tokens import display

_MARK = 12  # digits of the mark that are shown: enough to tell any two models apart


@dataclass(frozen=True)
class Origin:
    """Which checkpoint a trace comes from, in words.

    Args:
        name: of its folder.
        languages: what it reads and what it writes; None where that is not known.
        n_parameters: how many numbers it learned.
        mark: tells its weights from those of the same model trained further.
        card: its README; empty where it has none.
    """

    name: str
    languages: tuple[str | None, str | None]
    n_parameters: int
    mark: str
    card: str


class Plottable:
    """A trace, as far as it can be looked at; ``BaseTrace`` says what each attribute is."""

    source_text: str
    target_text: str
    target_origin: str
    beam: int
    truncated: bool
    src: Sequence[object]
    next_tokens: Sequence[str]
    log_probs: npt.NDArray[np.float32]
    origin: Origin | None

    def attentions(self) -> tuple[Attention, ...]:
        """Every kind of attention that the model has, ready to be shown; none if it has none."""
        return ()

    def _repr_html_(self) -> str | None:
        """In a notebook the picture that ``plot`` draws; none where the model has no attention."""
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
        """One attention map as a picture, for a notebook or a file (``save``).

        Args:
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
            layer: from 0, as in ``trace.cross[layer, head]``; None for the last. Titles count
                from 1.
            head: from 0; None for the mean of all heads of the layer.
            rows: whether a decoder row is named by the token it writes or by the one it has read.
            theme: ``"light"`` or ``"dark"``.

        Raises:
            ValueError: there is no such map; the message lists what can be chosen.
        """
        attention, start = _chosen(self, kind, layer, head, rows)
        one_of("theme", theme, tuple(COLOURS))
        named = start.rows if start.rows in attention.queries else next(iter(attention.queries))
        query, key = (_languages(self)[side] for side in attention.sides)
        return map_svg(
            attention.map(start.layer, start.head),
            query_tokens=attention.queries[named],
            key_tokens=attention.keys,
            title=_title(attention, start),
            note=f"{_note(self)} · rows: {ENGLISH[f'rows.{named}']}",
            languages=(query, key),
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
        words: Mapping[str, str] | None = None,
        language: str = "en",
    ) -> OfflinePage:
        """All attention maps with all that belongs to them, as one page without any request.

        A notebook shows it; ``save`` writes it as a file that opens offline.

        Args:
            kind: what it shows first.
            layer: as for ``plot``.
            head: as for ``plot``.
            rows: as for ``plot``.
            words: of the page, by the names in ``model/pictures/english.json``; None for these.
            language: of the words.

        Raises:
            ValueError: as ``plot``.
        """
        _, start = _chosen(self, kind, layer, head, rows)
        words = {name: (words or ENGLISH)[name] for name in ENGLISH}
        said = _said(self, words)
        return offline_page(said, self.attentions(), start, words=words, language=language)


def _chosen(
    trace: Plottable, kind: str, layer: int | None, head: int | None, rows: str
) -> tuple[Attention, Start]:
    """The attention that is asked for, and the place in it; ValueError lists what there is.

    Rows keep the name that is asked for where any of the attentions has it: who looks at one whose
    rows have one name only sees the others as asked.
    """
    found = {attention.kind: attention for attention in trace.attentions()}
    if not found:
        name = trace.origin.name if trace.origin else "this model"
        raise ValueError(
            f"{name} has no attention, so there is no map of it: "
            "take a model with attention, for instance en-fr or en-fr-bahdanau"
        )
    attention = found[one_of("attention", kind, tuple(found))]
    layer, head = attention.place(layer, head)
    one_of("name of rows", rows, ("written", "read"))
    names = {name: None for one in found.values() for name in one.queries}
    return attention, Start(kind, layer, head, rows if rows in names else next(iter(names)))


def _title(attention: Attention, start: Start) -> str:
    n_layers, n_heads = attention.weights.shape[:2]
    if n_layers * n_heads == 1:
        return ENGLISH["offline.one_map"]
    name = "map.title_mean" if start.head is None else "map.title_head"
    return ENGLISH[name].format(
        attention=ENGLISH[f"attention.{attention.kind}"],
        layer=start.layer + 1,
        head=None if start.head is None else start.head + 1,
        heads=n_heads,
    )


def _note(trace: Plottable) -> str:
    """Model, sentence and translation in one line."""
    name = f"{trace.origin.name} · " if trace.origin else ""
    source, target = map(within_line, (trace.source_text, trace.target_text))
    return f"{name}{source} → {target} · {_how(trace, ENGLISH)}"


def _how(trace: Plottable, words: Mapping[str, str]) -> str:
    if trace.target_origin == "given":
        return words["origin.given"]
    greedy = trace.beam == 1
    decoding = words["origin.greedy"] if greedy else words["origin.beam"].format(beam=trace.beam)
    return f"{words['origin.generated']} · {decoding}"


def _languages(trace: Plottable) -> dict[str, str | None]:
    source, target = trace.origin.languages if trace.origin else (None, None)
    return {"source": source, "target": target}


def _said(trace: Plottable, words: Mapping[str, str]) -> Said:
    source, target = _languages(trace).values()
    return Said(
        sentence=trace.source_text,
        translation=trace.target_text,
        origin=_how(trace, words),
        notice=words["translation.truncated"] if trace.truncated else "",
        tokens=tuple(zip(display(trace.next_tokens), trace.log_probs.tolist(), strict=True)),
        facts=_facts(trace, words),
        card=trace.origin.card if trace.origin else "",
        languages=(source, target),
    )


def _facts(trace: Plottable, words: Mapping[str, str]) -> dict[str, str]:
    origin, sizes = trace.origin, {"source": len(trace.src), "target": len(trace.next_tokens)}
    model = {words["offline.model"]: words["offline.unknown"]}
    if origin:
        model = {
            words["offline.model"]: _model_in_words(trace, words),
            words["offline.weights"]: origin.mark[:_MARK],
        }
    return model | {
        words["offline.decoding"]: _how(trace, words),
        words["offline.score"]: f"{trace.log_probs.sum():.3f}",
        words["offline.tokens"]: words["offline.tokens_of"].format(**sizes),
        words["offline.version"]: f"{words['app.name']} {VERSION}",
    }


def _model_in_words(trace: Plottable, words: Mapping[str, str]) -> str:
    assert trace.origin
    named = {
        side: words.get(f"language.{code}", code)
        for side, code in _languages(trace).items()
        if code
    }
    parts = [trace.origin.name]
    if len(named) == 2:
        parts.append(words["offline.languages"].format(**named))
    parts.append(words["offline.parameters"].format(n=f"{trace.origin.n_parameters:,}"))
    return " · ".join(parts)
