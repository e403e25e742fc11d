"""The HTTP headers that tell a browser what a page of the app may do."""

import os
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit

FRAME_ANCESTORS_VARIABLE = "ATTENTION_EXPLORER_FRAME_ANCESTORS"

# The sources from which a page may load, besides files of this server. No other server is allowed,
# so a visitor's text stays here. The scripts of our components come as blob: URLs.
_SOURCES = {
    "default-src": "'self'",
    "script-src": "'self' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
# Browser features that no page uses. Full screen and clipboard are used, so they are not listed.
_UNUSED_FEATURES = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "usb",
)
_SITE = re.compile(r"\*|'self'|'none'|https?:|(https?://)?[\w.:*-]+", re.ASCII)
_HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)


def security_headers(host: str) -> dict[str, str]:
    """Return the security headers of every answer.

    Args:
        host: name and port under which the browser asks, as it says them.
    """
    return {
        "Content-Security-Policy": _content_security_policy(host),
        # The address contains the visitor's sentence, which no other site and no log may receive.
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _UNUSED_FEATURES),
    }


def frame_ancestors() -> str:
    """Return the sites that may embed a page in a frame: those that the operator names, or all.

    By default all sites may, so that a learning platform can show the app. This is safe: a visitor
    has no account here, so clicks to which a site around the page tricks the visitor do no harm.

    Raises:
        ValueError: the setting is not a list of sites.
    """
    sites = os.environ.get(FRAME_ANCESTORS_VARIABLE, "").split() or ["*"]
    for site in sites:
        if not _SITE.fullmatch(site):
            raise ValueError(
                f"{FRAME_ANCESTORS_VARIABLE} has {site[:40]!r}: give sites like "
                "https://moodle.school.example, separated by spaces."
            )
    return " ".join(sites)


def _content_security_policy(host: str) -> str:
    """Return the header's value: each directive with its allowed sources."""
    sources = dict(_SOURCES)
    sources["script-src"] += f" {_inline_scripts()}"
    if _HOST.fullmatch(host):  # for browsers whose 'self' leaves out websockets
        sources["connect-src"] += f" ws://{host} wss://{host}"
    sources["frame-ancestors"] = frame_ancestors()
    return "; ".join(f"{name} {allowed}" for name, allowed in sources.items())


@cache
def _inline_scripts() -> str:
    """Return the source expressions of the inline scripts in Streamlit's own page."""
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    scripts = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    return " ".join(f"'sha256-{digest}'" for digest in digests)
