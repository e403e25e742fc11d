"""Recognise the format of a file by its content, not by its name.

``recognise`` reads the beginning of a file. Every format has a description and one remedy, so an
error message can say first what the file is, and then what to do. For a file of sentences,
``recognise`` returns None.

The first bytes of binary formats are those that their specifications give, as collected in the
database of the command ``file``.
"""

import csv
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import BinaryIO

INSPECTED_BYTES = 8000  # at the beginning of a file
_SCHEMA_BYTES = 100_000  # at the beginning of a SQLite file, which lists its tables there
_OLE_SECTOR_BYTES = 512  # of the header and of each sector of a file of Office 97
_OLE_DIRECTORY_POSITION = 48  # of the number of the sector in which its directory begins
_OLE_DIRECTORY_BYTES = 4096  # of the directory; the first names are enough
_OLE_ENTRY_BYTES = 128  # of one part in the directory
_OLE_NAME_BYTES = 64  # of its name, at the beginning of the entry
_ISO_POSITION = 32_769  # of the mark of a disc's image; the bytes before it are free
_ISO_MARK = b"CD001"
_MIN_LINES = 5  # of a text, before the form of all its lines means something
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MIN_DIMENSIONS = 20  # of word vectors without a first line that gives their number
_MIN_ROWS = 4  # of a table; fewer than ``_MIN_LINES``, because a cell may have several lines
_CSV_SEPARATORS = ",;|"
_CARD_SIGNS = (";", "|", "/", "*", "#", "~", "\\n", "  ")  # between the cards of one line
_MIN_WHOLE_SHARE = 0.8  # of the cards of one line: a few may hold the sign in a text
_MIN_WIDE_BYTES = 8  # of a text in UTF-16: with fewer, zero bytes may be there by chance
# A larger share of zero bytes means wide characters: in UTF-16 every second byte is zero, in UTF-32
# three of four are.
_MAX_ZERO_SHARE = 0.3

REMEDIES = {
    "unpack": "unpack it, and give the file that is in it",
    "save_as_text": "save it as Unicode text, with a TAB between the columns",
    "copy_sentences": "copy its sentences into a plain text file, one per line",
    "pairs": "write it as plain text, a line for each sentence: source TAB target",
    "cards_in_lines": (
        "export it again, with a new line between two cards and a TAB between their sides"
    ),
    "export_notes": "in Anki, choose File, Export, Notes in Plain Text",
    "utf_8": "save it with the encoding UTF-8",
    "quopri": "decode it, for instance with python -m quopri -d",
    "lfs_pull": "run git lfs pull in its repository",
    "annex_get": "run git annex get in its repository",
    "download": "download the file itself, and look at it before you use it here",
    "download_again": "download it again",
    "unlock": "open it with its password, and save it without",
    "decrypt": "decrypt it, and give the file that is in it",
    "without_numbers": "remove the number at the beginning of each line",
    "columns_2_and_4": "keep its columns 2 and 4, for instance with cut -f 2,4",
    "tatoeba_pairs": "download the sentence pairs of two languages from Tatoeba",
    "other_file": "give the file with the sentences",
    "password": "unpack it with its password, and give the file that is in it",
}


@dataclass(frozen=True)
class FileFormat:
    """The format of a file, and what the user can do to make it readable."""

    name: str  # such as "xlsx": the key of a translation
    description: str  # with its article, such as "an Excel workbook"
    remedy_name: str  # a key of ``REMEDIES``

    @property
    def remedy(self) -> str:
        """What the user can do to make such a file readable, in the imperative."""
        return REMEDIES[self.remedy_name]

    def __str__(self) -> str:
        """Return the end of a sentence that begins with "it is": the format, then the remedy."""
        return f"{self.description}: {self.remedy}"


def _table(*rows: tuple[str, str, str]) -> dict[str, FileFormat]:
    """Return formats by their names. A row is the name, the description and the remedy's name."""
    return {row[0]: FileFormat(*row) for row in rows}


