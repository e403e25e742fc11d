"""Remove the server's folders from error messages for visitors."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ui.state.models import checkpoints_folder

_FOLDER = r"(?:[^\s/\\'\"():,;]+[/\\])"
# The folders of an absolute path, without its last name. Where a path begins with the checkpoint,
# its folders stay: (old)/snapshots/config.json.
_FOLDERS = re.compile(rf"(?<![\w./\\)\]}}-])(?:[A-Za-z]:)?[/\\]{_FOLDER}+")
# A path may begin here
_START = r"(?<![\w/\\])"
# The root can end a path, and the sentence then continues: "Choose one of checkpoints/, or".
_SENTENCE = r"[,.;:!?)\]'\"]*(?:\s|$)"


def without_folders(message: object) -> str:
    """Shorten each path in a message, so that it begins with the checkpoint.

    The log and the commands in a terminal name the whole path, which only the operator may know.

    Args:
        message: a text or an error.
    """
    text = str(message)
    folder = checkpoints_folder()
    roots = {folder, Path(os.path.abspath(folder)), folder.resolve()}

    # 1. Remove the root from each path in the text
    for root in _longest_first(roots):
        text = re.sub(rf"{_START}{root}[/\\](?!{_SENTENCE})", "", text)

    # 2. Remove the folders above the root, from its own path and from the paths of files beside it.
    # Names with spaces or quotes are found only here, because the last pattern has none of them
    above = {parent for root in roots if root.is_absolute() for parent in root.parents}
    for parent in _longest_first({parent for parent in above if parent.name}):
        text = re.sub(rf"{_START}{parent}[/\\]{_FOLDER}*(?!{_SENTENCE})", "", text)
    return _FOLDERS.sub("", text)


def _longest_first(folders: Iterable[Path]) -> list[str]:
    """Return patterns for folders as a text or ``repr`` in an error writes them."""
    names = {str(folder) for folder in folders}
    names |= {repr(name)[1:-1] for name in names}
    return [re.escape(name) for name in sorted(names, key=len, reverse=True)]
