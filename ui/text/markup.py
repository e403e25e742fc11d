"""Texts of a visitor or a model as HTML.

Each function escapes the texts that it gets, except where its docstring says that a text is HTML.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from math import exp

from model.corpora.pairs import Languages
from model.pictures.colours import COLOURS
from model.pictures.text import direction, language_tag
from model.pictures.tokens import display, display_subword, in_full
from ui.text.numbers import decimals
from ui.text.roles import role_of


def paragraph(text: str, *, kind: str) -> str:
    """Return a paragraph of plain text with the CSS class ``kind``.

    >>> paragraph("<b>", kind="model")
    '<p class="model" dir="auto">&lt;b&gt;</p>'
    """
    return f'<p class="{kind}" dir="auto">{escape(text)}</p>'


def guide(text: str, hint: str) -> str:
    """Return a caption that ends with a hint, such as what a click does. Paper has no hint.

    Args:
        text: the caption, plain text; may be empty.
        hint: the hint, plain text.

    >>> guide("", "Click a cell.")
    '<p class="guide hint" dir="auto">Click a cell.</p>'
    """
    if not text:
        return paragraph(hint, kind="guide hint")
    space = "" if text.endswith("。") else " "
    marked = f'<span class="hint">{escape(hint)}</span>'
    return f'<p class="guide" dir="auto">{escape(text)}{space}{marked}</p>'


def claim(text: str, step: str) -> str:
    """Return the claim of a step of a lesson, a heading.

    Args:
        text: the claim.
        step: which step it is, as words.

    >>> claim("a < b", "3 / 8")
    '<h2 class="claim" dir="auto"><small>3 / 8</small> a &lt; b</h2>'
    """
    return f'<h2 class="claim" dir="auto"><small>{escape(step)}</small> {escape(text)}</h2>'


def slide_title(text: str, about: str) -> str:
    """Return the title of a page for a projector, a heading, because the page's own is hidden.

    Args:
        text: the title: what to see on the page.
        about: the name of what is shown; may be empty.

    >>> slide_title("a < b", "")
    '<p class="slide-title" role="heading" aria-level="1" dir="auto">a &lt; b</p>'
    """
    belongs = f" <small>{escape(about)}</small>" if about else ""
    return (
        '<p class="slide-title" role="heading" aria-level="1" dir="auto">'
        f"{escape(text)}{belongs}</p>"
    )


def legend(names: Iterable[str]) -> str:
    """Return a legend of curves, for several charts: each name after the colour of its curve.

    >>> legend(["a"])
    '<ul class="legend"><li><i style="background: light-dark(#0072b2, #5bb8f0)"></i>a</li></ul>'
    """
    colours = zip(COLOURS["light"].categorical, COLOURS["dark"].categorical, strict=True)
    items = [
        f'<li><i style="background: light-dark({light}, {dark})"></i>{escape(name)}</li>'
        for name, (light, dark) in zip(names, colours, strict=False)
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def current_place(label: str) -> str:
    """Return the menu entry of the open page."""
    return f'<p class="here" aria-current="page">{escape(label)}</p>'


def address_code(picture: str, address: str, *, alt: str) -> str:
    """Return a QR code with its address below it.

    Args:
        picture: the address of the picture, a data URI.
        address: what the code says.
        alt: what the picture is, for a screen reader.
    """
    image = f'<img src="{escape(picture)}" alt="{escape(alt)}">'
    return f"<figure>{image}<figcaption>{escape(address)}</figcaption></figure>"


def escape_markdown(text: str) -> str:
    """Escape a text so that Markdown shows it as it was typed.

    Markdown symbols get a backslash. Emoji names such as ``:cat:`` would still be replaced, so an
    invisible joiner separates their parts.

    >>> print(escape_markdown("*a*_b [c](d)"))
    \\*a\\*\\_b \\[c\\]\\(d\\)
    """
    escaped = re.sub(r"([\\`*_{}\[\]()#+!|<>~$&^=])", r"\\\1", text)
    return " ".join(escaped.split()).replace(":", ":\u2060")


def translation(text: str, origin: str, *, lang: str | None) -> str:
    """Return a translation in large letters, followed by its origin.

    Args:
        text: the translation.
        origin: who wrote it, and how.
        lang: of the translation; None where it is not known.
    """
    return (
        f'<p class="translation"{_dir_of([text])}>{_written(text, lang)} '
        f'<span class="origin">{escape(origin)}</span></p>'
    )


def gloss(label: str, text: str, *, lang: str | None, titled: bool = False) -> str:
    """Return a text with its label, in one small line.

    Args:
        label: plain text in front of it.
        text: plain text, for instance a translation.
        lang: the language of ``text`` as a tag of HTML; None if it is not known.
        titled: whether the tooltip has the whole text, because the page may cut it.
    """
    title = f' title="{escape(text)}"' if titled else ""
    return f'<p class="gloss"{title}>{escape(label)} {_written(text, lang)}</p>'


def marked_words(text: str, spans: Iterable[tuple[int, int]], *, lang: str | None) -> str:
    """Return a text in one small line, with some of its words marked.

    Args:
        text: plain text, for instance a sentence.
        spans: start and end of each word that is marked, from left to right.
        lang: the language of ``text`` as a tag of HTML; None if it is not known.

    >>> marked_words("The subway?", [(4, 10)], lang=None)
    '<p class="gloss"><bdi>The <mark>subway</mark>?</bdi></p>'
    """
    html = ""
    shown = 0  # characters of the text so far
    for start, end in spans:
        html += f"{escape(text[shown:start])}<mark>{escape(text[start:end])}</mark>"
        shown = end
    html += escape(text[shown:])
    return f'<p class="gloss">{_bdi(html, lang)}</p>'


def side(letter: str, description: str, text: str, *, lang: str | None) -> str:
    """Return the heading of one of two maps.

    Args:
        letter: A or B.
        description: of the map.
        text: the translation that it belongs to; empty for none.
        lang: of the translation.

    >>> side("A", "head <1>", "", lang=None)
    '<p class="side" data-letter="A"><b>A</b> head &lt;1&gt;</p>'
    """
    written = f"<br>{_written(text, lang)}" if text else ""
    return (
        f'<p class="side" data-letter="{escape(letter)}"><b>{escape(letter)}</b> '
        f"{escape(description)}{written}</p>"
    )


def formula(name: str, text: str) -> str:
    """Return ``name = text`` as a formula."""
    return f'<p class="formula">{_named(name)} = {escape(text)}</p>'


def shape(name: str, dims: Sequence[str], sizes: Mapping[str, int]) -> str:
    """Return a tensor's shape, with each axis in its own colour.

    Args:
        name: of the tensor.
        dims: the symbols of its axes.
        sizes: the length of each axis, by its symbol.

    >>> shape("v", ("S",), {"S": 7})
    '<span class="shape"><b class="role-value">v</b> <i class="axis-S">S<small>7</small></i></span>'
    """
    axes = "".join(
        f'<i class="axis-{escape(dim)}">{escape(dim)}<small>{sizes[dim]}</small></i>'
        for dim in dims
    )
    return f'<span class="shape">{_named(name)} {axes}</span>'


def tensor(shape: str, *, meaning: str, numbers: Sequence[str], length: str) -> str:
    """Return one line of a list of tensors.

    Args:
        shape: HTML of ``shape``.
        meaning: shown when one points at the line.
        numbers: the first numbers of one vector.
        length: the norm of that vector, in words; empty for none.
    """
    shown = f"<code>{escape(' '.join(numbers).replace('-', '−'))} …</code>"
    return f'<li title="{escape(meaning)}">{shape}{shown}<small>{escape(length)}</small></li>'


def alert(text: str) -> str:
    """Return the HTML of an error message."""
    return f'<p class="notice" role="alert" dir="auto">{escape(text)}</p>'


def subwords(
    tokens: Sequence[str], log_probs: Sequence[float], *, label: str, lang: str | None
) -> str:
    """Return the HTML of a list of written tokens with their probabilities.

    Args:
        tokens: as the model has them; their bytes are shown when one points at them.
        log_probs: of each token.
        label: of the list, for screen readers.
        lang: of the tokens; None where it is not known.
    """
    items = "".join(
        f'<li title="{escape(display_subword(token))}: log p = {decimals(log_prob, 4)}">'
        f"{_written(name, lang)}"
        f'<span class="bar"><i style="width:{100 * exp(log_prob):.0f}%"></i></span>'
        f"<small>{exp(log_prob):.2f}</small></li>"
        for token, name, log_prob in zip(tokens, display(tokens), log_probs, strict=True)
    )
    return (
        f'<ol class="subwords"{_dir_of(display(tokens))} aria-label="{escape(label)}">{items}</ol>'
    )


def candidate_list(rows: Sequence[tuple[str, float, bool]], *, label: str, lang: str | None) -> str:
    """Return the HTML of a list of candidates for the next token.

    Args:
        rows: the displayed token, its probability, and whether it was written.
        label: of the list.
        lang: of the tokens; None where it is not known.
    """
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
    """Return the HTML of a table of tokens and probabilities, with a column for each written token.

    A cell that predicts the written token of its column is marked.

    Args:
        rows: by name: for each column the most probable token and its probability.
        columns: the tokens that were written.
        corner: the heading of the first column.
        lang: of the tokens; None where it is not known.
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
        f'<div class="token-table"><table{_dir_of(columns)} style="--lines: {len(columns) + 1}">'
        f"<thead><tr><th>{escape(corner)}</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def machine_map(rows: Mapping[str, Sequence[tuple[str, bool]]], *, label: str) -> str:
    """Return a small map of the model: a row of boxes for the encoder and one for the decoder.

    Args:
        rows: by the name of the stack: each box's name, and whether it is marked.
        label: what the map shows.

    >>> print(machine_map({"Encoder": [("norms", True)]}, label="Model"))
    <figure class="machine-map" role="img" aria-label="Model"><p><small>Encoder</small>\
<i class="marked">norms</i></p></figure>
    """
    html = ""
    for stack, boxes in rows.items():
        html += f"<p><small>{escape(stack)}</small>"
        for name, is_marked in boxes:
            mark = ' class="marked"' if is_marked else ""
            html += f"<i{mark}>{escape(name)}</i>"
        html += "</p>"
    return f'<figure class="machine-map" role="img" aria-label="{escape(label)}">{html}</figure>'


