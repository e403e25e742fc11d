"""The architecture figure: encoder on the left, decoder on the right, with clickable boxes."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components import picture_component, sent
from ui.export.figure import Figure
from ui.export.tables import Table

_figure = picture_component(
    "architecture", "app/architecture/architecture.js", "app/architecture/architecture.css"
)


@dataclass(frozen=True)
class Box:
    """One box of the figure."""

    stack: str  # "encoder" or "decoder"
    kind: str  # a kind of model.lessons.architecture; determines shape, colour and arrows
    in_block: bool  # whether it is inside the frame of the repeated block
    label: str  # text in the box
    count: str  # number of its learned parameters, written beside the label if it fits
    spoken: str  # text for screen readers

    @property
    def name(self) -> str:
        """The name of the box, ``stack.kind``."""
        return f"{self.stack}.{self.kind}"


def show_architecture(
    boxes: Sequence[Box],
    fig: Figure,
    *,
    reached: str,
    layer: int,
    n_layers: int,
    facts: Sequence[str],
    label: str,
    key: str,
    on_click: Callable[[str], None],
) -> None:
    """Draw the architecture figure.

    Args:
        boxes: in the order of computation, the encoder's before the decoder's; within a stack each
            one is drawn above the one before.
        fig: the figure that the picture belongs to.
        reached: name of the box that the data have reached.
        layer: in which layer, from 0, if the box is in a block.
        n_layers: of the encoder, and of the decoder.
        facts: lines that say what model this is.
        label: what the picture is, for a screen reader.
        key: of the component.
        on_click: called with the name of a clicked box.
    """
    names = [box.name for box in boxes]

    def clicked() -> None:
        if (name := sent(key)) in names:
            on_click(name)

    data = {
        "boxes": [asdict(box) for box in boxes],
        "reached": names.index(reached),
        "layer": layer,
        "n_layers": n_layers,
        "facts": list(facts),
        "label": label,
    }
    _figure(key=key, data=data, on_click_change=clicked)
    rows = [(box.stack, box.label, box.count) for box in boxes]
    fig.draws(lambda: {"boxes": Table(("stack", "box", "parameters"), rows)})
