"""Recognise the format of a text by the form of its lines: subtitles, tables, programs."""

import csv
import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from model.files.ascii_codes import name_of_codes
from model.files.markup_format import name_of_markup

_MIN_LINES = 5  # of a text, before the form of all its lines means something
_MIN_DIMENSIONS = 20  # of word vectors without a first line that gives their number
_MIN_ROWS = 4  # of a table; fewer than ``_MIN_LINES``, because a cell may have several lines
_CSV_SEPARATORS = ",;|"
_CARD_SIGNS = (";", "|", "/", "*", "#", "~", "\\n", "  ")  # between the cards of one line
_MIN_WHOLE_SHARE = 0.8  # of the cards of one line: a few may hold the sign in a text
_CLOCK = r"\d{1,2}:\d\d:\d\d[,.]\d{1,3}"
_HAN = "\u3040-\u9fff"  # Chinese and Japanese characters
_COLUMN_COUNT_OF_CONLLU = 10
_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Parts of speech in the tag sets of the Penn Treebank, Universal Dependencies, the TreeTagger for
# French, and Tübingen (STTS)
_COMMON_TAG = re.compile(
    r"(?:N[NP]S?|NNPS?|NOUN|PROPN|NOM|NAM|V[BHVMA]\w{0,4}|VER|VERB|AUX|MD|JJ[RS]?|ADJ[AD]?|DT|DET|ART"
    r"|IN|ADP|PRP|APPR|PR[OP]|PP|PPER|PRON|ADV|RB|CC|CCONJ|KON|CD|NUM|CARD|TO|SENT|PUN|PUNCT"
    r"|[.,:()`'$#-]{1,2})(?:$|[:+$-])"
)
_TATOEBA = re.compile(  # the languages with the most sentences there
    "eng|rus|ita|tur|epo|ber|kab|deu|fra|por|spa|hun|jpn|heb|ukr|nld|fin|pol|lit|mkd|ces|cmn|mar"
    "|dan|tok|swe|ara|ell|ron|ina|bul|vie|lat|hau|tgl|ind|lfn|tat|ile|nob|kor|srp|cat|hin|fas|yue"
)
_DATE = r"\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}"
_TIME = r"\d{1,2}:\d\d(?::\d\d)?"
_FRAMES = re.compile(r"\d\d:\d\d:\d\d[:;]\d\d - \d\d:\d\d:\d\d[:;]\d\d$")  # hours to frames
_SPEAKER = re.compile(rf"{_FRAMES.pattern}|\S.{{0,40}}  {_TIME}\s*$|\[[^\]]+\] {_TIME}\s*$")


