-- What the api may see: everything it shows, and no more. Its role (deploy/roles.sql) can only read.
-- Not granted: gateway_credentials, commands, outbox, inbox, audit_log.

GRANT USAGE ON SCHEMA public TO storefront_api;
GRANT SELECT ON
    organisations, pricing_policies, pricing_policy_countries, exchange_rates, banners,
    courses, course_modes, course_contents, programs, program_courses, tags, course_tags, program_tags, reviews,
    learners, organisation_members, enrollments, enrollment_grants,
    carts, cart_items, cart_courses, transactions, notification_secrets, catalog_generation
TO storefront_api;
