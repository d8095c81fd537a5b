"""The rules of rules.py notice what they are there for."""

import pytest
from rules import HOLDERS, documented, wrong_holders, wrong_settings


@pytest.fixture
def api(defaults):
    return defaults.local_environment("storefront-api")


@pytest.mark.parametrize(
    "change, wrong",
    [
        ({"LINK_SECRETS": "x"}, "api has no setting LINK_SECRETS"),
        ({"GATEWAY_KEYS": 64 * "0"}, "api has no setting GATEWAY_KEYS"),
        ({"LINK_SECRET": ""}, "api needs LINK_SECRET"),
        ({"DATABASE_URL": ""}, "api needs DATABASE_URL"),
        ({"PLATFORM_URL": ""}, "api needs PLATFORM_URL"),
        ({"LINK_SECRET": 31 * "x"}, "LINK_SECRET needs 32 bytes"),
        ({"CLIENT_API_SECRET": 32 * "x" + ",short"}, "CLIENT_API_SECRET needs 32 bytes"),
        ({"NOTIFICATION_KEYS": 63 * "0"}, "NOTIFICATION_KEYS needs 64 hexadecimal digits"),
        ({"IDENTITY_KEYS": 64 * "g"}, "IDENTITY_KEYS needs 64 hexadecimal digits"),
    ],
)
def test_a_wrong_setting_is_noticed(api, change, wrong):
    assert wrong_settings("api", api) == []
    assert wrong_settings("api", {**api, **change}) == [wrong]


def test_settings_of_other_programs_are_noticed():
    assert "GATEWAY_KEYS" not in documented()["api"]
    assert "CLIENT_API_SECRET" not in documented()["worker"]
    assert set(documented()["migrate"]) >= {"DATABASE_URL", "ALLOW_PLAINTEXT", "TLS_CA_FILE"}


@pytest.mark.parametrize("name", HOLDERS)
def test_a_secret_in_a_wrong_place_is_noticed(defaults, name):
    value = defaults.config[name].splitlines()[1] if name == "JWT_RSA_PRIVATE_KEY" else defaults.config[name]
    assert f"stranger must not have {name}" in wrong_holders(defaults.config, {"stranger": f"url://user:{value}@host"})


def test_a_missing_and_a_short_secret_are_noticed(defaults):
    assert "api does not have STOREFRONT_LINK_SECRET" in wrong_holders(defaults.config, {"api": ""})
    short = {**defaults.config, "STOREFRONT_LINK_SECRET": "short"}
    assert "STOREFRONT_LINK_SECRET has fewer than 32 characters" in wrong_holders(short, {})
    new = {**defaults.config, "STOREFRONT_NEW_SECRET": 40 * "x"}
    assert wrong_holders(new, {}) == ["STOREFRONT_NEW_SECRET: the test does not say who holds it"]
