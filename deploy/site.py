"""Write ``site.conf``: the replicas, the host names and the limits of the site.

python -m deploy.site app-8501:8501 app-8502:8502 --host maps.school.example > deploy/site.conf
"""

import argparse
import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv6Address
from pathlib import Path

from deploy.health import LAST_PORT, is_port

OWN_NAMES = ("localhost", "127.0.0.1")  # used by health checks on the machine itself

_ABOUT = (
    "# Replicas, host names and limits: written by `python -m deploy.site`, included by nginx.conf."
)
# A replica that failed gets no new visitors for two seconds, the least time that its restart takes.
_HEALTH = "max_fails=1 fail_timeout=2s"
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")  # between two dots of a host name
_LONGEST_NAME = 253  # characters
# words that are keywords in an nginx map
_WORDS_OF_A_MAP = ("default", "hostnames", "include", "volatile")

# A whole school may share one address. A replica serves a class, and three may come at once. Each
# visitor can make the app hold one message of 10 MB (maxMessageSize), and a container has 3 GB.
VISITORS_OF_A_REPLICA = 100
# A first visit asks for at most 150 files. A browser that speaks HTTP/2 asks for many at once.
_FILES_OF_A_VISIT = 150
_CONNECTIONS_OF_A_VISITOR = 20
MAX_CONNECTIONS = 65_535  # of one address; nginx accepts no larger limit


def main() -> None:
    """Print the configuration of nginx for this site."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("replicas", nargs="+", metavar="HOST:PORT", help="each with its own port")
    add_site_options(parser)
    options = parser.parse_args()
    try:
        names = (*OWN_NAMES, *options.host)
        print(site_conf(options.replicas, names, visitors=options.visitors), end="")
    except ValueError as error:
        parser.error(str(error))


def add_site_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a site: its host names, and how many visitors one address may send."""
    parser.add_argument(
        "--host", type=_host_option, action="append", default=[], help="name of the site"
    )
    parser.add_argument(
        "--visitors",
        type=_visitors_option,
        help="most visitors at once from one address; a school may share one "
        f"(default: {VISITORS_OF_A_REPLICA} for each replica)",
    )


def host_name(text: str) -> str:
    """Return a host name as a proxy compares it: lower case, ASCII, without the dot at its end.

    Args:
        text: a host name or an IPv4 address, as somebody types it.

    Raises:
        ValueError: it is neither, for instance because it has a port or a scheme.

    >>> host_name("Maps.School.example.")
    'maps.school.example'
    """
    remedy = "give a name like maps.school.example"
    if not text.isascii():
        remedy = "write it as browsers send it, xn--..."
    if re.search(r":[0-9]*/?$", text):
        remedy = "leave the port out"
    if text.count(":") > 1:
        remedy = "give a name or an IPv4 address"
    if "://" in text:
        remedy = "leave the scheme out"
    name = (text if text.isascii() else _in_ascii(text)).removesuffix(".").lower()
    if len(name) > _LONGEST_NAME or not all(map(_LABEL.fullmatch, name.split("."))):
        raise ValueError(f"{text} is not a host name: {remedy}")
    return name


def site_conf(replicas: Sequence[str], names: Sequence[str], *, visitors: int | None = None) -> str:
    """Return the text of ``site.conf``.

    Args:
        replicas: ``HOST:PORT`` of each process of the app.
        names: host names of the site.
        visitors: most visitors at once from one address; by default `VISITORS_OF_A_REPLICA` for
            each replica.

    Raises:
        ValueError: a name is not a host name, a replica is not ``HOST:PORT``, or two have the same
            port: it identifies a replica in a visitor's cookie.
    """
    for replica in replicas:
        _check_replica(replica)
    ports = {replica.rpartition(":")[2]: replica for replica in replicas}
    if len(ports) < len(replicas):
        raise ValueError(f"each replica needs a port that no other has: {', '.join(replicas)}")
    hosts = dict.fromkeys(host_name(name) for name in names)
    blocks = [
        _block("map $host $is_here", ["default 0", *(f"{_in_map(name)} 1" for name in hosts)]),
        _limits(visitors or min(VISITORS_OF_A_REPLICA * len(replicas), MAX_CONNECTIONS)),
        # Round robin, shared by nginx's workers. `least_conn` counts short first requests and not
        # the visitors who stay: of twenty visitors at once it sent fifteen to one replica.
        _block(
            "upstream newcomers",
            ["zone newcomers 64k", *(f"server {server} {_HEALTH}" for server in replicas)],
        ),
        *(
            _block(f"upstream replica-{port}", _upstream(own, replicas))
            for port, own in ports.items()
        ),
        _block(
            "map $cookie_replica $replica",
            ["default newcomers", *(f"{port} replica-{port}" for port in ports)],
        ),
    ]
    return "\n\n".join((_ABOUT, *blocks)) + "\n"


