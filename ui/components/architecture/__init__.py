"""The architecture figure: encoder at the left, decoder at the right, every box can be picked."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components import canvas_component, sent
from ui.export.figure import Figure
from ui.export.tables import Table

_figure = canvas_component(
    "architecture", "app/architecture/architecture.js", "app/architecture/architecture.css"
)


@dataclass(frozen=True)
class Box:
    """One box of the figure."""

    stack: str  # "encoder" or "decoder"
    kind: str  # decides form, colour and wiring; a kind of model.lessons.architecture
    in_block: bool  # whether it stands inside the frame that is repeated
    label: str  # what is written in it
    count: str  # how many numbers it has learned, written beside the label where there is room
    spoken: str  # what a screen reader says

    @property
    def name(self) -> str:
        """``stack.kind``."""
        return f"{self.stack}.{self.kind}"


def show_architecture(
    boxes: Sequence[Box],
    fig: Figure,
    *,
    picked: str,
    layer: int,
    n_layers: int,
    facts: Sequence[str],
    label: str,
    key: str,
    on_pick: Callable[[str], None],
) -> None:
    """Draw the figure.

    Args:
        boxes: in the order of computation, the encoder's before the decoder's; within a stack
            they stand one above the other. Norms before a sublayer are drawn so, norms after a
            sum too.
        picked: name of the box where data have come to, through ``layer``, from 0.
        facts: lines beside the figure's title; ``label``: what it is, for a screen reader.
    """
    names = [box.name for box in boxes]

    def changed() -> None:
        if (pick := sent(key)) in names:
            on_pick(pick)

    data = {
        "boxes": [asdict(box) for box in boxes],
        "picked": names.index(picked),
        "layer": layer,
        "n_layers": n_layers,
        "facts": list(facts),
        "label": label,
    }
    _figure(key=key, data=data, on_pick_change=changed)
    rows = [(box.stack, box.label, box.count) for box in boxes]
    fig.draws(lambda: {"boxes": Table(("stack", "box", "parameters"), rows)})
