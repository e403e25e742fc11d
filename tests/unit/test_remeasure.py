"""After a training, one command measures again all results that depend on the weights."""

import json
import shutil
from pathlib import Path

import pytest

from model import analyse, compare, evaluate, load, remeasure, train
from model.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from model.checkpoint.fingerprint import fingerprint_of
from model.corpora import corpus_options
from model.evaluation import robustness
from model.evaluation.comparison import read_comparison
from model.gallery.finding import GALLERY
from model.heads.analysis_file import read_analysis
from model.interventions.ablation import read_head_means
from model.translation_model import load_transformer
from tests.conftest import PAIRS, change_json, options
from tests.unit.test_analysis import HUMAN

pytestmark = pytest.mark.usefixtures("short_texts", "few_questions")
SIZES_OF = {"transformer": "--n-heads 2 --n-layers 1 --d-ff 32", "bahdanau": "--d-hidden 12"}


@pytest.fixture(scope="module")
def few_questions():
    with pytest.MonkeyPatch.context() as patch:
        for name in ("names_in_frames", "numbers_in_frames"):
            all_of_them = getattr(robustness, name)()
            patch.setattr(robustness, name, lambda asked=all_of_them: asked[::50])
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Train two models, and measure everything again."""
    root = tmp_path_factory.mktemp("checkpoints")
    for arch, sizes in SIZES_OF.items():
        assert train.main(options(root / arch, f"--arch {arch} {sizes} --steps 2")) == 0
    folders = [str(root / arch) for arch in SIZES_OF]
    assert remeasure.main(["--corpus", str(PAIRS), "--checkpoints", *folders]) == 0
    return root


@pytest.fixture
def output(capsys):
    """Return a function that runs the command, checks its status, and returns its messages."""

    def run(folders: list[Path], status: int, corpus: Path = PAIRS) -> str:
        words = ["--corpus", str(corpus), "--checkpoints", *map(str, folders)]
        assert remeasure.main(words) == status
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize("arch", SIZES_OF)
def test_scores_and_robustness_are_written_to_the_checkpoint_and_its_card(root, arch):
    training = load(root / arch).training
    card = (root / arch / "README.md").read_text(encoding="utf-8")
    assert training["scores"].keys() == {"test, greedy", "test, beam search"}
    robustness = training["robustness"]
    assert f"| numbers kept | {robustness['numbers']:.1f} % |" in card
    assert f"| BLEU, small letters | {robustness['bleu']['small letters']:.2f} |" in card
    assert f"| test, greedy | 1 | {training['scores']['test, greedy']['bleu']:.2f} |" in card
    assert ("## Heads" in card) == (arch == "transformer")


def test_heads_and_comparison_are_measured_with_the_new_weights(root, output):
    t = load_transformer(root / "transformer")
    assert None not in (read_analysis(t.folder), read_head_means(t))
    assert (t.folder / GALLERY).exists()
    assert read_comparison(root)["models"].keys() == SIZES_OF.keys()
    before = (root / "comparison.json").read_bytes()
    output([root / "bahdanau"], 0)  # a single model does not replace a comparison
    assert (root / "comparison.json").read_bytes() == before


def another_training(folder: Path, copy: Path, **changes: object) -> Path:
    """Copy a checkpoint and change facts about its training. None removes a fact."""
    shutil.copytree(folder, copy)
    values = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    facts = values["training"] | changes
    values["training"] = {name: value for name, value in facts.items() if value is not None}
    (copy / "config.json").write_text(json.dumps(values), encoding="utf-8")
    return copy


def test_what_cannot_be_measured_is_left_as_it_is(root, tmp_path, output):
    """A model of other languages or without facts about its training; a part that fails."""
    chinese = tmp_path / "chinese.tsv"
    lines = (f"There are {n} dogs in the garden.\t花园里有{n}只狗。\n" for n in range(200))
    chinese.write_text("".join(lines), encoding="utf-8")
    elsewhere = another_training(root / "bahdanau", tmp_path / "elsewhere", corpus=None)
    corpus = {"files": ["another.tsv"], "sha256": "0" * 64}
    other = another_training(root / "bahdanau", tmp_path / "other", corpus=corpus)
    both = [root / arch for arch in SIZES_OF]
    files = [path for top in (root, tmp_path) for path in top.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    messages = output(both, 1, chinese)
    assert "translates en-zh" in messages
    assert all(f"{folder} is left as it is: it translates en-fr" in messages for folder in both)
    assert f"{elsewhere} is left as it is" in output([elsewhere], 1)
    messages = output([other, root / "transformer"], 1)
    assert "another.tsv" in messages
    assert str(root / "transformer") not in messages
    assert {path: path.read_bytes() for path in before} == before


def test_links_of_people_go_to_the_model_they_were_made_with(root, tmp_path, monkeypatch, capsys):
    """The file names the fingerprint of one model, and several models may be measured."""
    fitting, other = root / "transformer", tmp_path / "further"
    shutil.copytree(fitting, other)
    model, tokenizer, training = load_checkpoint(fitting)
    model.get_parameter("encoder.blocks.0.self_attention.w_q.weight").data += 1
    save_checkpoint(other, model, tokenizer, training)
    human = tmp_path / "human.json"
    human.write_text(json.dumps(HUMAN | {"model": fingerprint_of(fitting)}), "utf-8")
    words = [*map(str, ("--corpus", PAIRS, "--human", human, "--checkpoints", fitting, other))]
    with pytest.raises(SystemExit):
        remeasure.main(words)
    assert "--alignments" in capsys.readouterr().err
    monkeypatch.setattr(remeasure, "_remeasure", remeasure._commands)
    commands = remeasure.main([*words, "--alignments", "a.tsv"])
    of_analyses = [words for command, words in commands if command is analyse]
    assert [words[-2] for words in of_analyses[::2]] == ["--human", "--alignments"]
    subcommands = [words[0] for words in of_analyses]
    assert subcommands == ["heads", "faithfulness"] * 2
    assert f"{other} goes without {human}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        (evaluate, "--checkpoint bahdanau --split test --simplified --save --corpus", "corpus"),
        (evaluate, "--checkpoint transformer --save --pairs", "--split test"),
        (compare, "--checkpoints bahdanau copy/bahdanau --split test --corpus", "bahdanau"),
    ],
)
def test_scores_that_would_mean_something_else_are_refused(
    command, words, message, root, tmp_path, monkeypatch, capsys
):
    copy = Path(shutil.copytree(root, tmp_path / "root"))
    shutil.copytree(root / "bahdanau", copy / "copy" / "bahdanau")
    monkeypatch.chdir(copy)
    assert command.main([*words.split(), str(PAIRS)]) == 1
    assert message in capsys.readouterr().err


def test_saving_scores_reads_the_corpus_once(root, tmp_path, monkeypatch):
    folder = shutil.copytree(root / "bahdanau", tmp_path / "bahdanau")
    read = corpus_options.read_corpora
    files_read = []

    def counted(files, *, simplified):
        files_read.append(files)
        return read(files, simplified=simplified)

    monkeypatch.setattr(corpus_options, "read_corpora", counted)
    words = ["--checkpoint", str(folder), "--split", "test", "--corpus", str(PAIRS), "--save"]
    assert evaluate.main(words) == 0
    assert files_read == [[[str(PAIRS)]]]


def test_a_readme_of_the_user_is_reported_before_anything_is_measured(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "README.md").write_text("My models")
    monkeypatch.setattr(remeasure, "_commands", None)  # any measurement would fail
    folders = [str(tmp_path / name) for name in ("first", "second")]
    assert remeasure.main(["--corpus", "pairs.tsv", "--checkpoints", *folders]) == 1
    assert "README.md was not written by a comparison" in capsys.readouterr().err


def test_results_that_others_wrote_meanwhile_are_kept(root, tmp_path, monkeypatch, capsys):
    folder = Path(shutil.copytree(root / "bahdanau", tmp_path / "b"))
    words = ["--checkpoint", str(folder), "--split", "test", "--corpus", str(PAIRS), "--save"]
    measure = evaluate.evaluate

    def meanwhile(change: dict[str, object]) -> None:
        def measured(*arguments, **keywords):
            result = measure(*arguments, **keywords)
            change_json(folder / "config.json", lambda v: v["training"].update(change))
            return result

        monkeypatch.setattr(evaluate, "evaluate", measured)

    other = load(folder).training["robustness"] | {"names": 12.5}
    meanwhile({"robustness": other})
    assert evaluate.main(words) == 0
    assert load(folder).training["robustness"] == other
    meanwhile({"steps": 3})
    assert evaluate.main(words) == 1
    assert "another model" in capsys.readouterr().err


def test_the_readme_beside_the_models_is_replaced_only_by_a_comparison(root, tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text("# My project\n", encoding="utf-8")
    folders = [shutil.copytree(root / arch, tmp_path / arch) for arch in SIZES_OF]
    monkeypatch.setattr(remeasure, "_commands", lambda _: [])
    command = ["--corpus", str(PAIRS), "--checkpoints"]
    assert remeasure.main([*command, str(folders[0])]) == 0
    assert remeasure.main([*command, *map(str, folders)]) == 1
