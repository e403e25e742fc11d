"""Texts of a visitor or a model as HTML, escaped here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from math import exp

from model.pictures.text import direction, tag
from model.pictures.tokens import display, display_subword, in_full
from ui.text.roles import role_of


def paragraph(text: str, *, kind: str) -> str:
    """One paragraph of plain text in the CSS class ``kind``.

    >>> paragraph("<b>", kind="model")
    '<p class="model" dir="auto">&lt;b&gt;</p>'
    """
    return f'<p class="{kind}" dir="auto">{escape(text)}</p>'


def current_place(label: str) -> str:
    """The entry of a menu for the page that is open."""
    return f'<p class="here" aria-current="page">{escape(label)}</p>'


def as_typed(text: str) -> str:
    """A name for a text that Markdown is read in, such that it stands there as it was typed.

    Signs of Markdown get a backslash. Short names of pictures, ``:cat:``, are read even then; an
    invisible joiner takes them apart.

    >>> print(as_typed("*a*_b [c](d)"))
    \\*a\\*\\_b \\[c\\]\\(d\\)
    """
    escaped = re.sub(r"([\\`*_{}\[\]()#+!|<>~$&^=])", r"\\\1", text)
    return " ".join(escaped.split()).replace(":", ":\u2060")


def translation(text: str, origin: str, *, lang: str | None) -> str:
    """What the model wrote in its language, if that is known, and after it where it comes from."""
    return (
        f'<p class="translation"{_way([text])}>{_written(escape(text), lang)} '
        f'<span class="origin">{escape(origin)}</span></p>'
    )


def gloss(label: str, text: str, *, lang: str | None) -> str:
    """A translation in one small line."""
    return f'<p class="gloss">{escape(label)} {_written(escape(text), lang)}</p>'


def side(letter: str, what: str, text: str, *, lang: str | None) -> str:
    """The heading of one of two maps: its letter, what it is, and the translation it belongs to.

    >>> side("A", "head <1>", "", lang=None)
    '<p class="side" data-letter="A"><b>A</b> head &lt;1&gt;</p>'
    """
    written = f"<br>{_written(escape(text), lang)}" if text else ""
    return (
        f'<p class="side" data-letter="{escape(letter)}"><b>{escape(letter)}</b> '
        f"{escape(what)}{written}</p>"
    )


def formula(name: str, text: str) -> str:
    """``name = text``, as a formula."""
    return f'<p class="formula">{_named(name)} = {escape(text)}</p>'


def shape(name: str, dims: Sequence[str], sizes: Mapping[str, int]) -> str:
    """A tensor's shape: every axis with its symbol and its length, each axis in its own colour.

    >>> shape("v", ("S",), {"S": 7})
    '<span class="shape"><b class="role-value">v</b> <i class="axis-S">S<small>7</small></i></span>'
    """
    axes = "".join(
        f'<i class="axis-{escape(dim)}">{escape(dim)}<small>{sizes[dim]}</small></i>'
        for dim in dims
    )
    return f'<span class="shape">{_named(name)} {axes}</span>'


def tensor(
    name: str,
    dims: Sequence[str],
    sizes: Mapping[str, int],
    *,
    meaning: str,
    numbers: Sequence[str],
    length: str,
) -> str:
    """One line of a list of tensors: its shape, a few of its numbers, the norm of the vector.

    Args:
        name: of the tensor.
        dims: symbols of its axes.
        sizes: length of each axis.
        meaning: shown on hover.
        numbers: the first ones of a vector.
        length: its norm, in words; empty where there is none.
    """
    shown = f"<code>{escape(' '.join(numbers).replace('-', '−'))} …</code>"
    norm = f"<small>{escape(length)}</small>"
    return f'<li title="{escape(meaning)}">{shape(name, dims, sizes)}{shown}{norm}</li>'


def alert(text: str) -> str:
    """A sentence that says what is wrong."""
    return f'<p class="notice" role="alert" dir="auto">{escape(text)}</p>'


def subwords(
    tokens: Sequence[str], log_probs: Sequence[float], *, label: str, lang: str | None
) -> str:
    """Each written token with its probability; its logarithm, and its bytes, show on hover."""
    items = "".join(
        f'<li title="{escape(display_subword(token))}: log p = {log_prob:.4f}">'
        f"{_written(escape(name), lang)}"
        f'<span class="bar"><i style="width:{100 * exp(log_prob):.0f}%"></i></span>'
        f"<small>{exp(log_prob):.2f}</small></li>"
        for token, name, log_prob in zip(tokens, display(tokens), log_probs, strict=True)
    )
    return f'<ol class="subwords"{_way(display(tokens))} aria-label="{escape(label)}">{items}</ol>'


def candidate_list(rows: Sequence[tuple[str, float, bool]], *, label: str, lang: str | None) -> str:
    """Tokens that could have come next: visible form, probability, whether it is the one."""
    items = "".join(
        f"<li{' aria-current=true' if chosen else ''}>{_written(escape(token), lang)}"
        f'<span class="bar"><i style="width:{100 * p:.1f}%"></i></span><small>{p:.3f}</small></li>'
        for token, p, chosen in rows
    )
    return f'<p class="label">{escape(label)}</p><ol class="candidates">{items}</ol>'


def logit_lens_table(
    rows: Mapping[str, Sequence[tuple[str, float]]],
    columns: Sequence[str],
    *,
    corner: str,
    lang: str | None,
) -> str:
    """Tokens with their probabilities, darker the surer; a cell that is right already is marked.

    Args:
        rows: name -> for every column the visible token and its probability.
        columns: the tokens that were written.
        corner: what the columns are.
        lang: of the tokens.
    """
    head = "".join(f'<th scope="col">{_written(escape(token), lang)}</th>' for token in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            f'<td class="{"right" if token == written else "other"}" style="--p:{p:.3f}" '
            f'title="p = {p:.4f}">{_written(escape(token), lang)}<small>{p:.2f}</small></td>'
            for (token, p), written in zip(cells, columns, strict=True)
        )
        + "</tr>"
        for name, cells in rows.items()
    )
    return (
        f'<div class="token-table"><table{_way(columns)}><thead><tr><th>{escape(corner)}</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def provenance(fields: Mapping[str, str]) -> str:
    """What a picture shows, in one quiet line: name and value of each field.

    >>> provenance({"layer": "<3"})
    '<p class="provenance"><span><b>layer</b> <bdi>&lt;3</bdi></span></p>'
    """
    said = " ".join(
        f"<span><b>{escape(name)}</b> <bdi>{escape(value)}</bdi></span>"
        for name, value in fields.items()
    )
    return f'<p class="provenance">{said}</p>'


def take_bar(fields: Mapping[str, str], kinds: Mapping[str, str], *, title: str, name: str) -> str:
    """The bar of a figure: what it shows, and a button for each kind in which it is taken away.

    Args:
        fields: name and value of what is said of it.
        kinds: kind -> what stands on its button.
        title: of the figure.
        name: of its files.
    """
    buttons = "".join(
        f'<button type="button" data-take="{kind}" aria-label="{escape(f"{label} · {title}")}">'
        f"{escape(label)}</button>"
        for kind, label in kinds.items()
    )
    return (
        f'<div class="figure-bar" data-title="{escape(title)}" data-name="{escape(name)}">'
        f'{provenance(fields)}<span class="take">{buttons}</span></div>'
    )


def play_button(play: str, pause: str, step: str, *, pace: int) -> str:
    """The button that plays a slider; ``ui/components/tools/play.js`` listens to it.

    Args:
        play: what stands on it.
        pause: the same, while it plays.
        step: the same, for who wants no motion: each click is one step.
        pace: milliseconds from one step to the next.
    """
    words = {"play": f"▶ {play}", "pause": f"❚❚ {pause}", "step": f"▶ {step}"}
    spans = "".join(f'<span class="{kind}">{escape(text)}</span>' for kind, text in words.items())
    return f'<button type="button" class="player" data-play="{pace}">{spans}</button>'


def badge(text: str) -> str:
    """A short remark in a coloured frame."""
    return f'<p class="badge" dir="auto">{escape(text)}</p>'


def token_rows(rows: Mapping[str, Sequence[str]], *, lang: str | None) -> str:
    """Rows of visible tokens in one language, each under the one before: name -> tokens."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td{_title(token)}>{_written(escape(token), lang)}</td>" for token in tokens)
        + "</tr>"
        for name, tokens in rows.items()
    )
    way = _way(token for tokens in rows.values() for token in tokens)
    return f'<div class="token-table"><table{way}><tbody>{body}</tbody></table></div>'


