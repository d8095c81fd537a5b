"""What the plugin tells Tutor: settings with their defaults, generated secrets, templates, patches and tasks."""

import secrets
from pathlib import Path

from tutor import hooks

from . import catalog_slots
from .environment import compose_value, environment, mailbox, mask, url_part

HERE = Path(__file__).parent
VERSION = "1.1.0"

SCHEME = "http{% if ENABLE_HTTPS %}s{% endif %}"

# Tutor's Redis, or the one that it uses instead.
REDIS = (
    "redis://{% if REDIS_PASSWORD %}{{ REDIS_USERNAME|storefront_url_part }}:"
    "{{ REDIS_PASSWORD|storefront_url_part }}@{% endif %}{{ REDIS_HOST }}:{{ REDIS_PORT }}"
)

DEFAULTS = [
    ("STOREFRONT_VERSION", VERSION),
    ("STOREFRONT_HOST", "store.{{ LMS_HOST }}"),
    # Images. There is no public registry of the storefront's: build them with deploy/Dockerfile.
    ("STOREFRONT_API_DOCKER_IMAGE", "storefront-api:{{ STOREFRONT_VERSION }}"),
    ("STOREFRONT_WORKER_DOCKER_IMAGE", "storefront-worker:{{ STOREFRONT_VERSION }}"),
    ("STOREFRONT_POSTGRESQL_DOCKER_IMAGE", "docker.io/postgres:17"),
    ("STOREFRONT_RABBITMQ_DOCKER_IMAGE", "docker.io/rabbitmq:4"),
    # PostgreSQL: the plugin's own, or an outside one.
    ("RUN_STOREFRONT_POSTGRESQL", True),
    ("STOREFRONT_POSTGRESQL_HOST", "storefront-postgresql"),
    ("STOREFRONT_POSTGRESQL_PORT", 5432),
    ("STOREFRONT_POSTGRESQL_DATABASE", "storefront"),
    (
        "STOREFRONT_POSTGRESQL_PARAMETERS",
        "sslmode={% if RUN_STOREFRONT_POSTGRESQL %}disable{% else %}verify-full{% endif %}",
    ),
    # RabbitMQ: likewise.
    ("RUN_STOREFRONT_RABBITMQ", True),
    ("STOREFRONT_RABBITMQ_HOST", "storefront-rabbitmq"),
    ("STOREFRONT_RABBITMQ_SCHEME", "amqp{% if not RUN_STOREFRONT_RABBITMQ %}s{% endif %}"),
    ("STOREFRONT_RABBITMQ_PORT", "{% if RUN_STOREFRONT_RABBITMQ %}5672{% else %}5671{% endif %}"),
    ("STOREFRONT_RABBITMQ_VHOST", "/"),
    # Redis: Tutor's.
    ("STOREFRONT_REDIS_URL", REDIS + "/{{ STOREFRONT_REDIS_DB }}"),
    ("STOREFRONT_REDIS_DB", 3),
    # Servers in Tutor's network have no TLS.
    ("STOREFRONT_ALLOW_PLAINTEXT", True),
    ("STOREFRONT_CA_CERTIFICATES", ""),
    # The course platform.
    ("STOREFRONT_PLATFORM_URL", SCHEME + "://{{ LMS_HOST }}"),
    ("STOREFRONT_OAUTH2_KEY", "storefront"),
    ("STOREFRONT_SERVICE_USERNAME", "storefront_worker"),
    # Not below LMS_HOST: manage_user fails if the address of a user who exists is another one.
    ("STOREFRONT_SERVICE_EMAIL", "storefront@openedx.invalid"),
    # How the storefront hears of registrations.
    ("STOREFRONT_EVENT_BUS", True),
    ("STOREFRONT_EVENT_BUS_REDIS_URL", REDIS + "/0"),
    ("STOREFRONT_EVENT_BUS_TOPIC_PREFIX", "dev"),
    ("STOREFRONT_REGISTRATION_WEBHOOK", False),
    # The catalog follows the LMS's courses: an interval such as 6h. Empty: only by hand.
    ("STOREFRONT_CATALOG_SYNC_EVERY", ""),
    # The LMS's upgrade buttons and its link to the order history lead to the storefront.
    ("STOREFRONT_UPGRADE_BUTTONS", True),
    # The catalog micro-frontend shows the storefront's prices and buttons.
    ("STOREFRONT_CATALOG_SLOTS", True),
    ("STOREFRONT_PLATFORM_PUBLIC_URL", SCHEME + "://{{ LMS_HOST }}"),
    # The programs.
    ("STOREFRONT_PUBLIC_BASE_URL", SCHEME + "://{{ STOREFRONT_HOST }}"),
    ("STOREFRONT_ALLOWED_ORIGINS", []),
    # Docker's own networks, where Caddy is. The network of a cluster's pods is the operator's to name.
    ("STOREFRONT_TRUSTED_PROXIES", ["172.16.0.0/12", "192.168.0.0/16"]),
    ("STOREFRONT_MAIL_FROM", "{{ PLATFORM_NAME|storefront_mailbox(CONTACT_EMAIL) }}"),
    ("STOREFRONT_API_SETTINGS", {}),
    ("STOREFRONT_WORKER_SETTINGS", {}),
    # Kubernetes.
    ("STOREFRONT_POSTGRESQL_VOLUME_SIZE", "10Gi"),
    ("STOREFRONT_RABBITMQ_VOLUME_SIZE", "5Gi"),
]