def paper_link(text: str, address: str) -> str:
    """Return a link to a place in a paper, which opens in a tab of its own."""
    return f'<p class="paper-link">{_paper_anchor(text, address)}</p>'


def paper_table(
    titles: Sequence[str],
    rows: Iterable[tuple[tuple[str, str], str, Sequence[str], Sequence[str]]],
) -> str:
    """Return a table of the parts of a paper.

    Args:
        titles: of the four columns.
        rows: of each part: its section and the address of the section, what it is, its files, and
            its pages.
    """
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(
        f"<tr><td>{_paper_anchor(section, address)}</td><td>{escape(part)}</td>"
        f"<td>{'<br>'.join(f'<code>{escape(file)}</code>' for file in files)}</td>"
        f"<td>{'<br>'.join(map(escape, pages))}</td></tr>"
        for (section, address), part, files, pages in rows
    )
    return (
        f'<div class="token-table"><table class="paper-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def printed_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that is only on paper, where a table with scroll bars would be cut off.

    Args:
        titles: of the columns.
        rows: the text of each cell.
    """
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    return (
        f'<table class="printed-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _paper_anchor(text: str, address: str) -> str:
    return f'<a href="{escape(address)}" target="_blank" rel="noopener">{escape(text)}&nbsp;↗</a>'


def take_bar(
    label: str,
    fields: Mapping[str, str],
    kinds: Mapping[str, str],
    *,
    title: str,
    name: str,
    stem: str,
    caption: str,
    copy_caption: str,
    python: str,
    python_label: str,
    copy_python: str,
    texts: Mapping[str, str],
) -> str:
    """Return the bar below a figure: its description, and a button for each type of file.

    Args:
        label: of the button that opens the bar.
        fields: the description, label and value.
        kinds: the kinds of files, each with the label of its button.
        title: of the figure.
        name: of the figure.
        stem: of the names of its files.
        caption: what the figure shows, in sentences.
        copy_caption: label of the button that copies it.
        python: lines of Python that make the same figure; empty for none.
        python_label: of these lines.
        copy_python: label of the button that copies them.
        texts: for a worksheet: the attention, the sentence and its translation; empty for none.
    """
    description = " ".join(
        f"<span><b>{escape(name)}</b> <bdi>{escape(value)}</bdi></span>"
        for name, value in fields.items()
    )
    given = "".join(f' data-{key}="{escape(text)}"' for key, text in texts.items() if text)
    buttons = "".join(
        f'<button type="button" data-take="{kind}" aria-label="{escape(f"{word} · {title}")}">'
        f"{escape(word)}</button>"
        for kind, word in kinds.items()
    )
    lines = ""
    if python:
        lines = (
            f'<div class="take"><details class="lines"><summary>{escape(python_label)}</summary>'
            f'<pre class="python" translate="no">{escape(python)}</pre></details>'
            f"{_copy_button('python', copy_python, title=title)}</div>"
        )
    return (
        f'<details class="figure-bar" data-title="{escape(title)}" data-name="{escape(name)}"'
        f' data-file="{escape(stem)}"{given}>'
        f'<summary aria-label="{escape(f"{label} · {title}")}">{escape(label)}</summary>'
        f'<span class="take">{buttons}</span><p class="provenance">{description}</p>'
        f'<span class="take"><p class="caption" translate="no">{escape(caption)}</p>'
        f"{_copy_button('caption', copy_caption, title=title)}</span>{lines}</details>"
    )


def _copy_button(name: str, label: str, *, title: str) -> str:
    """Return a button that copies a text; ``web/app/tools/save_figure.js`` does that.

    Args:
        name: class of the text: "caption" or "python".
        label: on the button.
        title: of the figure, for a screen reader.
    """
    return (
        f'<button type="button" data-take="{name}" aria-label="{escape(f"{label}: {title}")}">'
        f"{escape(label)}</button>"
    )


def play_button(play: str, pause: str, step: str, *, pace: int, opens_later: bool = False) -> str:
    """Return the play button of a slider; ``web/app/tools/play.js`` handles its clicks.

    Args:
        play, pause: labels of the button.
        step: its label for visitors who want no motion: each click is one step then.
        pace: milliseconds from one step to the next.
        opens_later: whether the slider is where the page opened, after its first step.
    """
    words = {"play": f"▶ {play}", "pause": f"❚❚ {pause}", "step": f"▶ {step}"}
    spans = "".join(f'<span class="{kind}">{escape(text)}</span>' for kind, text in words.items())
    later = " data-opens-later" if opens_later else ""
    return f'<button type="button" class="player" data-play="{pace}"{later}>{spans}</button>'


def token_rows(rows: Mapping[str, Sequence[str]], *, lang: str | None) -> str:
    """Return named rows of displayed tokens, one below the other, in one language."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td{_title(token)}>{_written(token, lang)}</td>" for token in tokens)
        + "</tr>"
        for name, tokens in rows.items()
    )
    text_direction = _dir_of(token for tokens in rows.values() for token in tokens)
    return f'<div class="token-table"><table{text_direction}><tbody>{body}</tbody></table></div>'


