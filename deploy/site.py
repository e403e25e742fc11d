"""Writes ``site.conf``: the replicas and the host names of the site.

python -m deploy.site app-8501:8501 app-8502:8502 --host maps.school.example > deploy/site.conf
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

OWN_NAMES = ("localhost", "127.0.0.1")  # used by health checks on the machine itself

_ABOUT = "# Replicas and host names: written by `python -m deploy.site`, included by nginx.conf."
# A replica that failed gets no new visitors for two seconds, the least time that its restart takes.
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
    """The text of ``site.conf``.

    Args:
        replicas: ``HOST:PORT`` of each process of the app.
        names: host names of the site.

    Raises:
        ValueError: a replica has no port, or two have the same one: the port identifies a replica
            in a visitor's cookie.
    """
    ports = {replica.rpartition(":")[2]: replica for replica in replicas}
    if len(ports) < len(replicas) or not all(port.isdecimal() for port in ports):
        raise ValueError(f"each replica needs a port that no other has: {', '.join(replicas)}")
    blocks = [
        _block("map $host $is_here", ["default 0", *(f"{name} 1" for name in names)]),
        # Round robin, shared by nginx's workers. `least_conn` counts short first requests and not
        # the visitors who stay: of twenty visitors at once it sent fifteen to one replica.
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
    """Write the shipped configuration and the two files with this site's settings.

    Args:
        folder: an empty folder, in which nginx starts and writes its own files.
        listen: ``ADDRESS:PORT``.
        replicas: see `site_conf`.
        names: see `site_conf`.
    """
    folder.chmod(0o755)  # if root starts nginx, its workers run as another user
    (folder / "nginx.conf").symlink_to(Path(__file__).with_name("nginx.conf"))
    (folder / "listen.conf").write_text(f"listen {listen};\n", encoding="utf-8")
    (folder / "site.conf").write_text(site_conf(replicas, names), encoding="utf-8")


def _of(own: str, replicas: Sequence[str]) -> list[str]:
    """A replica and its backups."""
    # max_fails=0: all are always tried. Otherwise nginx would skip a replica that failed until a
    # request to it ends, which a websocket does not, and send its visitors to where nobody answers.
    others = [f"server {other} max_fails=0 backup" for other in replicas if other != own]
    return [f"server {own} max_fails=0", *others]


def _block(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"{name} {{", *(f"    {line};" for line in lines), "}"))


if __name__ == "__main__":
    main()
