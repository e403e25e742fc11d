"""A message for a page that cannot connect to the server.

Streamlit's page is empty until its websocket is open. A proxy that passes no websockets leaves it
empty for ever, and no script of ours has arrived by then. So the page itself brings the sentence
(``ui.server.first_paint`` adds it): a style shows it after some seconds, unless the app has drawn
its menu.
"""

from html import escape

_SECONDS = 15  # a slow connection needs some seconds for the scripts of Streamlit
_SENTENCES = {
    "en": "This page gets no connection to its server. If this sentence stays, whoever runs the "
    "site has to let websockets through the proxy (the headers Upgrade and Connection).",
    "zh": "此页无法与服务器建立连接。如果这句话一直显示，请网站的管理者让代理允许 WebSocket 通过"
    "（Upgrade 与 Connection 头）。",
}
_STYLE = (
    "#no-connection{position:fixed;inset:auto 0 0;margin:0;padding:1rem;z-index:9;"
    "font:1rem/1.5 system-ui,sans-serif;color:#1b1d23;background:#fbfbf9;visibility:hidden;"
    f"animation:no-connection 0s {_SECONDS}s forwards}}"
    "@keyframes no-connection{to{visibility:visible}}"
    "body:has(.st-key-menu) #no-connection"
    "{display:none}"
)


def _notice() -> bytes:
    """Return the message in all languages, with the style that shows it."""
    lines = [f'<span lang="{lang}">{escape(text)}</span>' for lang, text in _SENTENCES.items()]
    text = "<br>".join(lines)
    return f'<style>{_STYLE}</style><p id="no-connection" role="status">{text}</p>'.encode()


NOTICE = _notice()  # HTML for the end of a page's body
