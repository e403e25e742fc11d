"""Each role, such as query, has one colour on all pages, and a line style beside colour.

A word in a text of the app names a role as a Markdown link does: ``[queries](#role-query)``. The
word is drawn in the colour of its role. While it is pointed at or has the focus, everything with
this role in a picture of the page is highlighted (web/app/tools/roles.js).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Role = Literal["query", "key", "value", "score", "weight", "gained", "lost"]


class Look(NamedTuple):
    """A role's colour in each theme, with a contrast of at least 4.5 to 1, and its line style."""

    light: str
    dark: str
    line: str


ROLES: Mapping[Role, Look] = {
    "query": Look("#7a3fc0", "#c3a1ff", "solid 1.5px"),
    "key": Look("#7d5f00", "#e3bb4a", "dashed 1.5px"),
    "value": Look("#006f56", "#4fd0a8", "dotted 1.5px"),
    "score": Look("#b02a6f", "#ff8fc4", "double 1.5px"),
    "weight": Look("#00639c", "#6cb4ff", "solid 3.5px"),
    "gained": Look("#0d4f82", "#9ed6f2", "solid 1.5px"),  # the ends of the theme's diverging scale
    "lost": Look("#8a3a06", "#ffb27a", "dashed 1.5px"),
}
_OF_TENSORS: Mapping[str, Role] = {
    "q": "query",
    "k": "key",
    "v": "value",
    "product": "score",
    "scores": "score",
    "masked_scores": "score",
    "weights": "weight",
}


def role_of(tensor: str) -> Role | None:
    """Return the role of a result of attention, or of its weight matrix, by name.

    >>> role_of("k_flat"), role_of("W_V"), role_of("masked_scores"), role_of("x")
    ('key', 'value', 'score', None)
    """
    name = tensor.lower().removeprefix("w_")
    return _OF_TENSORS.get(name.removesuffix("_flat").removesuffix("_split"))


def role_styles() -> str:
    """Return CSS: the colours as variables such as ``--role-query``, and styles of words."""
    variables = "".join(
        f"--role-{role}: light-dark({look.light}, {look.dark}); " for role, look in ROLES.items()
    )
    words = "\n".join(
        f'.stApp a[href="#role-{role}"], .role-{role} {{ --role: var(--role-{role}); '
        f"--line: {look.line}; color: var(--role) !important; }}"
        for role, look in ROLES.items()
    )
    return f".stApp {{ {variables}}}\n{words}"
