"""Choose and prepare the folder of a training run.

A training never works in a folder with a finished model. To replace a finished model ``NAME``, it
works in ``NAME.new`` beside it. The page "Learning" shows that folder like every other training.
When the training has ended, ``NAME.new`` replaces ``NAME``.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER, WEIGHTS
from model.checkpoint.fingerprint import ANALYSIS
from model.checkpoint.snapshots import SNAPSHOTS, remove_snapshots_after
from model.files.folder_lock import IN_USE
from model.files.regular_file import exists, is_folder
from model.files.replacing import (
    NEW,
    check_name,
    check_writable,
    real_folder,
    recover,
    replace_folder,
    resolve,
    sibling,
)
from model.tokenizers.tokenizer import Tokenizer
from model.training.saved_state import STATE

# Files that our commands write into a model's folder. All other files belong to the user.
OWN_NAMES = frozenset(
    {
        CONFIG,
        HISTORY,
        TOKENIZER,
        WEIGHTS,
        STATE,
        SNAPSHOTS,
        ANALYSIS,
        "README.md",
        "doubt.json",
        "gallery.json",
        "head_means.safetensors",
    }
)

_LEFT_BY_A_KILLED_PROCESS = (".part", IN_USE)  # ends of names


def saved_state(target: Path) -> Path | None:
    """Return the file with the state from which ``--resume`` continues; None if there is none.

    Args:
        target: folder of the finished model, as ``--out`` names it.
    """
    target = real_folder(target)
    finished = exists(resolve(target) / CONFIG)
    folders = [sibling(target, NEW), resolve(target)] if finished else [target]
    states = [folder / STATE for folder in folders if exists(folder / STATE)]
    return states[0] if states else None


@dataclass(frozen=True)
class TrainingFolder:
    """The folder of one training run."""

    target: Path  # folder of the finished model
    path: Path  # folder during the training: ``target``, or ``NAME.new`` beside a finished model
    source: Path  # current folder of a resumed training: ``path``, or the finished model
    resumed: bool  # whether the training resumes from a saved state

    @classmethod
    def open(
        cls, target: Path, *, resume: bool, overwrite: bool, restarted: bool
    ) -> TrainingFolder:
        """Choose the folder of a training run, without changes to the disk.

        Args:
            target: where the finished model will be.
            resume: go on from the saved state.
            overwrite: allow to replace a finished model in ``target``.
            restarted: torchrun starts this training again, with the same options, after one of its
                processes died. A saved state is then always resumed: either the training was
                to be resumed, or it has saved this state itself.

        Raises:
            ValueError: the name or the content of ``target`` does not allow this training (for
                instance, files of its owner would be removed with the old model), there is nothing
                to resume, or the folder is not writable.
        """
        # 1. Check the name
        check_name(target)
        target = real_folder(target)
        check_name(target)
        if exists(target) and not is_folder(target):
            raise ValueError(f"{target} is not a folder: choose another name")

        # 2. Choose the working folder, which is a new one if the target is a finished model
        finished = exists(resolve(target) / CONFIG)
        if finished and not overwrite:
            raise ValueError(
                f"{target} holds a finished model: choose another folder, or add --overwrite to "
                "replace it when the new one is done"
            )
        path = sibling(target, NEW) if finished else target

        # 3. Look for a saved state to resume from
        unfinished = exists(path / STATE)
        resumed = resume or (restarted and unfinished)
        if unfinished and not resumed:
            raise ValueError(f"{path} holds an unfinished training: add --resume, or remove it")
        source = path
        if resumed and not unfinished:
            if not (finished and exists(resolve(target) / STATE)):
                raise ValueError(f"nothing to resume: there is no {path / STATE}")
            source = resolve(target)  # a finished training continues with more steps

        # 4. Check what would be removed or overwritten
        if finished:
            copied = source if resumed else None
            _check_only_own(resolve(target), copied)
            _check_replaceable(target)
        elif not resumed:
            _check_nothing_overwritten(target)

        check_writable(path)
        return cls(target, path, source, resumed)

    def create(self, tokenizer: Tokenizer) -> None:
        """Create the folder of a new training run, without files of an earlier run."""
        if self.path != self.target:
            shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / HISTORY).unlink(missing_ok=True)
        remove_snapshots_after(self.path, -1)
        tokenizer.save(self.path / TOKENIZER)

    def resume(self) -> None:
        """Prepare the folder of a resumed run. If the run was finished, work on a copy."""
        if self.source == self.path:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(self.source, self.path, ignore=self._not_copied)

        # Copy the state last. An incomplete copy has no state, so it does not count as a training
        # run.
        part = self.path / f"{STATE}.part"
        shutil.copy2(self.source / STATE, part)
        part.rename(self.path / STATE)

    def _not_copied(self, folder: str, names: list[str]) -> set[str]:
        """Return the names that ``resume`` leaves out of a copy; inner folders are copied whole."""
        if Path(folder) != self.source:
            return set()
        return {
            name
            for name in names
            if name in (STATE, CONFIG) or name.endswith(_LEFT_BY_A_KILLED_PROCESS)
        }

    def finish(self) -> None:
        """Move the finished training to ``target``."""
        if self.path != self.target:
            recover(self.target)
            replace_folder(self.path, self.target)


def _check_nothing_overwritten(folder: Path) -> None:
    """Check that a training from the beginning overwrites no file of the user in this folder.

    A training that was killed before it saved its state leaves its tokenizer, its history and its
    first snapshots. All other files of a model are written when it is finished.

    Args:
        folder: holds no model, finished or not; it need not exist.

    Raises:
        ValueError: it holds a file of such a name.
    """
    for name in sorted(OWN_NAMES - {TOKENIZER, HISTORY, SNAPSHOTS}):
        if exists(folder / name):
            raise ValueError(
                f"{folder} holds {name}, which the training would overwrite: choose a different "
                "folder"
            )


def _check_replaceable(folder: Path) -> None:
    """Check before a long training that a finished model can be replaced when it has ended.

    Raises:
        ValueError: the folder is a mount point, or the current folder is in it.
    """
    if os.path.ismount(folder):
        raise ValueError(
            f"{folder} is a mount point, which cannot be replaced: choose a folder in it"
        )
    if Path.cwd().is_relative_to(folder.resolve()):
        raise ValueError(f"you are in {folder}, which would be replaced: go to another folder")


def _check_only_own(folder: Path, copied: Path | None) -> None:
    """Check that removing this folder would remove only files of a model.

    Args:
        folder: holds the finished model that will be replaced.
        copied: the folder that a resumed training continues; its files are copied, so they are
            not lost. None for a new training.

    Raises:
        ValueError: it also holds something that our commands do not write there.
    """
    for path in sorted(folder.iterdir()):
        is_own = path.name in OWN_NAMES or path.name.endswith(_LEFT_BY_A_KILLED_PROCESS)
        is_copied = copied is not None and exists(copied / path.name)
        if not is_own and not is_copied:
            raise ValueError(
                f"{folder} also holds {path.name}, which would be removed with the old model: move "
                "it to a different folder"
            )
