"""What all visitors share: models and results, kept while there is room and somebody asks for them.

The room is counted in bytes for all of them together. What was not asked for longest goes first;
whoever uses it just then keeps it.
"""

import functools
import sys
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from torch import Tensor, nn

from ui.state.limits import memory_bytes

T = TypeVar("T")
_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
_Key = tuple[str, Hashable]


class Held(NamedTuple):
    """How many results are kept under one name, and the bytes of all of them."""

    name: str
    entries: int
    bytes: int


class Memory:
    """A store for many threads, bounded by the bytes of what it holds.

    What is larger than ``limit`` bytes is handed out and not kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        # Of those who ask for something that is not there one makes it, the others wait.
        self._turns: WeakValueDictionary[_Key, threading.Lock] = WeakValueDictionary()
        self._lock = threading.Lock()

    def get(self, name: str, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept, or what ``make`` gives; while one makes it, others wait for it.

        An error is not kept: the next who asks tries again. ``key`` is all that the result depends
        on, by value: an object's ``id`` is given to another object once the first is gone.
        """
        place = (name, key)
        with self._lock:
            turn = self._turns.setdefault(place, threading.Lock())
        with turn:
            with self._lock:
                if place in self._entries:
                    return self._kept(place)
            value = make()
            self.keep(name, key, value)
            return value

    def find(self, name: str, key: Hashable) -> Any:
        """What is kept, or None."""
        with self._lock:
            return self._kept((name, key)) if (name, key) in self._entries else None

    def keep(self, name: str, key: Hashable, value: object) -> None:
        """Make room, oldest first, and keep a result if it fits at all."""
        place = (name, key)
        size = bytes_of((place, value))
        if size > self.limit:
            return
        with self._lock:
            self._bytes += size - self._entries.pop(place, (None, 0))[1]
            self._entries[place] = (value, size)
            while self._bytes > self.limit:
                _, (_, freed) = self._entries.popitem(last=False)
                self._bytes -= freed

    def held(self) -> list[Held]:
        """What is kept now, by name, largest first."""
        sizes: defaultdict[str, list[int]] = defaultdict(list)
        with self._lock:
            for (name, _), (_, size) in self._entries.items():
                sizes[name].append(size)
        found = [Held(name, len(of_name), sum(of_name)) for name, of_name in sizes.items()]
        return sorted(found, key=lambda held: -held.bytes)

    def _kept(self, place: _Key) -> Any:
        self._entries.move_to_end(place)
        return self._entries[place][0]


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
    blocks: dict[int, tuple[object, int]] = {}  # where it lies in memory: what keeps it, its size
    left = [value]
    while left:
        value = left.pop()
        while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray | Tensor):
            value = value.base  # a view lies in another's block
        block, size = id(value), sys.getsizeof(value)
        if isinstance(value, Tensor):
            block, size = value.untyped_storage().data_ptr(), value.untyped_storage().nbytes()
        elif isinstance(value, np.ndarray):
            block, size = value.ctypes.data, value.nbytes
        if block not in blocks:
            blocks[block] = value, size
            left += _parts(value)
    return sum(size for _, size in blocks.values())


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
