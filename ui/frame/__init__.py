"""The frame around every page: menu, controls and pictures. Read ``page`` first."""
