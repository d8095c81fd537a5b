"""The programs' settings, in both targets."""

import email.utils
import re
from urllib.parse import unquote, urlsplit

import pytest
from rendering import PROGRAMS, REPOSITORY, render, tutor
from rules import HOLDERS, wrong_holders, wrong_settings


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_setting_exists_and_each_required_one_is_given(installation, program):
    assert wrong_settings(program, installation.local_environment(f"storefront-{program}")) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_targets_give_the_programs_the_same_settings(installation, program):
    assert installation.local_environment(f"storefront-{program}") == installation.kubernetes_environment(program)


def test_each_secret_is_where_it_is_needed_and_nowhere_else(defaults):
    names = ("api", "worker", "migrate", "database", "postgresql", "rabbitmq")
    local = {
        name: str(defaults.local_environment(f"storefront-{name}")) + defaults.local_files(f"storefront-{name}")
        for name in names
    }
    assert wrong_holders(defaults.config, local) == []
    cluster = {name: str(defaults.kubernetes_environment(name)) + defaults.kubernetes_files(name) for name in names}
    assert wrong_holders(defaults.config, cluster) == []


def test_the_lms_gets_none_of_the_storefronts_secrets(defaults):
    folder = defaults.root / "env/apps/openedx"
    text = "".join(file.read_text(encoding="utf-8") for file in folder.rglob("*") if file.is_file())
    assert len(text) > 10_000
    assert [name for name in HOLDERS if name.startswith("STOREFRONT_") and defaults.config[name] in text] == []


def test_no_config_map_holds_a_secret(defaults):
    maps = str(
        [one for one in defaults.objects if one["kind"] == "ConfigMap" and "storefront" in one["metadata"]["name"]]
    )
    assert "DATABASE_POOL" in maps
    assert [name for name in HOLDERS if name.startswith("STOREFRONT_") and defaults.config[name] in maps] == []


def test_secrets_differ_and_survive_another_save(defaults, tmp_path):
    generated = {name: value for name, value in defaults.config.items() if name in HOLDERS}
    assert len(set(generated.values())) == len(HOLDERS)
    tutor(defaults.root, "config", "save")
    assert type(defaults)(defaults.root).config == defaults.config
    other = render(tmp_path, {}).config
    assert [name for name, value in generated.items() if other[name] == value] == []


def test_outside_servers_are_reached_over_tls(outside):
    for program, role in [("api", "storefront_api"), ("worker", "storefront_worker"), ("migrate", "storefront_owner")]:
        environment = outside.local_environment(f"storefront-{program}")
        database = urlsplit(environment["DATABASE_URL"])
        assert (database.username, database.hostname, database.query) == (role, "db.example.com", "sslmode=verify-full")
        assert environment["ALLOW_PLAINTEXT"] == "false"
        assert environment["TLS_CA_FILE"] == "/etc/storefront/authorities.pem"
        if program != "migrate":
            broker = urlsplit(environment["AMQP_URL"])
            assert (broker.scheme, broker.hostname, broker.port) == ("amqps", "broker.example.com", 5671)
            assert (broker.username, broker.path) == (role, "/shop")
            assert environment["REDIS_URL"].startswith("rediss://")
            assert environment["PLATFORM_URL"] == "https://learn.example.com"
    smtp = outside.local_environment("storefront-worker")["SMTP_URL"]
    assert smtp == "smtp://shop%40example.com:s%2Fp%24c%3Ai%40l@mail.example.com:587?tls=required"


def test_tls_is_given_up_only_for_servers_of_tutor(defaults):
    """The api and the worker connect without TLS to servers in Tutor's own network, by their names there."""
    inside = {"storefront-postgresql", "storefront-rabbitmq", "redis", "smtp", "learn.example.com"}
    for program in PROGRAMS:
        environment = defaults.local_environment(f"storefront-{program}")
        assert environment["ALLOW_PLAINTEXT"] == "true"
        urls = [
            urlsplit(value)
            for name, value in environment.items()
            if name.endswith("_URL") and name != "PUBLIC_BASE_URL"
        ]
        assert urls and {url.hostname for url in urls} <= inside