# Tutor makes each of these once, at the first `tutor config save`, and keeps it in config.yml.
PASSWORD = "{{ 40|random_string }}"
KEY = "{{ 32|storefront_key }}"
UNIQUE = [
    ("STOREFRONT_POSTGRESQL_ADMIN_PASSWORD", PASSWORD),
    ("STOREFRONT_POSTGRESQL_OWNER_PASSWORD", PASSWORD),
    ("STOREFRONT_POSTGRESQL_WORKER_PASSWORD", PASSWORD),
    ("STOREFRONT_POSTGRESQL_API_PASSWORD", PASSWORD),
    ("STOREFRONT_RABBITMQ_WORKER_PASSWORD", PASSWORD),
    ("STOREFRONT_RABBITMQ_API_PASSWORD", PASSWORD),
    ("STOREFRONT_OAUTH2_SECRET", PASSWORD),
    ("STOREFRONT_CLIENT_API_SECRET", PASSWORD),
    ("STOREFRONT_LINK_SECRET", PASSWORD),
    ("STOREFRONT_REGISTRATION_HINT_TOKEN", PASSWORD),
    ("STOREFRONT_NOTIFICATION_KEYS", KEY),
    ("STOREFRONT_GATEWAY_KEYS", KEY),
    ("STOREFRONT_IDENTITY_KEYS", KEY),
]

hooks.Filters.CONFIG_DEFAULTS.add_items(DEFAULTS)
hooks.Filters.CONFIG_UNIQUE.add_items(UNIQUE)

hooks.Filters.ENV_TEMPLATE_FILTERS.add_items(
    [
        ("storefront_key", secrets.token_hex),
        ("storefront_url_part", url_part),
        ("storefront_mailbox", mailbox),
        ("storefront_mask", mask),
        ("storefront_environment", environment),
        ("storefront_compose_value", compose_value),
    ]
)
hooks.Filters.ENV_TEMPLATE_ROOTS.add_item(str(HERE / "templates"))
hooks.Filters.ENV_TEMPLATE_TARGETS.add_item(("storefront", "plugins"))
# Copied as they are: Tutor would otherwise read them as templates.
VERBATIM = ("storefront/postgresql/roles.sql", "storefront/k8s/base/", "mfe/build/mfe/storefront/")


@hooks.Filters.IS_FILE_RENDERED.add()
def _is_template(rendered: bool, path: str) -> bool:
    return rendered and not path.startswith(VERBATIM)


for patch in (HERE / "patches").iterdir():
    hooks.Filters.ENV_PATCHES.add_item((patch.name, patch.read_text(encoding="utf-8")))

catalog_slots.fill()

# `tutor local do init`, `tutor k8s do init` and `launch` run this in the LMS's image.
hooks.Filters.CLI_DO_INIT_TASKS.add_item(("lms", (HERE / "tasks/init.sh").read_text(encoding="utf-8")))


@hooks.Filters.APP_PUBLIC_HOSTS.add()
def _add_public_host(hosts: list, context_name: str) -> list:
    if context_name == "local":
        hosts.append("{{ STOREFRONT_HOST }}")
    return hosts
