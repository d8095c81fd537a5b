"""Which parts of deploy/catalog-slots go into which slots of the catalog micro-frontend. Without tutor-mfe there is none."""

CATALOG = "org.openedx.frontend.catalog."
SLOTS = {
    "course_about_page.enrollment_button": "EnrollmentButton",
    "course_about_page.sidebar.details.course_price": "SidebarPrice",
    "course_catalog_page.data_table.course_card": "CourseCard",
    "home_page.course_card": "CourseCard",
}


def operation(part: str) -> str:
    """A wrapper, so that what the catalog shows by itself stays where the storefront has nothing to add."""
    return f"{{op: PLUGIN_OPERATIONS.Wrap, widgetId: 'default_contents', wrapper: storefront.{part}}}"


def fill() -> None:
    try:
        from tutormfe.hooks import PLUGIN_SLOTS
    except ImportError:
        return
    PLUGIN_SLOTS.add_items([("catalog", CATALOG + slot, operation(part)) for slot, part in SLOTS.items()])
