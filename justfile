# One door to the scripts, for those who have just (Debian 13: apt-get install just; else cargo install --locked just).
# Each recipe calls the script of its comment, which also works without just, and says more about itself in its first
# lines. Arguments are passed on: `just test checkout::`.

set positional-arguments

# Lists the recipes
default:
    @just --list --unsorted

# deploy/demo: everything on this machine with simulators, and a walk through it, until Ctrl-C
[group('try')]
demo *arguments:
    deploy/demo "$@"

# deploy/demo-data: the demo's catalog and payment accounts, into a running installation
[group('try')]
demo-data *arguments:
    deploy/demo-data "$@"

# The compiler's opinion, in seconds
[group('change')]
check *arguments:
    cargo check --workspace --all-targets --locked "$@"

# cargo fmt, in place
[group('change')]
fmt:
    cargo fmt --all

# tests/run --fast: the tests without those that take longer than 5 s
[group('change')]
fast:
    tests/run --fast

# tests/run: every check before a merge; with names, the tests whose path contains one of them
[group('change')]
test *arguments:
    tests/run "$@"

# tests/prose: links, paths, decision records and phrases
[group('change')]
prose:
    tests/prose

# cargo insta: shows snapshots that differ, and accepts or refuses them
[group('change')]
review:
    cargo insta review

# Renews the generated parts of docs/ and the snapshot of the OpenAPI description
[group('change')]
renew:
    INSTA_UPDATE=always UPDATE_DOCS=1 cargo test --locked --workspace -- openapi:: documents:: schema::

# deploy/services: finds or starts PostgreSQL, Redis and RabbitMQ
[group('servers')]
services *arguments:
    deploy/services "$@"

# tests/postgresql: the PostgreSQL of the tests, which keeps nothing safe; --stop removes it
[group('servers')]
postgresql *arguments:
    tests/postgresql "$@"

# tests/nightly: all long suites in turn; writes docs/suites.md
[group('long suites')]
nightly *arguments:
    tests/nightly "$@"

# tests/move-in: a filled database of edX's ecommerce moved in
[group('long suites')]
move-in *arguments:
    tests/move-in "$@"

# tests/debian RELEASE: the tests on PostgreSQL, Valkey and RabbitMQ of another release of Debian
[group('long suites')]
debian *arguments:
    tests/debian "$@"

# tests/observability: alert rules and dashboard, with promtool
[group('long suites')]
observability:
    tests/observability

# tests/kubernetes: the manifests, without a cluster; --update renews copies
[group('long suites')]
kubernetes *arguments:
    tests/kubernetes "$@"

# tests/provisioning: what deploy/services and deploy/demo do on a machine without servers
[group('long suites')]
provisioning:
    tests/provisioning

# tests/dependencies: licences, sources, versions, age and known vulnerabilities of the crates; the bills of materials
[group('long suites')]
dependencies:
    tests/dependencies

# tests/platform: the simulated course platform beside a real LMS
[group('long suites')]
platform *arguments:
    tests/platform "$@"

# tests/tutor: the Tutor plugin with three versions of Tutor
[group('long suites')]
tutor *arguments:
    tests/tutor "$@"

# tests/redis-sentinel: a Redis master that dies under reads
[group('long suites')]
redis-sentinel *arguments:
    tests/redis-sentinel "$@"

# tests/broker-cluster: nodes of a RabbitMQ cluster that die under grants
[group('long suites')]
broker-cluster *arguments:
    tests/broker-cluster "$@"

# tests/rolling: apis and workers replaced under load
[group('long suites')]
rolling:
    tests/rolling

# tests/pooler: the programs behind PgBouncer
[group('long suites')]
pooler:
    tests/pooler

# tests/faults: bursts of commands and payments while servers are killed
[group('long suites')]
faults:
    tests/faults

# tests/sdks: the simulated providers beside the providers' own packages
[group('long suites')]
sdks *arguments:
    tests/sdks "$@"

# tests/mail-filters: every mail in every language, as SpamAssassin and rspamd judge it
mail-filters *arguments:
    tests/mail-filters "$@"

# tests/webmail: every mail in every language as webmail shows it
webmail *arguments:
    tests/webmail "$@"

# tests/e-invoices: the e-invoices of the tests, by the official rules
e-invoices *arguments:
    tests/e-invoices "$@"

# tests/clients: clients that five tools generate from the OpenAPI description
[group('long suites')]
clients *arguments:
    tests/clients "$@"

# tests/schemathesis: requests made up from the OpenAPI description
[group('long suites')]
schemathesis *arguments:
    tests/schemathesis "$@"

# tests/catalog-slots: the parts in the slots of the platform's catalog, in a browser
[group('long suites')]
catalog-slots *arguments:
    tests/catalog-slots "$@"

# tests/pages: the pages in a browser; renews the pictures in docs/
[group('long suites')]
pages:
    tests/pages

# tests/fuzz: made-up input to the parsers of signatures, tokens and queries
[group('long suites')]
fuzz *arguments:
    tests/fuzz "$@"

# tests/reproducible: the programs built twice, the same bytes
[group('long suites')]
reproducible:
    tests/reproducible

# tests/containers: the images, unprivileged and read-only, at servers with TLS
[group('long suites')]
containers *arguments:
    tests/containers "$@"

# tests/bench NAME: measures beside baselines of the same run
[group('measure')]
bench *arguments:
    tests/bench "$@"

# tests/flame LOAD FILE: where the processor time is spent, as a picture
[group('measure')]
flame *arguments:
    tests/flame "$@"

# deploy/programs FOLDER: the programs as they are shipped, with their bills of materials
[group('release')]
programs *arguments:
    deploy/programs "$@"

# deploy/sbom: a software bill of materials for each program
[group('release')]
sbom *arguments:
    deploy/sbom "$@"
