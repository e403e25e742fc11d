"""Saving over a checkpoint is killed, or the disk is full: the old or the new one loads."""

import errno
import os
import signal

import pytest
import torch

from model import load
from model.checkpoint.checkpoint import HISTORY, save_checkpoint
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from tests.conftest import tiny_model

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

CHANGES = ("replace", "rename", "rmdir", "unlink")


@pytest.fixture(scope="module")
def two(pairs, tokenizer):
    """Return two different models, so that a mixture of their files does not load."""
    other = ByteLevelTokenizer.train([text for pair in pairs for text in pair], 300)
    return (tiny_model(tokenizer), tokenizer), (tiny_model(other, seed=1, d_ff=11), other)


@pytest.fixture
def folder(two, tmp_path):
    """Save the first model, with a history and a snapshot, and return the folder."""
    folder = tmp_path / "saved"
    save_checkpoint(folder, *two[0], {"which": 0})
    (folder / HISTORY).write_text('{"step": 1, "seconds": 2}\n')
    (folder / "snapshots").mkdir()
    (folder / "snapshots" / "3.safetensors").write_bytes(b"three")
    return folder


@pytest.fixture
def save(folder, two):
    return lambda which: save_checkpoint(folder, *two[which], {"which": which})


@pytest.fixture
def check(folder, two):
    """Return a function that checks that the folder is whole, and returns which model it has."""

    def found_whole() -> int:
        loaded = load(folder)
        which = int(loaded.training["which"])
        model, tokenizer = two[which]
        assert (loaded.name, loaded.config) == ("saved", model.config)
        assert loaded.tokenizer.bpe.to_str() == tokenizer.bpe.to_str()
        for name, p in loaded.model.named_parameters():
            assert torch.equal(p, model.get_parameter(name).half().float()), name
        assert [line["step"] for line in loaded.history] == [1]
        assert (loaded.folder / "snapshots" / "3.safetensors").read_bytes() == b"three"
        return which

    return found_whole


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_save_that_is_killed_before_any_renaming_or_removal_leaves_a_whole_checkpoint(
    folder, save, check, monkeypatch
):
    """A save is killed before its first call that renames or removes a file.

    The next save is killed before its second such call, and so on.
    """

    def saving_dies(after: int) -> None:
        calls = 0
        for name in CHANGES:
            whole = getattr(os, name)

            def counted(*arguments, whole=whole, **options):
                nonlocal calls
                calls += 1
                if calls > after:
                    os.kill(os.getpid(), signal.SIGKILL)
                return whole(*arguments, **options)

            monkeypatch.setattr(os, name, counted)
        save(1)
        os._exit(0)

    seen, status = [], 1
    while status and len(seen) < 100:
        pid = os.fork()
        if pid == 0:
            try:
                saving_dies(len(seen))
            finally:
                os._exit(1)
        status = os.waitpid(pid, 0)[1]
        seen.append(check())
        if status:
            save(0)
            assert check() == 0
    assert 8 < len(seen) < 100, "a save takes less than a hundred renames"
    assert seen == sorted(seen), "once the new one is there it stays"
    assert {0, 1} == set(seen)
    assert [path.name for path in folder.parent.iterdir()] == ["saved"]


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_a_model_that_is_replaced_while_its_weights_are_opened_is_read_whole(
    first, second, save, check, monkeypatch
):
    """The save happens after safetensors has opened the old file and before PyTorch opens it.

    So PyTorch opens the new file, which is shorter or longer.
    """
    save(first)
    from_file = torch.UntypedStorage.from_file
    once = iter([second])

    def late(path: str, *arguments: object, **options: object) -> torch.UntypedStorage:
        for which in once:
            save(which)
        return from_file(path, *arguments, **options)

    monkeypatch.setattr(torch.UntypedStorage, "from_file", late)
    assert check() == second
    assert not list(once), "PyTorch does not open it any more: the test shows nothing"


def test_a_disk_that_is_full_at_any_file_leaves_a_checkpoint_that_loads(
    folder, save, check, monkeypatch
):
    before, whole = contents(folder), os.fsync
    for n in range(100):
        calls = iter(range(100))

        def full(descriptor: int, calls=calls, n=n) -> None:
            if next(calls) == n:
                raise OSError(errno.ENOSPC, "No space left on device")
            whole(descriptor)

        monkeypatch.setattr(os, "fsync", full)
        try:
            save(1)
            break
        except OSError:
            monkeypatch.undo()
        if check() == 0:
            assert contents(folder) == before
        else:  # only the last step is missing: telling the disk to store the new names
            assert n > 6
            save(0)
    assert n > 6, "three files, and the folder after each"
    assert check() == 1