def changed_words(
    label: str, words: Sequence[str], changed: Collection[int], *, lang: str | None
) -> str:
    """A translation in which the words at some places are marked.

    Args:
        label: what stands before it.
        words: each with the space before it, where there is one.
        changed: places of those that are marked.
        lang: of the translation.
    """
    text = "".join(
        f"{word.removesuffix(word.lstrip())}<mark>{escape(word.lstrip())}</mark>"
        if place in changed
        else escape(word)
        for place, word in enumerate(words)
    )
    return f'<p class="gloss">{escape(label)} {_written(text, lang)}</p>'


def exhibit_text(
    sentence: str, target: str, look: str, *, languages: tuple[str | None, str | None]
) -> str:
    """A sentence, its translation, and what to look for, each in its own language."""
    source, written = (
        _written(escape(text), lang)
        for text, lang in zip((sentence, target), languages, strict=True)
    )
    return (
        f'<p class="sentence">{source}</p><p class="written">{written}</p>'
        f'<p class="look" dir="auto">{escape(look)}</p>'
    )


def exhibit_card(title: str, text: str, picture: str, *, alt: str, place: str) -> str:
    """An example of the gallery.

    Args:
        title: what it shows.
        text: of ``exhibit_text``.
        picture: the URL of its map.
        alt: the map in words.
        place: whose map it is.
    """
    return (
        f'<h2 class="exhibit">{escape(title)}</h2>{text}'
        f'<figure class="exhibit"><img src="{escape(picture)}" alt="{escape(alt)}">'
        f"<figcaption>{escape(place)}</figcaption></figure>"
    )


def _named(tensor: str) -> str:
    """A tensor's name, in the colour of its role where it has one."""
    role = role_of(tensor)
    return f'<b class="role-{role}">{escape(tensor)}</b>' if role else f"<b>{escape(tensor)}</b>"


def _title(label: str) -> str:
    """The attribute by which a part of a character says its bytes."""
    return f' title="{escape(full)}"' if (full := in_full(label)) != label else ""


def _way(labels: Iterable[str]) -> str:
    """The attribute of what holds these words; pages run from left to right by themselves."""
    return ' dir="rtl"' if direction(labels) == "rtl" else ""


def _written(html: str, lang: str | None) -> str:
    """Text that the model read or wrote: in that language for a screen reader."""
    return f'<bdi lang="{escape(tag(lang))}">{html}</bdi>' if lang else f"<bdi>{html}</bdi>"
