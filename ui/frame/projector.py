"""CSS selectors of the controls that the keyboard moves in presentation mode.

In this mode the controls are hidden, and keys press them. Each page has some of them. The mode
itself is in ``web/app/tools/present.js``.
"""

# Names as in ``setControls`` of web/app/tools/page_controls.js, which describes them.
PROJECTOR_CONTROLS = {
    "slider": ":is(.st-key-play, .st-key-gallery-example, .st-key-gallery-own_example) "
    "input[type=range]",
    "steps": ".st-key-five_minutes",
    "next": ":is(.st-key-architecture-next, .st-key-five_minutes-next) button",
    "back": ":is(.st-key-architecture-back, .st-key-five_minutes-back) button",
    "cases": [f".st-key-five_minutes-{name}" for name in ("ending", "mask", "positions")],
    "answer": ".st-key-five_minutes-reveal button",
    "across": [".st-key-qkv-step", ".st-key-cost-bits", ".st-key-choice-head"],
    "down": [".st-key-choice-layer"],
    "language": [".st-key-language-switch"],
    "reveal": ".st-key-map-reveal button, .st-key-experiments-reveal button",
    "views": [".st-key-choice-show"],
    "lesson": ".st-key-begin a",
    "here": ":is(.st-key-menu, .st-key-bar) .here",
}