FORMATS = _table(
    # Packed
    ("gzip", "a file packed with gzip", "unpack"),
    ("bzip2", "a file packed with bzip2", "unpack"),
    ("xz", "a file packed with xz", "unpack"),
    ("zstd", "a file packed with Zstandard", "unpack"),
    ("lz4", "a file packed with LZ4", "unpack"),
    ("compress", "a file packed with compress (.Z)", "unpack"),
    ("lzip", "a file packed with lzip", "unpack"),
    ("7z", "a 7-Zip archive", "unpack"),
    ("rar", "a RAR archive", "unpack"),
    ("tar", "a tar archive", "unpack"),
    ("iso", "the image of a disc (ISO)", "unpack"),
    ("cab", "a cabinet archive of Windows (.cab)", "unpack"),
    ("uuencode", "a file encoded for e-mail (uuencode)", "unpack"),
    ("base64", "a file encoded for e-mail (base64)", "unpack"),
    ("encrypted", "an encrypted or signed file (PGP)", "decrypt"),
    ("zip", "a zip archive", "unpack"),
    ("locked_zip", "a zip archive with a password", "password"),
    ("damaged_zip", "a damaged zip archive", "download_again"),
    # Office
    ("xlsx", "an Excel workbook", "save_as_text"),
    ("ods", "an OpenDocument spreadsheet", "save_as_text"),
    ("csv", "a table whose columns are separated by commas or semicolons (CSV)", "save_as_text"),
    ("gnumeric", "a Gnumeric spreadsheet", "save_as_text"),
    ("dbase", "a dBase table", "save_as_text"),
    ("sylk", "a spreadsheet in the form SYLK", "save_as_text"),
    ("dif", "a spreadsheet in the form DIF", "save_as_text"),
    ("iwork", "a document of Apple's Numbers, Pages or Keynote", "copy_sentences"),
    ("docx", "a Word document", "copy_sentences"),
    ("odt", "an OpenDocument text", "copy_sentences"),
    ("pptx", "a PowerPoint presentation", "copy_sentences"),
    ("odp", "an OpenDocument presentation", "copy_sentences"),
    ("xls", "an Excel workbook of 1997 to 2003 (.xls)", "save_as_text"),
    ("doc", "a Word document of 1997 to 2003 (.doc)", "copy_sentences"),
    ("ppt", "a PowerPoint presentation of 1997 to 2003 (.ppt)", "copy_sentences"),
    ("publisher", "a Publisher document", "copy_sentences"),
    ("outlook", "an e-mail of Outlook (.msg)", "copy_sentences"),
    ("ole", "a file in the form of Office 97 (OLE)", "copy_sentences"),
    ("locked_office", "an Office document with a password", "unlock"),
    ("rtf", "a rich text document (RTF)", "copy_sentences"),
    ("pdf", "a PDF document", "copy_sentences"),
    ("postscript", "a PostScript document", "copy_sentences"),
    ("epub", "an e-book (EPUB)", "copy_sentences"),
    ("mobi", "an e-book for Kindle", "copy_sentences"),
    ("fb2", "an e-book (FB2)", "copy_sentences"),
    ("djvu", "a DjVu document", "copy_sentences"),
    ("idml", "an InDesign document", "copy_sentences"),
    ("onenote", "a OneNote section", "copy_sentences"),
    ("visio", "a Visio drawing", "copy_sentences"),
    ("hangul", "a Hangul document", "copy_sentences"),
    ("xps", "an XPS document", "copy_sentences"),
    ("chm", "a help file of Windows (CHM)", "copy_sentences"),
    ("latex", "a LaTeX document", "copy_sentences"),
    ("html", "a web page (HTML)", "download"),
    ("web_archive", "a saved web page (MHTML)", "copy_sentences"),
    ("warc", "an archive of web pages (WARC)", "copy_sentences"),
    ("mail", "an e-mail", "copy_sentences"),
    ("chat", "a chat with times and names", "copy_sentences"),
    ("transcript", "a transcript with times and speakers", "copy_sentences"),
    ("clippings", "the highlights of a Kindle", "copy_sentences"),
    ("evernote", "notes of Evernote", "copy_sentences"),
    ("shortcut", "a shortcut to a document, not the document", "download"),
    ("torrent", "a torrent, not the file itself", "download"),
    # Flash cards and databases
    ("anki_package", "an Anki package", "export_notes"),
    ("anki_collection", "an Anki collection (SQLite)", "export_notes"),
    ("moodle", "a set of exercises of Moodle", "pairs"),
    ("h5p", "a set of exercises (H5P)", "pairs"),
    ("course", "a course package (IMS)", "pairs"),
    ("mnemosyne", "a set of flash cards of Mnemosyne", "pairs"),
    ("kvtml", "a set of flash cards of Parley (KVTML)", "pairs"),
    (
        "cards_in_a_line",
        "a set of flash cards in one line, as Quizlet exports it",
        "cards_in_lines",
    ),
    ("sqlite", "a SQLite database", "pairs"),
    ("sql", "a dump of a database (SQL)", "pairs"),
    ("parquet", "a Parquet table", "pairs"),
    ("arrow", "an Arrow table", "pairs"),
    ("tfrecord", "a data set of TensorFlow (TFRecord)", "pairs"),
    ("avro", "an Avro table", "pairs"),
    ("cbor", "a CBOR file", "pairs"),
    ("orc", "an ORC table", "pairs"),
    ("r", "a file of R", "pairs"),
    ("stata", "a table of Stata", "pairs"),
    ("spss", "a table of SPSS", "pairs"),
    ("sas", "a table of SAS", "pairs"),
    ("matlab", "a file of MATLAB", "pairs"),
    ("netcdf", "an array in the form NetCDF", "other_file"),
    ("access", "a database of Microsoft Access", "pairs"),
    ("duckdb", "a DuckDB database", "pairs"),
    ("lmdb", "a database of keys and values (LMDB)", "pairs"),
    ("yaml", "a YAML file", "pairs"),
    ("toml", "a TOML file", "pairs"),
    ("rdf", "linked data (RDF)", "pairs"),
    ("markdown_table", "a table of Markdown", "pairs"),
    ("calendar", "a calendar", "other_file"),
    ("contacts", "an address book (vCard)", "other_file"),
    ("hdf5", "an HDF5 file", "other_file"),
    ("json", "a JSON file", "pairs"),
    ("json_lines", "a file of JSON lines", "pairs"),
    ("notebook", "a Jupyter notebook", "other_file"),
    # Subtitles
    ("srt", "a subtitle file (SRT)", "copy_sentences"),
    ("vtt", "a subtitle file (WebVTT)", "copy_sentences"),
    ("ass", "a subtitle file (SubStation Alpha)", "copy_sentences"),
    ("microdvd", "a subtitle file (MicroDVD)", "copy_sentences"),
    ("sbv", "a subtitle file (SubViewer)", "copy_sentences"),
    ("mpl2", "a subtitle file (MPL2)", "copy_sentences"),
    ("sami", "a subtitle file (SAMI)", "copy_sentences"),
    ("scc", "a subtitle file (SCC)", "copy_sentences"),
    ("stl", "a subtitle file (EBU STL)", "copy_sentences"),
    ("vobsub", "a subtitle file whose texts are pictures (VobSub)", "other_file"),
    ("youtube", "a subtitle file of YouTube", "copy_sentences"),
    ("ttml", "a subtitle file (TTML)", "copy_sentences"),
    ("usf", "a subtitle file (USF)", "copy_sentences"),
    ("lrc", "a file of song lyrics with times (LRC)", "copy_sentences"),
    ("praat", "a transcript of Praat", "copy_sentences"),
    ("elan", "a transcript of ELAN", "copy_sentences"),
    ("chat_transcript", "a transcript in the form CHAT", "copy_sentences"),
    ("stm", "a transcript of speech with times (STM)", "copy_sentences"),
    ("ctm", "the words of a speech with times (CTM)", "other_file"),
    ("recordings", "a text with the names of recordings (Kaldi)", "copy_sentences"),
    # Translators' and linguists' formats
    ("tmx", "a translation memory (TMX)", "pairs"),
    ("xliff", "a translator's file (XLIFF)", "pairs"),
    ("wordfast", "a translation memory (Wordfast)", "pairs"),
    ("trados", "a translator's package (Trados)", "pairs"),
    ("memoq", "a translator's package (memoQ)", "pairs"),
    ("txml", "a translator's file (TXML)", "pairs"),
    ("tbx", "a list of terms (TBX)", "pairs"),
    ("utx", "a list of terms (UTX)", "pairs"),
    ("dictionary", "a dictionary with words, and no sentences", "other_file"),
    ("po", "a file of program texts (gettext PO)", "pairs"),
    ("mo", "a file of program texts (gettext MO)", "pairs"),
    ("program_texts", "a file of program texts", "pairs"),
    ("sgml", "a test set in SGML, as WMT and NIST have them", "pairs"),
    ("wmt_xml", "a test set in XML, as WMT has them", "pairs"),
    ("xces", "a file of links between sentences (XCES), without the sentences", "other_file"),
    ("tei", "a TEI text", "copy_sentences"),
    ("usfm", "a Bible text (USFM)", "copy_sentences"),
    ("bible_xml", "a Bible text in XML", "copy_sentences"),
    ("verses", "a Bible text with the number of each verse", "without_numbers"),
    ("toolbox", "a linguist's text (Toolbox)", "copy_sentences"),
    ("tatoeba", "a list of sentences of Tatoeba, without their translations", "tatoeba_pairs"),
    ("tatoeba_pairs", "a file of pairs with the numbers of Tatoeba", "columns_2_and_4"),
    ("mediawiki", "a dump of a wiki", "copy_sentences"),
    ("zim", "an archive of web pages for Kiwix (ZIM)", "copy_sentences"),
    ("feed", "the news of a web site (feed)", "copy_sentences"),
    ("outline", "an outline (OPML)", "copy_sentences"),
    ("wiki_text", "the text of a wiki with tags (WikiExtractor)", "copy_sentences"),
    ("iwslt", "a text of talks with tags (IWSLT)", "copy_sentences"),
    ("europarl", "a text of speeches with tags (Europarl)", "copy_sentences"),
    ("excel_xml", "an Excel workbook in XML", "save_as_text"),
    ("word_xml", "a Word document in XML", "copy_sentences"),
    ("flat_odf", "an OpenDocument file in XML", "copy_sentences"),
    ("xml", "an XML file", "pairs"),
    ("bars", "a file of pairs with ||| between source and target", "pairs"),
    ("phrase_table", "a phrase table of Moses", "other_file"),
    ("n_best", "a list of the best translations with scores (n-best list)", "other_file"),
    ("sentence_links", "a file of links between sentences (Vecalign)", "other_file"),
    ("alignments", "a file of word alignments, without the sentences", "other_file"),
    ("giza", "a file of word alignments of GIZA++", "pairs"),
    ("conllu", "a treebank (CoNLL-U)", "copy_sentences"),
    ("tagged", "a text with a tag for each word", "copy_sentences"),
    ("annotations", "the annotations of a text (BRAT)", "other_file"),
    ("penn", "a treebank with brackets (Penn)", "copy_sentences"),
    ("conll_2003", "a text with named entities (CoNLL-2003)", "copy_sentences"),
    ("m2", "a text with corrections (M2)", "copy_sentences"),
    ("generated", "the output of fairseq-generate", "pairs"),
    # Models and their auxiliary files
    ("safetensors", "a file of weights (safetensors)", "other_file"),
    ("torch", "a file of PyTorch", "other_file"),
    ("pickle", "a Python pickle", "other_file"),
    ("npz", "an archive of NumPy arrays (.npz)", "other_file"),
    ("npy", "a NumPy array", "other_file"),
    ("gguf", "a model for llama.cpp (GGUF)", "other_file"),
    ("keras", "a Keras model", "other_file"),
    ("tflite", "a model for TensorFlow Lite", "other_file"),
    ("onnx", "a model in the format ONNX", "other_file"),
    ("sentencepiece", "a SentencePiece model", "other_file"),
    ("vocabulary", "the vocabulary of a tokenizer", "other_file"),
    ("bpe_codes", "the merges of a tokenizer (BPE)", "other_file"),
    ("ctranslate2", "a model for CTranslate2", "other_file"),
    ("arpa", "a language model (ARPA)", "other_file"),
    ("kenlm", "a language model (KenLM)", "other_file"),
    ("word_vectors", "a file of word vectors", "other_file"),
    ("truecase", "a truecasing model of Moses", "other_file"),
    ("lexicon", "a table of probabilities of words", "other_file"),
    ("fairseq_binary", "a corpus in the binary form of fairseq", "other_file"),
    ("scores", "a list of scores", "other_file"),
    ("settings", "a file of settings", "other_file"),
    ("log", "the log of a program", "other_file"),
    # Pictures, sound, programs
    ("image", "a picture", "other_file"),
    ("media", "a recording or a film", "other_file"),
    ("program", "a program", "other_file"),
    ("patch", "a list of changes (diff)", "other_file"),
    ("bibtex", "a list of references (BibTeX)", "other_file"),
    ("ris", "a list of references (RIS)", "other_file"),
    ("font", "a font", "other_file"),
    ("plist", "a property list of Apple", "other_file"),
    ("apple_double", "the file that a Mac adds beside another one (._)", "other_file"),
    ("ds_store", "the file in which a Mac notes the look of a folder", "other_file"),
    # Pointers to files, and archives of unknown content
    ("git_lfs", "a pointer of git-lfs, not the file itself", "lfs_pull"),
    ("git_annex", "a pointer of git-annex, not the file itself", "annex_get"),
    # Text in an unsupported encoding
    ("utf_16", "text in UTF-16 without a byte order mark", "utf_8"),
    ("utf_32", "text in UTF-32", "utf_8"),
    ("utf_7", "text in UTF-7", "utf_8"),
    ("quoted_printable", "text encoded for e-mail (quoted-printable)", "quopri"),
    ("binary", "a binary file", "other_file"),
)

