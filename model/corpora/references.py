"""Read sentences with reference translations, for evaluating a model."""

from pathlib import Path

from model.corpora.lines import MAX_FILE_BYTES, numbered_lines
from model.corpora.pairs import References
from model.corpora.plain_text import normalise_columns
from model.files.regular_file import read_regular

_QUOTED_CHARACTERS = 100  # characters of a wrong line that an error message quotes


def read_references(path: str | Path) -> References:
    """Read TAB-separated lines: a source and one or more references.

    Raises:
        ValueError: the file cannot be read, a line has no reference, or there is no line.
    """
    try:
        lines = numbered_lines(read_regular(path, MAX_FILE_BYTES))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    if not lines:
        raise ValueError(f"there is no line in {path}")

    references: References = {}
    for number, line in lines:
        source, *targets = normalise_columns(line)
        if not source or not any(targets):
            quoted = line if len(line) <= _QUOTED_CHARACTERS else f"{line[:_QUOTED_CHARACTERS]}…"
            raise ValueError(f"line {number} of {path} should be source TAB reference: {quoted!r}")
        references.setdefault(source, []).extend(target for target in targets if target)
    return references
