"""Facts that are written in several places and must agree: settings, queues, ports, policies, times, connections,
versions."""

import base64
import re
import tomllib
from urllib.parse import urlsplit

import yaml

import settings
from tree import REPOSITORY, named

PROGRAMS = {"storefront-api": "api", "storefront-worker": "worker"}
# docs/configuration.md: they must be the same for both programs.
SAME_FOR_BOTH = ("LINK_SECRET", "NOTIFICATION_KEYS", "QUEUE_PREFIX", "REDIS_PREFIX", "PUBLIC_BASE_URL", "PLATFORM_URL")
# Queues whose work goes faster with more workers; components/keda/worker.yaml says why the others have no trigger.
SCALING_QUEUES = {"enrollment", "checkout", "page", "payment", "registration"}
# Settings with URLs of servers, and the ports that their schemes stand for.
SERVERS = {"DATABASE_URL", "REDIS_URL", "AMQP_URL", "PLATFORM_URL", "SMTP_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"}
# Inside the cluster by a label, or outside by an address, in an overlay with policies for both.
ANYWHERE = {"DATABASE_URL", "REDIS_URL", "AMQP_URL", "PLATFORM_URL"}
USUAL_PORTS = {"postgres": 5432, "redis": 6379, "rediss": 6379, "amqp": 5672, "amqps": 5671, "https": 443, "smtps": 465}
# Where no overlay sets one: an installation may, and the policies must be ready for it.
USUAL_COLLECTOR = "https://collector.example:4318"
# What the api takes beside what its settings let callers fill, in MiB.
REST_OF_API = 64


def check(items: list[dict]) -> list[str]:
    """Facts of an overlay that has all Secrets."""
    environments = {program: environment(items, program) for program in PROGRAMS}
    problems = []
    for program, values in environments.items():
        problems += [f"{program}: {problem}" for problem in _settings(program, values)]
    for item in items:
        if item["kind"] == "Deployment" and item["metadata"]["name"] in PROGRAMS:
            values = environments[item["metadata"]["name"]]
            found = [*_grace(item, values), *_ports(item, values), *_reachable(item, values, items)]
            problems += [f"{named(item)}: {problem}" for problem in found]
    problems += _labels(items)
    problems += _same(*environments.values())
    problems += _migration(items)
    problems += _memory(items, environments["storefront-api"])
    problems += _triggers(items, environments["storefront-worker"])
    problems += [*_address(items, environments["storefront-api"]), *_routes(items)]
    problems += _runbook(items)
    problems += _connections(items, environments)
    return problems


def environment(items: list[dict], program: str, container: str | None = None) -> dict[str, tuple[str, str | None]]:
    """What a container gets: the kind of each variable's source, and its value. Values of a vault are not known."""
    deployment = next(item for item in items if item["kind"] == "Deployment" and item["metadata"]["name"] == program)
    pod = deployment["spec"]["template"]["spec"]
    wanted = container or PROGRAMS[program]
    found = next(each for each in [*pod.get("initContainers", []), *pod["containers"]] if each["name"] == wanted)
    values = {}
    for source in found["envFrom"]:
        for reference, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if reference in source:
                data = _data(items, kind, source[reference]["name"])
                # The last value counts; a secret in a ConfigMap stays one, whatever hides it.
                values |= {name: (values.get(name, (kind,))[0], value) for name, value in data.items()}
    return values


def _data(items: list[dict], kind: str, name: str) -> dict[str, str | None]:
    for item in items:
        if item["kind"] == kind and item["metadata"]["name"] == name:
            decode = (lambda value: base64.b64decode(value).decode()) if kind == "Secret" else str
            return {key: decode(value) for key, value in item.get("data", {}).items()}
        if kind == "Secret" and item["kind"] == "ExternalSecret" and item["spec"]["target"]["name"] == name:
            return {entry["secretKey"]: None for entry in item["spec"]["data"]}
    return {}


def _settings(program: str, values: dict):
    """Each variable is a setting of this program, so that none gets another one's secrets; all required ones are
    there."""
    known = settings.read()[PROGRAMS[program]]
    for name, (kind, _) in values.items():
        if name not in known:
            yield f"{name} is not a setting of this program"
        elif known[name].is_secret and kind == "ConfigMap":
            yield f"{name} is a secret, and in a ConfigMap"
    for name, setting in known.items():
        if setting.is_required and name not in values:
            yield f"{name} is missing"


def _same(api: dict, worker: dict):
    for name in SAME_FOR_BOTH:
        if api.get(name) != worker.get(name):
            yield f"{name} is not the same for the api and the worker"


