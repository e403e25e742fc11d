"""The format of a file is recognised by its content, whatever its name and its program."""

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
import quopri
import sqlite3
import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import torch
from safetensors.torch import save

from model.corpora.corpus import read_corpus
from model.corpora.lines import numbered_lines
from model.corpora.references import read_references
from model.evaluation.sentence_list import ListError, read_list
from model.files.file_format import recognise
from model.files.format_table import FORMATS, REMEDIES
from ui.text.translator import translator

# Formats that readers of a corpus accept; of all others they say what to do.
CAN_BE_READ = {"gzip", "bzip2", "xz", "zip", "tar", "csv"}
SENTENCES = ["The tea is cold.", "Where is the key?", "We missed the bus, again.", "Run!", "Why?"]
PAIRS = "".join(f"{text}\tC'est ça, {n}.\n" for n, text in enumerate(SENTENCES))


def zipped(**members: str | bytes) -> bytes:
    """Return a zip archive. ``__`` in a name means a slash."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


def member(name: str, content: str | bytes = "x") -> bytes:
    return zipped(**{name: content})


def damaged(method: int) -> bytes:
    """Return an OpenDocument text whose member ``mimetype`` is compressed and damaged."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text" * 200)
    content = bytearray(file.getvalue())
    start = 30 + len("mimetype")  # the content begins after the header and the name of the member
    content[start : start + 25] = bytes(byte ^ 0xFF for byte in content[start : start + 25])
    return bytes(content)


def misplaced() -> bytes:
    """Return a zip archive whose directory contains an offset beyond the end of the file."""
    content = member("mimetype")
    # position of the member's offset within the directory
    start = content.index(b"PK\x01\x02") + 42
    return content[:start] + b"\xff\xff\xff\x00" + content[start + 4 :]


def ole(name: str) -> bytes:
    """Return a file in the form of Office 97 whose directory, in its second sector, has a name."""
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(48, b"\0") + b"\x01\0\0\0"
    return header.ljust(1024, b"\0") + name.encode("utf-16-le").ljust(512, b"\0")


