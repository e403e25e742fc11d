"""The controls of all pages that keys move while a page is on a projector, as CSS selectors.

Keys press controls that are hidden then. A page has some of them.
"""

PROJECTOR_CONTROLS = {
    "slider": ".st-key-play input[type=range]",
    "next": ".st-key-architecture-next button",
    "back": ".st-key-architecture-back button",
    "across": [".st-key-qkv-step", ".st-key-choice-head"],
    "down": [".st-key-choice-layer"],
    "language": [".st-key-language-switch"],
    "reveal": ".st-key-map-reveal button, .st-key-experiments-reveal button",
    "maps": ":is(.st-key-map, .st-key-two, .st-key-lines)",
}