def _migration(items: list[dict]):
    """Only the migration connects as the owner, and it gets no other secret."""
    values = environment(items, "storefront-worker", "migrate")
    if secrets := [name for name, (kind, _) in values.items() if kind == "Secret" and name != "DATABASE_URL"]:
        yield f"the migration gets {', '.join(secrets)}"
    for user, variables in (
        ("storefront_owner", values),
        ("storefront_worker", environment(items, "storefront-worker")),
        ("storefront_api", environment(items, "storefront-api")),
    ):
        url = variables.get("DATABASE_URL", (None, ""))[1]
        if url is not None and urlsplit(url).username != user:
            yield f"{user} is not the user of a DATABASE_URL"


def _value(values: dict, program: str, name: str) -> str:
    return values[name][1] if name in values else settings.read()[PROGRAMS[program]][name].default


def _grace(item: dict, values: dict):
    """Kubernetes kills the program only after the time that it takes to stop by itself."""
    program = item["metadata"]["name"]
    known = settings.read()[PROGRAMS[program]]
    names = [name for name in ("SHUTDOWN_DELAY", "SHUTDOWN_GRACE") if name in known]
    needed = sum(settings.seconds(_value(values, program, name)) for name in names)
    if item["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] <= needed:
        yield f"terminationGracePeriodSeconds does not exceed the {needed:.0f} s that the program takes to stop"


def _ports(item: dict, values: dict):
    program = item["metadata"]["name"]
    listens = {
        "storefront-api": {"http": "API_LISTEN", "internal": "API_INTERNAL_LISTEN"},
        "storefront-worker": {"internal": "WORKER_INTERNAL_LISTEN"},
    }[program]
    for container in item["spec"]["template"]["spec"]["containers"]:
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for name, setting in listens.items():
            if _value(values, program, setting) != f"0.0.0.0:{ports.get(name)}":
                yield f"the port {name} is not that of {setting}"


def _reachable(item: dict, values: dict, items: list[dict]):
    """Where policies deny what they do not list, they let the program reach the port of each of its servers."""
    policies = [each["spec"] for each in items if each["kind"] == "NetworkPolicy"]
    if not policies:
        return
    labels = item["spec"]["template"]["metadata"]["labels"]
    selecting = [spec for spec in policies if spec["podSelector"]["matchLabels"].items() <= labels.items()]
    rules = [rule for spec in selecting for rule in spec.get("egress", [])]
    inside, outside = (_allowed(rules, kind) for kind in ("namespaceSelector", "ipBlock"))
    urls = {name: values[name][1] for name in SERVERS & values.keys()}
    for name, url in {"OTEL_EXPORTER_OTLP_ENDPOINT": USUAL_COLLECTOR, **urls}.items():
        for server in map(urlsplit, (url or "").split(",")):  # a vault's values are not known
            port = server.port or USUAL_PORTS.get(server.scheme)
            allowed = inside & outside if name in ANYWHERE else inside | outside
            if port and port not in allowed:
                yield f"no policy lets it reach the port {port} of {name}"


def _allowed(rules: list[dict], kind: str) -> set[int]:
    """The TCP ports of rules for namespaces, or for addresses."""
    ports = [port for rule in rules if any(kind in peer for peer in rule["to"]) for port in rule["ports"]]
    return {port["port"] for port in ports if port.get("protocol", "TCP") == "TCP"}


def _labels(items: list[dict]):
    """The labels of namespaces that the README asks for are those that policies look for."""
    policies = [item["spec"] for item in items if item["kind"] == "NetworkPolicy"]
    if not policies:
        return
    rules = [rule for spec in policies for rule in (*spec.get("ingress", []), *spec.get("egress", []))]
    peers = [peer for rule in rules for peer in (*rule.get("from", []), *rule.get("to", []))]
    selectors = [peer["namespaceSelector"]["matchLabels"] for peer in peers if "namespaceSelector" in peer]
    sought = {f"{name}={value}" for labels in selectors for name, value in labels.items() if "storefront/" in name}
    readme = (REPOSITORY / "deploy/kubernetes/README.md").read_text()
    if different := sought ^ set(re.findall(r"`(storefront/[\w-]+=true)`", readme)):
        yield f"the policies and the README differ in labels of namespaces: {', '.join(sorted(different))}"


def _memory(items: list[dict], api: dict):
    """The api's limit holds the connections, bodies and answers that the api takes."""
    listener = (REPOSITORY / "api/src/listener.rs").read_text()
    head = int(re.search(r"const LARGEST_HEAD: usize = (\d+) \* 1024;", listener)[1])
    connections, *others = (
        int(re.search(rf"default_value_t = ([\d_]+)\)\]\n    pub {name}:", listener)[1])
        for name in ("max_connections", "request_bodies_mib", "unread_answers_mib")
    )
    bodies = (REPOSITORY / "api/src/cache/bodies.rs").read_text()
    others.append(int(re.search(r"const MOST_BYTES: u64 = (\d+) \* 1024 \* 1024;", bodies)[1]))
    needed = connections * head / 1024 + sum(others) + REST_OF_API
    for item in items:
        if item["kind"] == "Deployment" and item["metadata"]["name"] == "storefront-api":
            limit = item["spec"]["template"]["spec"]["containers"][0]["resources"].get("limits", {}).get("memory")
            if limit and (not limit.endswith("Mi") or int(limit.removesuffix("Mi")) < needed):
                yield f"{named(item)}: a limit of {limit} for up to {needed:.0f} MiB"


def _triggers(items: list[dict], worker: dict):
    queues = set(re.findall(r'Queue::\w+ => "(\w+)"', (REPOSITORY / "shared/src/messages/queue.rs").read_text()))
    for item in items:
        if item["kind"] != "ScaledObject":
            continue
        asked = [trigger["metadata"] for trigger in item["spec"]["triggers"]]
        prefix = _value(worker, "storefront-worker", "QUEUE_PREFIX")
        expected = {f"{prefix}.{queue}" for queue in SCALING_QUEUES & queues}
        if {metadata.get("queueName") for metadata in asked} != expected or len(expected) != len(SCALING_QUEUES):
            yield f"{named(item)}: its triggers do not ask for exactly {', '.join(sorted(expected))}"
        # KEDA ignores a name that it does not know.
        for metadata in asked:
            if set(metadata) != {"protocol", "mode", "queueName", "value"} or metadata["protocol"] != "amqp":
                yield f"{named(item)}: a trigger has other fields than protocol amqp, mode, queueName and value"
        if item["spec"]["minReplicaCount"] < 2:
            yield f"{named(item)}: fewer than 2 workers could run"


def _address(items: list[dict], api: dict):
    """Links lead to the host and the path that the Ingress or the Gateway serves."""
    public = urlsplit(_value(api, "storefront-api", "PUBLIC_BASE_URL"))
    for item in items:
        if item["kind"] not in ("Ingress", "Gateway", "HTTPRoute"):
            continue
        hosts, paths = _served(item)
        if any(host != public.hostname for host in hosts) or public.scheme != "https":
            yield f"{named(item)}: its host is not that of PUBLIC_BASE_URL"
        if paths is not None and paths != ["/storeapi/"]:
            yield f"{named(item)}: serves other paths than /storeapi/"


def _served(item: dict) -> tuple[list[str], list[str] | None]:
    """The hosts of an object of the public address, and the paths that it passes on; None if it passes none on."""
    spec = item["spec"]
    match item["kind"]:
        case "Ingress":
            hosts = [rule["host"] for rule in spec["rules"]] + spec["tls"][0]["hosts"]
            return hosts, [path["path"] for rule in spec["rules"] for path in rule["http"]["paths"]]
        case "Gateway":
            return [listener.get("hostname") for listener in spec["listeners"]], None
    passed_on = [rule for rule in spec["rules"] if "backendRefs" in rule]
    matches = [match.get("path", {}) for rule in passed_on for match in rule.get("matches", [{}])]
    # A prefix is whole elements of a path: /storeapi is /storeapi/ and /storeapi/x, not /storeapix.
    paths = [f"{path['value']}/" if path.get("type") == "PathPrefix" else str(path) for path in matches]
    return spec.get("hostnames", [None]), paths if passed_on else None


def _routes(items: list[dict]):
    """What the types of the Gateway API do not say: the Service's port by its number, and the headers that are removed."""
    ports = {
        item["metadata"]["name"]: [port["port"] for port in item["spec"]["ports"]]
        for item in items
        if item["kind"] == "Service"
    }
    listeners = {
        (item["metadata"]["name"], listener["name"])
        for item in items
        if item["kind"] == "Gateway"
        for listener in item["spec"]["listeners"]
    }
    for item in items:
        if item["kind"] != "HTTPRoute":
            continue
        for parent in item["spec"]["parentRefs"]:
            if (parent["name"], parent["sectionName"]) not in listeners:
                yield f"{named(item)}: no Gateway {parent['name']} has the listener {parent['sectionName']}"
        for rule in item["spec"]["rules"]:
            for backend in rule.get("backendRefs", []):
                if backend.get("port") not in ports.get(backend["name"], []):
                    yield f"{named(item)}: the Service {backend['name']} has no port {backend.get('port')}"
                removed = [
                    name
                    for each in rule.get("filters", [])
                    for name in each.get("requestHeaderModifier", {}).get("remove", [])
                ]
                if removed != ["traceparent", "tracestate"]:
                    yield f"{named(item)}: clients choose the trace that is recorded"


def _runbook(items: list[dict]):
    """Each alert links to its heading in the installation's copy of the runbook."""
    for item in items:
        if item["kind"] != "PrometheusRule":
            continue
        for rule in (rule for group in item["spec"]["groups"] for rule in group["rules"]):
            host, _, rest = rule["annotations"]["runbook_url"].removeprefix("https://").partition("/")
            if host == "storefront.example" or not f"/{rest}".endswith(f"/runbook.md#{rule['alert'].lower()}"):
                yield f"{named(item)}: {rule['alert']} does not link to the installation's runbook"


def _connections(items: list[dict], environments: dict):
    """With all replicas, during a rollout, the programs leave connections to operators. The README has the sum."""
    most = {
        item["spec"]["scaleTargetRef"]["name"]: item["spec"].get("maxReplicas", item["spec"].get("maxReplicaCount"))
        for item in items
        if item["kind"] in ("HorizontalPodAutoscaler", "ScaledObject")
    }
    if set(most) != set(PROGRAMS):
        return
    readme = (REPOSITORY / "deploy/kubernetes/README.md").read_text()
    budget = {
        name: int(number)
        for name, number in re.findall(
            r"^\| (operators|reserved|`max_connections`) .*\| (\d+) \|$", readme, re.MULTILINE
        )
    }
    # One more pod while a rollout continues, and one more connection a pod: the api's probe, the worker's migration.
    needed = sum(
        (most[program] + 1) * (int(_value(environments[program], program, "DATABASE_POOL")) + 1) for program in PROGRAMS
    )
    needed += budget["operators"] + budget["reserved"]
    if needed > budget["`max_connections`"]:
        yield f"up to {needed} connections to PostgreSQL, and the README allows {budget['`max_connections`']}"


def version() -> str:
    return tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def released(items: list[dict]) -> list[str]:
    """Production runs the version of this repository."""
    problems = []
    for item in items:
        if item["kind"] == "Deployment":
            pod = item["spec"]["template"]["spec"]
            for container in [*pod.get("initContainers", []), *pod["containers"]]:
                if not container["image"].endswith(f":{version()}"):
                    problems.append(f"{named(item)}, {container['name']}: does not run version {version()}")
    return problems


def images(items: list[dict]) -> list[str]:
    """The image is built with the Rust of the project, and both ways to try it out use the same servers."""
    dockerfile = (REPOSITORY / "deploy/Dockerfile").read_text()
    channel = tomllib.loads((REPOSITORY / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    problems = []
    if f"ARG RUST_IMAGE=docker.io/library/rust:{channel}-" not in dockerfile:
        problems.append(f"deploy/Dockerfile: its RUST_IMAGE is not of Rust {channel}")
    services = yaml.safe_load((REPOSITORY / "deploy/compose.yml").read_text())["services"]
    for item in items:
        if item["kind"] == "Deployment" and item["metadata"]["name"] in ("postgresql", "redis", "rabbitmq"):
            container = item["spec"]["template"]["spec"]["containers"][0]
            if container["image"] != services[item["metadata"]["name"]]["image"]:
                problems.append(f"{named(item)}: not the image of deploy/compose.yml")
    return problems


def documented(folder) -> list[str]:
    """The README's contract lists what the examples of Secrets hold, and for whom."""
    readme = (REPOSITORY / "deploy/kubernetes/README.md").read_text()
    contract = {
        name: set(re.findall(r"`([A-Z][A-Z0-9_]*)`", row.split("|")[0]))
        for name, row in re.findall(r"^\| `storefront-(\w+)` \|(.*)$", readme, re.MULTILINE)
    }
    problems = []
    for example in folder.glob("overlays/production/secrets/*.env.example"):
        name = example.name.partition(".")[0]
        keys = set(re.findall(r"^([A-Z][A-Z0-9_]*)=", example.read_text(), re.MULTILINE))
        if missing := keys ^ contract.get(name, set()):
            problems.append(
                f"README, storefront-{name}: {', '.join(sorted(missing))} is not in both the README and the example"
            )
    return problems
