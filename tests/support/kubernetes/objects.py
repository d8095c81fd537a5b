"""What each built object must have, and that the names in one object are those of others."""

from tree import named

OUR_PROGRAMS = ("storefront-api", "storefront-worker", "storefront-simulators")
# Made by a certificate manager or by hand, outside of every overlay.
SECRETS_FROM_OUTSIDE = {"storefront-tls"}


def pods(items: list[dict]):
    """Each object with a pod template, and the pod's specification."""
    for item in items:
        template = item.get("spec", {}).get("template", {})
        if "spec" in template:
            yield item, template


def containers(pod: dict):
    yield from pod.get("initContainers", [])
    yield from pod["containers"]


def is_ours(container: dict) -> bool:
    return container["image"].partition(":")[0].rpartition("/")[2] in OUR_PROGRAMS


def check(items: list[dict]) -> list[str]:
    problems = []
    for item, template in pods(items):
        pod = template["spec"]
        problems += [f"{named(item)}: {problem}" for problem in _pod(pod)]
        for container in containers(pod):
            problems += [f"{named(item)}, {container['name']}: {problem}" for problem in _container(container)]
    return [*problems, *_references(items), *_selectors(items), *_rollouts(items)]


def _pod(pod: dict):
    """Pod Security `restricted`, and no token for a program that never asks Kubernetes."""
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True:
        yield "runAsNonRoot is not true"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "the seccomp profile is not RuntimeDefault"
    if pod.get("automountServiceAccountToken") is not False:
        yield "has the token of a service account"
    if any(map(is_ours, containers(pod))) and context.get("runAsUser") != 65532:
        yield "does not run as 65532"


def _container(container: dict):
    resources = container.get("resources", {})
    for kind, resource in (("requests", "cpu"), ("requests", "memory"), ("limits", "memory")):
        if resource not in resources.get(kind, {}):
            yield f"no {resource} in {kind}"
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False:
        yield "may escalate privileges"
    if context.get("capabilities") != {"drop": ["ALL"]}:
        yield "keeps capabilities"
    if is_ours(container):
        if context.get("readOnlyRootFilesystem") is not True:
            yield "its root file system is not read-only"
        if "cpu" in resources.get("limits", {}):
            yield "has a CPU limit"


def images(items: list[dict]):
    """Each image of an overlay has a version: with `latest`, two pods of one Deployment could run two."""
    for item, template in pods(items):
        for container in containers(template["spec"]):
            image, _, tag = container["image"].partition(":")
            if "@sha256" not in image and tag in ("", "latest"):
                yield f"{named(item)}: the image {container['image']} has no fixed tag"


def authority(items: list[dict], is_wanted: bool) -> list[str]:
    """Each container that is told of a file of certificates has it, and each of our programs is told, or none is."""
    problems = []
    for item, template in pods(items):
        volumes = {volume["name"]: volume for volume in template["spec"].get("volumes", [])}
        for container in filter(is_ours, containers(template["spec"])):
            path = _told(items, container)
            mounted = {
                f"{mount['mountPath']}/{key}"
                for mount in container.get("volumeMounts", [])
                for key in _keys(items, volumes.get(mount["name"], {}))
            }
            if (path is not None) != is_wanted or path and path not in mounted:
                problems.append(f"{named(item)}, {container['name']}: TLS_CA_FILE is {path}, and its files {mounted}")
    for item in items:
        if item["kind"] == "TriggerAuthentication":
            given = {target["parameter"] for target in item["spec"]["secretTargetRef"]}
            if given != ({"host", "tls", "ca"} if is_wanted else {"host"}):
                problems.append(f"{named(item)}: KEDA gets {', '.join(sorted(given))}")
    return problems


def _told(items: list[dict], container: dict) -> str | None:
    names = [source["configMapRef"]["name"] for source in container.get("envFrom", []) if "configMapRef" in source]
    maps = [item for item in items if item["kind"] == "ConfigMap" and item["metadata"]["name"] in names]
    values = {entry["name"]: entry["value"] for entry in container.get("env", [])}
    for item in maps:
        values |= item.get("data", {})
    return values.get("TLS_CA_FILE")


