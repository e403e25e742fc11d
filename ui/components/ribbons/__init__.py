"""A translation that appears token by token, with ribbons to the tokens it looks at.

Everything is sent at once. The browser alone plays the translation and follows the pointer.
"""

from collections.abc import Callable, Mapping, Sequence

from model.pictures.tokens import display_subword
from model.trace.next_tokens import DecodingSteps
from ui.components import pack_bytes, picture_component, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table

_ribbons = picture_component("ribbons", "app/ribbons_component.js", "pictures/ribbons.css")


def ribbons(
    writing: DecodingSteps,
    fig: Figure,
    labels: Labels,
    *,
    story: str,
    texts: Mapping[str, str],
    key: str,
    from_source: Sequence[float],
    little: float | None,
    marked: Sequence[int],
    on_choose: Callable[[int, int], None],
) -> None:
    """Show how a translation is written, token by token; a new translation plays automatically.

    Args:
        writing: every step of the decoding: weights and candidates.
        fig: the figure that the picture belongs to.
        labels: S source tokens, and T target tokens in the order in which they were written.
        story: identifies the translation: the picture plays when it gets a story that is new.
        texts: of the picture, by the names in web/pictures/ribbons.js.
        key: of the component.
        from_source: T shares, how much of each token comes from the source.
        little: a word with a smaller share is marked; None if nothing is known about shares.
        marked: positions of target tokens whose ribbons stand out when all is written.
        on_choose: called with the position of a token and the id of another candidate for it.
    """
    candidates = writing.top_alternatives

    def changed() -> None:
        match sent(key, "chosen"):
            case [int(position), int(n)] if position in range(len(candidates)):
                if n in range(len(candidates[position])):
                    on_choose(position, candidates[position][n].id)

    sources, targets, _ = labels
    rows = targets[: len(writing.weights)]  # tokens that have ribbons: see ``DecodingSteps``
    rivals = [
        [(display_subword(token.subword), token.probability, token.chosen) for token in of_step]
        for of_step in candidates
    ]
    header = {
        "story": story,
        "sources": list(sources),
        "targets": list(targets),
        "joined": [writing.source_joined, writing.target_joined],
        "rows": len(rows),
        "rivals": rivals,
        "fromSource": list(from_source),
        "little": little,
        "marked": list(marked),
        **text_attributes(labels),
        "texts": dict(texts),
    }
    data = pack_bytes(header, writing.weights.astype("<f4").tobytes())
    _ribbons(key=key, data=data, on_chosen_change=changed)
    next_tokens = [
        (n, targets[n - 1], token, probability)
        for n, of_step in enumerate(rivals, start=1)
        for token, probability, _ in of_step
    ]
    fig.draws(
        lambda: {
            "weights": map_table(writing.weights, Labels(rows, sources), corner="weights"),
            "from the source": Table.of(token=targets, share=from_source),
            "next tokens": Table(["place", "written", "token", "probability"], next_tokens),
        }
    )
