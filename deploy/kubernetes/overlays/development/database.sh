#!/bin/sh
# Run by the image of PostgreSQL when it makes its data directory: the storefront's roles and database.
set -eu
psql -v ON_ERROR_STOP=1 -q -v owner_password=storefront -v worker_password=storefront -v api_password=storefront \
  -f /setup/roles.sql
psql -v ON_ERROR_STOP=1 -q -c "CREATE DATABASE storefront OWNER storefront_owner
    TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8'"