def _keys(items: list[dict], volume: dict):
    """The files of a volume from a Secret. One that no overlay makes is believed to have the usual file."""
    if "secret" not in volume:
        return []
    name = volume["secret"]["secretName"]
    made = [item["data"] for item in items if item["kind"] == "Secret" and item["metadata"]["name"] == name]
    keys = made[0].keys() if made else {"ca.pem"}
    wanted = [entry["path"] for entry in volume["secret"].get("items", []) if entry["key"] in keys]
    return wanted or ([] if "items" in volume["secret"] else keys)


def _references(items: list[dict]):
    """Each ConfigMap and Secret that a pod or a trigger names exists, with the hash that kustomize gave it."""
    existing = {(item["kind"], item["metadata"]["name"]) for item in items}
    existing |= {("Secret", item["spec"]["target"]["name"]) for item in items if item["kind"] == "ExternalSecret"}
    existing |= {("Secret", name) for name in SECRETS_FROM_OUTSIDE}
    has_secrets = any(kind == "Secret" and name not in SECRETS_FROM_OUTSIDE for kind, name in existing)
    for item in items:
        for kind, name in _named_by(item):
            # The base and its components leave the Secrets to the overlay.
            if (kind, name) not in existing and (kind != "Secret" or has_secrets):
                yield f"{named(item)}: there is no {kind} {name}"


def _named_by(item: dict):
    template = item.get("spec", {}).get("template", {})
    pod = template.get("spec", {"containers": []}) if item["kind"] in ("Deployment", "Job") else {"containers": []}
    for container in containers(pod):
        for source in container.get("envFrom", []):
            if "configMapRef" in source:
                yield "ConfigMap", source["configMapRef"]["name"]
            if "secretRef" in source:
                yield "Secret", source["secretRef"]["name"]
    for volume in pod.get("volumes", []):
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"]
        if "secret" in volume:
            yield "Secret", volume["secret"]["secretName"]
    if item["kind"] == "TriggerAuthentication":
        for target in item["spec"]["secretTargetRef"]:
            yield "Secret", target["name"]
    if item["kind"] == "ScaledObject":
        yield item["spec"]["scaleTargetRef"].get("kind", "Deployment"), item["spec"]["scaleTargetRef"]["name"]
        for trigger in item["spec"]["triggers"]:
            yield "TriggerAuthentication", trigger["authenticationRef"]["name"]
    if item["kind"] == "HorizontalPodAutoscaler":
        yield item["spec"]["scaleTargetRef"]["kind"], item["spec"]["scaleTargetRef"]["name"]


def _selectors(items: list[dict]):
    """Each selector finds a pod, and each port that is named for it is one of its ports."""
    for item in items:
        for selector, ports in _selected_by(item):
            found = [
                template for _, template in pods(items) if selector.items() <= template["metadata"]["labels"].items()
            ]
            if not found:
                yield f"{named(item)}: no pod has the labels {selector}"
            names = {
                port["name"]
                for template in found
                for container in template["spec"]["containers"]
                for port in container.get("ports", [])
            }
            for port in ports:
                if isinstance(port, str) and found and port not in names:
                    yield f"{named(item)}: no port is named {port}"


def _selected_by(item: dict):
    spec = item.get("spec", {})
    match item["kind"]:
        case "Service":
            yield spec["selector"], [port["targetPort"] for port in spec["ports"]]
        case "PodDisruptionBudget":
            yield spec["selector"]["matchLabels"], []
        case "PodMonitor":
            yield spec["selector"]["matchLabels"], [endpoint["port"] for endpoint in spec["podMetricsEndpoints"]]
        case "NetworkPolicy":
            ports = [port["port"] for rule in spec.get("ingress", []) for port in rule.get("ports", [])]
            yield spec["podSelector"]["matchLabels"], ports


def _rollouts(items: list[dict]):
    """The two programs are replaced one by one, by probes, and how many run is the autoscalers' choice."""
    for item in items:
        if item["kind"] != "Deployment" or item["metadata"]["name"] not in ("storefront-api", "storefront-worker"):
            continue
        spec = item["spec"]
        if "replicas" in spec:
            yield f"{named(item)}: replicas would undo the autoscaler's choice"
        if spec["strategy"].get("rollingUpdate") != {"maxSurge": 1, "maxUnavailable": 0}:
            yield f"{named(item)}: a rollout takes a pod away before the next one is ready"
        for container in spec["template"]["spec"]["containers"]:
            paths = {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
            for probe, path in paths.items():
                asked = container.get(probe, {}).get("httpGet")
                if asked != {"path": path, "port": "internal"}:
                    yield f"{named(item)}: {probe} does not ask {path} at the internal port"