def test_odd_passwords_arrive_unchanged(odd):
    for program, role in [("api", "API"), ("worker", "WORKER"), ("migrate", "OWNER")]:
        environment = odd.local_environment(f"storefront-{program}")
        password = odd.config[f"STOREFRONT_POSTGRESQL_{role}_PASSWORD"]
        assert unquote(urlsplit(environment["DATABASE_URL"]).password) == password
        assert odd.local_environment("storefront-database")[f"{role}_PASSWORD"] == password
        if program != "migrate":
            assert (
                unquote(urlsplit(environment["AMQP_URL"]).password)
                == odd.config[f"STOREFRONT_RABBITMQ_{role}_PASSWORD"]
            )


def test_the_event_bus_stays_with_the_redis_of_tutor(odd):
    worker = odd.local_environment("storefront-worker")
    assert worker["REDIS_URL"] == "redis://other:6379"
    assert worker["EVENT_BUS_REDIS_URL"] == "redis://edx:r%2Fe%24d%40i%3As@redis:6379/0"


def test_an_operators_setting_replaces_the_plugins(odd):
    worker, api = (odd.local_environment(f"storefront-{name}") for name in ("worker", "api"))
    assert (worker["LOG_FORMAT"], worker["MAIL_FROM"]) == ("json", "Shop & $ons <shop@example.com>")
    assert api["MAIL_SMTPUTF8"] == "true"


def test_a_platform_may_have_any_name(outside):
    sender = outside.local_environment("storefront-worker")["MAIL_FROM"]
    assert email.utils.parseaddr(sender) == (outside.config["PLATFORM_NAME"], "contact@learn.example.com")


def test_registrations_are_heard_of_one_way_or_the_other(defaults, outside):
    api, worker = (defaults.local_environment(f"storefront-{name}") for name in ("api", "worker"))
    assert worker["EVENT_BUS_STREAM"] == "dev-learning-registration,dev-learning-enrollment"
    assert "REGISTRATION_HINT_TOKEN" not in api
    api, worker = (outside.local_environment(f"storefront-{name}") for name in ("api", "worker"))
    assert api["REGISTRATION_HINT_TOKEN"] == outside.config["STOREFRONT_REGISTRATION_HINT_TOKEN"]
    assert "EVENT_BUS_STREAM" not in worker


def test_idle_connections_end_at_caddy_first(defaults):
    """Caddy closes its idle connections after 2 minutes, and must not send a request into one that the api closes."""
    idle = defaults.local_environment("storefront-api")["IDLE_TIMEOUT"]
    assert idle.endswith("s") and int(idle[:-1]) > 120


def test_the_readme_names_each_setting_and_no_other():
    from tutorstorefront import plugin

    text = (REPOSITORY / "deploy/tutor/README.md").read_text(encoding="utf-8")
    settings = text.split("## Settings", 1)[1].split("### Secrets", 1)[0]
    rows = {
        name
        for row in settings.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([A-Z0-9_]+)`", row.split(" | ")[0])
    }
    assert rows == {name for name, _ in plugin.DEFAULTS}
    secrets = text.split("### Secrets", 1)[1].split("\n\n", 2)[1]
    rows = {name for row in secrets.splitlines() for name in re.findall(r"`([A-Z0-9_]+)`", row)}
    assert rows - {"STOREFRONT_REGISTRATION_WEBHOOK"} == {name.removeprefix("STOREFRONT_") for name, _ in plugin.UNIQUE}


def test_upgrade_buttons_lead_to_the_storefront(defaults):
    api, worker = (defaults.local_environment(f"storefront-{name}") for name in ("api", "worker"))
    assert worker["CATALOG_SYNC_SKUS"] == "true"
    assert api["PLATFORM_PUBLIC_URL"].endswith(f"://{defaults.config['LMS_HOST']}")
    text = defaults.lms_settings()
    root = api["PUBLIC_BASE_URL"]
    assert f'\nECOMMERCE_PUBLIC_URL_ROOT = "{root}"\n' in text
    assert f'\nORDER_HISTORY_MICROFRONTEND_URL = "{root}/storeapi/payment/history/"\n' in text
    assert f'\nLOGIN_REDIRECT_WHITELIST.append("{root.split("://")[1]}")\n' in text
