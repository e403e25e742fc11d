"""Remove the server's folders from error messages for visitors."""

import os
import re
from pathlib import Path

from ui.state.models import checkpoints_folder

# The folders of an absolute path, without its last name.
_FOLDERS = re.compile(r"(?<![\w./\\])(?:[A-Za-z]:)?[/\\](?:[^\s/\\'\"():,;]+[/\\])+")


def without_folders(message: object) -> str:
    """Shorten each path in a message, so that it begins with the checkpoint.

    The log and the commands in a terminal name the whole path, which only the operator may know.

    Args:
        message: a text or an error.
    """
    text = str(message)
    folder = checkpoints_folder()
    roots = {str(path) for path in (folder, Path(os.path.abspath(folder)), folder.resolve())}
    for root in sorted(roots, key=len, reverse=True):
        text = re.sub(rf"(?<![\w/\\]){re.escape(root)}[/\\](?=\w)", "", text)
    return _FOLDERS.sub("", text)
