"""A trace to look at: one map as a picture, all of them as a page that opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from model.trace.base import BaseTrace

_MARK = 12  # digits of the mark that are shown: enough to tell any two models apart


def plot(
    trace: BaseTrace,
    kind: str,
    *,
    layer: int | None,
    head: int | None,
    rows: str,
    theme: Theme,
) -> Picture:
    """One map as SVG; see ``BaseTrace.plot``."""
    attention, start = _chosen(trace.attentions(), trace, kind, layer, head, rows)
    one_of("theme", theme, tuple(COLOURS))
    query, key = (_languages(trace)[side] for side in attention.sides)
    rows = start.rows if start.rows in attention.queries else next(iter(attention.queries))
    return map_svg(
        attention.map(start.layer, start.head),
        query_tokens=attention.queries[rows],
        key_tokens=attention.keys,
        title=_title(attention, start),
        note=f"{_note(trace)} · rows: {ENGLISH[f'rows.{rows}']}",
        languages=(query, key),
        causal=attention.causal,
        theme=theme,
    )


def to_html(
    trace: BaseTrace,
    kind: str,
    *,
    layer: int | None,
    head: int | None,
    rows: str,
    words: Mapping[str, str] | None,
    language: str,
) -> OfflinePage:
    """All maps as one page; see ``BaseTrace.to_html``."""
    attentions = trace.attentions()
    start = _chosen(attentions, trace, kind, layer, head, rows)[1]
    words = {name: (words or ENGLISH)[name] for name in ENGLISH}
    return offline_page(_said(trace, words), attentions, start, words=words, language=language)


def _chosen(
    attentions: Sequence[Attention],
    trace: BaseTrace,
    kind: str,
    layer: int | None,
    head: int | None,
    rows: str,
) -> tuple[Attention, Start]:
    """The attention that is asked for, and the place in it; ValueError lists what there is.

    Rows keep the name that is asked for where any of the attentions has it: who looks at one whose
    rows have one name only sees the others as asked.
    """
    found = {attention.kind: attention for attention in attentions}
    if not found:
        name = trace.origin.name if trace.origin else "this model"
        raise ValueError(
            f"{name} has no attention, so there is no map of it: "
            "take a model with attention, for instance en-fr or en-fr-bahdanau"
        )
    attention = found[one_of("attention", kind, tuple(found))]
    layer, head = attention.place(layer, head)
    one_of("name of rows", rows, ("written", "read"))
    names = {name: None for one in attentions for name in one.queries}
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


def _note(trace: BaseTrace) -> str:
    """Model, sentence and translation in one line."""
    name = f"{trace.origin.name} · " if trace.origin else ""
    source, target = map(within_line, (trace.source_text, trace.target_text))
    return f"{name}{source} → {target} · {_how(trace, ENGLISH)}"


def _how(trace: BaseTrace, words: Mapping[str, str]) -> str:
    if trace.target_origin == "given":
        return words["origin.given"]
    greedy = trace.beam == 1
    decoding = words["origin.greedy"] if greedy else words["origin.beam"].format(beam=trace.beam)
    return f"{words['origin.generated']} · {decoding}"


def _languages(trace: BaseTrace) -> dict[str, str | None]:
    source, target = trace.origin.languages if trace.origin else (None, None)
    return {"source": source, "target": target}


def _said(trace: BaseTrace, words: Mapping[str, str]) -> Said:
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


def _facts(trace: BaseTrace, words: Mapping[str, str]) -> dict[str, str]:
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


def _model_in_words(trace: BaseTrace, words: Mapping[str, str]) -> str:
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
