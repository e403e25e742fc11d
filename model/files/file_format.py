"""Recognise the format of a file by its content, not by its name.

``recognise`` reads the beginning of a file. Every format has a description and one remedy, so an
error message can say first what the file is, and then what to do. For a file of sentences,
``recognise`` returns None. ``format_table`` lists all formats, ``text_format`` recognises those of
text.

The first bytes of binary formats are those that their specifications give, as collected in the
database of the command ``file``.
"""

import re
import tarfile
import zipfile
from io import BytesIO
from itertools import islice
from typing import BinaryIO

from model.files.format_table import FORMATS, FileFormat
from model.files.text_format import name_of_text, separator_of

INSPECTED_BYTES = 8000  # at the beginning of a file
_SCHEMA_BYTES = 100_000  # at the beginning of a SQLite file, which lists its tables there
_OLE_SECTOR_BYTES = 512  # of the header and of each sector of a file of Office 97
_OLE_DIRECTORY_POSITION = 48  # of the number of the sector in which its directory begins
_OLE_DIRECTORY_BYTES = 4096  # of the directory; the first names are enough
_OLE_ENTRY_BYTES = 128  # of one part in the directory
_OLE_NAME_BYTES = 64  # of its name, at the beginning of the entry
_ISO_POSITION = 32_769  # of the mark of a disc's image; the bytes before it are free
_ISO_MARK = b"CD001"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MIN_WIDE_BYTES = 8  # of a text in UTF-16: with fewer, zero bytes may be there by chance
# A larger share of zero bytes means wide characters: in UTF-16 every second byte is zero, in UTF-32
# three of four are.
_MAX_ZERO_SHARE = 0.3

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
    (rb"\x78[\x01\x9c\xda]", "zlib"),
    (rb"\x04\x22\x4d\x18", "lz4"),
    (rb"\x1f\x9d", "compress"),
    (rb"LZIP[\0\x01]", "lzip"),
    (rb"7z\xbc\xaf\x27\x1c", "7z"),
    (rb"Rar!\x1a\x07", "rar"),
    (rb"PK(?:\x03\x04|\x05\x06)", "zip"),
    (rb".{257}ustar", "tar"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (rb"\{\\rtf", "rtf"),
    (rb"!BDN", "outlook_mailbox"),
    (rb"ITSF\x03\0", "chm"),
    (rb"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "onenote"),
    (rb"\x03[\0-\xff][\x01-\x0c][\x01-\x1f].{24}\0", "dbase"),  # with a date
    (rb"\d{3}STL\d\d\.\d\d", "stl"),
    (rb".{4}TFL3", "tflite"),
    # A message in a message: a length of one to three bytes precedes each.
    (rb"\x08[\x01-\x14]\x12[\x80-\xff]{0,2}.\n[\x80-\xff]{0,2}.\n", "coreml"),
    (rb"\x08\x01\x12[\x80-\xff]{0,4}.\n[\x80-\xff]{0,4}.[\x12\x1a\x22\x2a]", "tensorflow"),
    (rb"\x08[\x01-\x14]\x12.{1,40}(?:\x1a.{1,40})?[:B]", "onnx"),
    (rb".{4}<\0(?:D\0i\0c\0t|L\0i\0b\0r)", "dictionary"),  # MDict
    (rb"!-1SLOB\x1f|\x12\x34\0[\x01\x02]\0", "dictionary"),  # Aard, Babylon
    (rb"ZIM\x04[\x05\x06]\0", "zim"),
    (rb"%PDF-", "pdf"),
    (rb"%!PS|\xc5\xd0\xd3\xc6", "postscript"),
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
    (rb"\d{1,9} \d{2,4}\n.{1,800}?[\0-\x08]", "word_vectors"),  # of word2vec
    (rb"\x3c\xb8\x64\x18", "program_texts"),  # of Qt
    (rb"SQLite format 3\0", "sqlite"),
    (rb".{16}\xde\xc0\xef\xbe\x01\0", "lmdb"),
    (rb"PAR1", "parquet"),
    (rb"ARROW1\0|FEA1|\xff{4}..\0\0", "arrow"),  # the last as the library datasets writes it
    (rb"Obj\x01", "avro"),
    (rb"\xd9\xd9\xf7", "cbor"),
    # A list of tables or of lists, whose first value is a short text
    (rb"(?:[\x91-\x9f]|\xdc.{2}|\xdd.{4})[\x81-\x9f][\xa1-\xbf]", "messagepack"),
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
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF.{4}WEBP"
        rb"|\0{3}.ftyp(?:hei[cxms]|mif1|msf1|avi[fs])",
        "image",
    ),
    (rb"BM.{4}\0{4}|8BPS\0\x01|\0{3}\x0c(?:JXL |jP  )\r\n|\0\0\x01\0[\x01-\x20]\0", "image"),
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
    (re.compile(r"Index/Document\.iwa|Index\.zip|buildVersionHistory\.plist"), "iwork"),
    (re.compile(r"designmap\.xml"), "idml"),
    (re.compile(r"visio/document\.xml"), "visio"),
    (re.compile(r"FixedDocumentSequence\.fdseq"), "xps"),
    (re.compile(r"Contents/section0\.xml"), "hangul"),
    (re.compile(r"h5p\.json"), "h5p"),
    (re.compile(r"Document\.archive|pages/[0-9A-F-]{36}\.json"), "drawing"),  # Procreate, Sketch
    (re.compile(r"index\.notes\.pb"), "goodnotes"),
    (re.compile(r"(?:.*/)?[^/]+\.textbundle/text\.\w+"), "notes"),
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
_OPEN_DOCUMENTS = {b"spreadsheet": "ods", b"text": "odt", b"presentation": "odp"}
_OPEN_DOCUMENTS |= {b"calc": "ods", b"writer": "odt", b"impress": "odp"}  # of OpenOffice 1
_SQLITE_TABLES = (  # tables that identify the program of a SQLite file
    ((b"notes", b"cards"), "anki_collection"),
    ((b"translation_memories", b"translation_units"), "trados_memory"),
)
_NOTE = re.compile(r"(?:.*/)?[^/]+\.md")
_NOTE_OF_JOPLIN = re.compile(r"[0-9a-f]{32}\.md")
_MAX_TAR_MEMBERS = 20  # that are looked at


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
        name = _name_of_sqlite(file.read(_SCHEMA_BYTES))
    elif name == "tar":
        name = _name_of_tar(file)
    elif name == "binary":
        file.seek(_ISO_POSITION)
        name = "iso" if file.read(len(_ISO_MARK)) == _ISO_MARK else "binary"
    file.seek(0)
    return FORMATS.get(name)


def recognise_beginning(beginning: bytes) -> FileFormat | None:
    """Return the format of a file, from its first bytes alone.

    Unlike in ``recognise``, every zip archive is "zip", every tar archive "tar" and every SQLite
    file "sqlite": what such a file holds is not looked at.

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
    lines = [line for line in _text_of(beginning).splitlines() if line.strip()]
    return separator_of(lines)


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
    return name_of_text(_text_of(beginning))


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


def _name_of_sqlite(schema: bytes) -> str:
    """Return the format of a SQLite file from its tables; "sqlite" if its program is unknown."""
    for tables, name in _SQLITE_TABLES:
        if all(b"CREATE TABLE " + table in schema for table in tables):
            return name
    return "sqlite"


def _name_of_tar(file: BinaryIO) -> str:
    """Return "joplin" for a tar archive whose first files are notes of Joplin; else "tar"."""
    file.seek(0)
    try:
        with tarfile.open(fileobj=file) as archive:
            members = [member.name for member in islice(archive, _MAX_TAR_MEMBERS)]
    except (tarfile.TarError, OSError, ValueError):
        return "tar"
    return "joplin" if any(map(_NOTE_OF_JOPLIN.fullmatch, members)) else "tar"


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
    n_notes = sum(bool(_NOTE.fullmatch(member)) for member in members)
    if n_notes > max(1, len(members) / 2):
        return "notes"
    if any(info.flag_bits & 1 for info in archive.infolist()):
        return "locked_zip"
    if "mimetype" in members:
        with archive.open("mimetype") as member:
            kind = member.read(100).rpartition(b".")[2].partition(b"-")[0].strip()
        return _OPEN_DOCUMENTS.get(kind, "zip")
    return "zip"
