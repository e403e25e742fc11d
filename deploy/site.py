"""Writes ``site.conf``: which replicas there are, and by which names the site is called.

python -m deploy.site app-8501:8501 app-8502:8502 --host maps.school.example > deploy/site.conf
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

OWN_NAMES = ("localhost", "127.0.0.1")  # of who looks whether it runs

_ABOUT = (
    "# Who answers, and by which names: written by `python -m deploy.site`, read by nginx.conf."
)
# One that failed gets no newcomers for two seconds: so long its start takes at least.
_HEALTH = "max_fails=1 fail_timeout=2s"


def main() -> None:
    """Print the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("replicas", nargs="+", metavar="HOST:PORT", help="each with its own port")
    parser.add_argument("--host", action="append", default=[], help="name of the site")
    options = parser.parse_args()
    try:
        print(site_conf(options.replicas, (*OWN_NAMES, *options.host)), end="")
    except ValueError as error:
        parser.error(str(error))


def site_conf(replicas: Sequence[str], names: Sequence[str]) -> str:
    """The text of the file.

    Args:
        replicas: ``HOST:PORT`` of each process of the app.
        names: of the site, as they stand in an address.

    Raises:
        ValueError: a replica without a port, or two with the same: the port is what tells them
            apart in a visitor's cookie.
    """
    ports = {replica.rpartition(":")[2]: replica for replica in replicas}
    if len(ports) < len(replicas) or not all(port.isdecimal() for port in ports):
        raise ValueError(f"each replica needs a port that no other has: {', '.join(replicas)}")
    blocks = [
        _block("map $host $is_here", ["default 0", *(f"{name} 1" for name in names)]),
        # In turns, which nginx's workers share. `least_conn` would count front pages, that last for
        # a moment, and not who stays: of twenty visitors at once fifteen met one replica.
        _block(
            "upstream newcomers",
            ["zone newcomers 64k", *(f"server {one} {_HEALTH}" for one in replicas)],
        ),
        *(_block(f"upstream replica-{port}", _of(own, replicas)) for port, own in ports.items()),
        _block(
            "map $cookie_replica $replica",
            ["default newcomers", *(f"{port} replica-{port}" for port in ports)],
        ),
    ]
    return "\n\n".join((_ABOUT, *blocks)) + "\n"


def write_nginx_folder(
    folder: Path, listen: str, replicas: Sequence[str], names: Sequence[str]
) -> None:
    """The shipped configuration, beside the two files that say what is different here.

    Args:
        folder: an empty one, in which nginx starts and keeps what it writes.
        listen: address and port.
        replicas: see `site_conf`.
        names: likewise.
    """
    folder.chmod(0o755)  # of nginx that root starts, the workers are somebody else
    (folder / "nginx.conf").symlink_to(Path(__file__).with_name("nginx.conf"))
    (folder / "listen.conf").write_text(f"listen {listen};\n", encoding="utf-8")
    (folder / "site.conf").write_text(site_conf(replicas, names), encoding="utf-8")


def _of(own: str, replicas: Sequence[str]) -> list[str]:
    """A replica, and who takes over while it is gone."""
    # Both are always asked: one that failed before would be left out for everybody until a request
    # to it ends, which a websocket does not, and its visitors would be sent to where nobody is.
    others = [f"server {other} max_fails=0 backup" for other in replicas if other != own]
    return [f"server {own} max_fails=0", *others]


def _block(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"{name} {{", *(f"    {line};" for line in lines), "}"))


if __name__ == "__main__":
    main()
