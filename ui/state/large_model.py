"""A cache for one Hub model that is too large for the shared cache.

``ui.state.memory`` does not store what is larger than its limit, and such a model would be opened
at every click. So the last large model stays here. It is dropped before a different one is opened,
because two of them may not fit into the machine.
"""

import gc
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from model.translation_model import AnyTranslationModel

T = TypeVar("T")


class OneAtATime(Generic[T]):
    """A thread-safe cache that holds only the last result."""

    def __init__(self) -> None:
        self._key: Hashable = None
        self._result: T | None = None
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of a key. If the cache holds another key, drop that result first.

        Args:
            key: everything that the result depends on, by value.
            make: makes the result. Other threads wait meanwhile. An error is not stored.
        """
        with self._lock:
            if self._result is None or self._key != key:
                self._result = None
                gc.collect()  # modules and hooks refer to each other
                self._result = make()
                self._key = key
            return self._result


large_model = OneAtATime[AnyTranslationModel]()
