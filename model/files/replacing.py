"""Files and folders that are replaced whole or not at all, whenever the process is killed.

A file is written under another name, brought to the disk, and then renamed. A folder cannot be
renamed onto another one: the one that stands is set aside as ``NAME.replaced``, the new one renamed
to ``NAME``, and the other removed. ``resolve`` finds it where this was killed between the renames.
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

# What will replace a folder, was replaced, is written. None is a name that people give: what stands
# aside is removed, and a NAME.old was kept by somebody.
NEW, REPLACED, SAVING = ".new", ".replaced", ".saving"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name under which to write a file; at the end of the block it takes the place of ``path``.

    Who may read it stays as it was for ``path``; a new file may be read by whom the umask allows.
    OSError if the disk is full, or the folder cannot be written to: ``path`` is then what it was.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        if is_regular(part):  # left by a killed process
            part.unlink()
        part.touch()
        mode = stat.S_IMODE((path if exists(path) else part).stat().st_mode)
        yield part
        os.chmod(part, mode)  # safetensors puts a file of its own there, for the owner alone
        fsync(part)
        os.replace(part, path)
        fsync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, SafetensorError):  # its writer's own word for a full disk
            raise OSError(f"cannot write {path}: {error}") from error
        raise


def write_text(path: Path, text: str) -> Path:
    """Write a text file, whole or not at all; OSError as ``replacing``."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return path


def sibling(folder: Path, suffix: str) -> Path:
    """The folder's neighbour ``NAME.suffix``."""
    folder = folder.absolute()
    return folder.parent / f"{folder.name}{suffix}"


def resolve(folder: Path) -> Path:
    """Where the content of a folder lies, also when its replacement was killed half way."""
    aside = sibling(folder, REPLACED)
    return aside if not exists(folder) and is_folder(aside) else folder


def replace_folder(new: Path, folder: Path) -> None:
    """Let a folder, its files on the disk, take the place of a neighbour, which may stand or not.

    OSError if one cannot be renamed: what stood before stands again.
    """
    aside = sibling(folder, REPLACED)
    recover(folder)
    fsync(new)
    if folder.exists():
        os.rename(folder, aside)
    try:
        os.rename(new, folder)
    except OSError:
        recover(folder)
        raise
    fsync(folder.parent)
    shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """As ``replacing``, for a folder, which is to be made within; OSError as ``replace_folder``."""
    new = sibling(folder, SAVING)
    shutil.rmtree(new, ignore_errors=True)
    try:
        yield new
        replace_folder(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """ValueError unless files can be made in a folder, or where it would have to be made."""
    place = folder.absolute()
    while not exists(place) and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise ValueError(f"cannot write to {folder} ({error.strerror}): choose another") from error


def recover(folder: Path) -> None:
    """End what a killed ``replace_folder`` began: what stands aside comes back, or is removed."""
    aside = sibling(folder, REPLACED)
    if not aside.exists():
        return
    if folder.exists():
        shutil.rmtree(aside)
    else:
        os.rename(aside, folder)


def folder_names(root: Path, *, also: tuple[str, ...] = ()) -> list[str]:
    """Names of the folders below ``root``, which may be missing, sorted; half replaced ones count.

    So do working folders with one of the suffixes in ``also``. A name that is no text, which Linux
    allows, can stand neither on a page nor in a link.
    """
    try:
        names = [path.name for path in root.iterdir() if is_folder(path)]
    except OSError:
        return []
    found = {name.removesuffix(REPLACED) for name in names}
    hidden = tuple({NEW, SAVING} - set(also))
    is_text = [name for name in found if name == name.encode(errors="replace").decode()]
    return sorted(name for name in is_text if not name.endswith(hidden))


def fsync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows opens no folder, and writes its list before it answers
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
