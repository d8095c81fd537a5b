"""tutor k8s: the manifests, strictly validated, and what they have to agree about."""

import re
import subprocess

import pytest
from rendering import BIN, PROGRAMS, REPOSITORY
from rules import wrong_settings

VERSION = "1.36"


def complaints(path) -> list:
    """What the validator says against a file. It passes a kind that it does not know with a mere warning."""
    command = [BIN / "kubernetes-validate", "--strict", "-k", VERSION, path]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    wrong = [line for line in lines if not line.startswith("INFO ") or " passed for resource " not in line]
    return wrong or ([] if done.returncode == 0 else [f"exit {done.returncode}"])


@pytest.fixture
def built(installation, tmp_path):
    path = tmp_path / "built.yml"
    path.write_text(installation.manifests, encoding="utf-8")
    return path


def test_every_object_is_valid(built, installation):
    assert complaints(built) == []
    assert len(installation.objects) > 30


@pytest.mark.parametrize(
    "old, new",
    [
        ("readOnlyRootFilesystem:", "readOnlyRootFileSystem:"),
        ("kind: HorizontalPodAutoscaler", "kind: HorizontalPodAutoscalers"),
        ("claimName: storefront-postgresql", "claimname: storefront-postgresql"),
        ("containerPort: 8082", "containerPort: many"),
    ],
)
def test_a_misspelled_manifest_is_refused(defaults, tmp_path, old, new):
    path = tmp_path / "changed.yml"
    assert old in defaults.manifests
    path.write_text(defaults.manifests.replace(old, new), encoding="utf-8")
    assert complaints(path) != []


