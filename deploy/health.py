"""Check whether the app answers: the container's HEALTHCHECK, since the image has no curl.

python -m deploy.health
"""

import os
import re
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

LOOPBACK = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
PORT_VARIABLE = "STREAMLIT_SERVER_PORT"
BASE_VARIABLE = "STREAMLIT_SERVER_BASE_URL_PATH"
LAST_PORT = 65_535
_PATIENCE = 4.0  # seconds


def is_healthy(address: str, port: int) -> bool:
    """Return whether the app answers at this address, directly or through nginx.

    Args:
        address: IP address on which the app or nginx listens.
        port: TCP port.
    """
    base = os.environ.get(BASE_VARIABLE, "").strip("/")
    path = f"/{base}/_stcore/health" if base else "/_stcore/health"
    own = LOOPBACK if address == EVERYWHERE else address
    with closing(HTTPConnection(own, port, timeout=_PATIENCE)) as connection:
        try:
            connection.request("GET", path, headers={"Host": "localhost"})
            return connection.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False


def is_port(text: str) -> bool:
    """Return whether a text is the number of a TCP port, without a zero at its beginning."""
    return bool(re.fullmatch("[1-9][0-9]{0,4}", text)) and int(text) <= LAST_PORT


def main() -> None:
    """End with status 0 if the app answers, otherwise with 1.

    Raises:
        SystemExit: always. If the port is invalid, the message names it.
    """
    text = os.environ.get(PORT_VARIABLE, "8501")
    if not is_port(text):
        sys.exit(
            f"{PORT_VARIABLE} is {text[:40]!r}: give a number from 1 to {LAST_PORT}, "
            "for instance 8501."
        )
    sys.exit(not is_healthy(LOOPBACK, int(text)))


if __name__ == "__main__":
    main()
