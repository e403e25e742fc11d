"""A lesson of five minutes in eight steps. Each step has one screen, one claim and one control.

``lesson`` draws the frame of a step; each of the other modules draws one or two steps.
"""
