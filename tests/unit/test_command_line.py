"""What all commands share: errors as one sentence, and checks before long work."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import common_words, doubt, human_alignments, quality, statistical_aligner
from benchmarks.typed import __main__ as typed
from model import (
    analyse,
    average,
    compare,
    evaluate,
    find_examples,
    remeasure,
    store_corpus,
    train,
    translate,
)
from model.command_line import as_recorded, exit_status, new_parser
from model.files import replacing
from model.heads import syntax
from model.one_file import __main__ as one_file

ROOT = Path(__file__).parents[2]


def raises(error: BaseException):
    """Return a command that raises an error."""

    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (ValueError("give a number"), 1, "sing: give a number\n"),
        (FileNotFoundError(2, "No such file", "x"), 1, "sing: [Errno 2] No such file: 'x'\n"),
        (KeyboardInterrupt(), 130, "\nsing: stopped\n"),
        (MemoryError(), 1, "sing: this machine has not enough memory for it: "),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 1, "sing: this machine has "),
        (RuntimeError("CUDA out of memory."), 1, "sing: this machine has not enough memory"),
    ],
)
def test_an_error_is_one_sentence(error, status, sentence, capsys):
    assert exit_status("sing", raises(error)) == status
    out, written = capsys.readouterr()
    assert out == ""
    assert written.startswith(sentence)
    assert written.endswith("\n")
    assert len(written.strip().splitlines()) == 1


def test_an_unexpected_error_keeps_its_traceback():
    with pytest.raises(RuntimeError, match="a bug"):
        exit_status("sing", raises(RuntimeError("a bug")))


def test_a_command_without_a_status_succeeds():
    assert exit_status("sing", lambda: None) == 0
    assert exit_status("sing", lambda: 3) == 3


def test_messages_for_a_closed_standard_error_do_not_go_to_the_results(monkeypatch, capsys):
    def command() -> None:
        print("a result")
        print("a warning", file=sys.stderr)
        raise ValueError("an error")

    monkeypatch.setattr(sys, "stderr", None)
    assert exit_status("sing", command) == 1
    sys.stderr.close()
    assert capsys.readouterr().out == "a result\n"


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (average, "--checkpoint, --first, --out"),
        (compare, "--checkpoints"),
        (evaluate, "--checkpoint"),
        (find_examples, "--checkpoint"),
        (one_file, "--checkpoint, --out"),
        (remeasure, "--checkpoints, --corpus"),
        (store_corpus, "--corpus, --out"),
        (syntax, "--checkpoint"),
        (train, "--corpus, --out, --steps"),
        (translate, "--checkpoint"),
        (common_words, "--corpus"),
        (doubt, "--checkpoint"),
        (human_alignments, "--checkpoint, --text, --gold"),
        (quality, "--multi30k"),
        (statistical_aligner, "--corpus, --tokenizer"),
        (typed, "--checkpoint"),
    ],
)
def test_a_command_names_the_options_that_are_missing(command, options, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["command"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    told = capsys.readouterr().err
    assert told.endswith(f"error: the following arguments are required: {options}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "the following arguments are required: SUBCOMMAND"),
        ("heads", "the following arguments are required: --checkpoint"),
        ("means", "the following arguments are required: --checkpoint"),
        ("alignments", "the following arguments are required: --checkpoint, --alignments"),
        ("faithfulness", "the following arguments are required: --checkpoint"),
        ("heads --checkpoint x", "one of the arguments --pairs --split is required"),
    ],
)
def test_each_analysis_names_the_options_that_are_missing(words, sentence, capsys):
    with pytest.raises(SystemExit, match="2"):
        analyse.main(words.split())
    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")


def test_an_error_of_a_benchmark_does_not_go_to_its_results(tmp_path, monkeypatch, capsys):
    nowhere = str(tmp_path / "nowhere")
    monkeypatch.setattr(sys, "stderr", None)
    words = ["--checkpoint", nowhere, "--text", nowhere, "--gold", nowhere]
    assert human_alignments.main(words) == 1
    sys.stderr.close()
    assert capsys.readouterr().out == ""


def test_a_recorded_file_name_is_not_read_as_an_option():
    parser = new_parser("sing", None)
    parser.add_argument("--notes", metavar="FILE")
    options = parser.parse_args(["--notes=-notes.txt"])
    assert as_recorded(options) == "python -m model.sing --notes ./-notes.txt"


MANY_LINES = """
import sys
from model.command_line import exit_status
def command():
    for n in range(100_000):
        print(n)
