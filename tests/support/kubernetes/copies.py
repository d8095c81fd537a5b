"""Files below deploy/kubernetes that are made from others, because kustomize reads no file outside its folder. Run as a
program, it renews them."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
DEVELOPMENT = "deploy/kubernetes/overlays/development"
RULES = "deploy/observability/rules.yaml"

HEAD = """\
# Made from deploy/observability/rules.yaml by tests/kubernetes --update.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: storefront
spec:
"""


def prometheus_rule(rules: str) -> str:
    """Prometheus's own rule file as the operator's object: the same groups, below `spec`."""
    groups = rules[rules.index("\ngroups:") + 1 :]
    return HEAD + "".join(f"  {line}" if line.strip() else line for line in groups.splitlines(keepends=True))


def texts() -> dict[Path, str]:
    """Each copy, and what it must hold."""

    def read(path):
        return (REPOSITORY / path).read_text()

    return {
        REPOSITORY / DEVELOPMENT / "roles.sql": read("deploy/roles.sql"),
        REPOSITORY / DEVELOPMENT / "platform-keys.json": read("deploy/demo-platform-keys.json"),
        REPOSITORY / "deploy/kubernetes/components/monitoring/rules.yaml": prometheus_rule(read(RULES)),
    }


def check() -> list[str]:
    return [
        f"{path.relative_to(REPOSITORY)} is out of date; tests/kubernetes --update renews it"
        for path, text in texts().items()
        if not path.exists() or path.read_text() != text
    ]


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text)
        print(f"kubernetes: {path.relative_to(REPOSITORY)}")
