"""Links between documents have a target, and the index lists all documents."""

import re
from pathlib import Path

import pytest
from PIL import Image

from docs.pictures import CHECKPOINT, FILM, PICTURE, weights_of
from tests.docs.follow import DOCS, ROOT

OURS = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *ROOT.glob("*/README.md")]
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_FOLDERS = "model|ui|pages|web|tests|docs|benchmarks|deploy|scripts|examples"
_OURS = re.compile(rf"`((?:{_FOLDERS})/[\w./-]+)`")
_NAMED_IN_CODE = re.compile(rf"(?<![\w./-])((?:{_FOLDERS})/[\w./-]+\.(?:py|js|css|html|md|json))\b")
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def prose(document: Path) -> str:
    """Return the text of a document without its blocks."""
    return _FENCED.sub("", document.read_text(encoding="utf-8"))


def headings(document: Path) -> set[str]:
    """Return the names of the headings, as links use them."""
    titles = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_has_a_target(document):
    for link in _LINK.findall(prose(document)):
        if re.match(r"https?://|#role-", link):
            continue
        file, _, heading = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not heading or heading in headings(target), link


def test_the_index_lists_every_document_once():
    listed = re.findall(r"^\| \[(.+?)\]\((.+?)\)", prose(DOCS / "README.md"), re.MULTILINE)
    there = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert sorted(name for name, _ in listed) == sorted(there)
    assert all(name == link for name, link in listed)


def test_files_that_documents_name_are_there():
    """A path with a folder in `code` is a file of ours, unless the document creates it."""
    missing = []
    for document in OURS:
        text = prose(document)
        named = set(_OURS.findall(text)) - set(re.findall(r"`([^`]+)`:$", text, re.MULTILINE))
        missing += [(document.name, name) for name in named if not (ROOT / name).exists()]
    assert missing == []


def test_files_that_the_code_names_are_there():
    """A path with a folder, in a comment or a text of the code, is a file of ours."""
    programs = [
        path
        for folder in _FOLDERS.split("|")
        for suffix in ("*.py", "*.js", "*.css")
        for path in (ROOT / folder).rglob(suffix)
    ]
    missing = [
        (path.name, name)
        for path in programs
        for name in _NAMED_IN_CODE.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    ]
    assert missing == []


def test_picture_and_film_were_made_with_the_shipped_weights():
    with Image.open(DOCS / PICTURE) as picture, Image.open(DOCS / FILM) as film:
        fingerprints = picture.info["weights"], film.info["comment"].decode()
    assert fingerprints == (weights_of(CHECKPOINT),) * 2
    assert (DOCS / FILM).stat().st_size < 2_000_000
