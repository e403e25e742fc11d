"""The state of the app: the choices of each visitor, and results that all visitors share.

Read ``visitor`` first: it owns the choices. ``address`` describes choices
that pages share, ``codecs`` choices of one page. All visitors share ``models`` and ``memory``.
"""
