"""Texts of a visitor or a model as HTML, escaped here and nowhere else."""

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


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it was typed.

    Signs of Markdown get a backslash. Short names of pictures, ``:cat:``, are read even then; an
    invisible joiner takes them apart.

    >>> print(escape_markdown("*a*_b [c](d)"))
    \\*a\\*\\_b \\[c\\]\\(d\\)
    """
    escaped = re.sub(r"([\\`*_{}\[\]()#+!|<>~$&^=])", r"\\\1", text)
    return " ".join(escaped.split()).replace(":", ":\u2060")


def translation(text: str, origin: str, *, lang: str | None) -> str:
    """What the model wrote in its language, if that is known, and after it where it comes from."""
    return (
        f'<p class="translation"{_way([text])}>{_written(text, lang)} '
        f'<span class="origin">{escape(origin)}</span></p>'
    )


def gloss(label: str, text: str, *, lang: str | None) -> str:
    """A translation in one small line."""
    return f'<p class="gloss">{escape(label)} {_written(text, lang)}</p>'


def side(letter: str, what: str, text: str, *, lang: str | None) -> str:
    """The heading of one of two maps: its letter, what it is, and the translation it belongs to.

    >>> side("A", "head <1>", "", lang=None)
    '<p class="side" data-letter="A"><b>A</b> head &lt;1&gt;</p>'
    """
    written = f"<br>{_written(text, lang)}" if text else ""
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


def tensor(shape: str, *, meaning: str, numbers: Sequence[str], length: str) -> str:
    """One line of a list of tensors: its ``shape``, the first numbers of a vector, its norm.

    The meaning is shown on hover; the norm is in words, empty where there is none.
    """
    shown = f"<code>{escape(' '.join(numbers).replace('-', '−'))} …</code>"
    return f'<li title="{escape(meaning)}">{shape}{shown}<small>{escape(length)}</small></li>'


def alert(text: str) -> str:
    """A sentence that says what is wrong."""
    return f'<p class="notice" role="alert" dir="auto">{escape(text)}</p>'


def subwords(
    tokens: Sequence[str], log_probs: Sequence[float], *, label: str, lang: str | None
) -> str:
    """Each written token with its probability; its logarithm, and its bytes, show on hover."""
    items = "".join(
        f'<li title="{escape(display_subword(token))}: log p = {log_prob:.4f}">'
        f"{_written(name, lang)}"
        f'<span class="bar"><i style="width:{100 * exp(log_prob):.0f}%"></i></span>'
        f"<small>{exp(log_prob):.2f}</small></li>"
        for token, name, log_prob in zip(tokens, display(tokens), log_probs, strict=True)
    )
    return f'<ol class="subwords"{_way(display(tokens))} aria-label="{escape(label)}">{items}</ol>'


def candidate_list(rows: Sequence[tuple[str, float, bool]], *, label: str, lang: str | None) -> str:
    """Tokens that could have come next: visible form, probability, whether it is the one."""
    items = "".join(
        f"<li{' aria-current=true' if chosen else ''}>{_written(token, lang)}"
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

    ``rows`` are by name, for each of the ``columns``, the tokens that were written.
    """
    head = "".join(f'<th scope="col">{_written(token, lang)}</th>' for token in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            f'<td class="{"right" if token == written else "other"}" style="--p:{p:.3f}" '
            f'title="p = {p:.4f}">{_written(token, lang)}<small>{p:.2f}</small></td>'
            for (token, p), written in zip(cells, columns, strict=True)
        )
        + "</tr>"
        for name, cells in rows.items()
    )
    return (
        f'<div class="token-table"><table{_way(columns)}><thead><tr><th>{escape(corner)}</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def take_bar(
    label: str, fields: Mapping[str, str], kinds: Mapping[str, str], *, title: str, name: str
) -> str:
    """The bar of a figure: a button that opens what it shows, and a button for each kind of file.

    ``kinds`` are by what stands on their buttons, ``title`` is the figure's, ``name`` its files'.
    """
    said = " ".join(
        f"<span><b>{escape(name)}</b> <bdi>{escape(value)}</bdi></span>"
        for name, value in fields.items()
    )
    buttons = "".join(
        f'<button type="button" data-take="{kind}" aria-label="{escape(f"{word} · {title}")}">'
        f"{escape(word)}</button>"
        for kind, word in kinds.items()
    )
    return (
        f'<details class="figure-bar" data-title="{escape(title)}" data-name="{escape(name)}">'
        f'<summary aria-label="{escape(f"{label} · {title}")}">{escape(label)}</summary>'
        f'<span class="take">{buttons}</span><p class="provenance">{said}</p></details>'
    )


def play_button(play: str, pause: str, step: str, *, pace: int) -> str:
    """The button that plays a slider; ``web/app/tools/play.js`` listens to it.

    ``step`` stands on it for who wants no motion: each click is one step. ``pace`` is the number of
    milliseconds from one step to the next.
    """
    words = {"play": f"▶ {play}", "pause": f"❚❚ {pause}", "step": f"▶ {step}"}
    spans = "".join(f'<span class="{kind}">{escape(text)}</span>' for kind, text in words.items())
    return f'<button type="button" class="player" data-play="{pace}">{spans}</button>'


def token_rows(rows: Mapping[str, Sequence[str]], *, lang: str | None) -> str:
    """Rows of visible tokens in one language, each under the one before: name -> tokens."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td{_title(token)}>{_written(token, lang)}</td>" for token in tokens)
        + "</tr>"
        for name, tokens in rows.items()
    )
    way = _way(token for tokens in rows.values() for token in tokens)
    return f'<div class="token-table"><table{way}><tbody>{body}</tbody></table></div>'


def changed_words(
    label: str, words: Sequence[str], changed: Collection[int], *, lang: str | None
) -> str:
    """A translation in which the words at some places are marked; each has its space before it."""
    text = "".join(
        f"{word.removesuffix(word.lstrip())}<mark>{escape(word.lstrip())}</mark>"
        if place in changed
        else escape(word)
        for place, word in enumerate(words)
    )
    return f'<p class="gloss">{escape(label)} {_bdi(text, lang)}</p>'


def exhibit_text(
    sentence: str, target: str, look: str, *, languages: tuple[str | None, str | None]
) -> str:
    """A sentence, its translation, and what to look for, each in its own language."""
    source, written = map(_written, (sentence, target), languages)
    return (
        f'<p class="sentence">{source}</p><p class="written">{written}</p>'
        f'<p class="look" dir="auto">{escape(look)}</p>'
    )


def exhibit_card(title: str, text: str, picture: str, *, alt: str, place: str) -> str:
    """An example of the gallery: ``text`` is of ``exhibit_text``, ``picture`` the map's URL."""
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


def _written(text: str, lang: str | None) -> str:
    """Text that the model read or wrote: in that language for a screen reader."""
    return _bdi(escape(text), lang)


def _bdi(html: str, lang: str | None) -> str:
    return f'<bdi lang="{escape(tag(lang))}">{html}</bdi>' if lang else f"<bdi>{html}</bdi>"
