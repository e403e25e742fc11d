"""Replace files and folders completely or not at all, even if the process is killed.

A file is written under a different name, flushed to the disk, and then renamed to its own name.

A folder cannot be renamed onto an existing folder. So it takes three steps: rename the old folder
``NAME`` to ``NAME.replaced``, rename the new one to ``NAME``, remove ``NAME.replaced``. When the
process is killed between the renames, ``resolve`` still finds the old content.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from safetensors import SafetensorError

from model.files.regular_file import exists, is_folder, is_regular

# Suffixes of working folders. Users do not choose such names (unlike NAME.old), so these folders
# may be removed.
NEW = ".new"  # a training that will replace a finished model
REPLACED = ".replaced"  # the old folder, while it is being replaced
SAVING = ".saving"  # the new folder, while it is being written
WORKING_SUFFIXES = (NEW, REPLACED, SAVING)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Replace a file by the file that the ``with`` block writes.

    The permissions of ``path`` stay as they are; those of a new file follow the umask.

    Args:
        path: the file to replace; it need not exist.

    Yields:
        The name to write to. At the end of the block that file is renamed to ``path``.

    Raises:
        OSError: the disk is full, or the folder is not writable. ``path`` is then unchanged.
    """
    unfinished = path.with_name(f"{path.name}.part")
    try:
        if is_regular(unfinished):  # left by a killed process
            unfinished.unlink()
        unfinished.touch()
        mode = stat.S_IMODE((path if exists(path) else unfinished).stat().st_mode)
        yield unfinished
        os.chmod(unfinished, mode)  # safetensors makes a new file that only its owner may read
        fsync(unfinished)
        os.replace(unfinished, path)
        fsync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        if isinstance(error, SafetensorError):  # safetensors raises this error if the disk is full
            raise OSError(f"cannot write {path}: {error}") from error
        raise


def write_text(path: Path, text: str) -> Path:
    """Write a text file, completely or not at all. Return its path. Errors: see ``replacing``."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
    return path


def sibling(folder: Path, suffix: str) -> Path:
    """Return the folder beside a folder ``NAME`` that is called NAME and a suffix: ``NAME.new``."""
    folder = folder.absolute()
    return folder.parent / f"{folder.name}{suffix}"


def resolve(folder: Path) -> Path:
    """Return the folder that holds the content, even if a replacement was interrupted."""
    old = sibling(folder, REPLACED)
    return old if not exists(folder) and is_folder(old) else folder


def check_name(folder: Path) -> None:
    """Check that a user's folder is not named like a working folder, which would be removed.

    Raises:
        ValueError: it is.
    """
    if folder.name.endswith(WORKING_SUFFIXES):
        raise ValueError(f"{folder} ends like a working folder: choose another name")


def real_folder(folder: Path) -> Path:
    """Return the folder to replace: where a link leads, so that the link stays, or else itself."""
    is_link = folder.is_symlink() or not folder.name  # "." has no name of its own
    return folder.resolve() if is_link else folder


def replace_folder(new: Path, folder: Path) -> None:
    """Replace a folder by a new folder beside it.

    Args:
        new: the new folder; its files are flushed to the disk already.
        folder: the folder to replace; it need not exist. It is not a link, see ``real_folder``.

    Raises:
        OSError: a folder cannot be renamed. The old folder is then back in its place.
    """
    old = sibling(folder, REPLACED)
    recover(folder)
    fsync(new)
    if folder.exists():
        os.rename(folder, old)
    try:
        os.rename(new, folder)
    except OSError:
        recover(folder)
        raise
    fsync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Replace a folder by the folder that the block makes. Errors: see ``replace_folder``.

    Yields:
        The path at which the block must make the new folder.
    """
    new = sibling(folder, SAVING)
    shutil.rmtree(new, ignore_errors=True)
    try:
        yield new
        replace_folder(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """Check that files can be written to a folder, or to its parent if it does not exist yet.

    Raises:
        ValueError: they cannot.
    """
    existing = folder.absolute()
    while not exists(existing) and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise ValueError(
            f"cannot write to {folder} ({error.strerror}): choose a different folder"
        ) from error


def recover(folder: Path) -> None:
    """Complete an interrupted ``replace_folder``.

    If the new folder is in its place, remove the old one; otherwise restore the old one.
    """
    old = sibling(folder, REPLACED)
    if not old.exists():
        return
    if folder.exists():
        shutil.rmtree(old)
    else:
        os.rename(old, folder)


def list_folders(root: Path, *, also: tuple[str, ...] = ()) -> list[str]:
    """Return the names of the folders below ``root``, sorted.

    A folder whose replacement was killed half way is among them. Names that are not valid text are
    not: Linux allows them, but a page or a link cannot hold them.

    Args:
        root: need not exist.
        also: suffixes, such as ``NEW``: working folders that end so are listed, too.
    """
    try:
        names = [path.name for path in root.iterdir() if is_folder(path)]
    except OSError:
        return []
    unique = {name.removesuffix(REPLACED) for name in names}
    valid = [name for name in unique if name == name.encode(errors="replace").decode()]
    hidden_suffixes = tuple({NEW, SAVING} - set(also))
    return sorted(name for name in valid if not name.endswith(hidden_suffixes))


def fsync(path: Path) -> None:
    """Wait until a file, or the file list of a folder, is written to the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open a folder, but writes its list at once
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
