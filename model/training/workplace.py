"""Where a training works: in its folder, or beside it while that holds a finished model.

A finished checkpoint is never trained in. What shall replace it is trained in ``NAME.new``, which
the page "Learning" shows like every other training, and takes its place when it is done.
"""

import shutil
from pathlib import Path

from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER
from model.checkpoint.snapshots import forget_snapshots_after
from model.files.regular_file import exists, is_folder
from model.files.replacing import (
    NEW,
    REPLACED,
    SAVING,
    check_writable,
    recover,
    replace_folder,
    resolve,
    sibling,
)
from model.tokenizers.tokenizer import Tokenizer
from model.training.saved_state import STATE


class Workplace:
    """The folder of one training, chosen without touching anything; ValueError if that cannot be.

    With ``restarted`` this training was begun before, with the same words, and one of its processes
    died. A state that it has saved is gone on from, whatever ``resume`` says: at the first start
    there was none, or it was to be resumed.
    """

    def __init__(self, folder: Path, *, resume: bool, overwrite: bool, restarted: bool) -> None:
        if folder.name.endswith((NEW, REPLACED, SAVING)):
            raise ValueError(f"{folder} ends like a working folder: choose another name")
        if exists(folder) and not is_folder(folder):
            raise ValueError(f"{folder} is no folder: choose another name")
        self.target = folder
        finished = exists(resolve(folder) / CONFIG)
        self.folder = sibling(folder, NEW) if finished else folder
        if finished and not overwrite:
            raise ValueError(
                f"{folder} holds a finished model: choose another folder, or add --overwrite to "
                "replace it when the new one is done"
            )
        begun = exists(self.folder / STATE)
        self.resumed = resume or (restarted and begun)
        if begun and not self.resumed:
            raise ValueError(
                f"{self.folder} holds an unfinished training: add --resume, or remove it"
            )
        further = finished and exists(resolve(folder) / STATE)
        self._further = self.resumed and not begun and further
        if self.resumed and not (begun or further):
            raise ValueError(f"nothing to resume: there is no {self.folder / STATE}")
        check_writable(self.folder)

    @property
    def source(self) -> Path:
        """Where the training that is resumed lies now."""
        return resolve(self.target) if self._further else self.folder

    def begin(self, tokenizer: Tokenizer) -> None:
        """Make the folder ready for a new training."""
        if self.folder != self.target:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / HISTORY).unlink(missing_ok=True)
        forget_snapshots_after(self.folder, -1)
        tokenizer.save(self.folder / TOKENIZER)

    def go_on(self) -> None:
        """Make the folder ready for a training that is resumed, a finished one in a copy."""
        if self._further:
            shutil.rmtree(self.folder, ignore_errors=True)
            other = shutil.ignore_patterns(STATE, CONFIG, "*.part")
            shutil.copytree(self.source, self.folder, ignore=other)
            # the state last: without it the copy does not count
            shutil.copy2(self.source / STATE, self.folder / f"{STATE}.part")
            (self.folder / f"{STATE}.part").rename(self.folder / STATE)

    def finish(self) -> None:
        """Let the finished training take its place."""
        if self.folder != self.target:
            recover(self.target)
            replace_folder(self.folder, self.target)
