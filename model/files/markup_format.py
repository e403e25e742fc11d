"""Recognise the format of a text in XML, SGML or HTML by its root element."""

import re

# Root elements of XML, SGML and HTML, in lower case, and the names of their formats.
_ROOTS = {
    "tmx": "tmx",
    "xliff": "xliff",
    "martif": "tbx",
    "tbx": "tbx",
    "tt": "ttml",
    "usfsubtitles": "usf",
    "sami": "sami",
    "srcset": "sgml",
    "refset": "sgml",
    "tstset": "sgml",
    "mteval": "sgml",
    "doc": "sgml",
    "docset": "sgml",
    "dataset": "wmt_xml",
    "cesalign": "xces",
    "tei": "tei",
    "teicorpus": "tei",
    "mediawiki": "mediawiki",
    "html": "html",
    "workbook": "excel_xml",
    "w:worddocument": "word_xml",
    "office:document": "flat_odf",
    "ts": "program_texts",  # of Qt
    "resources": "program_texts",  # of Android
    "annotation_document": "elan",
    "en-export": "evernote",
    "fictionbook": "fb2",
    "quiz": "moodle",
    "kvtml": "kvtml",
    "opensm2sync": "mnemosyne",
    "txml": "txml",
    "tradostag": "tag_editor",
    "mtf": "multiterm",
    "srx": "settings",
    "miffile": "framemaker",
    "basic-transcription": "transcript_xml",
    "folker-transcription": "transcript_xml",
    "trans": "transcript_xml",
    "osis": "bible_xml",
    "xmlbible": "bible_xml",
    "usx": "bible_xml",
    "svg": "image",
    "rss": "feed",
    "feed": "feed",
    "opml": "outline",
    "gnm:workbook": "gnumeric",
    "transcript": "youtube",
    "timedtext": "youtube",
    "xdxf": "dictionary",
    "jmdict": "dictionary",
    "lexicalresource": "dictionary",
    "lift": "dictionary",
    "languageproject": "flex",
    "plist": "plist",
    "rdf:rdf": "rdf",
    "url": "iwslt",
    "chapter": "europarl",
    "speaker": "europarl",
}
_PROLOG = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>)", re.S | re.I)
_ROOT = re.compile(r"\s*<([a-z][\w:.-]*)[\s/>]", re.I)


def name_of_markup(text: str) -> str:
    """Return the name of an XML, SGML or HTML format; "" for a text with just some tags."""
    end_of_prolog = 0
    while match := _PROLOG.match(text, end_of_prolog):
        end_of_prolog = match.end()
    root = _ROOT.match(text, end_of_prolog)
    if not root:
        return "xml" if end_of_prolog and text.lstrip().startswith("<?xml") else ""
    unknown = "xml" if end_of_prolog else ""
    if root[0].lower().endswith("<tt>") and not end_of_prolog:  # a tag of HTML, too
        return ""
    if re.match(r'\s*<doc id="[^"]*" url="', text):
        return "wiki_text"
    if re.match(r"\s*<root>.*<data name=", text[end_of_prolog:], re.DOTALL):  # of .NET
        return "program_texts"
    if re.search(r"<!DOCTYPE[^>]*\bDITA\b", text[:end_of_prolog], re.I):
        return "dita"
    if re.match(r"\s*<document\b[^>]*>\s*<interlinear-text\b", text[end_of_prolog:]):
        return "flex"
    name = _ROOTS.get(root[1].lower(), unknown)
    is_link = name == "plist" and re.search(r"<dict>\s*<key>URL</key>", text)
    return "shortcut" if is_link else name
