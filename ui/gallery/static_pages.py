"""The gallery as a folder of pages that any web server can hand out, to thousands at once.

python -m ui.gallery.static_pages --out runs/examples

An index in each language, and for each example the page that the explorer saves: all maps of its
sentence, beginning with the head that shows it. No page asks a server for anything. The examples
are those of the app: of the models in checkpoints/, or where ATTENTION_EXPLORER_CHECKPOINTS says.
"""

import argparse
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from model.files.replacing import write_text
from model.gallery.phenomena import PHENOMENA
from model.pictures.offline_page import html_document
from model.pictures.text import tag
from ui.gallery.exhibits import Exhibit, Place, exhibits, places, title
from ui.state.models import open_model, trace_of
from ui.text.translator import DEFAULT_LANGUAGE, LANGUAGES, Translator, translator


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 nothing to show or nowhere to write."""
    parser = argparse.ArgumentParser(
        prog="python -m ui.gallery.static_pages",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER")
    folder = parser.parse_args(arguments).out
    shown = list(exhibits(places()))
    if not shown:
        print(f"{parser.prog}: {translator()('gallery.none')}", file=sys.stderr)
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for tr in map(translator, LANGUAGES):
            write_text(folder / _index_name(tr.language), _index(shown, tr))
            for place, _ in shown:
                write_text(folder / _page_name(place, tr), _page(place, tr))
    except OSError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    print(f"{len(shown)} examples in {len(LANGUAGES)} languages: {folder / 'index.html'}")
    return 0


def _index_name(language: str) -> str:
    return "index.html" if language == DEFAULT_LANGUAGE else f"index.{language}.html"


def _page_name(place: Place, tr: Translator) -> str:
    checkpoint, example = place
    return f"{checkpoint}.{example.phenomenon}.{tr.language}.html"


def _page(place: Place, tr: Translator) -> str:
    checkpoint, example = place
    trace = trace_of(open_model(checkpoint), example.sentence)
    kind, layer, head = example.place
    page = trace.to_html(
        kind,
        layer=layer,
        head=head,
        rows=PHENOMENA[example.phenomenon].rows,
        words=tr.texts,
        language=tr.language,
    )
    return str(page)


def _index(shown: Sequence[tuple[Place, Exhibit]], tr: Translator) -> str:
    name = tr("app.name")
    languages = "".join(_language(one, tr) for one in LANGUAGES)
    cards = "".join(_card(place, exhibit, tr) for place, exhibit in shown)
    body = (
        f'<header>\n<p class="brand">{escape(name)}</p>\n<nav>{languages}</nav>\n'
        f"<h1>{escape(tr('heading.gallery'))}</h1>\n</header>\n"
        f"<main>\n<ul>\n{cards}</ul>\n</main>\n"
    )
    style = (Path(__file__).parent / "static.css").read_text(encoding="utf-8")
    return str(html_document(body, name, tr.language, style=style))


def _language(language: str, tr: Translator) -> str:
    name, code = escape(translator(language)("language.own_name")), escape(tag(language))
    if language == tr.language:
        return f'<b lang="{code}">{name}</b>'
    return f'<a lang="{code}" href="{_index_name(language)}">{name}</a>'


def _card(place: Place, exhibit: Exhibit, tr: Translator) -> str:
    """One example, with its map on paper and on a dark screen."""
    checkpoint, example = place
    light, dark = exhibit.tile("light"), exhibit.tile("dark")
    name = escape(title(example.phenomenon, tr))
    return (
        f'<li><h2><a href="{escape(_page_name(place, tr))}">{name}</a></h2>{exhibit.text(tr)}'
        f'<figure><picture><source srcset="{dark}" media="(prefers-color-scheme: dark)">'
        f'<img src="{light}" alt="{escape(exhibit.alt(tr))}"></picture>'
        f"<figcaption>{escape(checkpoint)} · {escape(exhibit.head(tr))}</figcaption></figure>"
        "</li>\n"
    )


if __name__ == "__main__":
    sys.exit(main())
