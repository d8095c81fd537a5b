"""A copy of deploy/kubernetes whose overlays build: with the files of secrets that the repository only has examples
of."""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "deploy/kubernetes"
COMPONENTS = ("ingress", "keda", "monitoring", "policies")
# Fast enough for hundreds of objects, where the pure Python loader is not.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BuildError(Exception):
    """kustomize refuses the tree."""


class Tree:
    """The copy. `folder` is replaced."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("*.env"))
        for example in folder.glob("overlays/*/secrets/*.env.example"):
            shutil.copy(example, example.with_suffix(""))
        self._add_variants()

    def _add_variants(self):
        """Overlays that the documents describe and that no file has: each component alone, and Secrets from outside."""
        base = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../../base]\n"
        for component in COMPONENTS:
            overlay = self.folder / "overlays" / f"only-{component}"
            overlay.mkdir()
            (overlay / "kustomization.yaml").write_text(f"{base}components: [../../components/{component}]\n")
        outside = self.folder / "overlays/external-secrets"
        shutil.copytree(self.folder / "overlays/production", outside)
        shutil.copy(self.folder / "examples/external-secrets.yaml", outside)
        kustomization = yaml.safe_load((outside / "kustomization.yaml").read_text())
        del kustomization["secretGenerator"]
        kustomization["resources"].append("external-secrets.yaml")
        (outside / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))

    def build(self, path: str) -> list[dict]:
        """The objects of a kustomization."""
        kubectl = Path(sys.executable).parent / "kubectl"
        done = subprocess.run([kubectl, "kustomize", self.folder / path], capture_output=True, text=True, check=False)
        # A warning is about a field that kustomize will stop to read.
        if done.returncode or done.stderr:
            raise BuildError(done.stderr.strip())
        return [document for document in yaml.load_all(done.stdout, LOADER) if document]

    def example(self, name: str) -> list[dict]:
        """The objects of a file that no overlay takes."""
        return list(yaml.load_all((self.folder / "examples" / name).read_text(), LOADER))


def named(item: dict) -> str:
    """How messages call an object."""
    return f"{item['kind']} {item['metadata']['name']}"
