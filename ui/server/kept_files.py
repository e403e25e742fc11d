"""Keep a file that was made on a click until the browser of its visitor has fetched it.

Streamlit makes the file, and then the browser asks for it at an address. Streamlit deletes the file
at the end of the second page run after that, whoever's runs they are. In a class, two runs can end
before a slow browser asks, which then got an answer without a file (404).
"""

from time import monotonic
from typing import Any

from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

KEPT_SECONDS = 60.0


class KeptFiles(MemoryMediaFileStorage):
    """Streamlit's files, each of which stays for ``KEPT_SECONDS`` after Streamlit deletes it.

    It is freed with the next file that Streamlit deletes. Streamlit calls these methods one after
    the other, under its lock.
    """

    def __init__(self, media_endpoint: str) -> None:
        """Begin without files; ``media_endpoint`` is the address that they are served from."""
        super().__init__(media_endpoint)
        self._deleted: dict[str, float] = {}  # the time, in seconds of ``monotonic``

    def load_and_get_id(self, *args: Any, **options: Any) -> str:
        """Add a file, which may be one that waits to be freed."""
        file_id = super().load_and_get_id(*args, **options)
        self._deleted.pop(file_id, None)
        return file_id

    def delete_file(self, file_id: str) -> None:
        """Delete a file later, and free those whose time is over."""
        now = monotonic()
        self._deleted[file_id] = now
        for old, since in [*self._deleted.items()]:
            if now - since > KEPT_SECONDS:
                del self._deleted[old]
                super().delete_file(old)


def keep_files() -> None:
    """Let the server, which is not made yet, keep its files."""
    memory_media_file_storage.MemoryMediaFileStorage = KeptFiles  # type: ignore[misc]
