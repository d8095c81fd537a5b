"""A Tutor plugin that runs the storefront beside an Open edX platform."""
