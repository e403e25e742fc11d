"""The styles of every page, in a separate file."""

from model.pictures.web_bundle import bundle_styles
from ui.components.own_files import address_of
from ui.text.roles import role_styles

PAGE_STYLES = address_of("page.css", bundle_styles("app/page.css") + role_styles())
