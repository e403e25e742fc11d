"""Build an HTML file with all attention maps of one sentence, usable without server and network.

The page's policy forbids every request and every script but its own: what a visitor typed can only
be read, never run.
"""

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
from typing import Literal

import numpy as np
import numpy.typing as npt

from model.corpora.pairs import Languages
from model.files.replacing import write_text
from model.pictures.colours import css_of_themes
from model.pictures.text import direction, language_tag
from model.pictures.tokens import in_full
from model.pictures.web_bundle import bundle_script, bundle_styles, read_web

VERSION = "0.1.0"  # the version of the whole project
_HERE = Path(__file__).parent
_HEIGHT = 860  # pixels of the frame in a notebook; the frame can be resized

# The texts of an offline page, by language. Callers may pass other texts with the same keys.
WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {file.stem: json.loads(file.read_text("utf-8")) for file in (_HERE / "words").iterdir()}
)
ENGLISH = WORDS["en"]


@dataclass(frozen=True)
class OfflinePage:
    """A self-contained HTML page, for a notebook or a file."""

    html: str

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<OfflinePage of {len(self.html):,} characters>"

    def _repr_html_(self) -> str:
        """Return an iframe, so that several pages in one notebook do not affect each other.

        A browser prints a worksheet in an iframe only where it allows modals.
        """
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-modals" '
            'loading="lazy" title="Attention Explorer" '
            f'style="width:100%;height:{_HEIGHT}px;border:0;'
            'resize:vertical;display:block"></iframe>'
        )

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, completely or not at all. Raise OSError on failure."""
        return write_text(Path(path), self.html)


@dataclass(frozen=True)
class AttentionData:
    """All maps of one kind of attention, in a form for display."""

    kind: str  # "encoder_self", "decoder_self" or "cross"
    weights: npt.NDArray[np.float32]  # (layers, heads, T, S) float32 in [0, 1]
    # what the rows are named after, "read" or "written" -> the T labels of the rows
    queries: Mapping[str, tuple[str, ...]]
    keys: tuple[str, ...]  # the S labels of the columns
    # side of the row tokens and side of the column tokens: "source" or "target"
    sides: tuple[Literal["source", "target"], Literal["source", "target"]]
    causal: bool = False  # whether the causal mask hid the cells right of the diagonal


def offline_page(
    sentence: str,
    translation: str,
    attentions: Sequence[AttentionData],
    *,
    start: Mapping[str, object],
    origin: str,
    notice: str,
    tokens: Sequence[tuple[str, float]],
    facts: Mapping[str, str],
    card: str,
    languages: Languages,
    words: Mapping[str, str],
    language: str,
) -> OfflinePage:
    """Build the offline page of one sentence.

    Args:
        sentence: the source.
        translation: the target, which may be empty.
        attentions: the maps, with visible tokens.
        start: ``kind``, ``layer``, ``head`` and ``rows`` of the map that is shown first, layer and
            head from 0; head None is the mean of the layer.
        origin: where the translation comes from.
        notice: what a reader should know about the translation; empty if nothing.
        tokens: each written token, visible, with its log-probability.
        facts: settings, name to value.
        card: the model's own README; empty if there is none.
        languages: of source and target; None if a language is not known.
        words: texts of the interface, by the names in ``words/en.json``.
        language: of these texts.
    """
    sides = ("source", "target")
    data = {
        "attentions": [_packed(attention) for attention in attentions],
        "start": start,
        "languages": dict(zip(sides, languages, strict=True)),
        "tags": dict(zip(sides, map(language_tag, languages), strict=True)),
        "words": words,
        "css": {"lines": bundle_styles("pictures/head_lines.css")},
    }
    source, target = languages
    shown_card = (
        f"<details><summary>{escape(words['offline.card'])}</summary>"
        f'<pre tabindex="0" lang="en" translate="no">{escape(card)}</pre></details>\n'
    )
    script = bundle_script("saved_page/saved_page.js")
    body = Template(read_web("saved_page/saved_page.html")).substitute(
        name=escape(words["app.name"]),
        maps=read_web("saved_page/maps.html"),
        sentence_direction=direction([sentence]),
        direction=direction([translation]),
        sentence=_isolated(source, sentence),
        translation=_isolated(target, translation)
        if translation
        else escape(words["translation.empty"]),
        origin=escape(origin),
        notice=f'<p class="notice">{escape(notice)}</p>\n' if notice else "",
        subwords_label=escape(words["subwords.label"]),
        subwords="".join(
            f"<li>{_isolated(target, token)} <small>{exp(log_prob):.2f}</small></li>"
            for token, log_prob in tokens
        ),
        no_script=escape(words["offline.no_script"]),
        settings=escape(words["offline.settings"]),
        facts="".join(
            f"<dt>{escape(name)}</dt><dd><bdi>{escape(value)}</bdi></dd>"
            for name, value in facts.items()
        ),
        facts_in_line=" ".join(
            f"<span><b>{escape(name)}</b> <bdi>{escape(value)}</bdi></span>"
            for name, value in facts.items()
        ),
        card=shown_card if card else "",
        data=inert(data),
        script=script,
    )
    title = f"{sentence} · {words['app.name']}"
    style = bundle_styles("saved_page/saved_page.css")
    return html_document(body, title, language, style=style, script=script)


def html_document(
    body: str, title: str, language: str, *, style: str, script: str, workers: bool = False
) -> OfflinePage:
    """Return an HTML document whose policy forbids all requests and all other scripts.

    Args:
        body: HTML that contains ``script``.
        title: plain text.
        language: of the page.
        style: CSS; it may use the colours of the themes, light and dark.
        script: the only script that may run.
        workers: whether the script may start workers from text in the page.
    """
    style = css_of_themes() + style
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    if workers:
        policy += "; worker-src blob:"
    html = Template(read_web("saved_page/document.html")).substitute(
        language=escape(language_tag(language)),
        policy=policy,
        version=VERSION,
        title=escape(title),
        style=style,
        body=body,
    )
    return OfflinePage(html)


def _packed(attention: AttentionData) -> dict[str, object]:
    """Return an attention as JSON values. Base64 preserves each float32 exactly."""
    weights = np.ascontiguousarray(attention.weights, dtype="<f4")
    sides = (*attention.queries.values(), attention.keys)
    labels = [label for side in sides for label in side]
    return {
        **vars(attention),
        "shape": weights.shape,
        "weights": base64.b64encode(weights.tobytes()).decode(),
        "direction": direction(attention.keys),
        "inFull": {label: in_full(label) for label in labels},
    }


def inert(data: object) -> str:
    """Return JSON that cannot close the HTML element around it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _isolated(language: str | None, text: str) -> str:
    """Return a text as HTML with its language, isolated from the surrounding text direction.

    A browser that translates the page leaves this text as it is.
    """
    lang = f' lang="{escape(language_tag(language))}"' if language else ""
    return f'<bdi{lang} translate="no">{escape(text)}</bdi>'
