"""Zips of a checkpoint that nobody should open, of many kinds, each from a seed.

``python -m tests.broken_zips`` prints the kinds. A zip is written here byte by byte: what writes
zips for honest people makes none that lies.
"""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

Random = random.Random
Files = dict[str, bytes]  # names without their folder -> contents
LIMIT = 2_000_000  # bytes that the tests let a checkpoint have
WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
ANY = ""  # the fault of a sound zip with an unsound checkpoint in it
_LINK, _DEVICE, _PIPE, _SOCKET = 0o120777, 0o020666, 0o010666, 0o140777


@dataclass
class Entry:
    """One file of a zip, with what its list says of it where that is not the truth.

    Args:
        name: as bytes.
        content: what is packed.
        method: 0 stored, 8 deflated, or a number that nobody reads.
        flags: bit 0: encrypted.
        mode: of Unix.
        claims: header field -> value: ``crc``, ``packed``, ``size``, ``name`` (of its own header).
    """

    name: bytes
    content: bytes
    method: int = 8
    flags: int = 0x800  # the name is UTF-8
    mode: int = 0o100644
    claims: dict[str, int | bytes] = field(default_factory=dict)


def written(entries: list[Entry], *, comment: bytes = b"", end: Mapping[str, int] = {}) -> bytes:
    """A zip, as its definition says; ``end`` overrides ``entries``, ``size`` and ``offset``."""
    body, listed = bytearray(), bytearray()
    for entry in entries:
        packed = entry.content
        if entry.method == 8:
            packer = zlib.compressobj(wbits=-15)
            packed = packer.compress(entry.content) + packer.flush()
        truth = {
            "crc": zlib.crc32(entry.content),
            "packed": len(packed),
            "size": len(entry.content),
        }
        said = truth | entry.claims
        own = entry.claims.get("name", entry.name)
        common = struct.pack("<HHHHIII", entry.flags, entry.method, 0, 33, *_sizes(said))
        place = len(body)
        body += b"PK\3\4" + struct.pack("<H", 20) + common + struct.pack("<HH", len(own), 0)
        body += own + packed
        listed += b"PK\1\2" + struct.pack("<HH", 0x0314, 20) + common
        listed += struct.pack("<HHHHHII", len(entry.name), 0, 0, 0, 0, entry.mode << 16, place)
        listed += entry.name
    last = {"entries": len(entries), "size": len(listed), "offset": len(body)} | end
    numbers = (last["entries"] & 0xFFFF, last["entries"] & 0xFFFF, last["size"], last["offset"])
    tail = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, *numbers, len(comment)) + comment
    return bytes(body + listed + tail)


def _sizes(said: Mapping[str, int]) -> tuple[int, int, int]:
    return said["crc"], said["packed"], said["size"]


def entries_of(files: Files, top: str = "mine/") -> list[Entry]:
    """Honest ones."""
    return [Entry(f"{top}{name}".encode(), content) for name, content in files.items()]


def files_of(folder: Path) -> Files:
    """All files of a checkpoint."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


Kind = Callable[[Files, Random], bytes]
KINDS: dict[
    str, tuple[Kind, tuple[str, ...]]
] = {}  # name -> what makes it, faults that it may have


def kind(*faults: str) -> Callable[[Kind], Kind]:
    """Note a kind, and the faults of which one is told."""

    def noted(make: Kind) -> Kind:
        KINDS[make.__name__] = make, faults
        return make

    return noted


def broken(files: Files, n: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many zips, all kinds in turn: the name of the kind, and the zip."""
    draw, names = Random(seed), list(KINDS)
    draw.shuffle(names)
    for number in range(n):
        name = names[number % len(names)]
        yield name, KINDS[name][0](dict(files), draw)


# What is no zip, or only part of one.


@kind("no_zip")
def noise(_files: Files, draw: Random) -> bytes:
    return draw.randbytes(draw.choice([0, 1, 21, 22, 5000]))


@kind("no_zip")
def another_kind_of_file(_files: Files, draw: Random) -> bytes:
    return draw.choice([b"%PDF-1.7\n", b"\x1f\x8b\x08" + bytes(90), b"Rar!\x1a\x07\x00", b"{}"])


@kind("no_zip")
def cut_off(files: Files, draw: Random) -> bytes:
    whole = written(entries_of(files))
    return whole[: draw.randrange(1, len(whole) - 22)]


