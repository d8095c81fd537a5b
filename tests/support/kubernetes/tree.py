"""A copy of deploy/kubernetes whose overlays build: with the files of secrets that the repository only has examples
of."""

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[3]
SOURCE = REPOSITORY / "deploy/kubernetes"
COMPONENTS = ("gateway", "ingress", "keda", "monitoring", "policies", "private-authority")
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
        """Overlays that the documents describe and that no file has: each component alone, Secrets from outside, a
        Gateway, and a private authority."""
        base = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../../base]\n"
        for component in COMPONENTS:
            overlay = self.folder / "overlays" / f"only-{component}"
            overlay.mkdir()
            (overlay / "kustomization.yaml").write_text(f"{base}components: [../../components/{component}]\n")
        with self._variant("external-secrets") as (folder, kustomization):
            shutil.copy(self.folder / "examples/external-secrets.yaml", folder)
            del kustomization["secretGenerator"]
            kustomization["resources"].append("external-secrets.yaml")
        with self._variant("gateway") as (folder, kustomization):
            shutil.copy(self.folder / "examples/gateway.yaml", folder)
            components = kustomization["components"]
            components[components.index("../../components/ingress")] = "../../components/gateway"
            kustomization["patches"] = [{"path": "gateway.yaml"}]
        with self._variant("private-authority") as (folder, kustomization):
            (folder / "ca.pem").write_text("a certificate")
            component = "../../components/private-authority"
            kustomization["components"].append(component)
            text = (folder / component / "kustomization.yaml").read_text()
            generator = re.search(r"^#   secretGenerator:\n#     - (.*)$", text, re.MULTILINE)[1]
            kustomization["secretGenerator"].append(yaml.safe_load(generator))

    @contextmanager
    def _variant(self, name: str):
        """A copy of the overlay for production, whose kustomization the caller changes."""
        folder = self.folder / "overlays" / name
        shutil.copytree(self.folder / "overlays/production", folder)
        file = folder / "kustomization.yaml"
        kustomization = yaml.safe_load(file.read_text())
        yield folder, kustomization
        file.write_text(yaml.safe_dump(kustomization))

    def build(self, path: str) -> list[dict]:
        """The objects of a kustomization."""
        kubectl = Path(sys.executable).parent / "kubectl"
        done = subprocess.run([kubectl, "kustomize", self.folder / path], capture_output=True, text=True, check=False)
        # A warning is about a field that kustomize will stop to read.
        if done.returncode or done.stderr:
            raise BuildError(done.stderr.strip())
        return [document for document in yaml.load_all(done.stdout, LOADER) if document]

    def example(self, name: str, *fields: str) -> list[dict]:
        """The objects of a file that no overlay takes, with the prepared lines of these fields."""
        text = (self.folder / "examples" / name).read_text()
        for field in fields:
            text, found = re.subn(rf"^( +)# ({field}: )", r"\1\2", text, flags=re.MULTILINE)
            if found != 1:
                raise BuildError(f"examples/{name} has no line `# {field}: …`")
        return list(yaml.load_all(text, LOADER))


def named(item: dict) -> str:
    """How messages call an object."""
    return f"{item['kind']} {item['metadata']['name']}"