def checked_draft(
    names: Sequence[str],
    rows: Sequence[tuple[str, str, str]],
    n_kept: int,
    *,
    label: str,
    lang: str | None,
) -> str:
    """Return a draft, its check and the result.

    Each position is a row of the HTML table. The styles draw it as a column, so that a long draft
    continues below (``.checked-draft`` in web/app/page.css).

    Args:
        names: of the draft, of the exact model's answers, and of the result.
        rows: at each position these three as displayed tokens; empty for none.
        n_kept: how many of the first positions agree.
        label: what the table shows.
        lang: of the tokens; None where it is not known.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = ""
    for position, tokens in enumerate(rows):
        # "parts": the first position at which draft and answer differ
        kind = "kept" if position < n_kept else "parts" if position == n_kept else "after"
        sign = {"kept": "<i>=</i> ", "parts": "<i>≠</i> ", "after": ""}[kind]
        draft, answer, result = (_written(token, lang) if token else "" for token in tokens)
        body += f'<tr class="{kind}"><td>{draft}</td><td>{sign}{answer}</td><td>{result}</td></tr>'
    return (
        f'<table class="checked-draft"{_dir_of(tokens[0] for tokens in rows)} '
        f'aria-label="{escape(label)}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def changed_words(
    label: str, words: Sequence[str], changed: Collection[int], *, lang: str | None
) -> str:
    """Return a translation in which some words are marked.

    Args:
        label: before the translation.
        words: each with the space before it.
        changed: the positions of the words to mark.
        lang: of the translation; None where it is not known.
    """
    parts = []
    for position, word in enumerate(words):
        if position in changed:
            space = word.removesuffix(word.lstrip())
            parts.append(f"{space}<mark>{escape(word.lstrip())}</mark>")
        else:
            parts.append(escape(word))
    text = "".join(parts)
    return f'<p class="gloss">{escape(label)} {_bdi(text, lang)}</p>'


def attended_words(
    words: Sequence[str], weights: Sequence[float], written: str, *, lang: str | None
) -> str:
    """Return words with the attention that each gets while the next word is written.

    Args:
        words: the displayed words.
        weights: one for each word, from 0 to 1.
        written: the word that is written.
        lang: of the words; None where it is not known.
    """
    items = "".join(
        f'<li style="--w:{weight:.3f}">{_written(word, lang)}<small>{weight:.2f}</small></li>'
        for word, weight in zip(words, weights, strict=True)
    )
    last = f'<li aria-current="true">{_written(written, lang)}<small>◂</small></li>'
    return f'<ol class="attended"{_dir_of([*words, written])}>{items}{last}</ol>'


def probability_bars(bars: Mapping[str, float], word: str, rival: str, *, lang: str | None) -> str:
    """Return bars that say how probable one word is against a different one.

    Args:
        bars: by name, the probability of the first word, from 0 to 1.
        word: the first word.
        rival: the other word.
        lang: of both words; None where it is not known.
    """
    rows = "".join(
        f'<p class="label">{escape(name)}</p><p class="against" style="--p:{p:.4f}">'
        f"<span>{_written(word, lang)} <small>{100 * p:.1f}%</small></span>"
        f"<span>{_written(rival, lang)} <small>{100 * (1 - p):.1f}%</small></span></p>"
        for name, p in bars.items()
    )
    return f'<div class="contest">{rows}</div>'


def exhibit_text(sentence: str, target: str, look: str, *, languages: Languages) -> str:
    """Return the text of an example of the gallery.

    Args:
        sentence: the source.
        target: its translation.
        look: what to look for in its map, in the language of the page.
        languages: of source and translation; None where it is not known.
    """
    source_language, target_language = languages
    source = _written(sentence, source_language)
    written = _written(target, target_language)
    return (
        f'<p class="sentence">{source}</p><p class="written">{written}</p>'
        f'<p class="look" dir="auto">{escape(look)}</p>'
    )


def exhibit_card(
    title: str, text: str, picture: str, *, on_paper: str, alt: str, caption: str
) -> str:
    """Return the card of an example of the gallery.

    Args:
        title: of the example.
        text: HTML of ``exhibit_text``.
        picture: URL of the map.
        on_paper: URL of the map in light colours.
        alt: the map in words.
        caption: the name of the head.
    """
    images = f'<img src="{escape(picture)}" alt="{escape(alt)}">'
    if on_paper != picture:
        images += f'<img class="on-paper" src="{escape(on_paper)}" alt="">'
    return (
        f'<h2 class="exhibit">{escape(title)}</h2>{text}'
        f'<figure class="exhibit">{images}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _named(tensor: str) -> str:
    """Return a tensor's name, in the colour of its role if it has one."""
    role = role_of(tensor)
    return f'<b class="role-{role}">{escape(tensor)}</b>' if role else f"<b>{escape(tensor)}</b>"


def _title(label: str) -> str:
    """Return the ``title`` attribute of a label; a part of a character shows its bytes."""
    full = in_full(label)
    return "" if full == label else f' title="{escape(full)}"'


def _dir_of(labels: Iterable[str]) -> str:
    """Return the ``dir`` attribute for words; the default of pages is left to right."""
    return ' dir="rtl"' if direction(labels) == "rtl" else ""


def _written(text: str, lang: str | None) -> str:
    """Return a model's text with its language, for screen readers."""
    return _bdi(escape(text), lang)


def _bdi(html: str, lang: str | None) -> str:
    return (
        f'<bdi lang="{escape(language_tag(lang))}">{html}</bdi>' if lang else f"<bdi>{html}</bdi>"
    )