@kind("no_zip", "damaged", "no_root")
def begins_later(files: Files, draw: Random) -> bytes:
    whole = written(entries_of(files))
    return whole[draw.randrange(30, len(whole) // 2) :]


@kind("damaged")
def other_bytes_inside(files: Files, draw: Random) -> bytes:
    whole = bytearray(written([*entries_of(files)]))
    place = whole.index(b"PK\3\4", 10) - draw.randrange(20, 60)  # in the first file's content
    whole[place] ^= draw.randrange(1, 256)
    return bytes(whole)


@kind("no_zip")
def list_of_4_gigabytes(files: Files, _draw: Random) -> bytes:
    return written(entries_of(files), end={"size": 0xFFFFFFFE})


@kind("damaged")
def list_of_another_place(files: Files, draw: Random) -> bytes:
    return written(entries_of(files), end={"offset": draw.choice([0xFFFFFFF0, 10**9])})


@kind("no_zip")
def list_of_30_000_files(files: Files, _draw: Random) -> bytes:
    whole = written(entries_of(files))
    listed = (b"PK\1\2" + bytes(42)) * 30_000
    return whole[:-22] + listed + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), 0, 0)


@kind("no_zip")
def larger_than_its_format(files: Files, draw: Random) -> bytes:
    whole = written(entries_of(files))
    far = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, draw.choice([2**62, 2**40]), 0)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, len(whole) - 22, 1)
    return whole[:-22] + b"PK\6\6" + far + locator + whole[-22:]


# What grows.


@kind("too_large")
def bomb_in_a_small_file(files: Files, draw: Random) -> bytes:
    name = draw.choice([CONFIG, "README.md", "history.jsonl", "gallery.json"])
    return written(entries_of(files | {name: bytes(30_000_000)}))


@kind("too_large")
def bomb_in_the_weights(files: Files, _draw: Random) -> bytes:
    return written(entries_of(files | {WEIGHTS: bytes(60_000_000)}))


