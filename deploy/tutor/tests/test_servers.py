"""The programs with the rendered settings, against servers that the plugin's own files have set up, behind Caddy."""

import base64
import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
from Crypto.Hash import SHA512
from Crypto.PublicKey import RSA
from Crypto.Signature import pkcs1_15
from rendering import REPOSITORY, Rendered, render, run
from servers import BARE, caddy, free_port, missing, running, servers

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not here: {', '.join(missing())}")
PROGRAMS = Path(os.environ.get("STOREFRONT_PROGRAMS", "."))
NAMES = ("postgresql", "rabbitmq", "redis", "api", "api_internal", "worker_internal", "caddy", "platform")


def prepare(installation: Rendered) -> None:
    """What the container storefront-database runs."""
    script = installation.root / "env/plugins/storefront/postgresql/prepare.sql"
    environment = {**BARE, **installation.local_environment("storefront-database")}
    run("psql", "-X", "-q", "-d", "postgres", "-f", script, env=environment)


def worker(installation: Rendered, program: str, *arguments, **more) -> str:
    environment = {**BARE, **installation.local_environment(f"storefront-{program}")}
    return run(PROGRAMS / "storefront-worker", *arguments, env=environment, **more)


@pytest.fixture(scope="module")
def folder():
    # Not below pytest's folder, which only its owner may enter: PostgreSQL runs as another user.
    with tempfile.TemporaryDirectory(prefix="storefront-tutor-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def ports():
    return {name: free_port() for name in NAMES}


@pytest.fixture(scope="module")
def installed(folder, ports):
    """Up and running: servers, a migrated database with a catalog, the worker, the api, Caddy."""
    installation = render(
        folder / "tutor",
        {
            "PLATFORM_NAME": "Müller, Søn & Co: $HOME (ltd.)",
            "STOREFRONT_POSTGRESQL_HOST": "127.0.0.1",
            "STOREFRONT_POSTGRESQL_PORT": ports["postgresql"],
            "STOREFRONT_RABBITMQ_HOST": "127.0.0.1",
            "STOREFRONT_RABBITMQ_PORT": ports["rabbitmq"],
            "REDIS_HOST": "127.0.0.1",
            "REDIS_PORT": ports["redis"],
            "STOREFRONT_PLATFORM_URL": f"http://127.0.0.1:{ports['platform']}",
            "STOREFRONT_API_SETTINGS": {
                "API_LISTEN": f"127.0.0.1:{ports['api']}",
                "API_INTERNAL_LISTEN": f"127.0.0.1:{ports['api_internal']}",
            },
            "STOREFRONT_WORKER_SETTINGS": {"WORKER_INTERNAL_LISTEN": f"127.0.0.1:{ports['worker_internal']}"},
        },
    )
    with ExitStack() as stack:
        servers(stack, folder, ports, installation)
        # Each start of Tutor runs both steps again.
        for _ in range(2):
            prepare(installation)
            worker(installation, "migrate", "migrate")
        with open(REPOSITORY / "deploy/demo-catalog/catalog.jsonl", encoding="utf-8") as catalog:
            worker(installation, "worker", "catalog", "import", "/dev/stdin", "--by", "test", stdin=catalog)
        for program, arguments in [("worker", ["run"]), ("api", [])]:
            environment = installation.local_environment(f"storefront-{program}")
            command = [PROGRAMS / f"storefront-{program}", *arguments]
            internal = ports[f"{program}_internal"]
            stack.enter_context(running(program, command, folder, internal, **environment))
            await_ready(f"http://127.0.0.1:{internal}/readyz")
        configuration = installation.text("apps/caddy/Caddyfile")
        configuration = configuration.replace('"storefront-api:8080"', f'"127.0.0.1:{ports["api"]}"')
        # Port 80 is the one without TLS. The administration port may belong to another Caddy on this machine.
        configuration = configuration.replace("{\n", f"{{\n    admin off\n    http_port {ports['caddy']}\n", 1)
        stack.enter_context(caddy(folder, ports["caddy"], configuration))
        yield installation


def await_ready(url: str) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            assert time.monotonic() < end, f"{url} does not become ready"
            time.sleep(0.2)


def call(ports: dict, path: str, headers: dict, body: dict = None, by: str = "caddy"):
    """Status and JSON of a request through Caddy, by the storefront's host, or to another server."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{ports[by]}{path}",
        headers={"Host": f"store.learn.example.com:{ports['caddy']}", "Content-Type": "application/json", **headers},
        data=None if body is None else json.dumps(body).encode(),
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text[:1] == b"{" else None


def token(installation: Rendered, key: RSA.RsaKey) -> str:
    """As the LMS signs one."""

    def part(content: bytes) -> str:
        return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

    now = int(time.time())
    claims = {
        "iss": installation.local_environment("storefront-api")["JWT_ISSUERS"], "aud": "openedx",
        "iat": now, "exp": now + 600,
        "preferred_username": "ada", "user_id": 7, "email": "ada@example.com", "name": "Ada", "version": "1.2.0",
    }  # fmt: skip
    head = {"alg": "RS512", "typ": "JWT", "kid": "openedx"}
    signed = ".".join(part(json.dumps(one).encode()) for one in (head, claims))
    return f"{signed}.{part(pkcs1_15.new(key).sign(SHA512.new(signed.encode())))}"


def test_the_catalog_is_public_and_the_rest_is_not(installed, ports):
    secret = {"clientapisecret": installed.config["STOREFRONT_CLIENT_API_SECRET"]}
    status, page = call(ports, "/storeapi/discovery/courses/?limit=2", secret)
    assert status == 200 and len(page["courses"]) == 2
    for path in ("/metrics", "/readyz", "/livez", "/", "/storeapi"):
        assert call(ports, path, secret)[0] == 404, path


def test_a_learner_is_known_by_a_token_that_the_lms_has_signed(installed, ports):
    secret = {"clientapisecret": installed.config["STOREFRONT_CLIENT_API_SECRET"]}
    lms = RSA.import_key(installed.config["JWT_RSA_PRIVATE_KEY"])
    for key, known in [(lms, True), (RSA.generate(2048), False)]:
        headers = {**secret, "Authorization": f"JWT {token(installed, key)}"}
        status, answer = call(ports, "/storeapi/discovery/user/", headers)
        assert (status, answer["authenticated"]) == (200, known)


def test_a_command_reaches_the_worker_and_its_answer_comes_back(installed, ports):
    """With the broker's accounts as the definitions make them, the api may publish this, and the worker may answer."""
    secret = {"clientapisecret": installed.config["STOREFRONT_CLIENT_API_SECRET"]}
    course = call(ports, "/storeapi/discovery/courses/?limit=1", secret)[1]["courses"][0]["id"]
    body = {"email": "new@example.com", "course_id": course}
    status, answer = call(
        ports, "/storeapi/enrollments/client/unenroll/", {**secret, "Idempotency-Key": "tutor-1"}, body
    )
    # The course platform is not there, and neither is an enrollment: what counts is that the worker has judged.
    assert (status, answer["enrollment_state"]) == (200, "none")


def test_a_client_outside_cannot_choose_its_trace(installed, ports, folder):
    secret = {"clientapisecret": installed.config["STOREFRONT_CLIENT_API_SECRET"]}
    course = call(ports, "/storeapi/discovery/courses/?limit=1", secret)[1]["courses"][0]["id"]
    body = {"email": "new@example.com", "course_id": course}
    # A write is always logged, with its trace. Within the installation, the api takes the caller's.
    for by, trace, is_taken in [("caddy", "a" * 32, False), ("api", "b" * 32, True)]:
        headers = {**secret, "Idempotency-Key": f"trace-{by}", "traceparent": f"00-{trace}-{'c' * 16}-01"}
        assert call(ports, "/storeapi/enrollments/client/unenroll/", headers, body, by)[0] == 200
        assert (trace in (folder / "api.log").read_text(encoding="utf-8")) == is_taken, by


def test_the_broker_knows_the_two_accounts_alone(installed, ports):
    listed = worker(installed, "worker", "dead", "list", "--json")
    assert listed.strip() in ("", "[]")
    environment = {**BARE, **installed.local_environment("storefront-worker")}
    environment["AMQP_URL"] = f"amqp://guest:guest@127.0.0.1:{ports['rabbitmq']}/%2f"
    command = [PROGRAMS / "storefront-worker", "dead", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode != 0 and "ACCESS_REFUSED" in done.stdout + done.stderr, done


def test_each_role_has_its_rights_alone(installed):
    def rows(program: str, sql: str) -> str:
        url = installed.local_environment(f"storefront-{program}")["DATABASE_URL"]
        done = subprocess.run(["psql", "-X", "-t", "-A", url, "-c", sql], capture_output=True, text=True, env=BARE)
        return done.stdout.strip() or done.stderr

    assert rows("api", "SELECT current_user") == "storefront_api"
    assert "read-only" in rows("api", "CREATE TABLE x (y int)")
    assert "permission denied" in rows("worker", "CREATE TABLE x (y int)")
    assert (
        rows("migrate", "SELECT tableowner FROM pg_tables WHERE schemaname = 'public' GROUP BY 1") == "storefront_owner"
    )
    assert rows("worker", "SELECT datcollate FROM pg_database WHERE datname = current_database()") == "C.UTF-8"


def test_a_changed_password_takes_effect_with_the_next_start(installed, folder):
    """Last: the running programs keep the connections that they have."""
    settings = {name: value for name, value in installed.config.items() if name != "PLUGINS"}
    settings["STOREFRONT_POSTGRESQL_OWNER_PASSWORD"] = 40 * "n"
    changed = render(folder / "changed", settings)
    assert "password authentication failed" in refused(changed)
    prepare(changed)
    worker(changed, "migrate", "migrate")
    assert "password authentication failed" in refused(installed)


def refused(installation: Rendered) -> str:
    environment = {**BARE, **installation.local_environment("storefront-migrate")}
    done = subprocess.run([PROGRAMS / "storefront-worker", "migrate"], capture_output=True, text=True, env=environment)
    assert done.returncode != 0
    return done.stdout + done.stderr
