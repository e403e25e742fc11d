"""Build one HTML file from checkpoints: the page, its scripts, its texts and the weights."""

import base64
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from string import Template

from model.gallery.example import Example
from model.gallery.finding import read_gallery
from model.gallery.own_examples import OwnExample
from model.gallery.phenomena import PHENOMENA
from model.heads.analysis_file import Analysis
from model.heads.kinds import best_awi_head
from model.one_file.vocabulary import pack_vocabulary
from model.one_file.weights import pack_weights
from model.pictures.offline_page import VERSION, WORDS, OfflinePage, html_document, inert
from model.pictures.text import language_tag
from model.pictures.web_bundle import bundle_script, bundle_styles, read_web
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.translation_model import TranslationModel, require_paper

EXAMPLES = (
    "She gave him the book that he had asked for.",
    "The red house is near the white church.",
    "The animal didn't cross the street because it was too tired.",
    "I don't know where she lives.",
)


def one_file(
    models: Sequence[tuple[TranslationModel, Analysis | None]], own: Sequence[OwnExample] = ()
) -> OfflinePage:
    """Return the explorer with these models as one HTML page.

    Args:
        models: each with its analysis, if there is one.
        own: a teacher's examples, which come before those of the gallery.

    Raises:
        NotOfThePaperError: a model is of the Hugging Face Hub.
    """
    packed = [_packed(t, analysis, own) for t, analysis in models]
    script = bundle_script("one_file/page/one_file.js")
    words = WORDS["en"]
    described = {
        "models": [description for description, _ in packed],
        "words": dict(WORDS),
        "css": {
            "ribbons": bundle_styles("pictures/ribbons.css"),
            "lines": bundle_styles("pictures/head_lines.css"),
        },
    }
    weights = "".join(
        f'<script type="text/plain" id="weights-{n}">{base64.b64encode(data).decode()}</script>\n'
        for n, (_, data) in enumerate(packed)
    )
    facts = (f"{t.name} · {t.n_parameters:,}" for t, _ in models)
    body = Template(read_web("one_file/page/one_file.html")).substitute(
        name=escape(words["app.name"]),
        no_script=escape(words["offline.no_script"]),
        not_running=escape(" ".join(texts["offline.not_running"] for texts in WORDS.values())),
        maps=read_web("saved_page/maps.html"),
        facts=escape(" · ".join([*facts, f"{words['app.name']} {VERSION}"])),
        model=inert(described),
        weights=weights,
        worker=bundle_script("one_file/model/worker.js"),
        script=script,
    )
    style = bundle_styles("one_file/page/one_file.css")
    return html_document(body, words["app.name"], "en", style=style, script=script, workers=True)


def _packed(
    t: TranslationModel, analysis: Analysis | None, own: Sequence[OwnExample]
) -> tuple[dict[str, object], bytes]:
    """Return a model's data for the page, and its weights as bytes.

    Args:
        t: the model and its tokenizer.
        analysis: of its heads; None if it was not measured.
        own: a teacher's own examples; may be empty.
    """
    paper = require_paper(t)
    assert isinstance(t.tokenizer, ByteLevelTokenizer)
    contents, weights = pack_weights(paper)
    faithfulness = analysis.faithfulness if analysis else None
    return {
        "contents": contents,
        "config": asdict(paper.config),
        "vocabulary": pack_vocabulary(t.tokenizer),
        "languages": t.languages,
        "tags": [language_tag(language) for language in t.languages],
        "aligner": best_awi_head(analysis),
        "little": faithfulness.low_source_share if faithfulness else None,
        "examples": EXAMPLES,
        "gallery": [
            *(_own_exhibit(t, example) for example in own),
            *(_exhibit(example) for example in read_gallery(t)),
        ],
    }, weights


def _own_exhibit(t: TranslationModel, example: OwnExample) -> dict[str, object]:
    """Return a teacher's example as the page reads it, as JSON values."""
    return {
        "title": example.sentence,
        "task": [text for text in (example.look, example.question) if text],
        "sentence": example.sentence,
        **example.shown(t.config.n_layers, t.config.n_heads),
    }


def _exhibit(example: Example) -> dict[str, object]:
    """Return an example of the gallery as the page reads it, as JSON values."""
    kind, layer, head = example.head_index
    phenomenon = PHENOMENA[example.phenomenon]
    return {
        "phenomenon": example.phenomenon,
        "sentence": example.sentence,
        "kind": kind,
        "layer": layer,
        "head": head,
        "rows": phenomenon.rows,
        "unit": phenomenon.unit,
    }
