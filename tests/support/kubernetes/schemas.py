"""Every object fits the schema of its kind, with no unknown field. Kubernetes's own kinds are checked by their JSON
schemas, for the oldest and the newest version that the README names; those of operators by the types of npm's
@kubernetes-models."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import kubernetes_validate

from tree import named

VERSIONS = ("1.30", "1.36")
PACKAGES = {
    "gateway.networking.k8s.io/v1": "@kubernetes-models/gateway-api",
    "external-secrets.io/v1": "@kubernetes-models/external-secrets",
    "keda.sh/v1alpha1": "@kubernetes-models/keda",
    "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator",
}


def is_custom(item: dict) -> bool:
    return item["apiVersion"] in PACKAGES


def own_kinds(items: list[dict]) -> list[str]:
    """What is wrong with objects of Kubernetes's own kinds. A kind that has no schema anywhere is wrong as well."""
    return [problem for item in items if not is_custom(item) for problem in _own_kind(json.dumps(item))]


@cache
def _own_kind(text: str) -> list[str]:
    """Remembered, since a mutation leaves most objects as they are."""
    item = json.loads(text)
    problems = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(item, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            problems.append(f"{named(item)}: {'.'.join(map(str, error.path))}: {error.message[:200]}")
        except kubernetes_validate.SchemaNotFoundError:
            problems.append(f"{named(item)}: no schema for {item['apiVersion']} {item['kind']}")
    return problems


def custom_kinds(items: list[dict], folder: Path) -> list[list[str]]:
    """What is wrong with each of the objects of operators' kinds, all in one run of the compiler, since it starts
    slowly."""
    problems = [[] for _ in items]
    known = [index for index, item in enumerate(items) if _types(item, folder)]
    for index in set(range(len(items))) - set(known):
        item = items[index]
        problems[index].append(f"{named(item)}: no schema for {item['apiVersion']} {item['kind']}")
    # One object a line, so that the compiler's line numbers name it.
    lines = [
        f"const item{index}: import('{_module(items[index])}').I{items[index]['kind']} = {json.dumps(items[index])};"
        for index in known
    ]
    (folder / "kinds.ts").write_text("\n".join(lines) + "\nexport {};\n")
    options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"]
    compiler = subprocess.run(
        [folder / "node_modules/.bin/tsc", *options, "kinds.ts"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"^kinds\.ts\((\d+),\d+\): error \w+: (.*)$", compiler.stdout, re.MULTILINE)
    if compiler.returncode and not errors:
        raise RuntimeError(compiler.stdout + compiler.stderr)
    for line, message in errors:
        index = known[int(line) - 1]
        problems[index].append(f"{named(items[index])}: {message[:200]}")
    return problems


def _module(item: dict) -> str:
    return f"{PACKAGES[item['apiVersion']]}/{item['apiVersion']}/{item['kind']}"


def _types(item: dict, folder: Path) -> bool:
    return (folder / "node_modules" / f"{_module(item)}.d.ts").exists()