@kind("too_much")
def bomb_in_many_files(files: Files, _draw: Random) -> bytes:
    more = {f"snapshots/{n}.safetensors": bytes(LIMIT // 20) for n in range(25)}
    return written(entries_of(files | more))


@kind("damaged")
def bomb_that_lies_about_its_size(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    entry = draw.choice(entries)
    entry.content, entry.claims = bytes(40_000_000), {"size": len(entry.content)}
    return written(entries)


@kind("damaged", ANY)
def less_than_it_says(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    entry = draw.choice([entry for entry in entries if entry.name.endswith(b".json")])
    entry.claims = {"size": len(entry.content) + draw.randrange(1, 900)}
    return written(entries)


@kind("too_many")
def thousands_of_files(files: Files, _draw: Random) -> bytes:
    return written(entries_of(files | {f"x{n}": b"" for n in range(400)}))


@kind("too_many")
def one_content_under_many_names(files: Files, _draw: Random) -> bytes:
    names = [f"snapshots/{n}.safetensors" for n in range(500)]
    return written(entries_of(files | dict.fromkeys(names, bytes(1000))))


@kind("unknown", "too_large")
def zip_in_a_zip(files: Files, draw: Random) -> bytes:
    inner = written(entries_of(files))
    name = draw.choice(["more.zip", "inner.zip", "weights.tar.gz"])
    return written(entries_of(files | {name: inner}))


@kind(ANY)
def zip_in_place_of_a_file(files: Files, draw: Random) -> bytes:
    return written(entries_of(files | {draw.choice([WEIGHTS, TOKENIZER]): written([])}))


# What leads elsewhere.


@kind("unsafe")
def way_out(files: Files, draw: Random) -> bytes:
    name = draw.choice(
        ["../evil.json", "mine/../../evil.json", "/tmp/evil.json", "//evil/evil.json", "..",
         "mine/./evil.json", "mine//evil.json", "./config.json", "mine/..", "~/../evil.json"]
    )  # fmt: skip
    return written([*entries_of(files), Entry(name.encode(), b"{}")])


@kind("unsafe")
def way_out_of_all_files(files: Files, draw: Random) -> bytes:
    return written(
        entries_of(files, draw.choice(["../", "../../mine/", "/", "/etc/", "C:/", ".../"]))
    )


@kind("unsafe")
def drive(files: Files, draw: Random) -> bytes:
    name = draw.choice(
        ["C:\\evil.json", "C:evil.json", "\\\\host\\evil", "mine\\config.json", "a:b"]
    )
    return written([*entries_of(files), Entry(name.encode(), b"{}")])


@kind("unsafe")
def odd_signs(files: Files, draw: Random) -> bytes:
    sign = draw.choice(["\u202e", "\u200b", "\n", "\x1b[2J", "\x7f", "\ue000", "\ufeff", "\u2028"])
    return written([*entries_of(files), Entry(f"mine/con{sign}fig.json".encode(), b"{}")])


@kind("unsafe")
def end_in_a_name(files: Files, _draw: Random) -> bytes:
    return written([*entries_of(files), Entry(b"mine/gallery.json\0.exe", b"{}")])


@kind("unsafe")
def spaces_and_dots_at_an_end(files: Files, draw: Random) -> bytes:
    name = draw.choice(
        ["mine/config.json ", " mine/config.json", "mine/ /x", "mine/.../x", "mine /x"]
    )
    return written([*entries_of(files), Entry(name.encode(), b"{}")])


@kind("no_zip")
def name_in_no_alphabet(files: Files, _draw: Random) -> bytes:
    return written([*entries_of(files), Entry(b"mine/\xff\xfe.json", b"{}")])


@kind("unknown")
def long_name(files: Files, draw: Random) -> bytes:
    return written([*entries_of(files), Entry(b"mine/" + b"a" * draw.choice([300, 60_000]), b"")])


@kind("damaged")
def two_names_for_one_file(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    draw.choice(entries).claims["name"] = b"../../evil.json"
    return written(entries)


@kind("no_file")
def link(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    entry = draw.choice(entries)
    entry.content, entry.mode = b"/etc/passwd", _LINK
    return written(entries)


@kind("no_file")
def link_for_a_folder(files: Files, _draw: Random) -> bytes:
    entries = [Entry(b"mine", b"/tmp", mode=_LINK), *entries_of(files)]
    return written(entries)


@kind("no_file")
def device(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    draw.choice(entries).mode = draw.choice([_DEVICE, _PIPE, _SOCKET, 0o060666])
    return written(entries)


@kind("unknown")
def two_folders(files: Files, _draw: Random) -> bytes:
    return written([*entries_of(files), *entries_of(files, "other/")])


@kind("no_root")
def folder_in_a_folder(files: Files, draw: Random) -> bytes:
    return written(entries_of(files, draw.choice(["a/b/", "home/me/models/mine/"])))


# What is packed oddly.


@kind("twice")
def twice(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    again = draw.choice(entries)
    return written([*entries, Entry(again.name, draw.choice([again.content, b"{}"]))])


@kind("password")
def password(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    for entry in draw.choice([entries, entries[:1], entries[-1:]]):
        entry.flags |= draw.choice([0x1, 0x41, 0x2001])
    return written(entries)


@kind("compression")
def another_compression(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    draw.choice(entries).method = draw.choice([1, 6, 9, 12, 14, 93, 95, 97, 99, 65535])
    return written(entries)


@kind("compression")
def packed_by_lzma_or_bzip2(files: Files, draw: Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", draw.choice([zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return buffer.getvalue()


@kind("damaged")
def wrong_sum(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    draw.choice(entries).claims["crc"] = draw.randrange(1, 2**32)
    return written(entries)


@kind("damaged", "no_zip")
def no_deflate(files: Files, draw: Random) -> bytes:
    entries = entries_of(files)
    entry = draw.choice(entries)
    entry.content, entry.method = draw.randbytes(500), 0
    whole = bytearray(written(entries))
    for sign, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):  # its content is stored; it says deflated
        start = -1
        while (start := whole.find(sign, start + 1)) >= 0:
            if entry.name in whole[start : start + 46 + len(entry.name)]:
                whole[start + place : start + place + 2] = b"\x08\0"
    return bytes(whole)


# What is no checkpoint.


@kind("pickle")
def pickle_beside(files: Files, draw: Random) -> bytes:
    ends = ["pytorch_model.bin", "model.pt", "model.PTH", "state.pkl", "x.ckpt", "weights.npz"]
    return written(entries_of(files | {draw.choice(ends): b"\x80\x04."}))


@kind("pickle")
def pickle_alone(_files: Files, draw: Random) -> bytes:
    return written(entries_of({draw.choice(["a/data.pkl", "model.pt"]): b"\x80\x04."}))


@kind("unknown")
def more_than_a_checkpoint(files: Files, draw: Random) -> bytes:
    name = draw.choice(
        ["setup.py", "page.html", "config.json.bak", "Model.safetensors", "snapshots/x.safetensors",
         "snapshots/1/2.safetensors", "other/model.safetensors", "snapshots/007.safetensors",
         "head_means.safetensors/x", ".htaccess", "sitecustomize.py"]
    )  # fmt: skip
    return written(entries_of(files | {name: b"x"}))


@kind("no_root")
def no_checkpoint(_files: Files, draw: Random) -> bytes:
    return written(entries_of(draw.choice([{}, {"photo.jpg": b"x"}, {"a/b/c.txt": b"x"}])))


@kind(ANY, "no_root")
def part_is_missing(files: Files, draw: Random) -> bytes:
    del files[draw.choice([CONFIG, WEIGHTS, TOKENIZER])]
    return written(entries_of(files))


@kind(ANY)
def odd_json(files: Files, draw: Random) -> bytes:
    name = draw.choice([CONFIG, TOKENIZER, "analysis.json", "gallery.json"])
    content = draw.choice(
        [b"", b"[]", b"null", b"[" * 500_000, b'{"a":' * 90_000, b"\xff\xfe", b"NaN", b'"x"', b"{"]
    )
    return written(entries_of(files | {name: content}))


@kind(ANY)
def odd_number_in_the_configuration(files: Files, draw: Random) -> bytes:
    values = json.loads(files[CONFIG])
    name = draw.choice(["vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_length"])
    values["architecture"][name] = draw.choice([0, -1, 10**9, 10**30, 1.5, "4", None, [], 1e308])
    return written(entries_of(files | {CONFIG: json.dumps(values).encode()}))


@kind(ANY)
def machine_for_a_giant(files: Files, draw: Random) -> bytes:
    values = json.loads(files[CONFIG])
    values["architecture"] |= draw.choice(
        [{"n_layers": 99}, {"n_heads": 66}, {"vocab_size": 900_000}, {"d_ff": 900_000},
         {"d_model": 660_000}, {"surprise" * 50_000: 1}]
    )  # fmt: skip
    return written(entries_of(files | {CONFIG: json.dumps(values).encode()}))


@kind(ANY)
def script_in_the_configuration(files: Files, draw: Random) -> bytes:
    values = json.loads(files[CONFIG])
    text = draw.choice(
        ["<script>alert(1)</script>", "![x](http://127.0.0.1:9/x)", "\u202e\0\x1b[2J"]
    )
    values["architecture"] = {text: 1}
    return written(entries_of(files | {CONFIG: json.dumps(values).encode()}))


@kind(ANY)
def weights_of_another_model(files: Files, draw: Random) -> bytes:
    tensors = load_tensors(files[WEIGHTS])
    name = draw.choice(sorted(tensors))
    match draw.choice(["missing", "shape", "kind", "nan", "more", "empty"]):
        case "missing":
            del tensors[name]
        case "shape":
            tensors[name] = np.zeros((3, 2), np.float16)
        case "kind":
            tensors[name] = tensors[name].astype(np.int64)
        case "nan":
            tensors[name] = np.full_like(tensors[name], np.nan)
        case "more":
            tensors["surprise"] = np.zeros(2, np.float16)
        case _:
            tensors[name] = np.zeros(0, np.float16)
    return written(entries_of(files | {WEIGHTS: save_tensors(tensors)}))


@kind(ANY)
def weights_with_an_odd_head(files: Files, draw: Random) -> bytes:
    head = draw.choice([b"\xff" * 8, struct.pack("<Q", 10**9), bytes(8), b""])
    content = draw.choice([head, head + b"{" * 3000, head + files[WEIGHTS][8:]])
    return written(entries_of(files | {WEIGHTS: content}))


@kind(ANY)
def weights_cut_off(files: Files, draw: Random) -> bytes:
    whole = files[WEIGHTS]
    return written(entries_of(files | {WEIGHTS: whole[: draw.randrange(len(whole))]}))


@kind(ANY)
def another_tokenizer(files: Files, draw: Random) -> bytes:
    values = json.loads(files[TOKENIZER])
    draw.choice(
        [
            lambda: values.update(normalizer=None),
            lambda: values.update(post_processor=None),
            lambda: values["model"].update(vocab={}),
            lambda: values["model"].update(merges=[["a", "b"]] * 1000),
            lambda: values["model"]["vocab"].update({"surprise": 10**6}),
            lambda: values.pop("model"),
        ]
    )()
    return written(entries_of(files | {TOKENIZER: json.dumps(values).encode()}))


@kind(ANY)
def torn_beside_the_model(files: Files, draw: Random) -> bytes:
    name = draw.choice(["history.jsonl", "snapshots/3.safetensors", "head_means.safetensors"])
    return written(entries_of(files | {name: b"[]\n" * 9 + draw.randbytes(50)}))


if __name__ == "__main__":
    for name, (_, faults) in KINDS.items():
        print(f"{name:35} {', '.join(fault or 'checkpoint' for fault in faults)}")
