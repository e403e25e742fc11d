"""What can be looked at without the app: one map as SVG, all maps as a page that opens offline.

Start with ``map_svg`` and ``offline_page``. ``web_bundle`` packs the scripts and styles of
``web/``, which draw in the app, too.
"""
