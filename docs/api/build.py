"""The page of every module, from its docstrings: ``make docs`` writes them into ``site/``.

They open from the file system and ask no network for anything.
"""

import argparse
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pdoc
from pygments.formatters import HtmlFormatter

import model
import ui

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
_DARK = "nord"  # of Pygments, for code on a dark screen
# Such a table has names with spaces in them, so that no line of a class can be theirs.
_FINE = r"Cannot determine where model\.(alignment\.cross_validation|evaluation\.comparison)\."


def modules() -> list[str]:
    """The names of all modules of ``model`` and ``ui``; pdoc leaves out what is a command alone."""
    found = [package.__name__ for package in (model, ui)]
    for package in (model, ui):
        found += [m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return sorted(name for name in found if not name.endswith(".__main__"))


def build(folder: Path) -> None:
    """Write the page of every module.

    Args:
        folder: where they go.

    Raises:
        UserWarning: pdoc finds something wrong with a module.
    """
    prepare()
    pdoc.render.configure(
        docformat="google",
        template_directory=Path(__file__).parent,
    )
    pdoc.render.env.globals["dark_code"] = HtmlFormatter(style=_DARK).get_style_defs(".pdoc-code")
    with warnings_are_errors():
        pdoc.pdoc(model.__name__, ui.__name__, output_directory=folder)


def prepare() -> None:
    """Import all modules, and make known to pdoc what it does not see by itself."""
    for module in map(import_module, modules()):
        if hasattr(module, "__all__") and hasattr(module, "__path__"):
            _offer_its_modules(module)
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
                _give_a_home(thing)
            if isinstance(thing, ModuleType) and thing.__name__ not in sys.modules:
                _tell_from_ours(thing)


def _offer_its_modules(package: ModuleType) -> None:
    """A list of what a package offers hides its modules from pdoc, unless it names them, too."""
    inside = [module.name for module in pkgutil.iter_modules(package.__path__)]
    package.__all__ = [*dict.fromkeys([*package.__all__, *inside])]


def _give_a_home(named_tuple: type) -> None:
    """Python makes its constructor in no module, where pdoc cannot look up the types."""
    named_tuple.__new__.__module__ = named_tuple.__module__


def _tell_from_ours(compiled: ModuleType) -> None:
    """It says its last name only, so that pdoc takes it for a part of the module that uses it."""
    compiled.__name__ = f"compiled {compiled.__name__}"


@contextmanager
def warnings_are_errors() -> Iterator[None]:
    """Whatever pdoc finds wrong with a module ends the block, with UserWarning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=_FINE)
        yield


def main() -> None:
    """Write all of them into ``site/``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=SITE, help="the folder (%(default)s)")
    folder = parser.parse_args().out
    build(folder)
    print(f"Open {folder / 'index.html'}.")


if __name__ == "__main__":
    main()
