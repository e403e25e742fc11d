"""Check whether the app answers: the container's HEALTHCHECK, since the image has no curl.

python -m deploy.health
"""

import os
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

LOOPBACK = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
PORT_VARIABLE = "STREAMLIT_SERVER_PORT"
BASE_VARIABLE = "STREAMLIT_SERVER_BASE_URL_PATH"
_PATIENCE = 4.0  # seconds


def is_healthy(address: str, port: int) -> bool:
    """Whether the app answers at this address, directly or through nginx.

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


if __name__ == "__main__":
    sys.exit(not is_healthy(LOOPBACK, int(os.environ.get(PORT_VARIABLE, "8501"))))
