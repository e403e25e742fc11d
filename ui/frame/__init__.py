"""What every page stands in: menu, controls, pictures. Start with ``page``."""