_POINTERS = (  # the first bytes as a regular expression, and the name of the format
    (rb"version https://git-lfs\.github\.com/spec/", "git_lfs"),
    (rb"(?:\.\./)*/?(?:\.git/)?annex/objects/", "git_annex"),
)
_SIGNATURES = (
    *_POINTERS,
    (rb"\x1f\x8b", "gzip"),
    (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "bzip2"),
    (rb"\xfd7zXZ\0", "xz"),
    (rb"\x5d\0\0", "xz"),  # the older form, .lzma
    (rb"\x28\xb5\x2f\xfd", "zstd"),
    (rb"\x04\x22\x4d\x18", "lz4"),
    (rb"\x1f\x9d", "compress"),
    (rb"LZIP[\0\x01]", "lzip"),
    (rb"7z\xbc\xaf\x27\x1c", "7z"),
    (rb"Rar!\x1a\x07", "rar"),
    (rb"PK(?:\x03\x04|\x05\x06)", "zip"),
    (rb".{257}ustar", "tar"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (rb"\{\\rtf", "rtf"),
    (rb"ITSF\x03\0", "chm"),
    (rb"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "onenote"),
    (rb"\x03[\0-\xff][\x01-\x0c][\x01-\x1f].{24}\0", "dbase"),  # with a date
    (rb"\d{3}STL\d\d\.\d\d", "stl"),
    (rb".{4}TFL3", "tflite"),
    (rb"\x08[\x01-\x14]\x12.{1,40}(?:\x1a.{1,40})?[:B]", "onnx"),
    (rb".{4}<\0(?:D\0i\0c\0t|L\0i\0b\0r)", "dictionary"),  # MDict
    (rb"!-1SLOB\x1f|\x12\x34\0[\x01\x02]\0", "dictionary"),  # Aard, Babylon
    (rb"ZIM\x04[\x05\x06]\0", "zim"),
    (rb"%PDF-", "pdf"),
    (rb"%!PS", "postscript"),
    (rb".{60}BOOKMOBI", "mobi"),
    (rb"AT&TFORM", "djvu"),
    (rb"RDX[23]\n|X\n\0{3}[\x02\x03]\0", "r"),
    (rb"<stata_dta>", "stata"),
    (rb"\$FL[23]@\(#\)|.{40}ASCII SPSS PORT FILE", "spss"),
    (rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*", "sas"),
    (rb"MATLAB 5\.0 MAT-file", "matlab"),
    (rb"CDF[\x01\x02\x05]", "netcdf"),
    (rb"\0\x01\0\0Standard (?:Jet|ACE) DB", "access"),
    (rb".{8}DUCK.\0", "duckdb"),
    (rb"MSCF\0{4}", "cab"),
    (rb"-----BEGIN PGP ", "encrypted"),
    (rb"begin [0-7]{3} ", "uuencode"),
    (rb"begin-base64 [0-7]{3} ", "base64"),
    (rb"\xba\x16\x4f\x2f", "word_vectors"),  # of fastText
    (rb"\x3c\xb8\x64\x18", "program_texts"),  # of Qt
    (rb"SQLite format 3\0", "sqlite"),
    (rb".{16}\xde\xc0\xef\xbe\x01\0", "lmdb"),
    (rb"PAR1", "parquet"),
    (rb"ARROW1\0|FEA1|\xff{4}..\0\0", "arrow"),  # the last as the library datasets writes it
    (rb"Obj\x01", "avro"),
    (rb"\xd9\xd9\xf7", "cbor"),
    (rb"ORC[^ -~]", "orc"),
    (rb"\x89HDF\r\n\x1a\n", "hdf5"),
    (rb"\x93NUMPY", "npy"),
    (rb"GGUF", "gguf"),
    (rb".{3}\0{5}.{4}\n.{1,3}\n", "tfrecord"),  # the first record is an Example
    (rb".{4}\0{4}\{[\"}\s]", "safetensors"),  # the length of a header, and the header
    (rb"\x80[\x02-\x05][(\x95}\]\x8a\x8cc]", "pickle"),
    (rb"\n[\x05-\x20]\n\x05<unk>", "sentencepiece"),  # the first piece, and its length
    (rb".{3}\0.\0\w+Spec\0", "ctranslate2"),  # version, length and name of the specification
    (rb"mmap lm http", "kenlm"),
    (rb"MMIDIDX\0\0|TNTIDX\0\0", "fairseq_binary"),
    (rb"\xde\x12\x04\x95|\x95\x04\x12\xde", "mo"),
    (
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF.{4}WEBP|\0{3}.ftyp(?:heic|avif)",
        "image",
    ),
    (rb"BM.{4}\0{4}|8BPS\0\x01", "image"),
    (
        rb"\0{2}..ftyp|RIFF.{4}(?:WAVE|AVI )|ID3[\2-\4]|\xff[\xfb\xf3]|OggS|fLaC|\x1aE\xdf\xa3",
        "media",
    ),
    (
        rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11|FLV\x01|\0\0\x01[\xb3\xba]|FORM.{4}AIF[CF]|MThd\0|#!AMR\n",
        "media",
    ),
    (rb"\x7fELF|MZ\x90\0|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm|#! ?/|!<arch>\n", "program"),
    (rb"wOF[F2]|\0\x01\0\0\0|OTTO\0", "font"),
    (rb"bplist00.{0,40}(?:NSURLNameKey|SURL_)", "shortcut"),  # of iCloud or Safari
    (rb"bplist00", "plist"),
    (rb"\0\x05\x16\x07", "apple_double"),
    (rb"\0{3}\x01Bud1", "ds_store"),
    (rb"d\d+:(?:announce|created by|info)", "torrent"),
    (rb"L\0\0\0\x01\x14\x02\0|\[InternetShortcut\]", "shortcut"),
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "utf_32"),
)
_TORCH_MEMBER = re.compile(r"(?:[^/]+/)?(?:data\.pkl|constants\.pkl)")

# Members of a zip archive that identify its format.
_ZIP_MEMBERS = (
    (re.compile(r"xl/workbook\.(?:xml|bin)"), "xlsx"),
    (re.compile(r"word/document\d*\.xml"), "docx"),
    (re.compile(r"ppt/presentation\.xml"), "pptx"),
    (re.compile(r"META-INF/container\.xml"), "epub"),
    (re.compile(r"collection\.anki2\w*"), "anki_package"),
    (re.compile(r"Index/Document\.iwa|Index\.zip"), "iwork"),
    (re.compile(r"designmap\.xml"), "idml"),
    (re.compile(r"visio/document\.xml"), "visio"),
    (re.compile(r"FixedDocumentSequence\.fdseq"), "xps"),
    (re.compile(r"Contents/section0\.xml"), "hangul"),
    (re.compile(r"h5p\.json"), "h5p"),
    (re.compile(r"imsmanifest\.xml"), "course"),
    (re.compile(r"cards\.xml"), "mnemosyne"),
    (re.compile(r"model\.weights\.h5"), "keras"),
    (re.compile(r".*\.(?:sdlproj|sdlxliff)"), "trados"),
    (re.compile(r".*\.mqxliff"), "memoq"),
    (_TORCH_MEMBER, "torch"),
)

# Parts of a file in the form of Office 97 that identify its program.
_OLE_PARTS = {
    "EncryptedPackage": "locked_office",
    "Workbook": "xls",
    "Book": "xls",  # before Excel 97
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Quill": "publisher",
    "VisioDocument": "visio",
    "\x05HwpSummaryInformation": "hangul",
    "__properties_version1.0": "outlook",
}
_QUOTED_PRINTABLE = re.compile(r"(?:=[0-9A-F]{2})+")
_UTF_7 = re.compile(r"\+[A-Za-z0-9+/]{3,}-?")
_MIN_CODES_PER_LINE = 0.1  # codes of letters, such as =E9; fewer may be there by chance
_OPEN_DOCUMENTS = {b"spreadsheet": "ods", b"text": "odt", b"presentation": "odp"}

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
    "plist": "plist",
    "rdf:rdf": "rdf",
    "url": "iwslt",
    "chapter": "europarl",
    "speaker": "europarl",
}
_PROLOG = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>)", re.S | re.I)
_ROOT = re.compile(r"\s*<([a-z][\w:.-]*)[\s/>]", re.I)
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


