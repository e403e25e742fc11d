"""A checkpoint as one HTML file that translates: the page, its scripts, its words, the weights."""

import base64
from dataclasses import asdict
from html import escape
from pathlib import Path
from string import Template

from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.one_file.vocabulary import pack_vocabulary
from model.one_file.weights import pack_weights
from model.pictures.offline_page import (
    VERSION,
    WORDS,
    OfflinePage,
    front_end,
    html_document,
    inert,
)
from model.pictures.text import tag
from model.translation_model import TranslationModel

_HERE = Path(__file__).parent
_MODEL = ("weights", "layers", "attention", "transformer", "greedy", "tokenizer", "worker")
EXAMPLES = (
    "She gave him the book that he had asked for.",
    "The red house is near the white church.",
    "The animal didn't cross the street because it was too tired.",
    "I don't know where she lives.",
)


def one_file(t: TranslationModel, aligner: tuple[int, int] | None) -> OfflinePage:
    """The page; ValueError for a model whose vocabulary was not made here.

    ``aligner`` is layer and head, from 0, whose ribbons are shown: see ``decoding_steps``.
    """
    if not isinstance(t.tokenizer, ByteLevelTokenizer):
        raise ValueError(f"{t.name} has a SentencePiece vocabulary, which the file cannot read")
    contents, weights = pack_weights(t.model)
    worker, _ = front_end(*_MODEL, folder=_HERE)
    shared, _ = front_end("shared", "grid", "matrices", "maps", "tokens", "ribbons")
    app, own_css = front_end("app", folder=_HERE)
    _, page_css = front_end("shared", "grid", "matrices", "maps")
    _, ribbons_css = front_end("shared", "tokens", "ribbons")
    script, words = shared + app, WORDS["en"]
    model = {
        "contents": contents,
        "config": asdict(t.config),
        "vocabulary": pack_vocabulary(t.tokenizer),
        "languages": t.languages,
        "tags": [tag(language) for language in t.languages],
        "aligner": aligner,
        "words": dict(WORDS),
        "css": ribbons_css,
        "examples": EXAMPLES,
    }
    body = Template((_HERE / "app.html").read_text("utf-8")).substitute(
        name=escape(words["app.name"]),
        target=escape(tag(t.languages[1])),
        no_script=escape(words["offline.no_script"]),
        maps=(_HERE.parent / "pictures" / "maps.html").read_text("utf-8"),
        facts=escape(f"{t.name} · {t.n_parameters:,} · {words['app.name']} {VERSION}"),
        model=inert(model),
        weights=base64.b64encode(weights).decode(),
        worker=worker,
        script=script,
    )
    style = page_css + own_css
    return html_document(body, words["app.name"], "en", style=style, script=script, workers=True)
