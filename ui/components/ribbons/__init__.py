"""A translation that is written token by token, and ribbons to where each token looks.

Everything is sent at once; playing, pointing and moving along it happen in the browser alone.
"""

from collections.abc import Callable, Mapping, Sequence

from model.pictures.tokens import display_subword
from model.trace.next_tokens import DecodingSteps
from ui.components import canvas_component, pack_bytes, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table

_ribbons = canvas_component("ribbons", "app/ribbons_component.js", "pictures/ribbons.css")


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
    on_choose: Callable[[int, int], None],
) -> None:
    """Show a translation as it is written; it plays by itself when it is a new one.

    Args:
        labels: S source tokens, and T target tokens in the order in which they were written.
        story: another one for another translation.
        from_source: T shares, how much of each token comes from the source.
        little: a word with less than this is marked; None where nothing is known.
        on_choose: called with the place of a token and the id of another candidate for it.
    """
    candidates = writing.top_alternatives

    def changed() -> None:
        match sent(key, "chosen"):
            case [int(place), int(n)] if place in range(len(candidates)):
                if n in range(len(candidates[place])):
                    on_choose(place, candidates[place][n].id)

    sources, targets, _ = labels
    rows = targets[: len(writing.weights)]
    rivals = [
        [(display_subword(one.subword), one.probability, one.chosen) for one in of_place]
        for of_place in candidates
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
        **text_attributes(labels),
        "texts": dict(texts),
    }
    data = pack_bytes(header, writing.weights.astype("<f4").tobytes())
    _ribbons(key=key, data=data, on_chosen_change=changed)
    next_tokens = [
        (place, targets[place - 1], token, probability)
        for place, of_place in enumerate(rivals, 1)
        for token, probability, _ in of_place
    ]
    fig.draws(
        lambda: {
            "weights": map_table(writing.weights, Labels(rows, sources), corner="weights"),
            "from the source": Table.of(token=targets, share=from_source),
            "next tokens": Table(["place", "written", "token", "probability"], next_tokens),
        }
    )
