"""Nothing is ever unpickled: a file may come from anybody.

But a model that somebody converts may lie in a file of ``torch.save``. It is read by PyTorch's
reader for weights only, which makes tensors of it and calls nothing.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = [
    ROOT / "app.py",
    *(p for room in ("model", "ui", "pages") for p in ROOT.glob(f"{room}/**/*.py")),
]
UNPICKLES = re.compile(
    r"^\s*(?:import|from)\s+(?:pickle|cPickle|dill|cloudpickle|joblib|shelve|marshal)\b"
    r"|allow_pickle|pd\.read_pickle|hub\.load|from torch import .*\bload\b"
    r"|torch\.load\((?![^()]*weights_only=True)",
    re.MULTILINE,
)


def test_nothing_is_unpickled():
    assert len(OURS) > 100
    assert [path for path in OURS if UNPICKLES.search(path.read_text(encoding="utf-8"))] == []


def test_this_test_can_fail():
    bad = ("torch.load(p)", "def f():\n    import pickle", "np.load(p, allow_pickle=True)")
    assert all(UNPICKLES.search(line) for line in bad)
    assert not UNPICKLES.search("torch.load(path, map_location=cpu, weights_only=True)")
