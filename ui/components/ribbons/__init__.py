"""A translation that is written token by token, and ribbons to where each token looks.

Everything is sent at once; playing, pointing and moving along it happen in the browser alone.
"""

from collections.abc import Callable, Mapping, Sequence

from model.pictures.tokens import display_subword
from model.trace.next_tokens import DecodingSteps
from ui.components import canvas_component, pack_bytes, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table
from ui.text.languages import Languages

_ribbons = canvas_component("ribbons", "RibbonsView", "tokens", "ribbons")


def ribbons(
    writing: DecodingSteps,
    fig: Figure,
    *,
    source_tokens: Sequence[str],
    target_tokens: Sequence[str],
    story: str,
    texts: Mapping[str, str],
    key: str,
    languages: Languages,
    from_source: Sequence[float],
    little: float | None,
    on_choose: Callable[[int, int], None],
) -> None:
    """Show a translation as it is written; it plays by itself when it is a new one.

    Args:
        target_tokens: T visible tokens, in the order in which they were written.
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

    rows = target_tokens[: len(writing.weights)]
    rivals = [
        [(display_subword(one.subword), one.probability, one.chosen) for one in of_place]
        for of_place in candidates
    ]
    header = {
        "story": story,
        "sources": list(source_tokens),
        "targets": list(target_tokens),
        "joined": [writing.source_joined, writing.target_joined],
        "rows": len(rows),
        "rivals": rivals,
        "fromSource": list(from_source),
        "little": little,
        **text_attributes(Labels(source_tokens, target_tokens, languages)),
        "texts": dict(texts),
    }
    data = pack_bytes(header, writing.weights.astype("<f4").tobytes())
    _ribbons(key=key, data=data, on_chosen_change=changed)
    next_tokens = [
        (place, target_tokens[place - 1], token, probability)
        for place, of_place in enumerate(rivals, 1)
        for token, probability, _ in of_place
    ]
    fig.draws(
        lambda: {
            "weights": map_table(writing.weights, Labels(rows, source_tokens), corner="weights"),
            "from the source": Table.of(token=target_tokens, share=from_source),
            "next tokens": Table(["place", "written", "token", "probability"], next_tokens),
        }
    )
