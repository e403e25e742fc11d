"""The lesson of five minutes: eight steps on one screen each, with one claim and one control.

``lesson`` draws the frame of a step; each of the other modules draws one or two steps.
"""
