"""What must hold for the programs' environments: the settings of docs/configuration.md, and who may hold which secret.

Each rule returns what is wrong, as a list of sentences; test_rules.py shows that each of them can fail.
"""

import re
from dataclasses import dataclass

from rendering import REPOSITORY

SECTIONS = {
    "both": "Both programs",
    "api": "The api",
    "worker": "The worker (`storefront-worker run`)",
}


@dataclass(frozen=True)
class Setting:
    required: bool
    hexadecimal: bool
    long: bool


def documented() -> dict:
    """The settings of each program, from docs/configuration.md, which the programs' own command lines generate."""
    text = (REPOSITORY / "docs/configuration.md").read_text(encoding="utf-8")
    found = {}
    for part, heading in SECTIONS.items():
        table = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
        rows = re.findall(r"^\| `([A-Z0-9_]+)` \| (.*?) \| (.*) \|$", table, re.MULTILINE)
        found[part] = {
            name: Setting(default == "required", "64 hexadecimal digits" in says, "at least 32 bytes" in says.lower())
            for name, default, says in rows
        }
        assert len(found[part]) >= 10, f"docs/configuration.md lists only {len(found[part])} settings of {part}"
    migrate = re.search(r"^\| `storefront-worker migrate` \|.*\| (.*) \|$", text, re.MULTILINE).group(1)
    return {
        "api": {**found["both"], **found["api"]},
        "worker": {**found["both"], **found["worker"]},
        "migrate": {name: found["both"][name] for name in re.findall(r"`([A-Z_]+)`", migrate)},
    }


def wrong_settings(program: str, environment: dict) -> list:
    """Settings that the program does not have, required ones that are missing, and secrets that are too weak."""
    settings = documented()[program]
    wrong = [f"{program} has no setting {name}" for name in environment if name not in settings]
    for name, setting in settings.items():
        value = environment.get(name, "")
        if setting.required and not value:
            wrong.append(f"{program} needs {name}")
        for part in filter(None, value.split(",")):
            if setting.hexadecimal and not re.fullmatch(r"[0-9a-f]{64}", part):
                wrong.append(f"{name} needs 64 hexadecimal digits")
            if setting.long and len(part.encode()) < 32:
                wrong.append(f"{name} needs 32 bytes")
    return wrong


# Who holds which generated secret, and no other container does. `rabbitmq` and `database` need it to make the accounts.
HOLDERS = {
    "STOREFRONT_POSTGRESQL_ADMIN_PASSWORD": {"postgresql", "database"},
    "STOREFRONT_POSTGRESQL_OWNER_PASSWORD": {"database", "migrate"},
    "STOREFRONT_POSTGRESQL_WORKER_PASSWORD": {"database", "worker"},
    "STOREFRONT_POSTGRESQL_API_PASSWORD": {"database", "api"},
    "STOREFRONT_RABBITMQ_WORKER_PASSWORD": {"rabbitmq", "worker"},
    "STOREFRONT_RABBITMQ_API_PASSWORD": {"rabbitmq", "api"},
    "STOREFRONT_OAUTH2_SECRET": {"worker"},
    "STOREFRONT_CLIENT_API_SECRET": {"api"},
    "STOREFRONT_LINK_SECRET": {"api", "worker"},
    "STOREFRONT_REGISTRATION_HINT_TOKEN": set(),
    "STOREFRONT_NOTIFICATION_KEYS": {"api", "worker"},
    "STOREFRONT_GATEWAY_KEYS": {"worker"},
    "STOREFRONT_IDENTITY_KEYS": {"api"},
    # Tutor's own: none of the storefront's programs may sign tokens of the LMS.
    "OPENEDX_SECRET_KEY": set(),
    "JWT_RSA_PRIVATE_KEY": set(),
}


def wrong_holders(config: dict, contents: dict) -> list:
    """`contents` is all that each container can read. A secret must be exactly where HOLDERS says."""
    wrong = []
    for name, holders in HOLDERS.items():
        value = config[name].splitlines()[1] if name == "JWT_RSA_PRIVATE_KEY" else config[name]
        if len(value) < 32 and name.startswith("STOREFRONT_"):
            wrong.append(f"{name} has fewer than 32 characters")
        for container, content in contents.items():
            if value in content and container not in holders:
                wrong.append(f"{container} must not have {name}")
            if value not in content and container in holders:
                wrong.append(f"{container} does not have {name}")
    unknown = [
        name
        for name in config
        if re.fullmatch(r"STOREFRONT_.*(PASSWORD|SECRET|TOKEN|KEYS)", name) and name not in HOLDERS
    ]
    return wrong + [f"{name}: the test does not say who holds it" for name in unknown]
