"""An opened cell as HTML: steps, rows of bars, tables. All texts are escaped here."""

from collections.abc import Collection, Sequence
from html import escape

from model.pictures.text import language_tag
from ui.text.numbers import decimals


def steps(parts: Sequence[tuple[str, str]], short: Collection[int] = ()) -> str:
    """Return the HTML of a numbered list whose items can be opened.

    Args:
        parts: title and HTML of each step.
        short: the steps, from 0, that need half the width of the page.
    """
    kinds = [' class="short"' if n in short else "" for n in range(len(parts))]
    items = "".join(
        f'<li{kinds[n]} style="--step:{n}"><h3>{n + 1}. {escape(title)}</h3>{html}</li>'
        for n, (title, html) in enumerate(parts)
    )
    return f'<ol class="cell">{items}</ol>'


def words(text: str) -> str:
    """Return a text as an HTML paragraph."""
    return f"<p>{escape(text)}</p>"


def equation(*parts: tuple[str, str]) -> str:
    """Return the HTML of an equation in the colours of roles; each part is (role, text).

    A sign between two numbers has no role.

    >>> equation(("score", "2"), ("", "="))
    '<p class="equation"><b class="role-score">2</b> <span>=</span></p>'
    """
    shown = (
        f'<b class="role-{role}">{escape(text)}</b>' if role else f"<span>{escape(text)}</span>"
        for role, text in parts
    )
    return f'<p class="equation">{" ".join(shown)}</p>'


def bars(
    values: Sequence[float],
    *,
    role: str,
    name: str,
    spoken: str,
    limit: float,
    lit: Collection[int] | None = None,
    token: str = "",
    lang: str | None = None,
) -> str:
    """Return a vector as bars in HTML: positive numbers up, negative numbers down.

    Args:
        values: the vector.
        role: whose colour the bars have.
        name: of the vector.
        spoken: its description for screen readers.
        limit: the number of the highest possible bar.
        lit: the positions of the bars that stand out; None for all.
        token: that the vector belongs to; empty for none.
        lang: of the token; None where it is not known.
    """
    drawn = "".join(
        _bar(value, limit, position, faint=lit is not None and position not in lit)
        for position, value in enumerate(values)
    )
    whose = f" {_token(token, lang)}" if token else ""
    return (
        f'<div class="vector role-{role}"><span>{escape(name)}{whose}</span>'
        f'<div class="bars" role="img" aria-label="{escape(spoken)}">{drawn}</div></div>'
    )


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    roles: Sequence[str],
    marked_row: int | None = None,
    shares: Sequence[float | None] = (),
    langs: Sequence[str | None] = (),
) -> str:
    """Return the HTML of a table whose rows have a name and numbers.

    Args:
        columns: the headings.
        rows: the cells of each row, the name first.
        roles: of the columns, for their colours; empty for none.
        marked_row: the row to mark.
        shares: from 0 to 1, a bar at the end of each row; None for no bar.
        langs: the language of each name that is a token; None for other names.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr{' aria-current=true' if n == marked_row else ''}>"
        f'<th scope="row">{_token(name, langs[n] if langs else None)}</th>'
        + "".join(
            f'<td class="role-{role}">{escape(cell)}</td>' if role else f"<td>{escape(cell)}</td>"
            for cell, role in zip(cells, roles[1:], strict=True)
        )
        + (_share(shares[n]) if shares else "")
        + "</tr>"
        for n, (name, *cells) in enumerate(rows)
    )
    bar = "<td></td>" if shares else ""
    return (
        '<div class="token-table"><table>'
        f"<thead><tr>{head}{bar}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _bar(value: float, limit: float, position: int, *, faint: bool) -> str:
    """Return a small bar that shows a number.

    Args:
        value: the number.
        limit: the absolute value of a bar of full height; 0 draws no bars.
        position: of the number in its vector; the tooltip names it.
        faint: whether the bar is pale.
    """
    size = 50 * min(abs(value) / limit, 1) if limit else 0.0  # percent of the height
    top = 50 - size if value > 0 else 50
    kind = ' class="faint"' if faint else ""
    number = decimals(value, 4)
    return f'<i{kind} style="height:{size:.1f}%;top:{top:.1f}%" title="{position}: {number}"></i>'


def _share(share: float | None) -> str:
    """Return a cell of a table with a bar; the cell is empty for None."""
    width = "" if share is None else f'<i style="width:{100 * share:.1f}%"></i>'
    return f'<td class="share">{width}</td>'


def _token(text: str, lang: str | None) -> str:
    return (
        f'<bdi lang="{escape(language_tag(lang))}">{escape(text)}</bdi>' if lang else escape(text)
    )