def recognise(content: bytes | BinaryIO) -> FileFormat | None:
    """Return the format of a file; None for a text of sentences, and for an empty file.

    Args:
        content: of the whole file, or the file, which is read from its beginning. It must be
            possible to seek in it; afterwards it is at its beginning.

    >>> recognise(b"%PDF-1.7 ...").description
    'a PDF document'
    >>> str(recognise(b"BZh91AY&SY"))
    'a file packed with bzip2: unpack it, and give the file that is in it'
    >>> recognise("I am a student.\\tJe suis étudiant.".encode())
    """
    file = BytesIO(content) if isinstance(content, bytes) else content
    file.seek(0)
    beginning = file.read(INSPECTED_BYTES)
    name = _name_of(beginning)
    if name == "zip":
        name = _name_of_zip(file)
    elif name == "ole":
        name = _name_of_ole(file)
    elif name == "sqlite":
        file.seek(0)
        schema = file.read(_SCHEMA_BYTES)
        is_anki = b"CREATE TABLE notes" in schema and b"CREATE TABLE cards" in schema
        name = "anki_collection" if is_anki else "sqlite"
    elif name == "binary":
        file.seek(_ISO_POSITION)
        name = "iso" if file.read(len(_ISO_MARK)) == _ISO_MARK else "binary"
    file.seek(0)
    return FORMATS.get(name)


