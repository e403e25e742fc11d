"""Change the stored analysis of a model, without losing what another command has written."""

from collections.abc import Callable
from pathlib import Path

from model.checkpoint.fingerprint import ANALYSIS
from model.files.checkpoint_error import CheckpointError
from model.files.folder_lock import folder_lock
from model.heads.analysis_card import add_to_card
from model.heads.analysis_file import Analysis, read_analysis, save_analysis


def stored_analysis(folder: Path) -> Analysis:
    """Return the stored analysis of a model.

    Raises:
        CheckpointError: there is none for the present weights, or the file is damaged.
    """
    return _required(folder, read_analysis(folder))


def extend_analysis(folder: Path, extend: Callable[[Analysis], Analysis]) -> Path:
    """Add to the stored analysis of a model, as ``change_analysis`` does.

    Args:
        folder: of the model.
        extend: gets the stored analysis and returns it with the new measurement.

    Returns:
        The file.

    Raises:
        CheckpointError: there is no analysis of the present weights, or the file is damaged.
    """
    return change_analysis(folder, lambda stored: extend(_required(folder, stored)))


def change_analysis(folder: Path, change: Callable[[Analysis | None], Analysis]) -> Path:
    """Change ``analysis.json`` of a model, and its section in the README.

    A command measures for minutes, and calls this at its end. ``change`` gets the analysis as it is
    stored at that moment, and not as it was when the command began. The lock is held only for this
    moment.

    Args:
        folder: of the model.
        change: gets the stored analysis, or None if there is none of the present weights. It
            returns the new analysis.

    Returns:
        The file.

    Raises:
        CheckpointError: the stored file is damaged.
    """
    with folder_lock(folder / ANALYSIS):
        analysis = change(read_analysis(folder))
        path = save_analysis(folder, analysis)
        add_to_card(folder, analysis)
    return path


def _required(folder: Path, stored: Analysis | None) -> Analysis:
    """Return the stored analysis. Raise CheckpointError if there is none."""
    if stored is None:
        raise CheckpointError(
            f"{folder} has no {ANALYSIS} of its weights: make it with python -m model.analyse heads"
        )
    return stored
