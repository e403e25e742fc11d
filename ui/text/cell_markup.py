"""An opened cell as HTML: steps, rows of bars, tables. Texts that come in are escaped here."""

from collections.abc import Collection, Sequence
from html import escape

from model.pictures.text import tag


def steps(parts: Sequence[tuple[str, str]], short: Collection[int] = ()) -> str:
    """A numbered list that unfolds: title and HTML of each step. Short ones need half a page."""
    kinds = [' class="short"' if n in short else "" for n in range(len(parts))]
    items = "".join(
        f'<li{kinds[n]} style="--step:{n}"><h3>{escape(title)}</h3>{html}</li>'
        for n, (title, html) in enumerate(parts)
    )
    return f'<ol class="cell">{items}</ol>'


def words(text: str) -> str:
    """A sentence."""
    return f"<p>{escape(text)}</p>"


def equation(*parts: tuple[str, str]) -> str:
    """Role and text of numbers in a row, in their colours; a sign between two has no role.

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
    said: str,
    limit: float,
    lit: Collection[int] | None = None,
    token: str = "",
    lang: str | None = None,
) -> str:
    """A vector as bars, those above 0 up, those below down.

    Args:
        name: what it is; ``said`` is the same and more for who does not see it.
        limit: size of the highest bar that there is room for.
        lit: places of the bars that stand out; None for all.
        token: whose vector it is; empty for none.
    """
    drawn = "".join(
        _bar(value, limit, place, faint=lit is not None and place not in lit)
        for place, value in enumerate(values)
    )
    whose = f" {_token(token, lang)}" if token else ""
    return (
        f'<div class="vector role-{role}"><span>{escape(name)}{whose}</span>'
        f'<div class="bars" role="img" aria-label="{escape(said)}">{drawn}</div></div>'
    )


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    roles: Sequence[str],
    here: int | None = None,
    shares: Sequence[float | None] = (),
    langs: Sequence[str | None] = (),
) -> str:
    """Rows of a name and numbers below headings; the columns' roles may be empty.

    Args:
        here: the row that this is about.
        shares: of each row, from 0 to 1, as a bar at its end; None for no bar.
        langs: language of each name that is a token; of others None.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr{' aria-current=true' if n == here else ''}>"
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


def _bar(value: float, limit: float, place: int, *, faint: bool) -> str:
    size = 50 * min(abs(value) / limit, 1) if limit else 0.0  # percent of the height
    top = 50 - size if value > 0 else 50
    kind = ' class="faint"' if faint else ""
    return f'<i{kind} style="height:{size:.1f}%;top:{top:.1f}%" title="{place}: {value:.4f}"></i>'


def _share(share: float | None) -> str:
    width = "" if share is None else f'<i style="width:{100 * share:.1f}%"></i>'
    return f'<td class="share">{width}</td>'


def _token(text: str, lang: str | None) -> str:
    return f'<bdi lang="{escape(tag(lang))}">{escape(text)}</bdi>' if lang else escape(text)