def recognise_beginning(beginning: bytes) -> FileFormat | None:
    """Return the format of a file, from its first bytes alone.

    Unlike in ``recognise``, every zip archive is "zip" and every SQLite file "sqlite": what such a
    file holds is not looked at.

    Args:
        beginning: ``INSPECTED_BYTES`` of them, or all that the file has.
    """
    return FORMATS.get(_name_of(beginning))


def csv_separator(beginning: bytes) -> str:
    """Return the sign between the columns of a table (CSV); "" for any other file.

    Args:
        beginning: ``INSPECTED_BYTES`` of a file, or all that it has.
    """
    beginning = beginning[:INSPECTED_BYTES]
    if _name_of(beginning) != "csv":
        return ""
    return _csv_separator([line for line in _text_of(beginning).splitlines() if line.strip()])


def recognise_pointer(beginning: bytes) -> FileFormat | None:
    """Return the format of a pointer file of git-lfs or git-annex; None for any other file."""
    for pattern, name in _POINTERS:
        if re.match(pattern, beginning):
            return FORMATS[name]
    return None


def _name_of(beginning: bytes) -> str:
    """Return the name of the format; "" for a text of sentences."""
    # 1. Formats with fixed first bytes
    for pattern, name in _SIGNATURES:
        if re.match(pattern, beginning, re.DOTALL):
            return name

    # 2. Text in other encodings, and binary files
    # UTF-16 with a byte order mark can be read.
    if b"\0" in beginning and not beginning.startswith(_UTF_16_MARKS):
        return _name_of_zeros(beginning)

    # 3. Text in UTF-8, or in UTF-16 with its mark
    return _name_of_text(_text_of(beginning))


