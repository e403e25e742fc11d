"""``docs/models.md`` is followed with random models, without a network.

The test differs from a reader in two points. A fake Hub on this machine offers random models of the
same architectures. And nothing is installed: the test only compares the requirements files in the
``pip`` commands with those of the project. The commands run in the process of the test, because
each new process would need five seconds to import the library transformers.
"""

import doctest
import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from model import TranslationModel, load
from model.hub import download
from tests.docs.follow import COMMANDS, DOCS, ROOT, Block, blocks_of, fits, with_results
from tests.hub_models import T5_TASKS, save_folder
from tests.hub_server import Hub, serve

DOCUMENT = (DOCS / "models.md").read_text("utf-8")
DOWNLOADED = "Helsinki-NLP/opus-mt-en-fr"
NLLB = "checkpoints/nllb-200-distilled-600M"
OF_OPUS_MT = {
    "d_model": 16,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 8,
    "decoder_attention_heads": 8,
}
_CHOICE = re.compile(r"^\| (.+?) \| .+? \| `(t\.with_.+?)` \|", re.MULTILINE)
# Models of the table about languages and prefixes -> kind of the random model that replaces them
KIND_OF_ROW = {
    "M2M100, NLLB, mBART": "nllb",
    "MarianMT for several targets": "marian, several targets",
    "T5, mT5": "t5",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return, for each folder that the document opens, a folder with a random model."""
    root = tmp_path_factory.mktemp("hub")
    save_folder("marian", root / "opus-mt-en-fr", **OF_OPUS_MT)
    save_folder("nllb", root / NLLB)
    return root


@pytest.fixture
def _hub(folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start a server with one model, and a folder that has the other model already."""
    files = {path.name: path.read_bytes() for path in (folders / "opus-mt-en-fr").iterdir()}
    (tmp_path / NLLB).parent.mkdir()
    (tmp_path / NLLB).symlink_to(folders / NLLB)
    monkeypatch.chdir(tmp_path)
    with serve(Hub(DOWNLOADED, files), monkeypatch, tmp_path):
        yield


def run(command: str) -> None:
    """Do what a command of the document does; AssertionError if this is not possible."""
    words = shlex.split(command)
    if words[:2] == ["pip", "install"]:
        options, files = words[2::2], words[3::2]
        assert options == ["-r", "-c"], f"nobody has tried {command}"
        assert all((ROOT / name).is_file() for name in files), f"a file is missing: {command}"
        return
    assert words[:2] == ["python", "-m"], f"nobody has tried {command}"
    main: Callable[[list[str]], int] = import_module(words[2]).main
    assert main(words[3:]) == 0, f"{command} fails"


def try_examples(block: Block, values: dict[str, object]) -> None:
    """Run the examples of a block, and compare their values.

    Args:
        block: block of the document.
        values: names that earlier blocks have defined; new names are added.
    """
    parser = doctest.DocTestParser()
    test = parser.get_doctest(block.text, values, "models.md", "models.md", block.line)
    test.globs = values
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    messages: list[str] = []
    runner.run(test, out=messages.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(messages)


@pytest.mark.usefixtures("_hub")
def test_the_document_can_be_followed(capsys: pytest.CaptureFixture[str]) -> None:
    values: dict[str, object] = {}
    for block, expected in with_results(blocks_of(DOCUMENT)):
        if block.language in COMMANDS:
            for command in block.text.splitlines():
                run(command)
            printed = capsys.readouterr().out.replace(download.ENDPOINT, "https://huggingface.co")
            assert expected is None or fits(expected, printed), f"it prints\n{printed}"
        else:
            assert block.language == "pycon", f"line {block.line}: nobody could follow this block"
            try_examples(block, values)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("python -m model.downlaod Helsinki-NLP/opus-mt-en-fr", ModuleNotFoundError),
        ("python -m model.download --revison main Helsinki-NLP/opus-mt-en-fr", SystemExit),
        ("python -m model.translate --checkpoint checkpoints/opus-mt-fr-en text", AssertionError),
        ("pip install -r requirements-hubs.txt -c constraints.txt", AssertionError),
        ("pip instal -r requirements-hub.txt -c constraints.txt", AssertionError),
        ("make ap", AssertionError),
    ],
)
@pytest.mark.usefixtures("_hub")
def test_a_misspelled_command_is_noticed(command: str, error: type[BaseException]) -> None:
    with pytest.raises(error):
        run(command)


def test_every_row_of_the_table_is_tested() -> None:
    assert [models for models, _ in _CHOICE.findall(DOCUMENT)] == [*KIND_OF_ROW]


@pytest.mark.parametrize(("models", "expression"), _CHOICE.findall(DOCUMENT))
def test_a_choice_of_the_table_changes_the_model(
    models: str, expression: str, tmp_path: Path
) -> None:
    kind = KIND_OF_ROW[models]
    options = {"task_specific_params": T5_TASKS} if kind == "t5" else {}
    t = load(save_folder(kind, tmp_path / "folder", **options))
    changed = eval(expression, {"t": t})
    assert isinstance(changed, TranslationModel)
    assert changed.languages == ("en", "de")
    assert t.languages == ("en", "fr")
