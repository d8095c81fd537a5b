"""tutor local: the services in Docker Compose, and the public host."""

import json
import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml
from rendering import BIN, PROGRAMS, REPOSITORY

ONE_SHOT = {"condition": "service_completed_successfully"}


def ours(rendered) -> dict:
    return {name: service for name, service in rendered.services.items() if name.startswith("storefront-")}


@pytest.fixture(scope="module")
def schema():
    """Docker Compose's own, from its last version in Python, which tests/tutor puts there."""
    path = Path(os.environ.get("STOREFRONT_COMPOSE", "")) / "compose/config/compose_spec.json"
    if not path.exists():
        pytest.skip("Docker Compose's schema is not here: tests/tutor installs it")
    return jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


def test_docker_compose_knows_every_field(installation, schema):
    for file in ("docker-compose.yml", "docker-compose.prod.yml", "docker-compose.jobs.yml"):
        project = yaml.safe_load(installation.text(f"local/{file}"))
        assert [error.message for error in schema.iter_errors(project)] == []
    changed = {"services": {"storefront-api": {**installation.services["storefront-api"], "readonly": True}}}
    assert list(schema.iter_errors(changed))
    changed["services"]["storefront-api"] = {
        "image": "x",
        "depends_on": {"storefront-migrate": {"condition": "completed"}},
    }
    assert list(schema.iter_errors(changed))


def test_the_services_are_there(defaults, outside):
    programs = {f"storefront-{name}" for name in PROGRAMS}
    assert set(ours(outside)) == programs
    assert set(ours(defaults)) == programs | {"storefront-database", "storefront-postgresql", "storefront-rabbitmq"}


def test_images_come_from_settings(defaults, outside):
    images = {name: service["image"] for name, service in ours(defaults).items()}
    assert images == {
        "storefront-api": "storefront-api:1.1.0",
        "storefront-worker": "storefront-worker:1.1.0",
        "storefront-migrate": "storefront-worker:1.1.0",
        "storefront-database": "docker.io/postgres:17",
        "storefront-postgresql": "docker.io/postgres:17",
        "storefront-rabbitmq": "docker.io/rabbitmq:4",
    }
    assert outside.services["storefront-api"]["image"] == outside.config["STOREFRONT_API_DOCKER_IMAGE"]
    for name in ("storefront-worker", "storefront-migrate"):
        assert outside.services[name]["image"] == outside.config["STOREFRONT_WORKER_DOCKER_IMAGE"]


