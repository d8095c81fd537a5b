import pytest
from rendering import render

OUTSIDE = {
    "ENABLE_HTTPS": True,
    "PLATFORM_NAME": "Müller, Søn & Co: $HOME (ltd.)",
    "RUN_STOREFRONT_POSTGRESQL": False,
    "STOREFRONT_POSTGRESQL_HOST": "db.example.com",
    "RUN_STOREFRONT_RABBITMQ": False,
    "STOREFRONT_RABBITMQ_HOST": "broker.example.com",
    "STOREFRONT_RABBITMQ_VHOST": "shop",
    "STOREFRONT_REDIS_URL": "rediss://storefront:secret@cache.example.com:6379/0",
    "STOREFRONT_EVENT_BUS": False,
    "STOREFRONT_REGISTRATION_WEBHOOK": True,
    "STOREFRONT_ALLOW_PLAINTEXT": False,
    "STOREFRONT_CA_CERTIFICATES": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "STOREFRONT_ALLOWED_ORIGINS": ["https://shop.example.com", "https://www.example.com"],
    "STOREFRONT_API_DOCKER_IMAGE": "registry.example.com:5000/shop/api:4.1.0",
    "STOREFRONT_WORKER_DOCKER_IMAGE": "registry.example.com/shop/worker@sha256:" + 64 * "a",
    "SMTP_HOST": "mail.example.com",
    "SMTP_PORT": 587,
    "SMTP_USERNAME": "shop@example.com",
    "SMTP_PASSWORD": "s/p$c:i@l",
    "SMTP_USE_TLS": True,
}
ODD = "p$a${b}@s/s#w\"o%r'd p{a}s&s<1>2345678901234"


@pytest.fixture(scope="session")
def defaults(tmp_path_factory):
    """An installation without any settings of its own."""
    return render(tmp_path_factory.mktemp("defaults"), {})


@pytest.fixture(scope="session")
def outside(tmp_path_factory):
    """An installation whose servers are outside of Tutor's network, with TLS."""
    return render(tmp_path_factory.mktemp("outside"), OUTSIDE)


@pytest.fixture(scope="session")
def odd(tmp_path_factory):
    """An installation whose operator has chosen passwords with every odd character."""
    names = ("POSTGRESQL_OWNER", "POSTGRESQL_WORKER", "POSTGRESQL_API", "RABBITMQ_WORKER", "RABBITMQ_API")
    return render(
        tmp_path_factory.mktemp("odd"),
        {
            **{f"STOREFRONT_{name}_PASSWORD": name + ODD for name in names},
            "STOREFRONT_WORKER_SETTINGS": {"LOG_FORMAT": "json", "MAIL_FROM": "Shop & $ons <shop@example.com>"},
            "STOREFRONT_API_SETTINGS": {"MAIL_SMTPUTF8": True},
            "STOREFRONT_CATALOG_SYNC_EVERY": "6h",
            "STOREFRONT_REDIS_URL": "redis://other:6379",
            "REDIS_USERNAME": "edx",
            "REDIS_PASSWORD": "r/e$d@i:s",
        },
    )


@pytest.fixture(scope="session", params=["defaults", "outside", "odd"])
def installation(request):
    """Each of the three."""
    return request.getfixturevalue(request.param)