sys.exit(exit_status("sing", command))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no head")
def test_a_command_ends_quietly_if_nobody_reads_its_output_any_more():
    pipe = 'set -o pipefail; "$0" -c "$1" | head -n 1'
    done = subprocess.run(
        ["bash", "-c", pipe, sys.executable, MANY_LINES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("0\n", "", 0)


STOPPED_WHILE_IT_IMPORTS = """
import runpy, signal, sys
class CarelessLibrary:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            try:
                signal.raise_signal(signal.SIGINT)
            except BaseException:
                pass
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, CarelessLibrary())
sys.argv[0] = "-m"
runpy.run_module("model.translate", run_name="__main__", alter_sys=True)
"""

STOPPED_AFTER_ITS_IMPORTS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "-m"
from model.command_line import exit_status
def command():
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        print("cleaned up")
sys.exit(exit_status("sing", command))
"""


@pytest.mark.parametrize(
    ("program", "output", "sentence"),
    [
        (STOPPED_WHILE_IT_IMPORTS, "", "\nstopped\n"),
        (STOPPED_AFTER_ITS_IMPORTS, "cleaned up\n", "\nsing: stopped\n"),
    ],
    ids=["stopped during imports", "stopped after imports"],
)
def test_a_stopped_command_ends_with_one_line(program: str, output: str, sentence: str):
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (output, sentence, 130)


@pytest.mark.parametrize(
    ("name", "handler"), [("program", "default_int_handler"), ("-m", "SIG_IGN")]
)
def test_a_program_that_imports_the_library_keeps_its_own_handler_of_ctrl_c(
    name: str, handler: str
):
    program = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.{handler})
sys.argv[0] = "{name}"
import model
print(signal.getsignal(signal.SIGINT) is signal.{handler})
print(sys.excepthook is sys.__excepthook__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"True\n{name != '-m'}\n"


@pytest.mark.parametrize("name", [".", "/dev/null"])
def test_a_page_cannot_be_written_to_a_folder_or_a_device(name, tiny_checkpoint: Path, capsys):
    assert one_file.main(["--checkpoint", str(tiny_checkpoint), "--out", name]) == 1
    sentence = f"{name} exists and is not a file: choose a different name"
    assert sentence in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_reported_first(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    def read_only(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(replacing.tempfile, "TemporaryFile", read_only)
    pairs = str(ROOT / "tests" / "data" / "pairs.tsv")
    folder = str(tiny_checkpoint)
    commands = [
        (find_examples, ["--checkpoint", folder]),
        (analyse, ["means", "--checkpoint", folder, "--pairs", pairs]),
        (analyse, ["faithfulness", "--checkpoint", folder, "--pairs", pairs]),
        (evaluate, ["--checkpoint", folder, "--corpus", pairs, "--split", "test", "--save"]),
        (compare, ["--checkpoints", folder, "--pairs", pairs]),
        (remeasure, ["--checkpoints", folder, "--corpus", pairs]),
        (one_file, ["--checkpoint", folder, "--out", str(tmp_path / "x" / "y.html")]),
        (average, ["--checkpoint", folder, "--first", folder, "--out", str(tmp_path / "x")]),
        (store_corpus, ["--corpus", pairs, "--out", str(tmp_path / "x")]),
        (train, ["--corpus", pairs, "--steps", "1", "--out", str(tmp_path / "x")]),
    ]
    for command, arguments in commands:
        assert command.main(arguments) == 1, command.__name__
        assert "cannot write to" in capsys.readouterr().err, command.__name__
    assert list(tmp_path.iterdir()) == []
