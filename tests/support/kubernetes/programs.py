"""The programs accept what the overlays give them: each is started with the environment of its container. A bad
setting ends a program at once; with good ones it waits for servers that do not exist here."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import facts
from tree import REPOSITORY, Tree

PATIENCE = 2  # seconds, in which a program ends if it does not accept its settings
CONTAINERS = (("storefront-api", "api", []), ("storefront-worker", "worker", ["run"]))
HERE = {
    "API_LISTEN": "127.0.0.1:0",
    "API_INTERNAL_LISTEN": "127.0.0.1:0",
    "WORKER_INTERNAL_LISTEN": "127.0.0.1:0",
    "JWT_KEYS_FILE": str(REPOSITORY / "deploy/demo-platform-keys.json"),
}


def refused(tree: Tree) -> list[str]:
    """What programs say of the settings of an overlay that they refuse."""
    programs = {name: _newest(name) for name, _, _ in CONTAINERS}
    if missing := [name for name, path in programs.items() if not path]:
        print(
            f"kubernetes: skipped: whether programs accept their settings; not built: {', '.join(missing)}",
            file=sys.stderr,
        )
        return []
    running = []
    for overlay in ("development", "production"):
        items = tree.build(f"overlays/{overlay}")
        for deployment, container, arguments in CONTAINERS:
            environment = facts.environment(items, deployment, container)
            running.append((f"{overlay}, {container}", *_start([programs[deployment], *arguments], environment)))
    # Proves that the check can fail.
    running.append(("", *_start([programs["storefront-api"]], environment | {"LINK_SECRET": ("Secret", "short")})))
    time.sleep(PATIENCE)
    ended = {name: said for name, process, output in running if (said := _said(process, output)) is not None}
    if "LINK_SECRET" not in ended.pop("", ""):
        return ["the api was started with a bad LINK_SECRET and did not refuse it"]
    return [f"{name} ends: {said}" for name, said in ended.items()]


def _newest(name: str) -> Path | None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    built = [path for profile in ("debug", "demo", "release") if (path := target / profile / name).exists()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


def _start(command: list, environment: dict):
    # The examples leave keys and secrets empty.
    values = {name: value or "0" * 64 for name, (_, value) in environment.items()}
    values |= {name: value for name, value in HERE.items() if name in values}
    output = tempfile.TemporaryFile()
    return subprocess.Popen(command, env=values, stdout=output, stderr=output), output


def _said(process: subprocess.Popen, output) -> str | None:
    """The end of what the program has said, if it has ended by itself."""
    with output:
        if process.poll() is None:
            process.kill()
            process.wait()
            return None
        output.seek(0)
        return output.read().decode().strip()[-500:]
