"""The line below a figure, which describes its content and the origin of its numbers."""

from collections.abc import Mapping

from model.decoding.beam import ALPHA
from ui.text.translator import Translator

# The fields shown in the line, in order. Saved files contain all fields.
_FIELDS_IN_LINE = (
    "page",
    "task",
    "positions",
    "checkpoint",
    "sentence",
    "target",
    "target_origin",
    "model_wrote",
    "second_checkpoint",
    "second_sentence",
    "second_target",
    "attention",
    "layer",
    "head",
    "second_layer",
    "second_head",
    "query_token",
    "choice",
    "scope",
    "cell",
    "heads_ablated",
    "mode",
    "way",
    "step",
    "second_step",
    "continued_at",
    "decoding_step",
    "stack",
    "depth",
    "draft_bits",
    "temperature",
    "seed",
    "sentences",
    "measure",
    "bars",
    "ranking",
)
_SYMBOLS = ("n", "d", "k", "r", "p", "d_k", "d_model")  # the same in every language
_OF_RUN = " of run "  # in the name of a field of one of several runs, such as "task of run 2"
_SEVERAL = ("all", "mean", "max")  # values of a field that stand for several layers or heads


def decoded(origin: str, beam: object, tr: Translator) -> list[str]:
    """Return who made a target and with which search method, each as one part of a list.

    Args:
        origin: as in ``Trace.target_origin``.
        beam: how many hypotheses the search kept; None if it is not known.
        tr: the visitor's language.
    """
    words = [tr(f"origin.{origin}")]
    if beam is not None:
        words.append(tr("origin.greedy") if beam == 1 else tr("origin.beam", beam=beam))
    return words


def line(about: Mapping[str, object], tr: Translator) -> dict[str, str]:
    """Return the line below a figure: label and value of each field.

    ``about`` is the description of the figure, see ``ui.export.figure``.
    """
    values = {}
    for field in shown_fields(about):
        values[label_of(field, tr)] = field_in_words(field, about, tr)
    return values


def shown_fields(about: Mapping[str, object]) -> list[str]:
    """Return the fields of a description that are shown, in their order.

    A picture of lines has buttons that choose its heads, and names them itself.
    """
    left_out = ("head",) if "first_head" in about else ()
    return [
        field
        for name in (*_FIELDS_IN_LINE, *_SYMBOLS)
        for field in about
        if field == name or field.startswith(f"{name}{_OF_RUN}")
        if field not in left_out
    ]


def label_of(field: str, tr: Translator) -> str:
    """Return the name of a field in the visitor's language."""
    name, _, run = field.partition(_OF_RUN)
    label = name if name in _SYMBOLS else tr(f"about.{name}")
    return tr("about.of_run", name=label, run=run) if run else label


def field_in_words(field: str, about: Mapping[str, object], tr: Translator) -> str:
    """Return the value of a field in the visitor's language.

    Args:
        field: one of ``shown_fields``.
        about: the description of the figure.
        tr: the visitor's language.
    """
    value = about[field]
    field = field.partition(_OF_RUN)[0]
    if field in _SYMBOLS:
        return str(value)
    if field == "task":
        is_learning = about["page"] == "learning"
        return tr(f"laboratory.task_{value}") if is_learning else tr(f"masks.task.{value}")
    if field == "positions":
        return tr("laboratory.on") if value else tr("laboratory.off")
    if field == "query_token":
        return tr("about.at_position", token=value, position=about["query"])
    if field == "scope" and value == "local":
        return tr("about.local", n=about["reach"])
    if field == "target_origin":
        words = decoded(str(value), about.get("beam"), tr)
    else:
        items = value if isinstance(value, list | tuple) else [value]
        words = [_word(field, item, tr) for item in items]
    return tr.listed(words) or tr("about.none")


def _word(field: str, value: object, tr: Translator) -> str:
    """Return one value of a field in the visitor's language. A list has several values."""
    match field:
        case "attention":
            return tr(f"attention.{value}")
        case "measure" | "bars" | "ranking":
            return tr(f"about.measure.{value}", alpha=ALPHA)
        case "heads_ablated":
            attention, _, head = str(value).partition(" ")
            return f"{tr(f'attention.{attention}')} {head}"
        case "page" | "stack" | "mode":
            return tr(f"{field}.{value}")
        case "choice" | "scope":
            return tr(f"scaling.{field}.{value}")
        case "way":
            return tr(f"experiments.way.{value}")
        case "cell":
            return tr(f"from_rnn.part.{value}")
        case "layer" | "head" | "second_layer" | "second_head" if value in _SEVERAL:
            return tr(f"about.place.{value}")
        case _:
            return f"{value:.3g}" if isinstance(value, float) else str(value)
