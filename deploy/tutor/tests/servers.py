"""Servers of the test's own, on free ports, set up by the files that the plugin writes for its containers."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rendering import BIN

RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def newest(pattern: str):
    """The file that matches in the newest version's folder."""
    found = sorted(
        Path("/").glob(pattern.lstrip("/")), key=lambda path: [int(part) for part in path.parts if part.isdigit()]
    )
    return found[-1] if found else None


def missing() -> list:
    """What the tests with servers need, and this machine does not have."""
    programs = os.environ.get("STOREFRONT_PROGRAMS", "")
    needs = {
        "PostgreSQL (initdb)": newest("/usr/lib/postgresql/*/bin/initdb"),
        "RabbitMQ": Path(RABBITMQ).exists(),
        "redis-server": shutil.which("redis-server"),
        "built programs (cargo build --bin storefront-api --bin storefront-worker)": programs,
        "runuser, because PostgreSQL does not run as root": os.geteuid() != 0 or shutil.which("runuser"),
    }
    return [name for name, there in needs.items() if not there]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, log: Path, seconds: int = 90) -> None:
    """Until the process accepts connections."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-3000:]
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}: {log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


@contextmanager
def running(name: str, command: list, folder: Path, port: int, **environment):
    """A process with a log of its own. On leaving, it gets SIGTERM and has to end."""
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**BARE, **environment},
            cwd=folder,
        )
    try:
        wait_for(port, process, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{name} did not end on SIGTERM") from None


# No setting of the caller's own may reach a program.
BARE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


@contextmanager
def postgresql(folder: Path, port: int, password: str):
    """As the image sets it up: a superuser with a password, asked for at each connection."""
    data = folder / "postgresql"
    data.mkdir()
    initdb = newest("/usr/lib/postgresql/*/bin/initdb")
    user = []
    if os.geteuid() == 0:
        user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(data, "postgres")
    secret = data.parent / "superuser"
    secret.write_text(password, encoding="utf-8")
    secret.chmod(0o644)
    subprocess.run(
        [
            *user, initdb, "-D", data / "pgdata", "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={secret}",
            "-E", "UTF8", "--no-sync",
        ],
        check=True, stdout=subprocess.DEVNULL, env=BARE,
    )  # fmt: skip
    options = ["-p", port, "-k", data, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    with running("postgresql", [*user, initdb.parent / "postgres", "-D", data / "pgdata", *options], folder, port):
        yield


@contextmanager
def rabbitmq(folder: Path, port: int, files: Path):
    """With the plugin's configuration, which only names its other file by another path here."""
    home = folder / "rabbitmq"
    home.mkdir()
    configuration = (files / "rabbitmq.conf").read_text(encoding="utf-8")
    assert "/etc/rabbitmq/definitions.json" in configuration
    own = home / "rabbitmq.conf"
    own.write_text(
        configuration.replace("/etc/rabbitmq/definitions.json", str(files / "definitions.json")), encoding="utf-8"
    )
    (home / "enabled_plugins").write_text("[].", encoding="utf-8")
    environment = {
        "HOME": str(home),
        "RABBITMQ_NODENAME": f"storefront-tutor-{port}@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_CONFIG_FILE": str(own.with_suffix("")),
        "RABBITMQ_CONFIG_FILES": str(home / "none"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(home / "advanced"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "RABBITMQ_MNESIA_BASE": str(home / "data"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_PID_FILE": str(home / "pid"),
        "RABBITMQ_CONF_ENV_FILE": os.devnull,
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    with running("rabbitmq", [RABBITMQ], folder, port, **environment):
        yield


@contextmanager
def redis(folder: Path, port: int):
    with running("redis", ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""], folder, port):
        yield


@contextmanager
def caddy(folder: Path, port: int, configuration: str):
    file = folder / "Caddyfile"
    file.write_text(configuration, encoding="utf-8")
    command = [BIN / "caddy", "run", "--adapter", "caddyfile", "--config", file]
    with running("caddy", command, folder, port, default_site_port=f":{port}", HOME=str(folder)):
        yield


def servers(stack: ExitStack, folder: Path, ports: dict, installation) -> None:
    """The three servers, up until the stack is closed."""
    password = installation.config["STOREFRONT_POSTGRESQL_ADMIN_PASSWORD"]
    stack.enter_context(postgresql(folder, ports["postgresql"], password))
    stack.enter_context(redis(folder, ports["redis"]))
    stack.enter_context(rabbitmq(folder, ports["rabbitmq"], installation.root / "env/plugins/storefront/rabbitmq"))