def write_nginx_folder(
    folder: Path,
    listen: str,
    replicas: Sequence[str],
    names: Sequence[str],
    *,
    visitors: int | None = None,
) -> None:
    """Write the shipped configuration and the two files with this site's settings.

    Args:
        folder: an empty folder, in which nginx starts and writes its own files.
        listen: ``ADDRESS:PORT``.
        replicas: see `site_conf`.
        names: see `site_conf`.
        visitors: see `site_conf`.
    """
    folder.chmod(0o755)  # if root starts nginx, its workers run as another user
    (folder / "nginx.conf").symlink_to(Path(__file__).with_name("nginx.conf"))
    (folder / "listen.conf").write_text(f"listen {listen};\n", encoding="utf-8")
    site = site_conf(replicas, names, visitors=visitors)
    (folder / "site.conf").write_text(site, encoding="utf-8")


def _in_ascii(text: str) -> str:
    """Return a host name as browsers send it, such as ``xn--strae-oqa.example``; "" for no name.

    Python's own codec follows the rule of 2003, under which ``straße`` is another name.
    """
    try:
        import idna  # here, because `python -m deploy.site` also runs where nothing is installed

        return idna.encode(text, uts46=True).decode("ascii")
    except (ImportError, UnicodeError):
        return ""


def _check_replica(replica: str) -> None:
    """Raise ValueError unless a replica is ``HOST:PORT``.

    Its text is written into the configuration of nginx, where any other text could add settings.
    """
    host, _, port = replica.rpartition(":")
    is_host = False
    with suppress(ValueError):
        if host.startswith("[") and host.endswith("]"):
            is_host = IPv6Address(host[1:-1]).scope_id is None
        else:
            is_host = host_name(host) == host.lower()
    if not is_host:
        raise ValueError(
            f"{replica} is not a replica: give a host and its port, such as app-8501:8501"
        )
    if not is_port(port):
        raise ValueError(f"{replica} is not a replica: give it a port from 1 to {LAST_PORT}")


def _in_map(name: str) -> str:
    """Return a host name as a key of an nginx map. A backslash turns a keyword into plain text."""
    return f"\\{name}" if name in _WORDS_OF_A_MAP else name


def _limits(visitors: int) -> str:
    """Return what one address may ask for; nginx answers 429 to more."""
    burst = _FILES_OF_A_VISIT * visitors
    connections = min(_CONNECTIONS_OF_A_VISITOR * visitors, MAX_CONNECTIONS)
    lines = [
        f"# For one address: {visitors} visitors at once. {burst} files may be asked for at once,",
        f"# and after that {visitors} a second.",
        f"limit_conn websockets {visitors};",
        f"limit_conn connections {connections};",
        f"limit_req_zone $visitor_address zone=requests:10m rate={visitors}r/s;",
        f"limit_req zone=requests burst={burst} nodelay;",
    ]
    return "\n".join(lines)


def _upstream(own: str, replicas: Sequence[str]) -> list[str]:
    """Return the upstream of one replica, with its backups."""
    # max_fails=0: every replica is always tried. Otherwise nginx would skip a replica that failed,
    # until a request to it ends. A websocket does not end, so nginx would go on sending visitors to
    # replicas that do not answer.
    others = [f"server {other} max_fails=0 backup" for other in replicas if other != own]
    return [f"server {own} max_fails=0", *others]


def _block(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"{name} {{", *(f"    {line};" for line in lines), "}"))


def _host_option(text: str) -> str:
    try:
        return host_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _visitors_option(text: str) -> int:
    if not (len(text) <= 6 and text.isdecimal() and 1 <= int(text) <= MAX_CONNECTIONS):
        raise argparse.ArgumentTypeError(
            f"{text[:40]} is not a number of visitors: give a number from 1 to {MAX_CONNECTIONS}"
        )
    return int(text)


if __name__ == "__main__":
    main()
