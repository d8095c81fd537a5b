"""Runs Tutor in a folder of its own, and reads what it writes for both targets."""

import base64
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
PROGRAMS = ("api", "worker", "migrate")


def run(*command, **more) -> str:
    """The output of a command; both of its outputs in the error if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tutor(root: Path, *arguments) -> str:
    """Runs Tutor on the folder `root`, with the plugin alone."""
    environment = {**os.environ, "TUTOR_ROOT": str(root), "TUTOR_PLUGINS_ROOT": str(root / "plugins")}
    return run(BIN / "tutor", *arguments, env=environment)


def render(root: Path, settings: dict) -> "Rendered":
    """What `tutor config save` writes with these settings, and with a host, whose default each Tutor has its own of."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "config.yml").write_text(
        yaml.safe_dump({"PLUGINS": ["storefront"], "LMS_HOST": "learn.example.com", **settings}), encoding="utf-8"
    )
    tutor(root, "config", "save")
    return Rendered(root)


@dataclass(frozen=True)
class Rendered:
    """One installation: Tutor's folder after `tutor config save`."""

    root: Path

    @cached_property
    def config(self) -> dict:
        """The configuration that Tutor has stored: generated secrets, and what the operator has set."""
        return yaml.safe_load(self.text("../config.yml"))

    def text(self, path: str) -> str:
        return (self.root / "env" / path).read_text(encoding="utf-8")

    # tutor local

    @cached_property
    def services(self) -> dict:
        """The services of `tutor local`, from its files in the order in which it passes them to Docker Compose."""
        services = {}
        for file in ("docker-compose.yml", "docker-compose.prod.yml"):
            services.update(yaml.safe_load(self.text(f"local/{file}"))["services"])
        return services

    def local_environment(self, service: str) -> dict:
        """What a service's program gets: Docker Compose turns $$ into $, and refuses or replaces a lone $."""
        given = self.services[service].get("environment", {})
        pairs = given.items() if isinstance(given, dict) else (line.split("=", 1) for line in given)
        environment = {}
        for name, value in pairs:
            assert "$" not in value.replace("$$", ""), f"{service}: Docker Compose would replace a part of {name}"
            environment[name] = value.replace("$$", "$")
        return environment

    def local_files(self, service: str) -> str:
        """The contents of the plugin's files that are mounted into a service."""
        contents = []
        for volume in self.services[service].get("volumes", []):
            source = (self.root / "env/local" / volume.split(":")[0]).resolve()
            if "plugins/storefront" in volume:
                assert source.exists(), f"{service}: {source} is missing"
                files = sorted(source.iterdir()) if source.is_dir() else [source]
                contents += [file.read_text(encoding="utf-8") for file in files]
        return "\n".join(contents)

    # tutor k8s

    @cached_property
    def manifests(self) -> str:
        """What `tutor k8s` applies."""
        return run(BIN / "kubectl", "kustomize", self.root / "env")

    @cached_property
    def objects(self) -> list:
        return [found for found in yaml.safe_load_all(self.manifests) if found]

    def object(self, kind: str, name: str) -> dict:
        found = [one for one in self.objects if (one["kind"], one["metadata"]["name"]) == (kind, name)]
        assert len(found) == 1, f"{len(found)} objects {kind} {name}"
        return found[0]

    def object_called(self, kind: str, name: str) -> dict:
        """A generated object, whose name ends with a hash of its content."""
        found = [one["metadata"]["name"] for one in self.objects if one["kind"] == kind]
        (full,) = [one for one in found if re.fullmatch(name + r"-[a-z0-9]{10}", one)]
        return self.object(kind, full)

    def pod(self, deployment: str) -> dict:
        return self.object("Deployment", deployment)["spec"]["template"]["spec"]

    @cached_property
    def containers(self) -> dict:
        """The storefront's containers by name, each with its pod."""
        found = {}
        for one in self.objects:
            if one["kind"] == "Deployment" and one["metadata"]["name"].startswith("storefront-"):
                pod = one["spec"]["template"]["spec"]
                for container in pod.get("initContainers", []) + pod["containers"]:
                    found[container["name"]] = (container, pod)
        return found

    def secret(self, name: str) -> dict:
        data = self.object("Secret", name)["data"]
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def kubernetes_environment(self, container: str) -> dict:
        """What a container's program gets from Secrets."""
        environment = {}
        for source in self.containers[container][0].get("envFrom", []):
            if "secretRef" in source:
                environment.update(self.secret(source["secretRef"]["name"]))
        return environment

    def kubernetes_files(self, container: str) -> str:
        """The contents of Secrets and ConfigMaps that are mounted into a container."""
        one, pod = self.containers[container]
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        contents = []
        for mount in one.get("volumeMounts", []):
            volume = volumes[mount["name"]]
            if "secret" in volume:
                contents += self.secret(volume["secret"]["secretName"]).values()
            elif "configMap" in volume:
                contents += self.object("ConfigMap", volume["configMap"]["name"])["data"].values()
        return "\n".join(contents)

    # The LMS

    def lms_settings(self, service: str = "lms") -> str:
        return self.text(f"apps/openedx/settings/{service}/production.py")

    def lms_task(self) -> str:
        """The script that `tutor … do init --limit storefront` runs in the LMS's image."""
        script = (
            "import sys; from tutor import config, env, hooks\n"
            "from tutor.commands import cli\n"
            "hooks.Actions.CORE_READY.do(); hooks.Actions.PROJECT_ROOT_READY.do(sys.argv[1])\n"
            "loaded = config.load(sys.argv[1])\n"
            "context = hooks.Contexts.app('storefront').name\n"
            "((service, task),) = hooks.Filters.CLI_DO_INIT_TASKS.iterate_from_context(context)\n"
            "assert service == 'lms', service\n"
            "print(env.render_str(loaded, task).strip())\n"
        )
        environment = {**os.environ, "TUTOR_ROOT": str(self.root), "TUTOR_PLUGINS_ROOT": str(self.root / "plugins")}
        return run(sys.executable, "-W", "ignore", "-c", script, self.root, env=environment)

    @cached_property
    def public_keys(self) -> dict:
        """The key set that the api verifies tokens with."""
        return json.loads(self.local_environment("storefront-api")["JWT_KEYS"])
