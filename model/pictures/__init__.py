"""What can be looked at without the app: one map as SVG, all maps as a page that opens offline.

Start with ``map_svg`` and ``offline_page``. The scripts here draw in the app, too.
"""
