"""A file made on a click stays until its browser has fetched it, and is freed later."""

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

import app
from ui.server import kept_files
from ui.server.kept_files import KEPT_SECONDS, KeptFiles


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list of one number, the time in seconds, which a test may change."""
    seconds = [0.0]
    monkeypatch.setattr(kept_files, "monotonic", lambda: seconds[0])
    return seconds


def _make(manager: MediaFileManager, content: bytes) -> str:
    """Make a file as a click on a download button does; return its name in its address."""
    placeholder = manager.add_deferred(lambda: content, "text/csv", "button", "map.csv")
    return manager.execute_deferred(placeholder).rpartition("/")[2]


def _end_two_runs(manager: MediaFileManager) -> None:
    for _ in range(2):
        manager.clear_session_refs()
        manager.remove_orphaned_files()


def test_streamlit_alone_deletes_a_file_before_a_slow_browser_asks():
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))
    name = _make(manager, b"a")
    _end_two_runs(manager)
    assert manager.read_file(name) is None  # otherwise this module is not needed any more


def test_a_file_stays_for_a_minute_and_is_freed_with_a_later_one(now: list[float]):
    manager = MediaFileManager(KeptFiles("/media"))
    first = _make(manager, b"first")
    _end_two_runs(manager)
    now[0] = KEPT_SECONDS
    second = _make(manager, b"second")
    _end_two_runs(manager)
    for name, content in ((first, b"first"), (second, b"second")):
        file = manager.read_file(name)
        assert file
        assert file.content == content
    now[0] = KEPT_SECONDS + 1
    _make(manager, b"third")
    _end_two_runs(manager)
    assert manager.read_file(first) is None
    assert manager.read_file(second)


def test_a_file_that_is_made_again_stays_from_then_on(now: list[float]):
    manager = MediaFileManager(KeptFiles("/media"))
    name = _make(manager, b"same")
    _end_two_runs(manager)
    now[0] = KEPT_SECONDS + 1
    assert _make(manager, b"same") == name
    _make(manager, b"other")
    _end_two_runs(manager)
    assert manager.read_file(name)


def test_the_server_keeps_its_files(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.runtime.Runtime", lambda config: config)
    assert isinstance(app.app._create_runtime().media_file_storage, KeptFiles)
