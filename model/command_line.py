"""What the commands share: reading options, telling what is wrong, writing down what ran."""

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

_FOLDERS: Mapping[object, str] = {"FILE": "", "FOLDER": "checkpoints/"}  # recorded, by metavar


def new_parser(command: str, about: str | None) -> argparse.ArgumentParser:
    """A parser to add options to, itself one of those that are read; ``--help`` shows ``about``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m model.{command}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser)
    return parser


def run(
    parser: argparse.ArgumentParser,
    command: Callable[[argparse.Namespace], int | None],
    arguments: Sequence[str] | None,
) -> int:
    """Run a command with arguments (None: the command line's); returns its exit status.

    That is what the command gives back, 0 for None; 1 for bad input, told on standard error.
    """
    options = parser.parse_args(arguments)
    try:
        return command(options) or 0
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def as_recorded(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """The command that ran, with every setting, so that it means the same when a default changes.

    Files stand there by their own names and checkpoints below ``checkpoints/``, as their metavars
    FILE and FOLDER tell: the folders of one machine mean nothing on another. Options to leave out
    change nothing in what the command makes.

    >>> parser = new_parser("sing", None)
    >>> _ = parser.add_argument("--notes", metavar="FILE"), parser.add_argument("--loud", type=int)
    >>> _ = parser.add_argument("--solo", action=argparse.BooleanOptionalAction)
    >>> as_recorded(parser.parse_args("--notes /me/a.txt --loud 3 --no-solo".split()))
    'python -m model.sing --notes a.txt --loud 3 --no-solo'
    """
    return f"{options.parser.prog} {recorded_options(options, leave_out=leave_out)}"


def recorded_options(options: argparse.Namespace, *, leave_out: Collection[str] = ()) -> str:
    """The options alone, written as in ``as_recorded``."""
    words: list[str] = []
    for action in options.parser._actions:  # argparse has no public list of them
        value = getattr(options, action.dest, None)
        if action.dest not in leave_out and value not in (None, []):
            words += _words(action, value)
    return " ".join(words)


def _words(action: argparse.Action, value: object) -> list[str]:
    if isinstance(value, bool):
        on, *off = action.option_strings
        return [on] if value else off[:1]
    values: list[Any] = value if isinstance(value, list) else [value]
    if isinstance(values[0], list):  # an option that may be given several times
        return [word for one in values for word in _words(action, one)]
    if action.metavar in _FOLDERS:
        values = [_FOLDERS[action.metavar] + Path(one).name for one in values]
    return [action.option_strings[0], *map(str, values)]