def test_programs_start_after_the_migration(defaults, outside):
    for rendered in (defaults, outside):
        for name in ("storefront-api", "storefront-worker"):
            assert rendered.services[name]["depends_on"] == {"storefront-migrate": ONE_SHOT}
    assert defaults.services["storefront-migrate"]["depends_on"] == {"storefront-database": ONE_SHOT}
    assert "depends_on" not in outside.services["storefront-migrate"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run_with_the_fewest_rights(installation, program):
    service = installation.services[f"storefront-{program}"]
    assert service["user"] == "65532:65532" and service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("command") == {"api": None, "worker": ["run"], "migrate": ["migrate"]}[program]


def test_only_caddy_is_reachable_from_outside(installation):
    assert [
        name for name, service in ours(installation).items() if "ports" in service or "network_mode" in service
    ] == []


def test_data_survives_a_new_container(defaults):
    for name, path in [
        ("storefront-postgresql", "/var/lib/postgresql/data"),
        ("storefront-rabbitmq", "/var/lib/rabbitmq/mnesia"),
    ]:
        assert f"../../data/{name}:{path}:z" in defaults.services[name]["volumes"]
        assert f"../../data/{name}:/mounts/{name}:z" in defaults.services["permissions"]["volumes"]
        assert f"setowner 999 /mounts/{name}\n" in defaults.text("apps/permissions/setowners.sh") + "\n"
        assert defaults.services[name]["user"] == "999:999"
    # RabbitMQ's data belongs to the node's name, and a container's host name is another one each time.
    assert defaults.local_environment("storefront-rabbitmq")["RABBITMQ_NODENAME"] == "rabbit@localhost"
    data = defaults.local_environment("storefront-postgresql")["PGDATA"]
    assert data.startswith("/var/lib/postgresql/data/")


def test_programs_have_time_to_finish_their_work(installation):
    for name in ("storefront-api", "storefront-worker"):
        # SHUTDOWN_GRACE is 30s, and Docker would kill them after 10 s.
        assert int(installation.services[name]["stop_grace_period"].removesuffix("s")) > 30


def test_private_authorities_are_mounted_where_the_setting_says(outside, defaults):
    for program in PROGRAMS:
        path = outside.local_environment(f"storefront-{program}")["TLS_CA_FILE"]
        (volume,) = outside.services[f"storefront-{program}"]["volumes"]
        assert volume.split(":")[1] == path
        assert outside.config["STOREFRONT_CA_CERTIFICATES"] in outside.local_files(f"storefront-{program}")
        assert "TLS_CA_FILE" not in defaults.local_environment(f"storefront-{program}")


def test_the_database_step_runs_the_projects_own_script(defaults):
    mounted = defaults.root / "env/plugins/storefront/postgresql"
    assert (mounted / "roles.sql").read_bytes() == (REPOSITORY / "deploy/roles.sql").read_bytes()
    assert "\\ir roles.sql" in (mounted / "prepare.sql").read_text(encoding="utf-8").splitlines()


def test_the_broker_accounts_have_the_documented_rights(defaults):
    """docs/operations.md has them as rabbitmqctl commands."""
    definitions = json.loads(defaults.text("plugins/storefront/rabbitmq/definitions.json"))
    assert {user["name"]: user["password"] for user in definitions["users"]} == {
        "storefront_api": defaults.config["STOREFRONT_RABBITMQ_API_PASSWORD"],
        "storefront_worker": defaults.config["STOREFRONT_RABBITMQ_WORKER_PASSWORD"],
    }
    documented = (REPOSITORY / "docs/operations.md").read_text(encoding="utf-8")
    rights = re.findall(r"^rabbitmqctl set_permissions (\S+) '(.*)' '(.*)' '(.*)'$", documented, re.MULTILINE)
    assert len(rights) == 2
    assert sorted(rights) == sorted(
        (one["user"], one["configure"], one["write"], one["read"]) for one in definitions["permissions"]
    )
    topics = re.findall(r"^rabbitmqctl set_topic_permissions (\S+) (\S+) '(.*)' '(.*)'$", documented, re.MULTILINE)
    assert len(topics) == 1
    assert topics == [
        (one["user"], one["exchange"], one["write"], one["read"]) for one in definitions["topic_permissions"]
    ]


def test_caddy_takes_its_configuration(installation, tmp_path):
    text = installation.text("apps/caddy/Caddyfile")
    assert "\nstore.learn.example.com{$default_site_port} {\n" in text
    command = [BIN / "caddy", "validate", "--adapter", "caddyfile", "--config"]
    environment = {"default_site_port": "", "HOME": str(tmp_path)}
    good = subprocess.run(
        [*command, installation.root / "env/apps/caddy/Caddyfile"], env=environment, capture_output=True
    )
    assert good.returncode == 0, good.stderr
    (tmp_path / "Caddyfile").write_text(text.replace("respond @other", "respond_ @other"), encoding="utf-8")
    assert subprocess.run([*command, tmp_path / "Caddyfile"], env=environment, capture_output=True).returncode != 0


def test_containers_reach_the_public_host_without_https(defaults, outside):
    # Tutor gives Caddy these names only where there is no HTTPS.
    assert "store.learn.example.com" in defaults.services["caddy"]["networks"]["default"]["aliases"]
    assert "networks" not in outside.services["caddy"]
