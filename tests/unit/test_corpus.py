"""What people really have as a corpus, what is counted of it, and that its split does not leak."""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import random
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from model.data.corpus import MAX_CHARACTERS, Pair, normalise, read_corpus, split_corpus
from model.data.references import read_references
from model.heads.alignment_error_rate import read_alignments

PAIRS = [("Go.", "Va !"), ("Hi.", "Salut !"), ("Be brave.", "Sois brave.")]
TWO_COLUMNS = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
THREE_COLUMNS = "".join(f"{source}\t{target}\tCC-BY 2.0\n" for source, target in PAIRS)


def make_zip(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


@pytest.mark.parametrize("text", [TWO_COLUMNS, THREE_COLUMNS])
def test_zip_of_manythings(tmp_path: Path, text: str) -> None:
    path = make_zip(tmp_path / "fra-eng.zip", fra__txt=text, _about__txt="terms\tof use")
    corpus = read_corpus(path)
    assert corpus.pairs == PAIRS
    assert not corpus.dropped
    assert corpus.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert str(corpus) == "3 pairs"


@pytest.mark.parametrize("text", [TWO_COLUMNS, THREE_COLUMNS])
@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.txt", "pairs.tsv.gz"])
def test_file_of_pairs(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert read_corpus(path).pairs == PAIRS


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_parallel_files_of_unequal_length(tmp_path: Path, ending: str) -> None:
    sources, targets = tmp_path / f"train.en{ending}", tmp_path / f"train.fr{ending}"
    for path, lines in ((sources, ["Go.", "Hi.", "Who?"]), (targets, ["Va !", "Salut !"])):
        content = "\n".join(lines).encode()
        path.write_bytes(gzip.compress(content) if ending else content)
    corpus = read_corpus(sources, targets)
    assert corpus.pairs == PAIRS[:2]
    assert corpus.dropped == {"without a partner": 1}
    both = sources.read_bytes() + targets.read_bytes()
    assert corpus.sha256 == hashlib.sha256(both).hexdigest()


def test_a_tab_in_parallel_files_is_part_of_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ttwo\n")
    (tmp_path / "b").write_bytes(b"un\tdeux\n")
    assert read_corpus(tmp_path / "a", tmp_path / "b").pairs == [("one two", "un deux")]


def test_own_pairs_are_read_to_the_last(pairs: list[Pair]) -> None:
    corpus = read_corpus(Path(__file__).parents[1] / "data" / "pairs.tsv")
    assert corpus.pairs == pairs
    assert not corpus.dropped
    assert len({source for source, _ in pairs}) < len(pairs)  # some have several translations


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + TWO_COLUMNS.replace("\n", "\r\n").encode())
    assert read_corpus(path).pairs == PAIRS


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("e\u0301te\u0301", "été"),  # decomposed -> NFC
        ("Ça va\u202f?", "Ça va ?"),  # narrow no-break space
        ("Oui\u00a0!", "Oui !"),  # no-break space
        ("a\u2009b \t c", "a b c"),  # thin space, and runs of white space
        ("  J\u2019ai faim. ", "J'ai faim."),  # curly apostrophe, outer spaces
    ],
)
def test_typography_is_made_plain(typed: str, plain: str) -> None:
    assert normalise(typed) == plain


@pytest.mark.parametrize("shorter", [0, 1])
def test_either_of_two_files_may_end_first(shorter: int, tmp_path: Path) -> None:
    files = [tmp_path / "train.en", tmp_path / "train.fr"]
    for n, path in enumerate(files):
        path.write_text("a\nb\n" if n == shorter else "a\nb\nc\nd\n")
    corpus = read_corpus(*files)
    assert corpus.pairs == [("a", "a"), ("b", "b")]
    assert corpus.dropped == {"without a partner": 2}


@pytest.mark.parametrize("side", [0, 1])
def test_either_side_makes_a_line_over_long_or_undecodable(side: int, tmp_path: Path) -> None:
    """Spaces that become one count as bytes; a zero byte is no text, however late it comes."""
    path = tmp_path / "pairs.tsv"
    good = [b"x" * 700, b"y" * 700]
    lines = [good]
    for column in (b"a" + b" " * 99_999, b"a" + b" " * 100_000, b"a\0b", b"\xff"):
        lines.append([column if n == side else b"x" for n in range(2)])
    path.write_bytes(b"\n".join(b"\t".join(columns) for columns in lines))
    corpus = read_corpus(path)
    assert len(corpus.pairs) == 2
    assert corpus.pairs[1][side] == "a"
    assert corpus.dropped == {"over-long": 1, "undecodable": 2}


