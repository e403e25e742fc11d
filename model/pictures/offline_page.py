"""All attention maps of one sentence as one HTML file that asks nobody for anything.

Its policy forbids every request and every script but its own, so that whatever a visitor typed can
only be read.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import exp
from pathlib import Path
from string import Template
from types import MappingProxyType

import numpy as np

from model.files.replacing import write_text
from model.pictures.attention import Attention
from model.pictures.colours import css_of_themes
from model.pictures.language import direction, tag
from model.pictures.tokens import in_full

VERSION = "0.1.0"  # of the whole project
_HEIGHT = 860  # pixels of the frame in a notebook; who wants more pulls at its corner


def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


# The words of the page, unless others are handed in by the same names.
ENGLISH: Mapping[str, str] = MappingProxyType(json.loads(_read("english.json")))
# What its script and its style have in common with the app's components.
SHARED_JS, SHARED_CSS = _read("shared.js"), _read("shared.css")


@dataclass(frozen=True)
class OfflinePage:
    """A page that is whole in itself: show it in a notebook, save it, send it.

    Args:
        html: the whole.
    """

    html: str

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<OfflinePage of {len(self.html):,} characters>"

    def _repr_html_(self) -> str:
        """A frame of its own: several in one notebook know nothing of each other."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" loading="lazy" '
            f'title="Attention Explorer" style="width:100%;height:{_HEIGHT}px;border:0;'
            'resize:vertical;display:block"></iframe>'
        )

    def save(self, path: str | Path) -> Path:
        """Write it as a file, whole or not at all; OSError if that cannot be."""
        write_text(Path(path), self.html)
        return Path(path)


@dataclass(frozen=True)
class Said:
    """The texts of a page.

    Args:
        sentence: the source.
        translation: the target; may be empty.
        origin: where the translation comes from.
        notice: what is to be known of it; empty where nothing is.
        tokens: each token written, visible, with its log-probability.
        facts: settings, name to value.
        card: the model's own README; empty where there is none.
        languages: of source and target; None where that is not known.
    """

    sentence: str
    translation: str
    origin: str
    notice: str
    tokens: Sequence[tuple[str, float]]
    facts: Mapping[str, str]
    card: str
    languages: tuple[str | None, str | None]


@dataclass(frozen=True)
class Start:
    """What the page shows first.

    Args:
        kind: of attention.
        layer: from 0.
        head: from 0; None for the mean of all.
        rows: what names the rows.
    """

    kind: str
    layer: int
    head: int | None
    rows: str


def offline_page(
    said: Said,
    attentions: Sequence[Attention],
    start: Start,
    *,
    words: Mapping[str, str],
    language: str,
) -> OfflinePage:
    """Write the page.

    Args:
        said: its texts.
        attentions: its maps; their tokens are visible ones.
        start: what it shows first.
        words: of the interface, by the names in ``english.json``.
        language: of these words.
    """
    data = {
        "attentions": [_packed(attention) for attention in attentions],
        "start": vars(start),
        "languages": dict(zip(("source", "target"), said.languages, strict=True)),
        "tags": dict(zip(("source", "target"), map(tag, said.languages), strict=True)),
        "words": dict(words),
    }
    script = SHARED_JS + _read("page.js")
    body = Template(_read("page.html")).substitute(
        **_header(said, words), **_details(said, words), data=_inert(data), script=script
    )
    title = f"{said.sentence} · {words['app.name']}"
    style = SHARED_CSS + _read("page.css")
    return OfflinePage(html_document(body, title, language, style=style, script=script))


def html_document(body: str, title: str, language: str, *, style: str, script: str = "") -> str:
    """A whole page, of which the policy forbids every request and every script but its own.

    Args:
        body: HTML; holds the script.
        title: plain text.
        language: of the page.
        style: what it has besides the colours of the themes, light and dark.
        script: as it stands in the body.
    """
    style = css_of_themes() + _read("document.css") + style
    return Template(_read("document.html")).substitute(
        language=escape(tag(language)),
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        version=VERSION,
        title=escape(title),
        style=style,
        body=body,
    )


def _packed(attention: Attention) -> dict[str, object]:
    """float32 as base64: every number as it was computed."""
    weights = np.ascontiguousarray(attention.weights, dtype="<f4")
    return {
        "kind": attention.kind,
        "shape": weights.shape,
        "weights": base64.b64encode(weights.tobytes()).decode(),
        "queries": dict(attention.queries),
        "keys": attention.keys,
        "sides": attention.sides,
        "causal": attention.causal,
        "direction": direction(attention.keys),
        "told": {
            label: in_full(label)
            for labels in (*attention.queries.values(), attention.keys)
            for label in labels
        },
    }


def _inert(data: object) -> str:
    """JSON in which nothing can end the element that it stands in."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _header(said: Said, words: Mapping[str, str]) -> dict[str, str]:
    """The parts of ``page.html`` that need no script, as HTML."""
    source, target = said.languages
    return {
        "name": escape(words["app.name"]),
        "sentence_direction": direction([said.sentence]),
        "direction": direction([said.translation]),
        "sentence": _in(source, said.sentence),
        "translation": _in(target, said.translation)
        if said.translation
        else escape(words["translation.empty"]),
        "origin": escape(said.origin),
        "notice": f'<p class="notice">{escape(said.notice)}</p>\n' if said.notice else "",
        "subwords_label": escape(words["subwords.label"]),
        "subwords": "".join(
            f"<li>{_in(target, token)} <small>{exp(log_prob):.2f}</small></li>"
            for token, log_prob in said.tokens
        ),
        "no_script": escape(words["offline.no_script"]),
    }


def _details(said: Said, words: Mapping[str, str]) -> dict[str, str]:
    card = (
        f"<details><summary>{escape(words['offline.card'])}</summary>"
        f'<pre tabindex="0" lang="en">{escape(said.card)}</pre></details>\n'
    )
    return {
        "settings": escape(words["offline.settings"]),
        "facts": "".join(
            f"<dt>{escape(name)}</dt><dd><bdi>{escape(value)}</bdi></dd>"
            for name, value in said.facts.items()
        ),
        "card": card if said.card else "",
    }


def _in(language: str | None, text: str) -> str:
    lang = f' lang="{escape(tag(language))}"' if language else ""
    return f"<bdi{lang}>{escape(text)}</bdi>"
