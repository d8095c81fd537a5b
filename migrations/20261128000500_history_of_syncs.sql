-- When the course platform agreed with an enrollment, which the history of an order shows.

GRANT SELECT (platform_synced_at) ON enrollments TO storefront_api;