def references(installation) -> list:
    """The ConfigMaps and Secrets that the storefront's pods name."""
    found = []
    for container, pod in installation.containers.values():
        for source in container.get("envFrom", []):
            found += [("Secret", source["secretRef"]["name"])] if "secretRef" in source else []
            found += [("ConfigMap", source["configMapRef"]["name"])] if "configMapRef" in source else []
        for volume in pod.get("volumes", []):
            found += [("Secret", volume["secret"]["secretName"])] if "secret" in volume else []
            found += [("ConfigMap", volume["configMap"]["name"])] if "configMap" in volume else []
            if "persistentVolumeClaim" in volume:
                found.append(("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]))
    return found


def test_pods_name_objects_that_exist_and_change_their_name_with_their_content(installation):
    names = set(references(installation))
    assert len(names) >= 6
    for kind, name in names:
        assert installation.object(kind, name)
        if kind != "PersistentVolumeClaim":
            assert re.search(r"-[a-z0-9]{10}$", name), f"{kind} {name} has no hash: a change would not replace the pods"


def test_the_base_is_the_projects_own(defaults):
    base = REPOSITORY / "deploy/kubernetes/base"
    rendered = defaults.root / "env/plugins/storefront/k8s/base"
    names = sorted(file.name for file in base.iterdir())
    assert names == sorted(file.name for file in rendered.iterdir()) and "worker.yaml" in names
    for name in names:
        assert (rendered / name).read_bytes() == (base / name).read_bytes()


def test_images_come_from_settings(defaults, outside):
    def images(installation):
        return {name: container["image"] for name, (container, _) in installation.containers.items()}

    assert images(defaults) == {
        "api": "storefront-api:1.1.0",
        "worker": "storefront-worker:1.1.0",
        "migrate": "storefront-worker:1.1.0",
        "database": "docker.io/postgres:17",
        "postgresql": "docker.io/postgres:17",
        "rabbitmq": "docker.io/rabbitmq:4",
    }
    worker = outside.config["STOREFRONT_WORKER_DOCKER_IMAGE"]
    assert images(outside) == {
        "api": outside.config["STOREFRONT_API_DOCKER_IMAGE"],
        "worker": worker,
        "migrate": worker,
    }


def test_the_worker_migrates_before_it_runs(defaults, outside):
    assert [one["name"] for one in defaults.pod("storefront-worker")["initContainers"]] == ["database", "migrate"]
    assert [one["name"] for one in outside.pod("storefront-worker")["initContainers"]] == ["migrate"]
    # The settings of the plugin come last, and so win over those of the base's ConfigMaps.
    for name in PROGRAMS:
        assert "secretRef" in outside.containers[name][0]["envFrom"][-1]


def test_pods_keep_to_the_restricted_profile(installation):
    for name, (container, pod) in installation.containers.items():
        assert container["securityContext"]["allowPrivilegeEscalation"] is False, name
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
        assert pod["securityContext"]["runAsNonRoot"] is True and pod["securityContext"]["runAsUser"] > 0, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        assert "memory" in container["resources"]["limits"] and "cpu" in container["resources"]["requests"], name


def test_services_lead_to_the_ports_of_their_pods(installation):
    api = installation.local_environment("storefront-api")
    assert installation.containers["api"][0]["ports"] == [
        {"name": "http", "containerPort": int(api["API_LISTEN"].split(":")[1])},
        {"name": "internal", "containerPort": int(api["API_INTERNAL_LISTEN"].split(":")[1])},
    ]
    upstream = re.search(r'import proxy "(storefront-api):(\d+)"', installation.text("apps/caddy/Caddyfile"))
    service = installation.object("Service", upstream.group(1))
    assert service["spec"]["ports"] == [{"name": "http", "port": int(upstream.group(2)), "targetPort": "http"}]
    for one in installation.objects:
        if one["kind"] == "Service" and one["metadata"]["name"].startswith("storefront-"):
            labels = installation.object("Deployment", one["metadata"]["name"])["spec"]["template"]["metadata"][
                "labels"
            ]
            assert one["spec"]["selector"].items() <= labels.items()


def test_tutor_finds_the_deployments_by_name(installation):
    """`tutor k8s start NAME` and `stop NAME` select by these labels; a component "job" would not be started at all."""
    for one in installation.objects:
        if one["kind"] == "Deployment" and one["metadata"]["name"].startswith("storefront-"):
            labels = one["metadata"]["labels"]
            assert labels["app.kubernetes.io/name"] == one["metadata"]["name"]
            assert labels["app.kubernetes.io/managed-by"] == "tutor"
            assert labels.get("app.kubernetes.io/component") is None


def test_private_authorities_are_mounted_where_the_setting_says(outside):
    for program in PROGRAMS:
        container = outside.containers[program][0]
        folder = outside.kubernetes_environment(program)["TLS_CA_FILE"].rsplit("/", 1)[0]
        assert {"name": "authorities", "mountPath": folder, "readOnly": True} in container["volumeMounts"]
        assert outside.config["STOREFRONT_CA_CERTIFICATES"] in outside.kubernetes_files(program)


def test_a_changed_setting_replaces_the_pods(defaults, odd):
    """Installations with other settings have other names of their Secrets."""
    for program in PROGRAMS:
        ours, theirs = (
            [source["secretRef"]["name"] for source in one.containers[program][0]["envFrom"] if "secretRef" in source]
            for one in (defaults, odd)
        )
        assert ours != theirs


def test_postgresql_has_connections_for_all_pods(defaults):
    """deploy/kubernetes/README.md has the arithmetic. Beside the api's pods, it must leave room for several workers."""
    pools = int(defaults.object_called("ConfigMap", "storefront")["data"]["DATABASE_POOL"]) + 1
    apis = defaults.object("HorizontalPodAutoscaler", "storefront-api")["spec"]["maxReplicas"] + 1
    (limit,) = re.findall(r"max_connections=(\d+)", str(defaults.containers["postgresql"][0]["args"]))
    workers, operators, reserved = 4, 14, 3
    assert (apis + workers) * pools + operators + reserved <= int(limit)
    assert f"max_connections={limit}" in defaults.services["storefront-postgresql"]["command"]


@pytest.mark.parametrize("program", ("api", "worker"))
def test_programs_know_all_settings_that_their_pods_get(installation, program):
    """Those of the base's ConfigMaps, too."""
    environment = {}
    for source in installation.containers[program][0]["envFrom"]:
        if "configMapRef" in source:
            environment.update(installation.object("ConfigMap", source["configMapRef"]["name"])["data"])
    assert len(environment) >= 5
    assert wrong_settings(program, {**environment, **installation.kubernetes_environment(program)}) == []


def test_data_is_on_volumes(defaults):
    claims = [one for one in defaults.objects if one["kind"] == "PersistentVolumeClaim"]
    assert {"storefront-postgresql", "storefront-rabbitmq"} <= {one["metadata"]["name"] for one in claims}
    for name in ("storefront-postgresql", "storefront-rabbitmq"):
        assert defaults.object("Deployment", name)["spec"]["strategy"] == {"type": "Recreate"}
