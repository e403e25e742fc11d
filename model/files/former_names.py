"""What older versions called things in the JSON of a checkpoint; its files can still be read."""

from __future__ import annotations

import re

FORMER_NAMES = {
    "averaging": "ema_decay",
    "course": "settings_history",
    "matrix_lr": "muon_lr",
    "other_lr": "adamw_lr",
    "passes": "epochs",
    "yardstick": "baseline",
}
# A key stands behind a brace or a comma and before a colon. In a text the quotes are escaped.
_KEY = re.compile(rb'([{,]\s*)"(%s)"(\s*:)' % "|".join(FORMER_NAMES).encode())


def with_present_names(content: bytes | str) -> bytes:
    """The same JSON with the names of today as keys."""
    if isinstance(content, str):
        content = content.encode()
    return _KEY.sub(lambda key: b'%s"%s"%s' % (key[1], _present(key[2]), key[3]), content)


def _present(name: bytes) -> bytes:
    return FORMER_NAMES[name.decode()].encode()
