"""The frame around every page: menu, controls, pictures. Read ``page`` first."""
