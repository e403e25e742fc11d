"""Files and folders that are replaced whole or not at all, whenever the process is killed.

A file is written under another name, brought to the disk, and then renamed, which happens at once.
A folder cannot be renamed onto another one. So the one that stands is set aside as
``NAME.replaced``, the new one is renamed to ``NAME``, and what was set aside is removed. Killed
between the two renames, there is no ``NAME``, but a whole ``NAME.replaced``: ``standing`` finds it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from safetensors import SafetensorError

from model.files.regular_file import is_folder, is_there

# What will replace a folder, was replaced, is written. None is a name that people give: what stands
# aside is removed, and a NAME.old was kept by somebody.
NEW, REPLACED, SAVING = ".new", ".replaced", ".saving"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name under which to write a file; at the end of the block it takes the place of ``path``.

    Who may read it stays as it was for ``path``; a new file may be read by whom the umask allows.

    Raises:
        OSError: the disk is full, or the folder cannot be written to. ``path`` is then what it was.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        mode = _mode(path)
        yield part
        os.chmod(part, mode)  # safetensors puts a file of its own there, for the owner alone
        bring_to_disk(part)
        os.replace(part, path)
        bring_to_disk(path.parent)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, SafetensorError):  # its writer's own word for a full disk
            raise OSError(f"cannot write {path}: {error}") from error
        raise


def _mode(path: Path) -> int:
    """Who may read and write a file that is there, or would be made there.

    To ask for the umask would set it, for a moment, in all threads: a file is made and looked at.
    """
    if is_there(path):
        return stat.S_IMODE(path.stat().st_mode)
    made = path.with_name(f"{path.name}.mode")
    with made.open("wb") as file:
        mode = os.fstat(file.fileno()).st_mode
    made.unlink(missing_ok=True)
    return stat.S_IMODE(mode)


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all; OSError as ``replacing``."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def beside(folder: Path, suffix: str) -> Path:
    """The folder's neighbour ``NAME.suffix``."""
    folder = folder.absolute()
    return folder.parent / f"{folder.name}{suffix}"


def standing(folder: Path) -> Path:
    """Where the content of a folder lies, also when its replacement was killed half way."""
    aside = beside(folder, REPLACED)
    return aside if not is_there(folder) and is_folder(aside) else folder


def replace_folder(new: Path, folder: Path) -> None:
    """Let a folder take the place of another one, which may stand or not.

    Args:
        new: whole, its files on the disk; in the same folder as the other one.
        folder: what it becomes.

    Raises:
        OSError: a folder cannot be renamed. What stood before stands again.
    """
    aside = beside(folder, REPLACED)
    settle(folder)
    bring_to_disk(new)
    if folder.exists():
        os.rename(folder, aside)
    try:
        os.rename(new, folder)
    except OSError:
        settle(folder)
        raise
    bring_to_disk(folder.parent)
    shutil.rmtree(aside, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """ValueError unless files can be made in a folder, or where it would have to be made."""
    place = folder.absolute()
    while not is_there(place) and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise ValueError(f"cannot write to {folder} ({error.strerror}): choose another") from error


def settle(folder: Path) -> None:
    """End what a killed ``replace_folder`` began: what stands aside comes back, or is removed."""
    aside = beside(folder, REPLACED)
    if not aside.exists():
        return
    if folder.exists():
        shutil.rmtree(aside)
    else:
        os.rename(aside, folder)


def shown_names(root: Path, *, also: tuple[str, ...] = ()) -> list[str]:
    """Names of the folders below ``root`` that can be shown, sorted; those half replaced count.

    Args:
        root: the folder of all checkpoints; it may be missing.
        also: suffixes of working folders that are shown too.

    A name that is no text, which Linux allows, can stand neither on a page nor in a link.
    """
    try:
        names = [path.name for path in root.iterdir() if is_folder(path)]
    except OSError:
        return []
    found = {name.removesuffix(REPLACED) for name in names}
    hidden = tuple({NEW, SAVING} - set(also))
    return sorted(name for name in found if _is_text(name) and not name.endswith(hidden))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def bring_to_disk(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows opens no folder, and writes its list before it answers
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
