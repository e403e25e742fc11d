"""Every module can be described by its docstrings; the pages are looked at in tests/browser."""

from __future__ import annotations

import pytest
from pdoc import doc

from docs.api.build import modules, prepare, warnings_are_errors
from tests.docs.follow import ROOT


@pytest.fixture(scope="module")
def described():
    """Name to module of all that pdoc finds, as it walks down from the two packages."""
    prepare()
    found: dict[str, doc.Module] = {}
    waiting = [doc.Module.from_name(name) for name in ("model", "ui")]
    while waiting:
        module = waiting.pop()
        found[module.fullname] = module
        waiting += module.submodules
    return found


@pytest.mark.slow
def test_pdoc_finds_every_module_and_nothing_wrong(described):
    """Such as a type that is not there: all is asked for that its pages ask for."""
    paths = [
        path.relative_to(ROOT) for room in ("model", "ui") for path in ROOT.glob(f"{room}/**/*.py")
    ]
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths}
    assert set(modules()) == set(described) == names
    with warnings_are_errors():
        for module in described.values():
            assert module.docstring.strip(), module.fullname
            for member in module.flattened_own_members:
                assert member.taken_from
                if isinstance(member, doc.Function):
                    assert str(member.signature)
                if isinstance(member, doc.Class):
                    assert member.members is not None
