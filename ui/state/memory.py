"""What all visitors share: models and results, kept while there is room and somebody asks for them.

The room is counted in bytes for all of them together. What was not asked for longest goes first;
whoever uses it just then keeps it.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from torch import Tensor, nn

from ui.state.limits import memory_bytes

T = TypeVar("T")
_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
_Key = tuple[str, Hashable]


class Held(NamedTuple):
    """What is kept under one name.

    Args:
        name: of the kind of result.
        entries: how many.
        bytes: of all of them.
    """

    name: str
    entries: int
    bytes: int


@dataclass
class _Turn:
    """Those who asked for something that is not there: one makes it, the others wait."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0


class Memory:
    """A store for many threads, bounded by the bytes of what it holds.

    Args:
        limit: most bytes; what is larger is handed out and not kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._turns: dict[_Key, _Turn] = {}
        self._lock = threading.Lock()

    def get(self, name: str, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept, or what ``make`` gives; while one makes it, others wait for it.

        An error is not kept: the next who asks tries again.

        Args:
            name: the kind of result, for ``held``.
            key: all that the result depends on, by value. An object's ``id`` is no such thing:
                it is given to another object once the first is gone.
            make: computes the result; called without arguments.
        """
        place = (name, key)
        with self._lock:
            if place in self._entries:
                return self._kept(place)  # type: ignore[no-any-return]
            turn = self._turns.setdefault(place, _Turn())
            turn.asked += 1
        try:
            with turn.lock:
                with self._lock:
                    if place in self._entries:
                        return self._kept(place)  # type: ignore[no-any-return]
                value = make()
                self._keep(place, value)
                return value
        finally:
            with self._lock:
                turn.asked -= 1
                if not turn.asked:
                    del self._turns[place]

    def find(self, name: str, key: Hashable) -> Any:
        """What is kept, or None."""
        with self._lock:
            return self._kept((name, key)) if (name, key) in self._entries else None

    def keep(self, name: str, key: Hashable, value: object) -> None:
        """Keep a result that was made elsewhere."""
        self._keep((name, key), value)

    def held(self) -> list[Held]:
        """What is kept now, by name, largest first."""
        with self._lock:
            sizes = [(name, size) for (name, _), (_, size) in self._entries.items()]
        by_name = {name: [size for other, size in sizes if other == name] for name, _ in sizes}
        found = [Held(name, len(of_name), sum(of_name)) for name, of_name in by_name.items()]
        return sorted(found, key=lambda held: -held.bytes)

    def _kept(self, place: _Key) -> Any:
        self._entries.move_to_end(place)
        return self._entries[place][0]

    def _keep(self, place: _Key, value: object) -> None:
        """Make room, oldest first, and keep it if it fits at all."""
        size = bytes_of((place, value))
        if size > self.limit:
            return
        with self._lock:
            self._bytes += size - self._entries.pop(place, (None, 0))[1]
            self._entries[place] = (value, size)
            while self._bytes > self.limit:
                _, (_, freed) = self._entries.popitem(last=False)
                self._bytes -= freed


@functools.cache  # not Streamlit's cache, which every visitor can clear with a message
def memory() -> Memory:
    """The one memory of this server."""
    return Memory(memory_bytes())


def remember(name: str, key: Hashable, make: Callable[[], T]) -> T:
    """``Memory.get`` of the one memory of this server."""
    return memory().get(name, key, make)


def bytes_of(value: object) -> int:
    """Bytes of an object and of all that it holds, above all arrays and tensors; each counts once.

    >>> ones = np.ones(1000)
    >>> 8000 < bytes_of([ones, ones, ones[1:], {"again": ones}]) < 9000
    True
    """
    return sum(_blocks(value, set()))


def _blocks(value: object, seen: set[int]) -> Iterable[int]:
    """The size of every block of memory that has not been seen."""
    block, size = _block(value)
    if block in seen:
        return
    seen.add(block)
    yield size
    for part in _parts(value):
        yield from _blocks(part, seen)


def _block(value: object) -> tuple[int, int]:
    """Where the block lies that holds a value, and its size; a view lies in another's block."""
    match value:
        case Tensor():
            storage = value.untyped_storage()
            return storage.data_ptr(), storage.nbytes()
        case np.ndarray() if isinstance(value.base, np.ndarray | Tensor):
            return _block(value.base)
        case np.ndarray():
            return value.ctypes.data, value.nbytes
    return id(value), sys.getsizeof(value)


def _parts(value: object) -> Iterable[object]:
    match value:
        case Tensor() | np.ndarray() | str() | bytes():
            return ()
        case nn.Module():
            own = [part for name, part in vars(value).items() if name not in _OF_EVERY_MODULE]
            return [*value.parameters(), *value.buffers(), *own]
        case Mapping():
            return [*value.keys(), *value.values()]
        case Struct():
            return astuple(value)
        case list() | tuple() | set() | frozenset():
            return value
    return vars(value).values() if hasattr(value, "__dict__") else ()
