"""Export of figures: PDF pictures, and the numbers as files with a description.

The browser makes PNG and SVG: ``web/app/tools/save_figure.js``.
"""
