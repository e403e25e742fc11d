"""The caption of a figure, in the style of a paper."""

from collections.abc import Mapping

from ui.export.provenance import decoded, field_in_words, label_of, shown_fields
from ui.text.translator import Translator

# Fields that the sentences of the caption already mention.
_IN_SENTENCES = ("page", "checkpoint", "sentence", "target", "target_origin", "measure")
_SENTENCES = ("second_sentence", "second_target")
_ENDS = (".", "?", "!", "。", "？", "！")


def caption(title: str, about: Mapping[str, object], tr: Translator) -> str:
    """Return what a figure shows, in a few sentences.

    Args:
        title: of the figure.
        about: the description of the figure, see ``ui.export.figure``.
        tr: the visitor's language.
    """
    sentences = [title if title.endswith(_ENDS) else tr("caption.title", title=title)]
    if "sentence" in about:
        sentences.append(_of_sentence(about, tr))
    elif "checkpoint" in about:
        names = _several(about["checkpoint"])
        number = "model" if len(names) == 1 else "models"
        sentences.append(tr(f"caption.{number}", model=tr.listed(names)))
    if "measure" in about:
        sentences.append(tr("caption.measure", measure=field_in_words("measure", about, tr)))
    sentences += _rows_and_columns(about, tr)

    attention = about.get("attention")
    is_named = isinstance(attention, str) and tr(f"attention.{attention}") in title
    in_title = ("attention", "layer", "head") if is_named else ()
    details = [
        tr("caption.field", name=label_of(field, tr), value=_value(field, about, tr))
        for field in shown_fields(about)
        if field not in (*_IN_SENTENCES, *in_title)
    ]
    if details:
        sentences.append(tr("caption.details", details=tr("caption.between").join(details)))
    return tr.join(sentences)


def _value(field: str, about: Mapping[str, object], tr: Translator) -> str:
    """Return the value of a detail; a sentence in quotation marks, because it ends with a stop."""
    value = field_in_words(field, about, tr)
    return tr("caption.quoted", text=value) if field in _SENTENCES else value


def _of_sentence(about: Mapping[str, object], tr: Translator) -> str:
    """Return a sentence that says which models read which sentence and which translations."""
    sentence = about["sentence"]
    names = _several(about["checkpoint"])
    model = tr.listed(names)
    reads = "reads" if len(names) == 1 else "several_read"
    if "target" not in about:
        return tr(f"caption.{reads}", model=model, sentence=sentence)
    targets = [
        tr("caption.quoted", text=text) if text else tr("caption.nothing")
        for text in _several(about["target"])
    ]
    target = tr.listed(targets)
    origin = about.get("target_origin")
    if not origin:
        return tr(
            f"caption.{reads}_with_plain_target", model=model, sentence=sentence, target=target
        )
    words = decoded(str(origin), about.get("beam"), tr)
    return tr(
        f"caption.{reads}_with_target",
        model=model,
        sentence=sentence,
        target=target,
        origin=tr.listed(words),
    )


def _several(value: object) -> list[str]:
    """Return the values of a field as texts. A figure of several models has a list of each."""
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _rows_and_columns(about: Mapping[str, object], tr: Translator) -> list[str]:
    """Describe rows and columns, if the figure shows maps of one attention."""
    attention = about.get("attention")
    rows = about.get("rows")
    if not isinstance(attention, str) or rows not in ("read", "written"):
        return []
    variant = attention if attention == "encoder_self" else f"{attention}.{rows}"
    sentences = [tr(f"caption.rows.{variant}")]
    if about.get("unit") == "words":
        sentences.append(tr("caption.words"))
    if about.get("special_tokens") == "hidden":
        sentences.append(tr("caption.no_special_tokens"))
    return sentences