def _text_of(beginning: bytes) -> str:
    """Decode text in UTF-8, or in UTF-16 with its mark. Leave out a line that may be cut off."""
    encoding = "utf-16" if beginning.startswith(_UTF_16_MARKS) else "utf-8-sig"
    text = beginning.decode(encoding, "replace")
    if len(beginning) >= INSPECTED_BYTES and "\n" in text:
        text = text[: text.rindex("\n")]  # the last line may be cut off
    return text


def _name_of_zeros(beginning: bytes) -> str:
    """Return "utf_16", "utf_32" or "binary" for a file with zero bytes and no byte order mark."""
    if len(beginning) < _MIN_WIDE_BYTES:
        return "binary"
    for name, width in (("utf_32", 4), ("utf_16", 2)):
        for encoding in (f"{name.replace('_', '-')}-le", f"{name.replace('_', '-')}-be"):
            whole = beginning[: len(beginning) // width * width]
            try:
                text = whole.decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" not in text and whole.count(b"\0") > _MAX_ZERO_SHARE * len(whole):
                return name
    return "binary"


def _name_of_ole(file: BinaryIO) -> str:
    """Return the format of a file in the form of Office 97; "ole" if its program is unknown."""
    file.seek(_OLE_DIRECTORY_POSITION)
    sector = int.from_bytes(file.read(4), "little")
    file.seek(_OLE_SECTOR_BYTES * (1 + sector))
    directory = file.read(_OLE_DIRECTORY_BYTES)
    entries = [
        directory[i : i + _OLE_NAME_BYTES] for i in range(0, len(directory), _OLE_ENTRY_BYTES)
    ]
    parts = {entry.decode("utf-16-le", "replace").partition("\0")[0] for entry in entries}
    return next((name for part, name in _OLE_PARTS.items() if part in parts), "ole")


def _name_of_zip(file: BinaryIO) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            return _name_of_archive(archive)
    except MemoryError:
        raise
    except Exception:  # a damaged archive makes zipfile raise many kinds of errors
        return "damaged_zip"


def _name_of_archive(archive: zipfile.ZipFile) -> str:
    """Return the name of an archive's format; "zip" for an archive of unknown content."""
    members = archive.namelist()
    for pattern, name in _ZIP_MEMBERS:
        if any(pattern.fullmatch(member) for member in members):
            return name
    if members and all(member.endswith(".npy") for member in members):
        return "npz"
    if any(info.flag_bits & 1 for info in archive.infolist()):
        return "locked_zip"
    if "mimetype" in members:
        with archive.open("mimetype") as member:
            kind = member.read(100).rpartition(b".")[2].partition(b"-")[0].strip()
        return _OPEN_DOCUMENTS.get(kind, "zip")
    return "zip"


def _name_of_text(text: str) -> str:
    """Return the name of a text's format; "" for ordinary prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    markup = _name_of_markup(text)
    if markup:
        return markup
    for name, fits in _TEXT_FORMATS:
        if fits(lines):
            return name
    return _name_of_ascii(text) if text.isascii() else ""


def _name_of_ascii(text: str) -> str:
    """Return "utf_7" or "quoted_printable" if a text in ASCII encodes other letters; else ""."""
    min_codes = max(2, _MIN_CODES_PER_LINE * len(text.splitlines()))
    text = re.sub(r"\S+://\S+", "", text)  # an address may hold ?q=E9
    for name, pattern, decode in (
        ("quoted_printable", _QUOTED_PRINTABLE, _from_quoted_printable),
        ("utf_7", _UTF_7, _from_utf_7),
    ):
        letters = [decode(code) for code in pattern.findall(text)]
        if sum(not each.isascii() for each in letters) >= min_codes:
            return name
    return ""


def _from_quoted_printable(code: str) -> str:
    """Return the letters that a code such as =C3=A9 stands for; "" if there are none."""
    signs = bytes.fromhex(code.replace("=", ""))
    for encoding in ("utf-8", "windows-1252"):
        try:
            return _only_letters(signs.decode(encoding))
        except UnicodeDecodeError:
            continue
    return ""


def _from_utf_7(code: str) -> str:
    """Return the letters that a code such as +AOk- stands for; "" if there are none."""
    try:
        return _only_letters(code.encode().decode("utf-7"))
    except UnicodeDecodeError:
        return ""


def _only_letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _name_of_markup(text: str) -> str:
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
    name = _ROOTS.get(root[1].lower(), unknown)
    is_link = name == "plist" and re.search(r"<dict>\s*<key>URL</key>", text)
    return "shortcut" if is_link else name


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


def _csv_separator(lines: Sequence[str]) -> str:
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
    ("chat_transcript", _begins("@(?:UTF8|Begin)$")),
    ("mpl2", _all_match(r"^\[\d+\]\[\d+\]")),
    ("scc", _begins("Scenarist_SCC V")),
    ("stm", _all_match(r"^\S+ \d+ \S+ \d+\.\d+ \d+\.\d+ ")),
    ("ctm", _all_match(r"^\S+ \d+ \d+\.\d+ \d+\.\d+ \S")),
    ("recordings", _is_recordings),
    ("tatoeba", _is_tatoeba),
    ("tatoeba_pairs", _all_match(r"^\d+\t[^\t]+\t\d+\t[^\t]+$")),
    ("calendar", _begins("BEGIN:VCALENDAR$")),
    ("contacts", _begins("BEGIN:VCARD$")),
    ("ris", _begins(r"TY  - [A-Z]+")),
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
    ("shortcut", _begins(r'\{"(?:url|doc_id)": ?"')),
    ("json_lines", _is_json_lines),
    ("toml", _begins(r"\[\[[\w.-]+\]\]$", r"[\w-]+ = ")),
    ("json", _begins(r'\s*(?:\{\s*"|\{\s*$|\[\s*[{"]|\[\s*\[\s*["\d\[{-]|\[\s*$)')),
    ("notebook", _begins(r"# %%")),
    ("po", _is_po),
    ("latex", _begins(r"\s*\\documentclass")),
    ("web_archive", _begins(r"From: <Saved by ")),
    ("warc", _begins(r"WARC/\d")),
    ("mail", _begins(r"(?:Return-Path|Received|MIME-Version|Message-ID|Delivered-To): ")),
    ("mail", _begins(r"From \S+@\S+ ")),
    ("chat", _all_match(rf"^\[?{_DATE},? {_TIME}.*: ")),
    ("clippings", _is_clippings),
    ("praat", _begins(r'File type = "ooTextFile"')),
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
    ("settings", _is_settings),
    ("vocabulary", _is_counted_words),
    ("giza", _begins(r"# Sentence pair \(\d+\)")),
    ("alignments", _all_match(r"^\d+[-?]\d+(?: \d+[-?]\d+)*$")),
    ("bars", _all_match(r" \|\|\| ")),
    ("conllu", _is_conllu),
    ("bpe_codes", _begins(r"#version: \d")),
    ("vocabulary", _begins(r"<(?:unk|pad|s)>(?:\t[-\d.]+)?$", r"</?s>|<unk>|<pad>")),
    ("csv", lambda lines: bool(_csv_separator(lines))),
)
