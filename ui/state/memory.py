"""A cache of models and results for all visitors.

The cache has one limit in bytes. When it is reached, the least recently used result is dropped. A
visitor who is using this result at that moment keeps it.
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
# PyTorch's own attributes. Methods return the parameters and buffers in them, see ``_contents``.
_ATTRIBUTES_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
_NameAndKey = tuple[str, Hashable]


class Usage(NamedTuple):
    """The number of results stored under one name, and their total size in bytes."""

    name: str
    entries: int
    bytes: int


class Memory:
    """A thread-safe store with a limit on the total bytes of its content.

    Args:
        limit: maximum bytes. A larger result is returned but not stored.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[_NameAndKey, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        # If several threads request the same missing result, one of them computes it and the others
        # wait.
        self._turns: WeakValueDictionary[_NameAndKey, threading.Lock] = WeakValueDictionary()
        self._lock = threading.Lock()

    def get(self, name: str, key: Hashable, make: Callable[[], T]) -> T:
        """Return a stored result. If it is missing, compute and store it.

        Args:
            name: of this kind of result.
            key: everything that the result depends on, by value. Do not use an
                object's ``id``: once the object is deleted, a new object can get the same ``id``.
            make: computes the result. Other threads that ask for it wait. An error is not stored:
                the next call tries again.
        """
        name_and_key = (name, key)
        with self._lock:
            turn = self._turns.setdefault(name_and_key, threading.Lock())
        with turn:
            with self._lock:
                if name_and_key in self._entries:
                    return self._use(name_and_key)
            result = make()
            self.store(name, key, result)
            return result

    def find(self, name: str, key: Hashable) -> Any:
        """Return a stored result, or None."""
        with self._lock:
            if (name, key) not in self._entries:
                return None
            return self._use((name, key))

    def store(self, name: str, key: Hashable, result: object) -> None:
        """Store a result if it fits; drop the oldest results to make space.

        Args:
            name: of this kind of result.
            key: everything that the result depends on, as for ``get``.
            result: what is stored.
        """
        name_and_key = (name, key)
        size = bytes_of((name_and_key, result))
        if size > self.limit:
            return
        with self._lock:
            _, replaced_bytes = self._entries.pop(name_and_key, (None, 0))
            self._entries[name_and_key] = (result, size)
            self._bytes += size - replaced_bytes
            while self._bytes > self.limit:
                _, (_, freed_bytes) = self._entries.popitem(last=False)
                self._bytes -= freed_bytes

    def usage(self) -> list[Usage]:
        """Return the number and the size of the results under each name, largest size first."""
        sizes: defaultdict[str, list[int]] = defaultdict(list)
        with self._lock:
            for (name, _), (_, size) in self._entries.items():
                sizes[name].append(size)
        usages = [Usage(name, len(of_name), sum(of_name)) for name, of_name in sizes.items()]
        return sorted(usages, key=lambda usage: -usage.bytes)

    def _use(self, name_and_key: _NameAndKey) -> Any:
        """Return a stored result, and mark it as the most recently used."""
        self._entries.move_to_end(name_and_key)
        result, _ = self._entries[name_and_key]
        return result


@functools.cache  # not Streamlit's cache, because every visitor can clear that with a message
def memory() -> Memory:
    """Return the only memory of this server."""
    return Memory(memory_bytes())


def remember(name: str, key: Hashable, make: Callable[[], T]) -> T:
    """Return a result from the server's memory, or compute it; see ``Memory.get``."""
    return memory().get(name, key, make)


def bytes_of(value: object) -> int:
    """Return the size in bytes of an object and its contents. Shared blocks count once.

    >>> ones = np.ones(1000)
    >>> 8000 < bytes_of([ones, ones, ones[1:], {"again": ones}]) < 9000
    True
    """
    # Address in memory -> (object, bytes). Holding the object prevents the reuse of its address.
    blocks: dict[int, tuple[object, int]] = {}
    remaining = [value]
    while remaining:
        value = _owner_of_data(remaining.pop())
        address, size = _address_and_size(value)
        if address not in blocks:
            blocks[address] = (value, size)
            remaining += _contents(value)
    return sum(size for _, size in blocks.values())


def _owner_of_data(value: object) -> object:
    """Return the array or tensor that owns a NumPy view's data, and any other object unchanged."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray | Tensor):
        value = value.base
    return value


def _address_and_size(value: object) -> tuple[int, int]:
    """Return the memory address of an object, and its own size in bytes."""
    if isinstance(value, Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    if isinstance(value, np.ndarray):
        return value.ctypes.data, value.nbytes
    return id(value), sys.getsizeof(value)


def _contents(value: object) -> Iterable[object]:
    """Return the objects that an object contains directly."""
    match value:
        case Tensor() | np.ndarray() | str() | bytes():
            return ()
        case nn.Module():
            attributes = [
                attribute
                for name, attribute in vars(value).items()
                if name not in _ATTRIBUTES_OF_EVERY_MODULE
            ]
            return [*value.parameters(), *value.buffers(), *attributes]
        case Mapping():
            return [*value.keys(), *value.values()]
        case Struct():
            return astuple(value)
        case list() | tuple() | set() | frozenset():
            return value
    return vars(value).values() if hasattr(value, "__dict__") else ()
