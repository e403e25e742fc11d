"""What a model computed for one sentence pair, and how it is looked at without the app."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from model.arrays import Array
from model.pictures.colours import COLOURS, Theme
from model.pictures.map_svg import Picture, map_svg
from model.pictures.offline_page import ENGLISH, VERSION, AttentionData, OfflinePage, offline_page
from model.pictures.text import within_line
from model.pictures.tokens import display
from model.tokenizers.tokenizer import Token

_MARK = 12  # digits of the mark that are shown: enough to tell any two models apart


@dataclass(frozen=True)
class Origin:
    """Which checkpoint a trace comes from, in words."""

    name: str  # of its folder
    # what it reads and what it writes; None where that is not known
    languages: tuple[str | None, str | None]
    n_parameters: int  # how many numbers it learned
    mark: str  # tells its weights from those of the same model trained further
    card: str  # its README; empty where it has none


@dataclass(frozen=True)
class BaseTrace:
    """What any model computed for one sentence pair. All arrays are read-only.

    Row t of the decoder has *read* ``tgt_tokens[t]`` last and *writes* ``next_tokens[t]``.

    Args:
        source_text: as typed.
        target_text: the translation, or the target as given.
        target_origin: ``"generated"`` by the model, or ``"given"`` by the visitor and read
            token by token (teacher forcing).
        beam: hypotheses kept while generating; 1 is greedy.
        truncated: the translation stopped at the length limit, not at EOS.
        src: the S source tokens, EOS last, with their places in ``source_text``.
        tgt_ids: the whole target, BOS ... EOS: T + 1 ids.
        tgt_tokens: the T tokens the decoder read, BOS first.
        next_tokens: the T tokens it wrote (or should have), EOS last.
        log_probs: (T,) natural log-probability of each of ``next_tokens``.
        records: every tensor that was recorded, by its name and without the batch axis.
        origin: the checkpoint that computed it; None where it was none.
    """

    source_text: str
    target_text: str
    target_origin: Literal["generated", "given"]
    beam: int
    truncated: bool
    src: tuple[Token, ...]
    tgt_ids: tuple[int, ...]
    tgt_tokens: tuple[str, ...]
    next_tokens: tuple[str, ...]
    log_probs: Array
    records: Mapping[str, Array]
    origin: Origin | None = None

    @property
    def src_tokens(self) -> tuple[str, ...]:
        """How the S source tokens read."""
        return tuple(token.text for token in self.src)

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Of source and target; None where that is not known."""
        return self.origin.languages if self.origin else (None, None)

    def attentions(self) -> tuple[AttentionData, ...]:
        """Every kind of attention that the model has, ready to be shown; none if it has none."""
        return ()

    def __repr__(self) -> str:
        kind, shape = type(self).__name__, f"{len(self.next_tokens)} × {len(self.src)} tokens"
        return f"<{kind}: {self.source_text} → {self.target_text} ({shape})>"

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
        attention, layer, head, named = _chosen(self, kind, layer, head, rows)
        _require("theme", theme, COLOURS)
        named = named if named in attention.queries else next(iter(attention.queries))
        languages = dict(zip(("source", "target"), self.languages, strict=True))
        origin = f"{self.origin.name} · " if self.origin else ""
        source, target = map(within_line, (self.source_text, self.target_text))
        decoding, heads = _decoding(self, ENGLISH), attention.weights[layer]  # (H, T, S)
        return map_svg(
            heads.mean(axis=0) if head is None else heads[head],
            query_tokens=attention.queries[named],
            key_tokens=attention.keys,
            title=_title(attention, layer, head),
            note=f"{origin}{source} → {target} · {decoding} · rows: {ENGLISH[f'rows.{named}']}",
            languages=(languages[attention.sides[0]], languages[attention.sides[1]]),
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
        """All attention maps with all that belongs to them, as one page without any request.

        A notebook shows it; ``save`` writes it as a file that opens offline.

        Args:
            kind: what it shows first; so do ``layer``, ``head`` and ``rows``, as for ``plot``.
            words: of the page, by the names in ``model/pictures/words/en.json``.
            language: of the words.
        """
        _, layer, head, named = _chosen(self, kind, layer, head, rows)
        return offline_page(
            self.source_text,
            self.target_text,
            self.attentions(),
            start={"kind": kind, "layer": layer, "head": head, "rows": named},
            origin=_decoding(self, words),
            notice=words["translation.truncated"] if self.truncated else "",
            tokens=[*zip(display(self.next_tokens), self.log_probs.tolist(), strict=True)],
            facts=_facts(self, words),
            card=self.origin.card if self.origin else "",
            languages=self.languages,
            words={name: words[name] for name in ENGLISH},
            language=language,
        )


def _chosen(
    trace: BaseTrace, kind: str, layer: int | None, head: int | None, rows: str
) -> tuple[AttentionData, int, int | None, str]:
    """The attention that is asked for, its layer and head, and what its rows are named by.

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
    _require("attention", kind, found)
    n_layers, n_heads = found[kind].weights.shape[:2]
    layer = n_layers - 1 if layer is None else layer
    _require("layer", layer, range(n_layers))
    if head is not None:
        _require("head", head, range(n_heads))
    elif n_heads == 1:
        head = 0
    _require("name of rows", rows, ("written", "read"))
    names = [name for attention in found.values() for name in attention.queries]
    return found[kind], layer, head, rows if rows in names else names[0]


def _require(name: str, value: object, choices: Collection[object]) -> None:
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"there is no {name} {value!r}: choose one of {listed}")


def _title(attention: AttentionData, layer: int, head: int | None) -> str:
    n_layers, n_heads = attention.weights.shape[:2]
    if n_layers * n_heads == 1:
        return ENGLISH["offline.one_map"]
    return ENGLISH["map.title_mean" if head is None else "map.title_head"].format(
        attention=ENGLISH[f"attention.{attention.kind}"],
        layer=layer + 1,
        head=None if head is None else head + 1,
        heads=n_heads,
    )


def _decoding(trace: BaseTrace, words: Mapping[str, str]) -> str:
    """Who wrote the target, and how."""
    if trace.target_origin == "given":
        return words["origin.given"]
    greedy = trace.beam == 1
    decoding = words["origin.greedy"] if greedy else words["origin.beam"].format(beam=trace.beam)
    return f"{words['origin.generated']} · {decoding}"


def _facts(trace: BaseTrace, words: Mapping[str, str]) -> dict[str, str]:
    origin, sizes = trace.origin, {"source": len(trace.src), "target": len(trace.next_tokens)}
    model = {words["offline.model"]: words["offline.unknown"]}
    if origin:
        named = [words.get(f"language.{code}", code) for code in origin.languages if code]
        parts = [origin.name, words["offline.parameters"].format(n=f"{origin.n_parameters:,}")]
        if len(named) == 2:
            parts.insert(1, words["offline.languages"].format(source=named[0], target=named[1]))
        model = {
            words["offline.model"]: " · ".join(parts),
            words["offline.weights"]: origin.mark[:_MARK],
        }
    return model | {
        words["offline.decoding"]: _decoding(trace, words),
        words["offline.score"]: f"{trace.log_probs.sum():.3f}",
        words["offline.tokens"]: words["offline.tokens_of"].format(**sizes),
        words["offline.version"]: f"{words['app.name']} {VERSION}",
    }
