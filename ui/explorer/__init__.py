"""The components of the explorer and of the start page. Read ``shown_map`` first."""