def test_every_line_is_a_pair_or_counted(tmp_path: Path) -> None:
    longest = "a" * MAX_CHARACTERS
    lines = [
        b"Go.\tVa !",
        b"Go.\tVa\xe2\x80\xaf!",  # the same once its space is plain
        b"Go.\tPars !",
        b"caf\xe9\tcaf\xe9",  # Latin-1
        b"no tab",
        b"",
        b"\tVa !",
        b"Go.\t  ",
        f"{longest}a\tx".encode(),
        f"x\t{longest}a".encode(),
        f"{longest}\t{longest}".encode(),
    ]
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"\n".join(lines))
    corpus = read_corpus(path)
    assert corpus.pairs == [("Go.", "Va !"), ("Go.", "Pars !"), (longest, longest)]
    assert corpus.dropped == {
        "repeated": 1,
        "undecodable": 1,
        "without a partner": 2,
        "empty": 2,
        "over-long": 2,
    }
    assert len(corpus.pairs) + corpus.dropped.total() == len(lines)
    assert str(corpus) == (
        "3 pairs; lines left out: 2 empty, 2 over-long, 1 repeated, 1 undecodable, "
        "2 without a partner"
    )


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot read the corpus .*nowhere\.tsv: .*No such file"):
        read_corpus(tmp_path / "nowhere.tsv")


def test_no_line_and_no_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    for content in (b"", b"\n\n", b"only one column\n"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"no sentence pair in .*source TAB target"):
            read_corpus(path)


def test_wrong_number_of_files() -> None:
    for paths in ((), ("a", "b", "c")):
        with pytest.raises(ValueError, match=f"one file of pairs or two .* not {len(paths)}"):
            read_corpus(*paths)


def incompressible() -> str:
    """Pairs that stay large when compressed, so that damage hits the data."""
    numbers = random.Random(0)
    return "".join(f"{numbers.random()}\t{numbers.random()}\n" for _ in range(500))


