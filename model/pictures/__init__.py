"""Pictures that need no app: one map as SVG, or all maps as an offline page.

Start with ``map_svg`` and ``offline_page``. They take numbers and labels and know no model:
``model.trace.drawable`` calls them. ``web_bundle`` packs the scripts and styles of ``web/``, which
draw in the app, too.
"""
