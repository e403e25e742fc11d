"""Functions that all commands share: read options, report errors, and record the command."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from model.files.path_argument import path_argument
from model.stopped_import import raise_interrupts_again

# Metavar of a path option -> the folder before the file's name when the command is recorded.
_RECORDED_FOLDERS: Mapping[object, str] = {"FILE": "", "FOLDER": "checkpoints/"}


def new_parser(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return an argument parser for one command of the package.

    The parsed options have the parser as ``options.parser``, so that they can be recorded.

    Args:
        command: the module below ``model``.
        description: what ``--help`` shows, line by line.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m model.{command}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser)
    return parser


def run(
    parser: argparse.ArgumentParser,
    command: Callable[[argparse.Namespace], int | None],
    arguments: Sequence[str] | None,
) -> int:
    """Parse the arguments and run a command.

    Args:
        parser: the command's.
        command: gets the parsed options; returns the exit status, None for 0.
        arguments: None for those of the command line.

    Returns:
        The exit status, as ``exit_status`` returns it.
    """
    options = parser.parse_args(arguments)
    return exit_status(parser.prog, lambda: command(options))


def exit_status(name: str, command: Callable[[], int | None]) -> int:
    """Run a command; report an expected error as one sentence on standard error.

    Args:
        name: of the command, with which the sentence begins.
        command: returns the exit status, None for 0.

    Returns:
        That of the command; 1 after an OSError, a ValueError or without enough memory; 130 after
        Ctrl-C; 0 if the program that reads the output has seen enough, as ``head`` does.
    """
    if sys.stderr is None:  # closed by `2>&-`; print would write messages into the results
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends
    try:
        raise_interrupts_again()
        status = command() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        # At exit, Python flushes standard output again, which would report the error a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as interrupt:
        explanation = f"; {interrupt}" if str(interrupt) else ""
        print(f"\n{name}: stopped{explanation}", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not _is_lack_of_memory(error):
            raise
        print(
            f"{name}: this machine has not enough memory for it: close other programs, or ask for "
            "less at once",
            file=sys.stderr,
        )
        return 1


def _is_lack_of_memory(error: Exception) -> bool:
    """Return whether an error means lack of memory. PyTorch has no error type for this on a CPU."""
    return isinstance(error, MemoryError) or any(
        words in str(error) for words in ("can't allocate memory", "out of memory")
    )


def as_recorded(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """Return the command that ran with all its settings, because a default may change later.

    Paths are shortened, because the folders of one machine mean nothing on another. An option with
    the metavar FILE is recorded with the name of the file, one with FOLDER as ``checkpoints/NAME``.

    Args:
        options: parsed by a parser of ``new_parser``.
        leave_out: options that do not change what the command makes.

    >>> parser = new_parser("sing", None)
    >>> _ = parser.add_argument("--notes", metavar="FILE"), parser.add_argument("--loud", type=int)
    >>> _ = parser.add_argument("--solo", action=argparse.BooleanOptionalAction)
    >>> as_recorded(parser.parse_args("--notes /me/a.txt --loud 3 --no-solo".split()))
    'python -m model.sing --notes a.txt --loud 3 --no-solo'
    >>> as_recorded(parser.parse_args(["--notes", "/me/my song.txt"]))
    "python -m model.sing --notes 'my song.txt'"
    """
    return f"{options.parser.prog} {recorded_options(options, leave_out=leave_out)}"


def recorded_options(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """Return the options without the command, quoted for a shell; see ``as_recorded``."""
    words: list[str] = []
    for action in options.parser._actions:  # argparse has no public list of them
        value = getattr(options, action.dest, None)
        if action.dest not in leave_out and value not in (None, []):
            words += _words(action, value)
    return shlex.join(words)


def _words(action: argparse.Action, value: object) -> list[str]:
    """Return the command-line words that set one option to a value."""
    if isinstance(value, bool):
        on, *off = action.option_strings  # --tie-embeddings, --no-tie-embeddings
        return [on] if value else off[:1]
    values: list[Any] = value if isinstance(value, list) else [value]
    if isinstance(values[0], list):  # an option that can be given several times
        return [word for values_of_one in values for word in _words(action, values_of_one)]
    if action.metavar in _RECORDED_FOLDERS:
        folder = _RECORDED_FOLDERS[action.metavar]
        values = [path_argument(folder + Path(path).name) for path in values]
    return [action.option_strings[0], *map(str, values)]