def test_truncated_and_damaged_zip(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "fra-eng.zip", fra__txt=incompressible())
    whole = path.read_bytes()
    assert len(read_corpus(path).pairs) == 500
    first = 30 + len("fra.txt")  # of the compressed bytes: 0xff is no kind of block
    damaged = whole[:first] + b"\xff" + whole[first + 1 :]
    for content in (whole[: len(whole) // 2], damaged, b""):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"cannot read the corpus .*fra-eng\.zip"):
            read_corpus(path)


def test_truncated_and_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    whole = gzip.compress(incompressible().encode())
    damaged = whole[:10] + b"\xff" + whole[11:]  # after the header: 0xff is no kind of block
    for content in (whole[: len(whole) // 2], damaged):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"cannot read the corpus .*pairs\.tsv\.gz"):
            read_corpus(path)


@pytest.mark.parametrize("members", [{}, {"a__txt": "x\ty", "b__txt": "x\ty"}])
def test_zip_with_no_or_two_corpora(tmp_path: Path, members: dict[str, str]) -> None:
    path = make_zip(tmp_path / "x.zip", **members)
    with pytest.raises(ValueError, match=r"one \.txt or \.tsv expected inside"):
        read_corpus(path)


def generated(n_sources: int) -> list[Pair]:
    """Sources with one to three translations; some targets shared by several sources."""
    pairs = []
    for n in range(n_sources):
        pairs += [(f"Source {n}.", f"Cible {n}, forme {form}.") for form in range(1 + n % 3)]
        if n % 5 == 0:  # the same answer in another case, for a hundred sources each
            shared = f"Commun {n % 1000}."
            pairs.append((f"Source {n}.", shared.upper() if n % 2 else shared))
    return pairs


def test_split_counts_sources_and_loses_nothing() -> None:
    pairs = generated(20_000)
    split = split_corpus(pairs)
    # binomial: n = 20,000, five standard deviations either way (one run in a million)
    for held_out, share in ((split.test, 0.02), (split.dev, 0.01)):
        deviation = math.sqrt(20_000 * share * (1 - share))
        assert abs(len(held_out) - 20_000 * share) < 5 * deviation
    held = [(s, t) for side in (split.dev, split.test) for s in side for t in side[s]]
    assert len(split.train) + len(held) + split.leaking == len(pairs)
    assert set(split.train) | set(held) <= set(pairs)


def test_all_translations_of_a_source_are_on_one_side() -> None:
    pairs = generated(5_000)
    split = split_corpus(pairs)
    train = {source for source, _ in split.train}
    assert not train & split.dev.keys()
    assert not train & split.test.keys()
    assert not split.dev.keys() & split.test.keys()
    for side in (split.dev, split.test):
        for source, targets in side.items():
            assert targets == [t for s, t in pairs if s == source]


def test_case_and_typography_do_not_tear_a_source_apart() -> None:
    split = split_corpus(generated(3_000))
    spelled = {source.upper().replace(" ", "\u202f"): ["x"] for source in split.test}
    again = split_corpus([(source, "x") for source in spelled])
    assert again.test == spelled
    assert split.test


def test_no_held_out_answer_in_train() -> None:
    pairs = generated(20_000)
    split = split_corpus(pairs)
    answers = {t.casefold() for side in (split.dev, split.test) for ts in side.values() for t in ts}
    assert not answers & {target.casefold() for _, target in split.train}
    assert split.leaking > 100  # the shared targets made sure that there was something to keep out


def test_split_is_the_same_in_any_order() -> None:
    pairs = generated(3_000)
    shuffled = random.Random(0).sample(pairs, len(pairs))
    split, other = split_corpus(pairs), split_corpus(shuffled)
    assert sorted(split.train) == sorted(other.train)
    for side, other_side in ((split.dev, other.dev), (split.test, other.test)):
        assert {s: sorted(t) for s, t in side.items()} == {
            s: sorted(t) for s, t in other_side.items()
        }


def test_split_is_by_hash_alone() -> None:
    """SHA-256 of the lower-case source, first 8 bytes as a fraction: < 2 % test, < 3 % dev."""
    pairs = [(f"Source {n}.", f"{n}") for n in range(2_000)]
    split = split_corpus(pairs)
    for source, _ in pairs:
        digest = hashlib.sha256(source.lower().encode()).hexdigest()
        fraction = int(digest[:16], 16) / 16**16
        assert (source in split.test) == (fraction < 0.02)
        assert (source in split.dev) == (0.02 <= fraction < 0.03)


def test_a_zip_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.data.corpus.LARGEST", 1_000_000)
    bomb = make_zip(tmp_path / "bomb.zip", fra__txt="a\tb\n" * 10**6)
    assert bomb.stat().st_size < 20_000
    packed = tmp_path / "bomb.tsv.gz"
    packed.write_bytes(gzip.compress(b"a\tb\n" * 10**6))
    for path in (bomb, packed):
        with pytest.raises(ValueError, match=r"cannot read the corpus .*unpacks to more than 1 MB"):
            read_corpus(path)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("model.data.corpus.LARGEST", 1_000_000)
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\tb\n" * 250_001)
    with pytest.raises(ValueError, match=r"cannot read the corpus .*larger than 1 MB"):
        read_corpus(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_that_is_not_utf_8_says_so(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes("Go.\tVa !\n".encode(encoding))
    with pytest.raises(ValueError, match=r"no UTF-8 text .*save it as UTF-8"):
        read_corpus(path)


@pytest.mark.parametrize(("mark", "order"), [(b"\xff\xfe", "le"), (b"\xfe\xff", "be")])
def test_the_mark_of_utf_16_is_enough(mark: bytes, order: str, tmp_path: Path) -> None:
    """Chinese has no zero byte that would give it away."""
    path = tmp_path / "pairs.tsv"
    path.write_bytes(mark + ("中" * 600 + "\t文\n").encode(f"utf-16-{order}"))
    with pytest.raises(ValueError, match=r"no UTF-8 text .*save it as UTF-8"):
        read_corpus(path)


def test_an_endless_line_is_over_long_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"Go.\tVa !\n" + b"x\t" + b"y" * 20_000_000 + b"\nStop.\tArr\xc3\xaate.\n")
    tracemalloc.start()
    corpus = read_corpus(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.pairs == [("Go.", "Va !"), ("Stop.", "Arrête.")]
    assert corpus.dropped == {"over-long": 1}
    assert peak < 3 * 20_000_000, "the file, and no copies of its line"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe.tsv", tmp_path / "folder.tsv"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (pipe, folder, Path("/dev/zero")):
        with pytest.raises(ValueError, match="cannot read the corpus"):
            read_corpus(path)
    with pytest.raises(ValueError, match="cannot read"):
        read_references(pipe)
    with pytest.raises(ValueError, match="cannot read the alignments"):
        read_alignments(pipe)
