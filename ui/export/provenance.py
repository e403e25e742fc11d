"""What a picture shows and where its numbers come from, in words."""

from collections.abc import Mapping

from model.decoding.beam import ALPHA
from ui.text.translator import Translator

_SAID = (  # the fields that the line on the page shows; the files carry all
    *("page", "checkpoint", "sentence", "target", "target_origin", "model_wrote"),
    *("second_checkpoint", "second_sentence", "second_target"),
    *("attention", "layer", "head", "second_layer", "second_head", "first_head", "heads_ablated"),
    *("step", "second_step", "decoding_step", "stack", "depth", "temperature", "seed"),
    *("sentences", "measure"),
)
_SIGNS = ("n", "d", "k", "r", "p", "d_k", "d_model")  # fields that formulas name, in no language
_SEVERAL = ("all", "mean", "max")  # layers or heads
_LONGEST = 60  # characters of one value in the line


def decoded(origin: str, beam: object, tr: Translator) -> list[str]:
    """How a target came about, in words: who wrote it, and how if ``beam`` is known."""
    words = [tr(f"origin.{origin}")]
    if beam is not None:
        words.append(tr("origin.greedy") if beam == 1 else tr("origin.beam", beam=beam))
    return words


def line(what: Mapping[str, object], tr: Translator) -> dict[str, str]:
    """What is said of a picture in one line: name of a field -> what it is, in words."""
    said = {tr(f"about.{field}"): _words(field, what, tr) for field in _SAID if field in what}
    return said | {sign: str(what[sign]) for sign in _SIGNS if sign in what}


def _words(field: str, what: Mapping[str, object], tr: Translator) -> str:
    value = what[field]
    values = value if isinstance(value, list | tuple) else [value]
    words = [_word(field, one, tr) for one in values]
    if field == "target_origin":
        words = decoded(str(value), what.get("beam"), tr)
    text = ", ".join(words) or tr("about.none")
    whole = len(text) <= _LONGEST or field == "measure"
    return text if whole else text[: _LONGEST - 1] + "…"


def _word(field: str, value: object, tr: Translator) -> str:
    match field:
        case "attention":
            return tr(f"attention.{value}")
        case "measure":
            return tr(f"about.measure.{value}", alpha=ALPHA)
        case "heads_ablated":
            attention, _, place = str(value).partition(" ")
            return f"{tr(f'attention.{attention}')} {place}"
        case "page" | "stack":
            return tr(f"{field}.{value}")
        case "layer" | "head" | "second_layer" | "second_head" if value in _SEVERAL:
            return tr(f"about.place.{value}")
        case _:
            return f"{value:.3g}" if isinstance(value, float) else str(value)