def name_of_text(text: str) -> str:
    """Return the name of a text's format; "" for ordinary prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    markup = name_of_markup(text)
    if markup:
        return markup
    for name, fits in _TEXT_FORMATS:
        if fits(lines):
            return name
    return name_of_codes(text) if text.isascii() else ""


def _is_srt(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and lines[0].strip().isdigit() and _has_time(lines[1])


def _has_time(line: str) -> bool:
    return bool(re.match(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}", line))


def _is_transcript(lines: Sequence[str]) -> bool:
    """Return whether every second line has a time and a speaker, as Otter, Zoom, Premiere write.

    Premiere writes the time of each text, and the speaker below it.
    """
    heads = lines[::2] if not _FRAMES.match(lines[0]) else lines[::3]
    return len(heads) > 2 and all(_SPEAKER.match(line) for line in heads[:-1])


def _is_json_lines(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and all(isinstance(_json(line), dict) for line in lines[:_MIN_LINES])


def _json(text: str) -> object:
    """Return the value of a JSON text; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _begins(*patterns: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that tests whether the first lines match these patterns, in this order."""

    def fits(lines: Sequence[str]) -> bool:
        if len(lines) < len(patterns):
            return False
        return all(re.match(pattern, line) for pattern, line in zip(patterns, lines, strict=False))

    return fits


def _is_json(lines: Sequence[str]) -> bool:
    """Return whether these lines begin as JSON does: an object, or a list."""
    return bool(re.match(r'\s*(?:\{\s*"|\{\s*$|\[\s*[{"]|\[\s*\[\s*["\d\[{-]|\[\s*$)', lines[0]))


def _json_with(*patterns: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that tests whether lines are JSON in which each of these patterns is."""

    def fits(lines: Sequence[str]) -> bool:
        if not _is_json(lines):
            return False
        text = "\n".join(lines)
        return all(re.search(pattern, text) for pattern in patterns)

    return fits


def _is_note_of_joplin(lines: Sequence[str]) -> bool:
    """Return whether a text ends with the facts that Joplin writes below each note."""
    facts = dict(line.partition(": ")[::2] for line in lines)
    return lines[-1].startswith("type_: ") and bool(
        re.fullmatch("[0-9a-f]{32}", facts.get("id", ""))
    )


def _is_jacosub(lines: Sequence[str]) -> bool:
    """Return whether each line has two times, directions in capitals, and a text, or is a note."""
    time = r"(?:\d+:\d\d:\d\d\.\d\d|@\d+)"
    texts = [line for line in lines if not line.startswith("#")]
    return len(texts) > 1 and all(re.match(rf"{time} {time} [A-Z]", line) for line in texts)


def _all_match(pattern: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that tests whether there are several lines and all match this pattern."""

    def fits(lines: Sequence[str]) -> bool:
        return len(lines) >= _MIN_LINES and all(re.search(pattern, line) for line in lines)

    return fits


def _is_conllu(lines: Sequence[str]) -> bool:
    """Return whether each line has the ten columns of CoNLL-U, a number first, or is a comment."""
    words = [line.split("\t") for line in lines if not line.startswith("#")]
    return bool(words) and all(
        len(columns) == _COLUMN_COUNT_OF_CONLLU and columns[0][:1].isdigit() for columns in words
    )


def _is_word_vectors(lines: Sequence[str]) -> bool:
    """Return whether each line is a word and its vector.

    The first line may instead give the number of words and the number of dimensions.
    """
    rows = [line.split(" ")[1:] for line in lines[:_MIN_LINES]]
    are_vectors = all(
        len(row) == len(rows[0]) and all(map(_DECIMAL.fullmatch, row)) for row in rows
    )
    if are_vectors and len(rows) == _MIN_LINES and len(rows[0]) >= _MIN_DIMENSIONS:
        return True  # as GloVe has them
    counts = re.fullmatch(r"\d+ (\d+)", lines[0].strip())
    if not counts or len(lines) < 2:
        return False
    numbers = lines[1].split()[1:]
    return len(numbers) == int(counts[1]) and all(map(_DECIMAL.fullmatch, numbers))


def _is_counted_words(lines: Sequence[str]) -> bool:
    """Return whether each line is a word and its count, sorted from frequent to rare."""
    rows = [re.fullmatch(r"\S+ (\d+)", line) for line in lines]
    counts = [int(row[1]) for row in rows if row]
    if len(counts) < max(_MIN_LINES, len(lines)):
        return False
    return counts[0] > counts[-1] and counts == sorted(counts, reverse=True)


def _is_hunspell(lines: Sequence[str]) -> bool:
    """Return whether these lines are the number of words, and words with flags, such as tea/S."""
    words = lines[1:]
    if len(words) < _MIN_LINES or not re.fullmatch(r"\d+", lines[0]):
        return False
    has_flags = [bool(re.fullmatch(r"[^\s/]+/\S+", line)) for line in words]
    return sum(has_flags) >= len(words) / 2 and not any(re.search(r"\s", word) for word in words)


def _is_program_texts(lines: Sequence[str]) -> bool:
    """Return whether these lines are the translated strings of a program (Apple, Java or YAML)."""
    lines = [line for line in lines if not line.startswith(("#", "/*", "//"))]
    if len(lines) < _MIN_LINES:
        return False
    if re.fullmatch(r"[\w-]+:\s*", lines[0]):  # YAML: a language, and under it the names
        return all(re.match(r"\s+[\w.-]+:(?:\s|$)", line) for line in lines[1:])
    forms = (r'"[^"]*" = ".*";$', r"[A-Za-z]\w*(?:[.-]\w+)+ ?= ?\S")
    return any(all(re.match(form, line) for line in lines) for form in forms)


def _is_settings(lines: Sequence[str]) -> bool:
    """Return whether these lines are settings in sections such as [input-factors]."""
    lines = [line.strip() for line in lines if not line.startswith(("#", ";"))]
    section = re.compile(r"\[[A-Za-z][\w.-]*\]")
    others = [line for line in lines if not section.fullmatch(line)]
    n_sections = len(lines) - len(others)
    if n_sections < 2 or not section.fullmatch(lines[0]):
        return False
    return all("=" in line or re.fullmatch(r"[\dT ]+|\w+", line) for line in others)


def _is_tagged(lines: Sequence[str]) -> bool:
    """Return whether each line is a word and its part of speech, perhaps with its lemma.

    A word in capitals in the second column may also be a translation. So the tags must repeat, and
    half of them must be common. Lines with a tag in angle brackets do not count.
    """
    lines = [line for line in lines if not re.fullmatch(r"</?\w+[^<>]*>", line.strip())]
    tag = r"[A-Z]{1,5}\d?\$?(?:[:+-]\w+)*|[.,:()`'$#-]{1,2}"
    rows = [re.fullmatch(rf"\S+\t({tag})(?:\t\S+)?", line) for line in lines]
    tags = [row[1] for row in rows if row]
    if len(tags) < max(len(lines), 2 * _MIN_LINES):
        return False
    n_common = sum(bool(_COMMON_TAG.match(tag)) for tag in tags)
    return len(set(tags)) < 0.7 * len(tags) and n_common >= len(tags) / 2


def _is_recordings(lines: Sequence[str]) -> bool:
    """Return whether each line begins with the name of a recording, all different and sorted."""
    if not _all_match(r"^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_][A-Za-z]*\d{3,} ")(lines):
        return False
    names = [line.split(" ", 1)[0] for line in lines]
    has_columns = any("\t" in line for line in lines)
    return not has_columns and len(set(names)) == len(names) and names == sorted(names)


def _is_verses(lines: Sequence[str]) -> bool:
    """Return whether each line begins with a verse, such as Ruth 1:7; most follow the one before.

    A line of a chat may begin with a name and a time, such as Ruth 10:07.
    """
    numbers = [re.match(r"((?:[1-4] ?)?[A-Z]\w+ \d+:)(\d+)\s+\S", line) for line in lines]
    verses = [(number[1], int(number[2])) for number in numbers if number]
    if len(verses) < max(_MIN_LINES, len(lines)):
        return False
    n_next = sum(after == (book, n + 1) for (book, n), after in pairwise(verses))
    return n_next >= len(verses) / 2


def _is_cards_in_a_line(lines: Sequence[str]) -> bool:
    """Return whether one line holds many cards, with a sign such as ; between two of them.

    The two sides of a card may be separated by a TAB, a comma or a dash.
    """
    if len(lines) > 1:
        return False
    for sign in _CARD_SIGNS:
        cards = [card for card in lines[0].split(sign) if card.strip()]
        for between in ("\t", r"(?<=\S),(?=\S)", r"\S - \S"):
            n_whole = sum(len(re.findall(between, card)) == 1 for card in cards)
            if len(cards) >= _MIN_LINES and n_whole >= _MIN_WHOLE_SHARE * len(cards):
                return True
    return False


def _is_tatoeba(lines: Sequence[str]) -> bool:
    """Return whether each line is a number, the code of a language and a sentence.

    A numbered list of words has the same form: 1, cat, chat. So all lines must have one code, or
    half of the codes must be of common languages.
    """
    if not _all_match(r"^\d+\t[a-z]{3}\t")(lines):
        return False
    codes = [line.split("\t")[1] for line in lines]
    return len(set(codes)) == 1 or sum(map(bool, map(_TATOEBA.match, codes))) >= len(codes) / 2


def _is_yaml(lines: Sequence[str]) -> bool:
    """Return whether these lines are a YAML list whose first item has a source and a target.

    A dialogue may have the same form, with the names of its speakers as keys.
    """
    name = "[a-z]{2}|source|target|src|tgt|text|translation|original|id"
    return _begins(rf"- (?:{name}): \S", rf"  (?:{name}): \S")(lines)


def _is_program(lines: Sequence[str]) -> bool:
    """Return whether these lines are code. A text may begin with "import taxes", too."""
    if re.match(r"<\?php|#include [<\"]", lines[0]):
        return True
    if not re.match(r"import [\w.]+$|from [\w.]+ import \w", lines[0]):
        return False
    code = (
        r".*[:({\[,;\])}]$|\s*(?:@|#|return\b|from [\w.]+ import )"
        r"|\s*[\w.\[\]\"']+ [+-]?= \S|import \S+$"
    )
    others = lines[1:]
    n_code = sum(bool(re.match(code, line)) for line in others)
    return not any(re.search(r"\S\t", line) for line in others) and n_code >= max(
        1, len(others) / 2
    )


def _is_sql(lines: Sequence[str]) -> bool:
    """Return whether this is a dump of a database. A line of a dialogue may begin with --, too."""
    statement = r"(?:CREATE|INSERT|DROP|ALTER|SET|BEGIN|USE|LOCK|SELECT)\b.*[;(]\s*$|/\*!"
    if re.match(r"(?:CREATE TABLE|INSERT INTO|DROP TABLE) ", lines[0]):
        return True
    is_named = bool(re.match(r"-- .*(?:dump|database)", lines[0]))
    return is_named and any(re.match(statement, line) for line in lines)


def _is_base64(lines: Sequence[str]) -> bool:
    """Return whether all lines are base64 of one usual width, but for a shorter last line."""
    if len(lines) < _MIN_LINES:
        return False
    widths = {len(line) for line in lines[:-1]}
    is_code = all(re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", line) for line in lines)
    kinds = all(re.search(kind, "".join(lines)) for kind in ("[a-z]", "[A-Z]", r"\d"))
    return is_code and kinds and widths <= {60, 64, 76} and len(widths) == 1


def _is_clippings(lines: Sequence[str]) -> bool:
    return len(lines) > 2 and lines[1].startswith("- ") and "=" * 10 in map(str.strip, lines)


def _is_po(lines: Sequence[str]) -> bool:
    return any(line.startswith('msgid "') for line in lines) and any(
        line.startswith('msgstr "') for line in lines
    )


def separator_of(lines: Sequence[str]) -> str:
    """Return the sign between the columns if all rows have equally many, more than one; else "".

    A comma in a sentence is followed by a space, a comma between two columns is not. In Chinese, no
    comma is followed by a space, so a comma between two Chinese characters does not count. Nor does
    the comma in 1,000. Lines that only end with a comma, as in a poem, are no table.
    """
    if len(lines) < _MIN_LINES or any("\t" in line for line in lines):
        return ""
    for separator in _CSV_SEPARATORS:
        sign = re.escape(separator)
        between = re.compile(
            rf'(?<=[^\s{_HAN}]){sign}(?=\S|$)|(?<=\S){sign}(?=[^\s{_HAN}])|(?<="){sign}'
        )
        rows = _csv_rows(lines, separator)
        widths = {len(fields) for _, fields in rows}
        is_table = len(rows) >= _MIN_ROWS and len(widths) == 1 and min(widths) > 1
        if not is_table or not any(any(fields[1:]) for _, fields in rows):
            continue
        texts = [re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text) for text, _ in rows]
        if all(between.search(text) for text in texts):
            return separator
    return ""


def _csv_rows(lines: Sequence[str], separator: str) -> list[tuple[str, list[str]]]:
    """Return the text and the fields of each row; [] if the quotes of one are wrong."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    rows = []
    start = 0
    try:
        for fields in reader:
            rows.append((" ".join(lines[start : reader.line_num]), fields))
            start = reader.line_num
    except csv.Error:
        is_cut_off = reader.line_num == len(lines)  # the last row goes on in bytes not read here
        return rows if is_cut_off else []
    return rows


# The name of each format of text, and the function that recognises it by its lines. The first one
# that fits counts.
_TEXT_FORMATS: Sequence[tuple[str, Callable[[Sequence[str]], bool]]] = (
    ("vtt", _begins("WEBVTT")),
    ("base64", _is_base64),
    ("usfm", _begins(r"\\id [A-Z1-3]{3}\b")),
    ("verses", _is_verses),
    ("cards_in_a_line", _is_cards_in_a_line),
    ("toolbox", _begins(r"\\_sh v\d")),
    ("joplin", _is_note_of_joplin),
    ("chat_transcript", _begins("@(?:UTF8|Begin)$")),
    ("mpl2", _all_match(r"^\[\d+\]\[\d+\]")),
    ("jacosub", _is_jacosub),
    ("scc", _begins("Scenarist_SCC V")),
    ("stm", _all_match(r"^;;|^\S+ \d+ \S+ \d+\.\d+ \d+\.\d+ ")),
    ("ctm", _all_match(r"^\S+ \d+ \d+\.\d+ \d+\.\d+ \S")),
    ("recordings", _is_recordings),
    ("timed_table", _begins(r"start\tend\ttext$")),
    ("timed_table", _all_match(r"^\d+\.\d+\t\d+\.\d+\t")),
    ("common_voice", _begins(r"client_id\tpath\t")),
    ("scored_pairs", _all_match(r"^\d\.\d{2,}\t[^\t]+\t[^\t]+$")),
    ("pairs_with_addresses", _all_match(r"^https?://\S+\thttps?://\S+\t[^\t]+\t")),
    ("tatoeba", _is_tatoeba),
    ("tatoeba_pairs", _all_match(r"^\d+\t[^\t]+\t\d+\t[^\t]+$")),
    ("calendar", _begins("BEGIN:VCALENDAR$")),
    ("contacts", _begins("BEGIN:VCARD$")),
    ("ris", _begins(r"TY  - [A-Z]+")),
    ("gedcom", _begins("0 HEAD$")),
    ("annotations", _begins(r"T\d+\t\w+ \d+ \d+")),
    ("dictionary", _begins("StarDict's dict ifo file")),
    ("yaml", _is_yaml),
    ("settings", _begins("# Marian configuration file")),
    ("markdown_table", _all_match(r"^\|.*\|$")),
    ("torrent", _begins(r"magnet:\?")),
    ("tagged", _is_tagged),
    ("sentence_links", _all_match(r"^\[[\d, ]*\]:\[[\d, ]*\](?::|$)")),
    ("n_best", _all_match(r"^\d+ \|\|\| .* \|\|\| ")),
    ("phrase_table", _all_match(r"^.+ \|\|\| .+ \|\|\| [\d.e-]+ ")),
    ("srt", _is_srt),
    ("ass", _begins(r"\[Script Info\]")),
    ("microdvd", _all_match(r"^\{\d+\}\{\d+\}")),
    ("sbv", _begins(rf"{_CLOCK},{_CLOCK}")),
    ("chat", _all_match(rf"^\[?{_TIME}\]? <[^<>]+> |^{_TIME}\s+From .+:")),  # of IRC, Zoom
    ("transcript", _is_transcript),
    ("lrc", _all_match(r"^\[\d+:\d\d(?:\.\d+)?\]|^\[[a-z]+:")),
    ("notebook", lambda lines: lines[0].startswith("{") and any('"nbformat' in x for x in lines)),
    ("shortcut", _begins(r'\{(?:"": ?"WARNING[^"]*", ?)?"(?:url|doc_id)": ?"')),
    ("json_lines", _is_json_lines),
    ("toml", _begins(r"\[\[[\w.-]+\]\]$", r"[\w-]+ = ")),
    ("label_studio", _json_with(r'"annotat(?:ions|or)":', r'"lead_time":')),
    ("program_texts", _json_with(r'"@@locale":|"sourceLanguage":')),
    ("weights_index", _json_with(r'"weight_map": ?\{')),
    ("vocabulary", _json_with(r'"truncation":', r'"padding":')),
    ("vocabulary", _json_with(r'"(?:</?s>|<unk>|<pad>)": ?\d')),
    ("settings", _json_with(r'"(?:model_type|architectures)":')),
    ("json", _is_json),
    ("notebook", _begins(r"# %%")),
    ("po", _is_po),
    ("latex", _begins(r"\s*\\documentclass")),
    ("web_archive", _begins(r"From: <Saved by ")),
    ("warc", _begins(r"WARC/\d")),
    ("mail", _begins(r"(?:Return-Path|Received|MIME-Version|Message-ID|Delivered-To): ")),
    ("mail", _begins(r"From \S+@\S+ ")),
    ("chat", _all_match(rf"^\[?{_DATE},? {_TIME}.*: ")),
    ("clippings", _is_clippings),
    ("praat", _begins(r'File type = "ooTextFile')),
    ("moodle", _begins(r"(?:// question: \d|::.+::.*[^\\]\{)")),
    ("rdf", _begins(r"@(?:prefix|base) .*<.*> *\.$")),
    ("vobsub", _begins("# VobSub index file")),
    ("sylk", _begins("ID;P")),
    ("dif", _begins("TABLE$", r"0,\d+$")),
    ("utx", _begins(r"#UTX \d")),
    ("dictionary", _begins("# CC-CEDICT")),
    ("dictionary", _is_hunspell),
    ("vocabulary", _begins(r"[\w+/]{2,3}=+ 0$", r"[\w+/]+=* 1$")),
    ("wordfast", _begins(r"%\d{8}~\d{6}\t")),
    ("dictionary", _begins(r'#NAME\s+"')),
    ("dictionary", _begins(r"# .*vocabulary database\t")),
    ("sql", _is_sql),
    ("patch", _begins(r"diff --git ")),
    ("patch", _begins(r"--- \S", r"\+\+\+ \S", "@@ ")),
    ("bibtex", _begins(r"@\w+\{[^,]*,\s*$")),
    ("arpa", _begins(r"\\data\\", r"ngram 1=\d")),
    ("word_vectors", _is_word_vectors),
    ("truecase", _all_match(r"^\S+ \(\d+/\d+\)")),
    ("lexicon", _all_match(r"^\S+ \S+ (?:[01]?\.\d+|\d+(?:\.\d+)?e-\d+)$")),
    ("scores", _all_match(r"^-?[01]?\.\d+(?:e-?\d+)?$")),
    ("log", _all_match(r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")),
    ("penn", _begins(r"\(\s*\(S\b|\((?:ROOT|TOP|S1)\s*(?:\(|$)|\(S \(")),
    ("conll_2003", _begins(r"-DOCSTART-")),
    ("m2", _begins(r"S .", r"A \d+ \d+\|\|\|")),
    ("generated", _all_match(r"^[STHDPE]-\d+\t")),
    ("program_texts", _begins("STRINGTABLE")),
    ("program", _is_program),
    ("program_texts", _is_program_texts),
    ("vocabulary", _begins(r"\[PAD\]$", r"\[\w+\]$")),
    ("settings", _is_settings),
    ("vocabulary", _is_counted_words),
    ("giza", _begins(r"# Sentence pair \(\d+\)")),
    ("alignments", _all_match(r"^\d+[-?]\d+(?: \d+[-?]\d+)*$")),
    ("bars", _all_match(r" \|\|\| ")),
    ("conllu", _is_conllu),
    ("bpe_codes", _begins(r"#version: \d")),
    ("vocabulary", _begins(r"<(?:unk|pad|s)>(?:\t[-\d.]+)?$", r"</?s>|<unk>|<pad>")),
    ("csv", lambda lines: bool(separator_of(lines))),
)