def database(*tables: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    for table in tables:
        connection.execute(f"CREATE TABLE {table} (id integer)")
    return connection.serialize()


def saved(write, *arguments) -> bytes:
    """Return the bytes of a file that a library has written."""
    file = io.BytesIO()
    write(*arguments, file)
    return file.getvalue()


def arrow() -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.table({"en": SENTENCES})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def tarred(name: str, content: bytes) -> bytes:
    """Return a tar archive of one file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def numbered(pattern: str) -> bytes:
    lines = (pattern.format(n=n, text=text) for n, text in enumerate(SENTENCES, start=1))
    return "\n".join(lines).encode()


def base64_lines(width: int) -> bytes:
    """Return bytes as base64 in lines of this width; the last one is shorter."""
    code = base64.b64encode(bytes(range(256)))
    return b"\n".join(code[i : i + width] for i in range(0, len(code), width))


TMX = b'<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header/>'
HEX = "0123456789abcdef" * 2
NOTE = f"Tea\n\nThe tea is cold.\n\nid: {HEX}\nis_todo: 0\ntype_: 1".encode()
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:77aa\nsize 912\n"
FILES = {
    "gzip": gzip.compress(PAIRS.encode()),
    "bzip2": bz2.compress(PAIRS.encode()),
    "xz": lzma.compress(PAIRS.encode()),
    "zstd": b"\x28\xb5\x2f\xfd\x04\x58\x09\0\0",
    "7z": b"7z\xbc\xaf\x27\x1c\0\x04",
    "rar": b"Rar!\x1a\x07\x01\0",
    "tar": tarred("corpus.tmx", TMX),
    "zip": member("fra.txt", PAIRS),
    "damaged_zip": member("fra.txt", PAIRS)[:60],
    "xlsx": member("xl/workbook.xml"),
    "docx": member("word/document.xml"),
    "pptx": member("ppt/presentation.xml"),
    "ods": member("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
    "odt": member("mimetype", "application/vnd.oasis.opendocument.text"),
    "epub": zipped(mimetype="application/epub+zip", **{"META-INF__container.xml": "x"}),
    "iwork": member("Index/Document.iwa"),
    "anki_package": zipped(media="{}", **{"collection.anki21b": "x"}),
    "anki_collection": database("col", "notes", "cards"),
    "sqlite": database("sentences"),
    "ole": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100,
    "rtf": rb"{\rtf1\ansi The tea is cold.}",
    "pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n",
    "parquet": saved(lambda file: pa.parquet.write_table(pa.table({"en": SENTENCES}), file)),
    "arrow": arrow(),
    "npy": saved(lambda file: np.save(file, np.zeros(3))),
    "npz": saved(lambda file: np.savez(file, a=np.zeros(3))),
    "torch": saved(torch.save, {"a": torch.zeros(3)}),
    "pickle": pickle.dumps(pd.DataFrame({"en": SENTENCES})),
    "safetensors": save({"a": torch.zeros(3)}),
    "gguf": b"GGUF\x03\0\0\0",
    "hdf5": b"\x89HDF\r\n\x1a\n\0",
    "sentencepiece": b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02\n\x0c",
    "image": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "media": b"\0\0\0\x20ftypisom\0\0\x02\0",
    "apple_double": b"\0\x05\x16\x07\0\x02\0\0Mac OS X",
    "utf_16": PAIRS.encode("utf-16-le"),
    "utf_32": PAIRS.encode("utf-32"),
    "git_lfs": LFS,
    "git_annex": b"/annex/objects/SHA256E-s1186--abc.tsv\n",
    "srt": numbered("{n}\r\n00:00:0{n},120 --> 00:00:0{n},900\r\n{text}\r\n"),
    "vtt": b"WEBVTT\n\n00:01.000 --> 00:04.000\nThe tea is cold.\n",
    "ass": "\ufeff[Script Info]\r\nTitle: Tea\r\n".encode(),
    "microdvd": numbered("{{{n}0}}{{{n}9}}{text}"),
    "lrc": numbered("[00:0{n}.30]{text}"),
    "ttml": b'<tt xmlns="http://www.w3.org/ns/ttml"><body><p>The tea is cold.</p></body></tt>',
    "tmx": TMX,
    "xliff": b'<xliff version="1.2"><file source-language="en"><body/></file></xliff>',
    "sgml": b'<refset setid="newstest" srclang="any" trglang="fr">\n<doc docid="1">\n<seg id="1">',
    "wmt_xml": b"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"wmttest\">\n <doc>",
    "po": b'# French\nmsgid ""\nmsgstr ""\n\nmsgid "The tea is cold."\nmsgstr ""\n',
    "html": b"<!-- saved -->\n<!DOCTYPE html>\n<html lang=en><title>Login</title>",
    "xml": b"<?xml version='1.0'?>\n<sentences><s>The tea is cold.</s></sentences>",
    "csv": numbered('{n},"{text}","C\'est ça, voilà."'),
    "json": json.dumps([{"en": text} for text in SENTENCES], indent=1).encode(),
    "json_lines": numbered('{{"translation": {{"en": "{text}", "fr": "?"}}}}') + b"\n",
    "notebook": b'{\n "cells": [],\n "nbformat": 4,\n "metadata": {}\n}\n',
    "bars": numbered("{text} ||| C'est ça ."),
    "alignments": numbered("0-0 1-{n} 2-2"),
    "conllu": b"# text = Why?\n1\tWhy\twhy\tADV\tWRB\t_\t0\troot\t_\t_\n",
    "latex": b"\\documentclass{article}\n\\begin{document}\nThe tea is cold.\n",
    "bpe_codes": b"#version: 0.2\nt h\nth e</w>\n",
    "vocabulary": b"<unk>\t0\n<s>\t0\n</s>\t0\n,\t-3.4\n",
    "lzip": b"LZIP\x01\x0c\0\0",
    "djvu": b"AT&TFORM\0\0\x10\0DJVU",
    "idml": member("designmap.xml"),
    "web_archive": b"From: <Saved by Blink>\r\nSubject: Tea\r\nMIME-Version: 1.0\r\n",
    "warc": b"WARC/1.1\r\nWARC-Type: conversion\r\n\r\nThe tea is cold.\n",
    "transcript": numbered("Zoé  0:0{n} \n{text}\n"),
    "cbor": b"\xd9\xd9\xf7\xa2bdacTea",
    "iso": bytes(32_768) + b"\x01CD001\x01\0",
    "chat": numbered("[2{n}/11/2026, 09:0{n}:41] Zoé: {text}"),
    "clippings": b"Emma (Austen)\n- Your Note on page 7\n\nThe tea is cold.\n==========\n",
    "evernote": b'<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export><note/>',
    "torrent": b"d10:created by8:Tea 1.04:infod6:lengthi9eee",
    "sql": b"-- PostgreSQL database dump\n\nCREATE TABLE sentences (id integer);\n",
    "spss": b"$FL2@(#) SPSS DATA FILE\x02\0\0\0",
    "praat": b'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\n',
    "wordfast": b"%20250304~091500\t%Zoe\t%TU=00000001\t%DA-DK\t%Wordfast\t%EN-GB\n",
    "memoq": zipped(**{"skeleton.xml": "x", "document.mqxliff": "x"}),
    "dictionary": b"# DA-EN vocabulary database\tcompiled by dict.cc\n\nte\ttea\tnoun\n",
    "mo": b"\x95\x04\x12\xde\0\0\0\0\0\0\0\x02",
    "program_texts": numbered("tea.line{n} = {text}"),
    "wiki_text": b'<doc id="7" url="https://x.org/7" title="Tea">\nTea\n\nIt is cold.\n</doc>\n',
    "iwslt": b"<url>https://x.org/7</url>\n<talkid>7</talkid>\nThe tea is cold.\n",
    "penn": b"(ROOT\n  (S (NP (DT The) (NN tea)) (VP (VBZ is) (ADJP (JJ cold))) (. .)))\n",
    "conll_2003": b"-DOCSTART- -X- O O\n\nZoe NNP B-NP B-PER\nruns VBZ B-VP O\n",
    "m2": b"S The tea are cold .\nA 2 3|||R:VERB|||is|||REQUIRED|||-NONE-|||0\n",
    "generated": numbered("H-{n}\t-0.7\t{text}"),
    "ctranslate2": b"\x06\0\0\0\x10\0TransformerSpec\0\x07\0\0\0",
    "arpa": b"\n\\data\\\nngram 1=7\n\n\\1-grams:\n-0.9\ttea\n",
    "word_vectors": b"9000 3\ntea 0.25 -0.5 1e-05\nkey 0.5 0 -0.25\n",
    "truecase": numbered("tea{n} (4{n}/49) Tea{n} (3)"),
    "lexicon": numbered("tea thé 0.71{n}"),
    "fairseq_binary": b"MMIDIDX\0\0\x01\0\0\0",
    "scores": numbered("0.71{n}"),
    "settings": b"# Moses\n[input-factors]\n0\n\n[mapping]\n0 T 0\n\n[weight]\nLM0= 0.5\n",
    "log": numbered("[2026-03-0{n} 09:15:00] [training] {text}"),
    "patch": b"--- a/tea.txt\n+++ b/tea.txt\n@@ -1 +1 @@\n-cold\n+hot\n",
    "bibtex": b"@article{tea26,\n  title = {Tea},\n}\n",
    "cab": b"MSCF\0\0\0\0\x10\0\0\0",
    "base64": base64.encodebytes(gzip.compress(bytes(range(256)))),
    "encrypted": b"-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n",
    "access": b"\0\1\0\0Standard ACE DB\0\2",
    "duckdb": b"\1\2\3\4\5\6\7\x08DUCK\x40\0",
    "yaml": b"- en: The tea is cold.\n  fr: Le th\xc3\xa9.\n",
    "markdown_table": numbered("| {text} | {n} |"),
    "contacts": b"BEGIN:VCARD\r\nFN:Zoe\r\nEND:VCARD\r\n",
    "mpl2": numbered("[{n}0][{n}9]{text}"),
    "sami": b"<SAMI>\n<BODY>\n<SYNC Start=700><P>Why?\n",
    "scc": b"Scenarist_SCC V1.0\n\n00:00:07:00\t9420 9420\n",
    "stm": numbered("talk7 1 zoe {n}.20 {n}.90 {text}"),
    "recordings": numbered("zoe-7-000{n} {text}"),
    "usfm": b"\\id RUT\n\\c 1\n\\v 1 The tea is cold.\n",
    "toolbox": b"\\_sh v3.0  400  Text\n\n\\tx The tea is cold.\n",
    "tatoeba": numbered("{n}7\tdan\t{text}"),
    "tatoeba_pairs": numbered("{n}7\t{text}\t{n}9\tDet er te."),
    "phrase_table": numbered("{text} ||| det {n} ||| 0.{n} 0.2 ||| 0-0"),
    "n_best": numbered("{n} ||| {text} ||| LM0= -7.1 ||| -{n}.4"),
    "sentence_links": numbered("[{n}]:[{n}, 7]:0.21"),
    "tagged": b"Tea\tNN\ttea\nis\tVBZ\tbe\ncold\tJJ\tcold\n.\tSENT\t.\n" * 3,
    "annotations": b"T1\tPerson 0 3\tZoe\nT2\tDrink 9 12\ttea\n",
    "ds_store": b"\0\0\0\x01Bud1\0\0\x10\0",
    "utf_7": "Der tea is cold.\tDet er for sent, Zoé, før.\n".encode("utf-7") * 6,
    "quoted_printable": b"It is late.\tDet er =C3=B8velse, Zo=C3=A9.\n" * 6,
    "sylk": b'ID;PWXL;N;E\r\nC;Y1;X1;K"Tea"\r\n',
    "locked_office": ole("EncryptedPackage"),
    "chm": b"ITSF\x03\0\0\0\x60\0\0\0",
    "fb2": b'<?xml version="1.0"?>\n<FictionBook xmlns="x"><body/></FictionBook>',
    "h5p": zipped(**{"h5p.json": "{}", "content__content.json": "{}"}),
    "toml": b'[[pair]]\nen = "The tea is cold."\nda = "Koldt."\n',
    "rdf": b"@prefix x: <http://x.org/> .\n\nx:tea a x:Drink .\n",
    "stl": b"850STL25.01" + b"0" * 1013,
    "vobsub": b"# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\n",
    "youtube": b'<?xml version="1.0"?><transcript><text start="7">Why?</text></transcript>',
    "tfrecord": b"\x44" + bytes(7) + b"CY.\x9a\nB\n\x1d\n\6inputs",
    "keras": zipped(**{"metadata.json": "{}", "model.weights.h5": "x"}),
    "utx": b"#UTX 1.11; en/da; 2026-03-02\n#src\ttgt\tsrc:pos\ntea\tte\tnoun\n",
    "plist": b'<?xml version="1.0"?><plist version="1.0"><dict><key>Tea</key></dict></plist>',
    "shortcut": b'<plist version="1.0"><dict>\n <key>URL</key><string>x</string></dict></plist>',
    "joplin": tarred(f"{HEX}.md", NOTE),
    "notes": zipped(**{f"Tea {HEX}.md": "# Tea", f"Cup {HEX}.md": "# Cup", "tea.png": "x"}),
    "jacosub": b"#TIMERES 30\n0:00:04.20 0:00:07.00 D Tea.\n0:00:08.00 0:00:09.15 VM Why?\n",
    "timed_table": b"start\tend\ttext\n0\t900\tThe tea is cold.\n",
    "common_voice": b"client_id\tpath\tsentence\nzoe\ttea_7.mp3\tThe tea is cold.\n",
    "scored_pairs": numbered("1.0{n}7\t{text}\tDet er te."),
    "pairs_with_addresses": numbered("http://x.org/{n}\thttp://x.dk/{n}\t{text}\tTe.\t0.7"),
    "trados_memory": database("translation_memories", "translation_units"),
    "tag_editor": '<?xml version="1.0"?>\n<TRADOStag Version="2.0"/>'.encode("utf-16"),
    "multiterm": '<?xml version="1.0"?>\n<mtf><conceptGrp/></mtf>'.encode("utf-16"),
    "framemaker": b"<MIFFile 2019> # Generated by FrameMaker\n<Units Ucm>\n",
    "transcript_xml": b'<?xml version="1.0"?>\n<basic-transcription><head/></basic-transcription>',
    "label_studio": b'[{"id": 7, "annotations": [{"lead_time": 7.1}], "data": {"text": "Tea"}}]',
    "weights_index": b'{\n  "metadata": {},\n  "weight_map": {\n    "tea": "model-1.bin"\n  }\n}',
    "coreml": b"\x08\x04\x12\x8b\x01\n\x3a\n\x05input\x12\x05Input\x1a\x2a",
    "tensorflow": b"\x08\x01\x12\xd0\xce\x02\n\x8b\x12\x12\x88\x12\n",
    "zlib": zlib.compress(PAIRS.encode()),
    "outlook_mailbox": b"!BDN\xd2\xa9\x41\x73",
    "messagepack": b"\x92\x82\xa2en\xa3Tea\xa2da\xa2Te\x82\xa2en\xa3Cup\xa2da\xa3Kop",
    "dita": b'<?xml version="1.0"?>\n<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "t.dtd">'
    b'\n<task id="tea"><title>Tea</title></task>',
    "flex": b'<?xml version="1.0"?>\n<document version="2"><interlinear-text guid="7"/></document>',
    "goodnotes": zipped(**{"index.notes.pb": "", "notes__7": "", "schema.pb": ""}),
    "drawing": zipped(**{"Document.archive": "", "QuickLook__Thumbnail.png": ""}),
    "gedcom": b"0 HEAD\r\n1 SOUR Tree\r\n1 CHAR UTF-8\r\n0 @I7@ INDI\r\n1 NAME Ada /Tea/\r\n",
    "binary": bytes(range(256)),
}
# Several programs write these formats, each in another form.
OTHER_FORMS = [
    ("vocabulary", b"the 9000\ntea@@ 700\n, 700\nkey 60\nis 5\n"),
    ("program", b"#!/bin/sh\necho tea\n"),
    ("program_texts", b"/* Tea */\n" + numbered('"tea{n}" = "{text}";')),
    ("program_texts", b"da:\n  tea:\n" + numbered("    line{n}: {text}")),
    ("program_texts", b'<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS version="2.1"><context/></TS>'),
    ("europarl", b"<CHAPTER ID=7>\nTea\n<P>\nThe tea is cold.\n"),
    ("dictionary", '#NAME "Dansk"\r\n#INDEX_LANGUAGE "Danish"\r\n'.encode("utf-16")),
    ("kenlm", b"mmap lm http://kheafield.com/code format version 5\n\0"),
    ("tagged", b'<text id="7">\n<s>\n' + b"Tea\tNOUN\nis\tAUX\n" * 6 + b"</s>\n</text>\n"),
    ("quoted_printable", b"Det er =F8velse, Zo=E9.\tIt is late.\n" * 6),  # Windows-1252
    ("quoted_printable", quopri.encodestring("他们在喝茶。\tThey drink tea.\n".encode() * 6)),
    ("utf_7", "They drink tea.\t他们在喝茶。\n".encode("utf-7") * 6),
    ("tatoeba", b"".join(b"%d7\tgos\tI d\xc3\xb8gn.\n" % n for n in range(6))),
    ("yaml", b"- en: The tea is cold.\n  da: Koldt.\n- en: Run!\n  da: L\xc3\xb8b!\n"),
    (
        "program",
        b"import os\nimport sys\n\ndef run(tea):\n    cold = tea.cold()\n    return cold\n",
    ),
    ("program", b"from tea import Cup\n\n@dataclass\nclass Cold(Cup):\n    size = 7\n"),
    ("sql", b"-- MySQL dump 10.13\n\nSET NAMES utf8;\nDROP TABLE IF EXISTS tea;\n"),
    ("uuencode", b"begin 644 tea.tsv\nM5&AE\n`\nend\n"),
    *(("base64", base64_lines(width)) for width in (60, 64)),
    ("r", b"RDX3\nX\n\0\0\0\x03\0"),
    ("matlab", b"MATLAB 5.0 MAT-file, Platform: GLNXA64"),
    ("word_vectors", "".join(f"tea{n}" + f" 0.{n}1" * 25 + "\n" for n in range(6)).encode()),
    ("word_vectors", b"\xba\x16\x4f\x2f\x0c\0\0\0"),
    ("chat_transcript", b"@UTF8\n@Begin\n*ZOE:\tThe tea is cold.\n"),
    ("ris", b"TY  - JOUR\nTI  - Tea\nER  - \n"),
    ("dictionary", b"StarDict's dict ifo file\nversion=2.4.2\n"),
    ("settings", b"# Marian configuration file generated at 2026\nseed: 7\n"),
    ("torrent", b"magnet:?xt=urn:btih:77aa\n"),
    ("program", b"<?php\nreturn ['tea' => 'th\xc3\xa9'];\n"),
    ("program", b"import json\n\nprint(7)\n"),
    ("program_texts", numbered("tea-line{n} = {text}")),
    ("program_texts", b'STRINGTABLE\nBEGIN\n IDS_TEA "Tea"\nEND\n'),
    ("program_texts", b"\x3c\xb8\x64\x18\xca\xef"),
    ("europarl", b'<SPEAKER ID=7 NAME="Zoe">\nThe tea is cold.\n<P>\n'),
    ("patch", b"diff --git a/tea.txt b/tea.txt\nindex 7..9 100644\n"),
    ("html", b"<!-- saved\nfrom x.org -->\n<!doctype html>\n<html lang=en><title>Login</title>"),
    ("word_vectors", b"1 3\ntea 0.25 -0.5 1e-05\n"),
    ("dif", b'TABLE\r\n0,1\r\n"EXCEL"\r\n'),
    ("dbase", b"\x03\x7e\x0b\x1e" + bytes(60)),  # dBase
    ("gnumeric", b'<gnm:Workbook xmlns:gnm="x"><gnm:Sheets/></gnm:Workbook>'),
    ("onenote", b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1"),
    ("visio", member("visio/document.xml")),
    ("xps", member("FixedDocumentSequence.fdseq")),
    ("hangul", member("Contents/section0.xml")),
    ("moodle", b"<?xml version='1.0'?>\n<quiz><question/></quiz>"),
    ("course", member("imsmanifest.xml")),
    ("moodle", b"// question: 7  name: tea\n::tea::Translate tea {=te ~kop}\n"),
    ("moodle", b"::Q1:: Translate\\: The tea is cold. {=Koldt.}\n"),
    ("tflite", b"\x1c\0\0\0TFL3\0\0"),
    ("onnx", b"\x08\x0e\x12\x07pytorch:\x5d\n\x11"),
    ("onnx", b"\x08\x08\x12\x07pytorch\x1a\x032.1:\x5d\n\x11"),
    ("dictionary", b"\0\0\0\x3c" + "<Dictionary ".encode("utf-16-le")),
    ("dictionary", b'<?xml version="1.0"?>\n<xdxf lang_from="DAN" lang_to="ENG"><ar/></xdxf>'),
    ("dictionary", b"<!DOCTYPE JMdict [<!ELEMENT JMdict (entry*)>]>\n<JMdict><entry/></JMdict>"),
    ("dictionary", "# CC-CEDICT\n茶 茶 [cha2] /tea/\n".encode()),
    ("dictionary", b"5\ntea/S\ncup/SM\ncold\nkey/S\nbus/M\n"),  # Hunspell
    ("vocabulary", b"IQ== 0\nIg== 1\nIw== 2\n"),  # tiktoken
    ("rdf", b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="x"><x/></rdf:RDF>'),
    ("spss", b"0" * 40 + b"ASCII SPSS PORT FILE"),
    ("shortcut", b"bplist00\xd1\x01\x02SURL_\x10\x14http://x.org"),
    ("shortcut", b"bplist00\xd2\x01\x02\x03\x04_\x10\x10NSURLFileSizeKey\\NSURLNameKey"),
    *(
        (name, ole(part))
        for name, part in [
            ("xls", "Workbook"),
            ("xls", "Book"),
            ("doc", "WordDocument"),
            ("ppt", "PowerPoint Document"),
            ("publisher", "Quill"),
            ("visio", "VisioDocument"),
            ("hangul", "\x05HwpSummaryInformation"),
            ("outlook", "__properties_version1.0"),
            ("ole", "Bookmarks"),
        ]
    ),
    ("stata", b"<stata_dta><header>"),
    ("sas", b"\0" * 12 + b"\xc2\xea\x81\x60" + b"\0" * 60),
    ("sas", b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!"),
    ("netcdf", b"CDF\x01\0\0\0\x07"),
    ("lmdb", b"\0" * 16 + b"\xde\xc0\xef\xbe\x01\0\0\0"),
    ("zim", b"ZIM\x04\x06\0\x01\0"),
    ("dictionary", b"!-1SLOB\x1f\0"),
    ("dictionary", b"\x12\x34\0\x02\0\x69"),  # Babylon
    *(
        ("media", beginning)
        for beginning in (
            b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9",  # Windows Media
            b"FLV\x01\x05\0\0\0\x09",
            b"\0\0\x01\xba\x44\0",
            b"FORM\0\0\x09\0AIFFCOMM",
            b"MThd\0\0\0\x06",
            b"#!AMR\n\x3c",
        )
    ),
    ("image", b"BM\x36\x09\0\0\0\0\0\0\x36\0\0\0"),
    ("image", b"8BPS\0\x01\0"),
    ("image", b'<svg xmlns="http://www.w3.org/2000/svg"><text>Tea</text></svg>'),
    ("program", b"\0asm\x01\0\0\0"),
    ("base64", b"begin-base64 644 tea.tsv\nVGVh\n====\n"),
    ("trados", zipped(**{"project.sdlproj": "x", "da-DK__tea.sdlxliff": "x"})),
    ("mnemosyne", zipped(**{"cards.xml": "<openSM2sync/>", "METADATA": "x"})),
    ("ctm", numbered("talk7 1 {n}.20 0.30 tea{n} 0.9")),
    ("calendar", b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"),
    ("elan", b'<?xml version="1.0"?>\n<ANNOTATION_DOCUMENT VERSION="3.0"/>'),
    *(
        (name, f'<?xml version="1.0"?>\n<{root} version="7"><x/></{root}>'.encode())
        for name, root in [
            ("tbx", "tbx"),
            ("txml", "txml"),
            ("usf", "USFSubtitles"),
            ("kvtml", "kvtml"),
            ("bible_xml", "osis"),
            ("bible_xml", "XMLBIBLE"),
            ("bible_xml", "usx"),
            ("dictionary", "LexicalResource"),
            ("dictionary", "lift"),
            ("feed", "rss"),
            ("feed", "feed"),
            ("outline", "opml"),
        ]
    ),
    ("verses", numbered("Esther 7:{n}\t{text}")),
    ("verses", numbered("2 Kings 9:{n} {text}")),
    ("chat", numbered("[09:1{n}] <zoe> {text}")),
    ("chat", numbered("09:1{n}:07\t From  Zoe : {text}")),
    ("transcript", numbered("[Zoe] 10:07:0{n}\n{text}\n")),
    ("transcript", numbered("00:00:0{n}:12 - 00:00:0{n}:24\nSpeaker 1\n{text}\n")),
    *(
        ("cards_in_a_line", sign.join(f"{text}{between}Koldt." for text in SENTENCES).encode())
        for sign in (";", "||", "/", "***", "\\n", "  ")
        for between in ("\t", " - ")
    ),
    ("cards_in_a_line", b"tea,te;cup,kop;key,n\xc3\xb8gle;bus,bus;late,sent;"),
    ("flex", b'<?xml version="1.0"?>\n<languageproject version="7000072"></languageproject>'),
    (
        "notes",
        zipped(**{"Tea.textbundle__text.markdown": "# Tea", "Tea.textbundle__info.json": ""}),
    ),
    ("drawing", zipped(**{"pages__0F1C2A3B-7D5E-4F60-8A9B-1C2D3E4F5A6B.json": "{}"})),
    *(("zlib", zlib.compress(PAIRS.encode(), level)) for level in (1, 9)),
    ("joplin", NOTE),
    ("jacosub", numbered("@{n}00 @{n}90 D {text}")),
    ("timed_table", numbered("{n}.000000\t{n}.900000\t{text}")),  # labels of Audacity
    ("stm", b";; talks\n" + numbered("talk7 1 zoe {n}.20 {n}.90 {text}")),
    ("praat", b'File type = "ooTextFile short"\n"TextGrid"\n\n0\n2.3\n'),
    *(("image", b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0") for brand in (b"mif1", b"heix", b"avif")),
    *(("image", b"\0\0\0\x0c" + name + b"\r\n\x87\n") for name in (b"JXL ", b"jP  ")),
    ("image", b"\0\0\x01\0\x02\0\x10\x10\0\0"),  # an icon
    ("postscript", b"\xc5\xd0\xd3\xc6\x20\0\0\0"),
    ("odt", member("mimetype", "application/vnd.sun.xml.writer")),  # of OpenOffice 1
    ("iwork", member("buildVersionHistory.plist")),  # before 2013
    ("word_vectors", b"900 30\ntea \x9a\x99\x19\x3e\0\0\0\x3f\xcd\xcc\x4c\x3e\n"),  # word2vec
    ("vocabulary", b"[PAD]\n[unused0]\n[UNK]\n[CLS]\nthe\n##s\n"),
    ("vocabulary", b'{\n  "version": "1.0",\n  "truncation": null,\n  "padding": null\n}'),
    ("vocabulary", b'{"</s>": 0, "<unk>": 1, "tea": 2}'),
    ("settings", b'{\n  "architectures": ["MarianMTModel"],\n  "d_model": 512\n}'),
    ("settings", b'<?xml version="1.0"?>\n<srx version="2.0"><body/></srx>'),
    ("program_texts", b'{\n  "@@locale": "da",\n  "tea": "Te"\n}'),
    (
        "program_texts",
        b'<?xml version="1.0"?>\n<root>\n<data name="tea"><value>Te</value></data></root>',
    ),
    ("shortcut", b'{"":"WARNING! DO NOT EDIT THIS FILE!","doc_id":"x7","email":"zoe@x.org"}'),
    *(
        ("transcript_xml", f'<?xml version="1.0"?>\n<{root} x="7"></{root}>'.encode())
        for root in ("folker-transcription", "Trans")
    ),
    ("clippings", b"Emma (Austen)\n- Your Bookmark on page 7\n\n==========\n"),
]


@pytest.mark.parametrize("name", FILES)
def test_the_format_of_a_file_is_named(name):
    assert recognise(FILES[name]).name == name


@pytest.mark.parametrize("name", ["zip", "damaged_zip", "sqlite", "pdf"])
def test_a_file_is_read_from_its_beginning_and_left_there(name):
    file = io.BytesIO(FILES[name])
    file.read(7)
    assert recognise(file).name == name
    assert file.tell() == 0


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_with_a_damaged_member_is_a_damaged_archive(method):
    assert recognise(damaged(method)).name == "damaged_zip"


def test_an_archive_with_an_offset_outside_the_file_is_a_damaged_archive():
    assert recognise(misplaced()).name == "damaged_zip"


@pytest.mark.parametrize(("name", "content"), OTHER_FORMS)
def test_each_form_of_a_format_is_named(name, content):
    assert recognise(content).name == name


@pytest.mark.parametrize(
    ("name", "text_of", "least"),
    [
        ("scores", lambda n_lines: b"0.71\n" * n_lines, 5),
        ("csv", lambda n_rows: b'"I\nsee.",Oui.\n' * n_rows, 4),
        ("word_vectors", lambda n_dimensions: (b"tea" + b" 0.5" * n_dimensions + b"\n") * 5, 20),
        ("utf_16", lambda n_letters: b"a\0" * n_letters, 4),
        # one code in ten lines, and never less than two
        ("quoted_printable", lambda n_codes: b"Zo=E9\n" * n_codes + b"Run!\n" * 3, 2),
        ("quoted_printable", lambda n_codes: b"Zo=E9\n" * n_codes + b"Run!\n" * 36, 4),
    ],
)
def test_a_form_means_something_from_a_number_on(name, text_of, least):
    assert recognise(text_of(least)).name == name
    fewer = recognise(text_of(least - 1))
    assert fewer is None or fewer.name != name


@pytest.mark.parametrize("name", sorted(FORMATS.keys() & FILES.keys() - CAN_BE_READ))
def test_every_reader_says_first_what_the_file_is_and_then_what_to_do(name, tmp_path):
    file_format = FORMATS[name]
    path = tmp_path / "pairs.tsv"
    path.write_bytes(FILES[name])
    for read in (read_corpus, read_references):
        with pytest.raises(ValueError, match=r"pairs\.tsv: it is ") as caught:
            read(path)
        assert str(caught.value).endswith(f"it is {file_format.description}: {file_format.remedy}")
    with pytest.raises(ListError) as fault:
        read_list(FILES[name])
    assert fault.value.file_format == file_format


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "zip"])
def test_a_compressed_corpus_is_read_and_a_compressed_list_must_be_unpacked(name, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(FILES[name])
    assert [source for source, _ in read_corpus(path).pairs] == SENTENCES
    with pytest.raises(ValueError, match="unpack it, and give the file that is in it"):
        read_references(path)


CELLS = [("The tea, cold.", "Le thé; froid."), ('He said "no".', "Il a dit non."), ("Run!", "Va !")]


@pytest.mark.parametrize("separator", [",", ";", "|"])
@pytest.mark.parametrize("titles", [(), ("English", "French"), ("sep=", "")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_with_commas_or_semicolons_is_read_without_its_header(
    separator, titles, encoding, tmp_path
):
    text = io.StringIO()
    rows = [(f"{source[:-1]} {n}", target) for n in range(4) for source, target in CELLS]
    csv.writer(text, delimiter=separator).writerows([titles, *rows] if titles else rows)
    path = tmp_path / "pairs.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    assert read_corpus(path).pairs == rows
    assert read_references(path) == {source: [target] for source, target in rows}
    entries = read_list(path.read_bytes())
    assert [(entry.source, *entry.references) for entry in entries] == rows


@pytest.mark.parametrize(
    "line",
    ["And still the rain goes on,", "And still it rains;", "It costs 1,000 dollars.", "是1,000元"],
)
def test_commas_at_the_end_of_lines_or_in_numbers_are_no_table(line):
    content = "\n".join([line] * 8).encode()
    assert recognise(content) is None
    assert numbered_lines(content)[0] == (1, line)


@pytest.mark.parametrize("start", [b"THE BIG DUCK!", b"MATLAB 5.0 is a program."])
def test_a_sentence_that_contains_the_name_of_a_program_is_text(start):
    assert recognise(start + b"\tx\n" + b"I see.\tJe vois.\n" * 5) is None


def test_the_header_after_a_directive_in_capitals_is_no_row():
    content = b"SEP=;\nEnglish;French\n" + b"Go.;Va !\n" * 5
    assert numbered_lines(content)[0] == (3, "Go.\tVa !")


def test_half_a_surrogate_pair_in_a_text_is_kept():
    assert numbered_lines("a\ud800") == [(1, "a\ud800")]


def test_a_table_is_read_from_an_archive_and_with_line_breaks_in_its_cells(tmp_path):
    path = tmp_path / "archive.zip"
    table = "".join(f'"Tea {n}\nis cold.","Le thé {n}\nest froid."\n' for n in range(9))
    path.write_bytes(member("archive/pairs.csv", table))
    pairs = read_corpus(path).pairs
    assert pairs[8] == ("Tea 8 is cold.", "Le thé 8 est froid.")
    assert len(pairs) == 9


def test_a_table_with_a_missing_quote_is_refused_with_its_line(tmp_path):
    path = tmp_path / "pairs.csv"
    rows = [f'"Tea {n} is cold.","Le thé {n} est froid."\n' for n in range(900)]
    rows[700] = '"Tea is cold.,"Le thé est froid."\n'
    path.write_text("".join(rows), "utf-8")
    with pytest.raises(
        ValueError, match=r"row that begins in line 701 has a quote too many or too"
    ):
        read_corpus(path)


def test_a_fault_inside_a_package_is_named(tmp_path):
    path = tmp_path / "corpus"
    tar = tarred("corpus.tmx", TMX)
    for content in (tar, gzip.compress(tar), member("corpus.tmx", TMX)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"it holds corpus\.tmx, which is a translation mem"):
            read_corpus(path)
    for content in (gzip.compress(FILES["pdf"]), member("fra.txt", FILES["pdf"])):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="it is a PDF document"):
            read_corpus(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Go.",
        PAIRS,
        "Yes, I do.\nNo, I don't.\nWell, then.\nOh, no.\nSo, what?\nHm, ok.\n",
        "<div>Go.</div>\tVa !\n" * 9,
        "<!-- Tea -->\nThe tea is cold.\n",
        "Tea:\nZoe and Ben drink.\n" + "  Zoe: Run!\n  Ben: No.\n" * 2,
        "<b>Go.</b>\n<tt>x</tt>\n",
        "[Music] Go.\n[He laughs.] Run!\n",
        "# Go.\n#separator\n",
        "7\n8\n",
        "1\tGo.\tVa !\n2\tRun!\tCours !\n",
        "{name} is here.\n",
        "OTTO is my friend.\nGIF8 is a number.\nFrom here to there.\n",
        "早上好,老师.\n你好,再见.\n" * 5,
        '"Go."\n"Run!"\n' * 5,
        "# Tea\n" * 9,
        "Zoé: The tea is cold.\nBen: Run!\n" * 5,
        "[verse]\nRun, run, run.\n[chorus]\nLa, la.\n" * 5,
        "- The tea is cold.\n- Run!\n" * 5,
        "Room 12\nRoom 14\n" * 5,
        "3.50\n12.25\n" * 5,
        "12 3\nGo.\n",
        "S is a letter.\nA 2 3 go!\n",
        "2026 was a good year.\n" * 5,
        "HELLO\tBONJOUR\nTEA\tTHE\nCOLD\tFROID\nNO\tNON\nYES\tOUI\n" * 3,
        "@Zoe: run!\n\\o/ Go.\nfrom here to there\nimport taxes rose\n",
        "7 dogs and 12.50 francs\n" * 5,
        "[1] Go.\n[2] Run!\n" * 5,
        "COVID-19 is over.\nTY for it.\n" * 5,
        "(Laughing) Run!\n(S)he runs.\n",
        "COVID-2019 is over.\nBoeing-747 is large.\nApollo-1234 flies.\nBoeing-747 is old.\n" * 3,
        "AB-123 is a plate.\tAB-123 er en plade.\nAC-124 is one.\tAC-124 er en.\n" * 3,
        "1\ttea\tte\n2\tcup\tkop\n3\tice\tis\n4\trye\trug\n5\tham\tskinke\n6\tcat\tkat\n",
        "GATTACA" * 8 + "GATT\n" + ("ACGTTGCA" * 7 + "ACGT\n") * 7,
        "import taxes\timporttold\nTea is cold.\tKoldt.\n" * 4,
        "import taxes\nThe tea is cold.\nHe runs.\nShe sings.\nThey sleep.\n",
        "from China import tea\nThe tea is cold.\nHe runs.\nShe sings.\n",
        "- Tom: The tea is cold.\n  Zoe: Run!\n- Ben: No.\n  Zoe: Yes.\n",
        "- zoe: The tea is cold.\n  ben: Run!\n- ben: No.\n  zoe: Yes.\n",
        "Tea\tTE\nYes\tJA\nNo\tNEJ\nSir\tHR\nTea\tTE\nYes\tJA\n" * 3,
        "-- He works with a database.\n-- So what?\n-- I dump the rubbish.\n" * 2,
        "Google+AOL and C+ABC, +AND.\nx=A5 and a=b.\n" * 6,
        "import tea\n",
        "- zoe: The tea is cold.\n  ben: Run!\n",
        "It is at http://x.org/?tea=E9 now.\tDer er http://x.org/?te=C3 nu.\n" * 4,
        "Price=12 or 1+1000-7.\n" * 9,
        "2\ntea/coffee\nRun!\nGo.\nhe/she sings.\nWhy?\n",
        "TABLE\n0 dogs.\n",
        "ID; please.\n@prefix is a word.\n",
        "[[Tea]]\nis cold.\n",
        "At  10:30\nTea.\n",
        "Zoe runs at 10:07\nBen sleeps.\n" * 5,
        "::Zoe:: runs.\n",
        "Room 0\nRoom 1\nRoom 2\n",
        "Zoe 10:07\tRun!\nBen 10:09\tNo.\nZoe 10:12\tWhy?\nBen 10:20\tGo.\nZoe 10:21\tOh.\n",
        "The tea is cold.\tKoldt.\tEr kold.\tDen er kold.\tTeen er kold.\tKold te.\n",
        "Tea; milk, sugar; bread, jam; and so on; that is all; really.\n",
        "tea,te;cup,kop;key,n\xf8gle;bus,bus\n",
        "BM is a bookmark.\nFLV is a film.\nCDF and ZIM, too.\n",
        "1985 films and 850STL25.0\n",
        "Tea\nid: 7\ntype_: 1\n",
        "@7 @9 is a game.\n@8 @9 too.\n",
        "0.7\tzero point seven\tnul komma syv\n" * 5,
        "start\tend\nbegin\tfinish\n",
        "7 70\nThe tea is cold.\n",
        "x=81 or y=8D.\n" * 6,  # no letters in Windows-1252
        "Der tea is cold, +AOk-.\n" + "Run!\n" * 40,
    ],
)
def test_sentences_are_not_taken_for_a_format(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert recognise(text.encode(encoding)) is None


def test_the_shipped_sentences_are_not_taken_for_a_format():
    paths = [path for path in Path().glob("*/**/*.tsv") if ".venv" not in path.parts]
    assert len(paths) > 5
    assert [path for path in paths if recognise(path.read_bytes())] == []


def test_the_app_has_a_text_for_every_format():
    texts = translator("en").texts
    assert {f"format.{name}": each.description for name, each in FORMATS.items()} == {
        key: text for key, text in texts.items() if key.startswith("format.")
    }
    assert {f"format_remedy.{name}": remedy for name, remedy in REMEDIES.items()} == {
        key: text for key, text in texts.items() if key.startswith("format_remedy.")
    }
