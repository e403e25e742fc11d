"""What all commands share: read options, report errors, and record the command that ran."""

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

# Where a recorded path begins, by the metavar of its option.
_RECORDED_FOLDERS: Mapping[object, str] = {"FILE": "", "FOLDER": "checkpoints/"}


def new_parser(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser to add options to.

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
        The exit status: that of the command, or 1 if it raised an OSError or ValueError, whose
        message is then on standard error.
    """
    options = parser.parse_args(arguments)
    try:
        return command(options) or 0
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def as_recorded(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """Return the command that ran, with every setting: a default may change later.

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
    """
    return f"{options.parser.prog} {recorded_options(options, leave_out=leave_out)}"


def recorded_options(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """Return the options alone, as ``as_recorded`` writes them."""
    words: list[str] = []
    for action in options.parser._actions:  # argparse has no public list of them
        value = getattr(options, action.dest, None)
        if action.dest not in leave_out and value not in (None, []):
            words += _words(action, value)
    return " ".join(words)


def _words(action: argparse.Action, value: object) -> list[str]:
    """Return the words that set one option to a value."""
    if isinstance(value, bool):
        on, *off = action.option_strings  # --tie-embeddings, --no-tie-embeddings
        return [on] if value else off[:1]
    values: list[Any] = value if isinstance(value, list) else [value]
    if isinstance(values[0], list):  # an option that may be given several times
        return [word for values_of_one in values for word in _words(action, values_of_one)]
    if action.metavar in _RECORDED_FOLDERS:
        folder = _RECORDED_FOLDERS[action.metavar]
        values = [folder + Path(path).name for path in values]
    return [action.option_strings[0], *map(str, values)]
