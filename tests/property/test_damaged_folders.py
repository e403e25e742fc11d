"""With any damage in a checkpoint folder, each reader works or says in a sentence why not."""

import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from model import CheckpointError, InputError, list_checkpoints, load
from model.alignment.gold import read_alignments
from model.checkpoint.checkpoint import read_arch, read_history
from model.checkpoint.snapshots import list_snapshots, load_snapshot
from model.evaluation.comparison import compare, read_comparison, save_comparison
from model.gallery.checks import Scene
from model.gallery.example import Example
from model.gallery.finding import read_gallery, save_gallery
from model.gallery.phenomena import PHENOMENA, check
from model.heads.analysis import analyse
from model.heads.analysis_file import read_analysis, save_analysis
from model.heads.kinds import best_awi_head
from model.heads.syntax import marked_sentences, syntax
from model.interventions.ablation import head_means, read_head_means, save_head_means
from model.train import main
from model.training.runs import changed_settings, list_runs, read_run
from model.training.saved_state import STATE, read_state
from model.translation_model import load_transformer
from tests.conftest import change_json, options
from tests.hostile_folders import copies
from ui.heads.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("short_texts")

TRUNCATION = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
PADDING = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None}
PADDING |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}
REFERENCES = {"I see a cat.": ["Je vois un chat."], "Hello.": ["Bonjour."]}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Make a trained checkpoint with every file that its folder and the parent folder can have."""
    folder = tmp_path_factory.mktemp("sound") / "root" / "sound"
    sizes = "--n-layers 2 --max-length 40"
    course = "--steps 4 --eval-every 2 --save-every 2 --snapshots 3"
    assert main(options(folder, f"{sizes} {course}")) == 0
    t = load_transformer(folder)
    links = folder.parent / "links.tsv"
    links.write_text("I see.\tJe vois.\t0-0 1-1 2-2\t\n", "utf-8")
    analysis = analyse(t, REFERENCES, alignments=read_alignments(links))
    save_analysis(folder, replace(analysis, syntax=syntax(t, marked_sentences("en")[:2])))
    save_head_means(t, head_means([t.trace("I see a cat.")]))
    words_of = {"links": (("a", "cat"), ("cat", "a")), "changes": ("a", "b"), "name": "cat"}
    example = {"sentence": "I see a cat.", "second": "I see.", **words_of, "layer": 1, "head": 2}
    where = {name: p.attentions[0] for name, p in PHENOMENA.items()}
    save_gallery(t, [Example(phenomenon=n, attention=a, **example) for n, a in where.items()])
    compared = compare([t], REFERENCES, n_drawn=2)
    save_comparison(folder, compared | {"date": "", "command": "", "sentences": 2})
    return folder


def looked_at(folder: Path) -> None:
    """Load the model, and trace a sentence."""
    trace = load_transformer(folder).trace("I see a cat.")
    assert np.isfinite(trace.log_probs).all()


def shown_run(folder: Path) -> None:
    """Read what the page Learning shows about the training."""
    run = read_run(folder)
    changed_settings(run.settings_history)
    assert run.seems_running(run.last_change) in (True, False)
    assert run.steps is None or run.steps >= 0


def shown_heads(folder: Path) -> None:
    analysis = read_analysis(folder)
    if analysis:
        assert len(catalogue(analysis)) == 12
    best_awi_head(analysis)


def shown_snapshots(folder: Path) -> None:
    t = load_transformer(folder)
    read_head_means(t)
    for step in list_snapshots(folder):
        load_snapshot(t.folder, t.config, step)


def shown_gallery(folder: Path) -> None:
    t = load_transformer(folder)
    for example in read_gallery(t):
        check(Scene(t, example), example.head_index)


READERS = (looked_at, read_arch, read_history, read_comparison, shown_run, shown_heads)
READERS += (shown_snapshots, shown_gallery, lambda folder: read_state(folder / STATE))


@pytest.mark.slow
def test_each_reader_works_or_says_what_is_wrong(sound, tmp_path):
    seed, n, refused = random.randrange(10**6), 600, 0
    for folder, done in copies(sound, tmp_path / "damaged", n, seed):
        assert set(list_checkpoints(tmp_path)) <= {"damaged"}
        assert set(list_runs(tmp_path)) <= {"damaged"}
        for reader in READERS:
            try:
                reader(folder)
            except CheckpointError:
                refused += 1
            except InputError:
                pass  # the model wrote until the limit
            except BaseException as error:
                pytest.fail(f"seed {seed}: {done}: {reader}: {error!r}")
    assert refused > n / 2, "hardly anything was damaged"


def test_all_readers_accept_an_undamaged_folder(sound):
    assert [reader(sound) for reader in READERS]
    t = load_transformer(sound)
    assert None not in (read_analysis(sound), read_head_means(t), read_comparison(sound))
    assert [e.phenomenon for e in read_gallery(t)] == list(PHENOMENA)


def changed(sound: Path, to: Path, name: str, change) -> Path:
    folder = Path(shutil.copytree(sound, to))
    change_json(folder / name, change)
    return folder


@pytest.mark.parametrize(
    ("key", "value"),
    [("n_layers", 10**9), ("n_layers", 90), ("max_length", 10**9), ("d_ff", 10**6)],
)
def test_no_memory_is_allocated_for_sizes_without_matching_weights(
    key, value, sound, tmp_path, monkeypatch
):
    made = "model.checkpoint.weights_file.new_model"
    monkeypatch.setattr(made, lambda _: pytest.fail("it was made"))
    change = lambda v: v["architecture"].update({key: value})  # noqa: E731
    folder = changed(sound, tmp_path / "x", "config.json", change)
    with pytest.raises(CheckpointError, match="config"):
        load(folder)


def swap(values: dict) -> None:
    vocab = values["model"]["vocab"]
    a, b = sorted(vocab, key=vocab.__getitem__)[-2:]
    vocab[a], vocab[b] = vocab[b], vocab[a]


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.update(truncation=TRUNCATION),
        lambda v: v.update(padding=PADDING),
        lambda v: v.update(post_processor=None),
        lambda v: v.update(normalizer=None),
        lambda v: v["model"].update(dropout=0.5),
        swap,
    ],
)
def test_a_tokenizer_that_would_silently_translate_wrongly_is_refused(change, sound, tmp_path):
    folder = changed(sound, tmp_path / "x", "tokenizer.json", change)
    with pytest.raises(CheckpointError, match="tokenizer"):
        load(folder)


def test_an_analysis_without_a_model_or_of_another_model_is_not_used(
    sound, tiny_checkpoint, tmp_path
):
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "other"))
    shutil.copy(sound / "analysis.json", folder)
    assert read_analysis(folder) is None
    unmarked = changed(sound, tmp_path / "x", "analysis.json", lambda v: v.pop("model"))
    assert read_analysis(unmarked) is None


@pytest.mark.skipif(os.name != "posix", reason="names are text here")
def test_a_name_that_is_not_a_text_is_refused(sound, tmp_path):
    shutil.copytree(sound, tmp_path / "good")
    shutil.copytree(sound, os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert list_checkpoints(tmp_path) == list_runs(tmp_path) == ["good"]
