"""Read a trace that ``trace.save`` wrote."""

from pathlib import Path
from types import MappingProxyType

from model.arrays import read_only
from model.trace.recurrent import RecurrentTrace
from model.trace.trace_file import LOG_PROBS, RECORD_PREFIX, read_trace_file
from model.trace.transformer import Trace


def load_trace(path: str | Path) -> Trace | RecurrentTrace:
    """Read a trace from a file, without its model.

    Raises:
        ValueError: the file is not a saved trace, or is damaged.
        OSError: it cannot be opened.
    """
    header, arrays = read_trace_file(Path(path))
    trace_class = Trace if header.kind == "Trace" else RecurrentTrace
    return trace_class(
        source_text=header.source_text,
        target_text=header.target_text,
        target_origin=header.target_origin,
        beam=header.beam,
        truncated=header.truncated,
        src=header.src,
        tgt_ids=header.tgt_ids,
        tgt_tokens=header.tgt_tokens,
        next_tokens=header.next_tokens,
        log_probs=read_only(arrays[LOG_PROBS]),
        records=MappingProxyType(
            {
                name.removeprefix(RECORD_PREFIX): read_only(array)
                for name, array in arrays.items()
                if name.startswith(RECORD_PREFIX)
            }
        ),
        origin=header.origin,
    )
