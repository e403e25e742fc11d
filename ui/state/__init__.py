"""What a visitor has chosen, and what all visitors share.

Start with ``visitor``: it owns the choices. ``address`` holds those that pages share, ``codecs``
those of one page. ``models`` and ``memory`` hold what all visitors share.
"""
