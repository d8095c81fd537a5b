"""Mistakes that the checks must catch. Each replaces a text in one file of the tree; what the checks then say must
contain the expected words."""

from dataclasses import dataclass

DEVELOPMENT, PRODUCTION = "overlays/development", "overlays/production"
AUTHORITY = "overlays/private-authority"
GATEWAY, GATEWAY_ROUTE = "overlays/gateway", "components/gateway/route.yaml"
API, WORKER = "base/api.yaml", "base/worker.yaml"
KEDA = "components/keda/worker.yaml"
OVERLAY = f"{PRODUCTION}/kustomization.yaml"


@dataclass(frozen=True)
class Mutation:
    file: str
    old: str
    new: str
    expected: str
    overlay: str = PRODUCTION


ALL = [
    # Schemas
    Mutation(API, "minReadySeconds:", "minReadySecond:", "minReadySecond"),
    Mutation(WORKER, "terminationGracePeriodSeconds: 45", 'terminationGracePeriodSeconds: "45"', "is not of type"),
    Mutation(API, "kind: PodDisruptionBudget", "kind: PodDisruptionBudgets", "no schema"),
    Mutation(KEDA, "pollingInterval:", "pollInterval:", "pollInterval"),
    Mutation(KEDA, "behavior: currentReplicasIfHigher", "behavior: current", "not assignable"),
    Mutation(KEDA, "kind: TriggerAuthentication", "kind: TriggerAuthentications", "no schema"),
    Mutation("components/monitoring/pod-monitors.yaml", "jobLabel:", "jobLabels:", "jobLabels"),
    Mutation(
        "components/ingress/ingress.yaml",
        "name: storefront-api\nspec:",
        "name: storefront-api\nspecs: {}\nspec:",
        "specs",
    ),
    Mutation(GATEWAY_ROUTE, "PathPrefix", "Prefix", "not assignable", GATEWAY),
    Mutation(GATEWAY_ROUTE, "timeouts: {request: 0s}", "timeout: {request: 0s}", "timeout", GATEWAY),
    Mutation(GATEWAY_ROUTE, "port: 80}", "port: http}", "not assignable", GATEWAY),
    # Objects
    Mutation(API, "limits: {memory: 384Mi}", "limits: {}", "no memory in limits"),
    Mutation(WORKER, "requests: {cpu: 250m, memory: 128Mi}", "requests: {memory: 128Mi}", "no cpu in requests"),
    Mutation(API, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "not read-only"),
    Mutation(WORKER, "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"),
    Mutation(WORKER, "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "may escalate"),
    Mutation(API, "drop: [ALL]", "drop: [NET_RAW]", "keeps capabilities"),
    Mutation(OVERLAY, "newTag: 1.1.0", "newTag: latest", "no fixed tag"),
    Mutation(f"{DEVELOPMENT}/servers.yaml", "image: redis:7.4", "image: redis", "no fixed tag", DEVELOPMENT),
    Mutation(
        "components/keda/name-reference.yaml",
        "kind: TriggerAuthentication",
        "kind: Nothing",
        "no Secret storefront-keda",
    ),
    Mutation(API, "secretRef: {name: storefront-api}", "secretRef: {name: storefront}", "no Secret storefront"),
    Mutation(API, "  minReadySeconds: 5", "  replicas: 2\n  minReadySeconds: 5", "replicas would undo"),
    Mutation(API, "maxUnavailable: 0}", "maxUnavailable: 1}", "takes a pod away"),
    Mutation(API, "path: /readyz", "path: /livez", "does not ask /readyz"),
    Mutation(API, "targetPort: http", "targetPort: web", "no port is named web"),
    Mutation("components/policies/ingress.yaml", "port: internal", "port: metrics", "no port is named metrics"),
    # Facts
    Mutation(API, "limits: {memory: 384Mi}", "limits: {memory: 256Mi}", "a limit of 256Mi for up to"),
    Mutation("base/kustomization.yaml", "QUEUE_PREFIX=storefront", "QUEUE_PREFIX=shop", "do not ask for exactly"),
    Mutation(KEDA, "queueName: storefront.payment", "queueName: storefront.payments", "do not ask for exactly"),
    Mutation(
        KEDA,
        'queueName: storefront.checkout, value: "20"',
        'queueName: storefront.checkout, values: "20"',
        "other fields",
    ),
    Mutation(KEDA, "minReplicaCount: 2", "minReplicaCount: 0", "fewer than 2"),
    Mutation("base/kustomization.yaml", "LOG_FORMAT=json", "LOG_FORMATS=json", "LOG_FORMATS is not a setting"),
    Mutation(OVERLAY, "PLATFORM_URL=", "PLATFORM=", "PLATFORM_URL is missing"),
    Mutation(
        f"{PRODUCTION}/secrets/api.env", "DATABASE_URL=", "GATEWAY_KEYS=", "GATEWAY_KEYS is not a setting of this program"
    ),
    Mutation(f"{PRODUCTION}/secrets/worker.env", "LINK_SECRET=", "LINK_SECRET=x", "LINK_SECRET is not the same"),
    Mutation(
        f"{PRODUCTION}/secrets/migrate.env", "storefront_owner", "storefront_worker", "storefront_owner is not the user"
    ),
    Mutation(
        OVERLAY,
        "- PLATFORM_CLIENT_ID=",
        "- GATEWAY_KEYS=x\n      - PLATFORM_CLIENT_ID=",
        "a secret, and in a ConfigMap",
    ),
    Mutation(
        "base/kustomization.yaml", "API_LISTEN=0.0.0.0:8080", "API_LISTEN=127.0.0.1:8080", "is not that of API_LISTEN"
    ),
    Mutation("components/policies/egress.yaml", "port: 4318", "port: 4317", "port 4318 of OTEL_EXPORTER_OTLP_ENDPOINT"),
    Mutation(
        "components/policies/egress.yaml",
        "  name: storefront-to-collector\nspec:\n  podSelector:\n    matchLabels: {app.kubernetes.io/part-of: storefront}",
        "  name: storefront-to-collector\nspec:\n  podSelector:\n    matchLabels: {app.kubernetes.io/name: storefront-api}",
        "Deployment storefront-worker: no policy lets it reach the port 4318",
    ),
    Mutation(f"{PRODUCTION}/policies.yaml", "- {port: 6379}", "- {port: 6380}", "port 6379 of REDIS_URL"),
    Mutation("components/policies/egress.yaml", "- {port: 6379}", "- {port: 6380}", "port 6379 of REDIS_URL"),
    Mutation("components/policies/egress.yaml", "storefront/platform:", "storefront/lms:", "storefront/platform=true"),
    Mutation(
        "components/private-authority/worker.yaml",
        "mountPath: /etc/storefront-authority",
        "mountPath: /etc/authority",
        "migrate: TLS_CA_FILE is /etc/storefront-authority/ca.pem",
        AUTHORITY,
    ),
    Mutation(
        "components/private-authority/api.yaml",
        "mountPath: /etc/storefront-authority",
        "mountPath: /etc/authority",
        "api: TLS_CA_FILE is /etc/storefront-authority/ca.pem",
        AUTHORITY,
    ),
    Mutation(
        "components/private-authority/worker.yaml",
        "secretName: storefront-authority",
        "secretName: storefront-certificates",
        "no Secret storefront-certificates",
        AUTHORITY,
    ),
    Mutation(
        "components/private-authority/kustomization.yaml", "parameter: ca", "parameter: cert", "KEDA gets", AUTHORITY
    ),
    Mutation(WORKER, "containerPort: 8082", "containerPort: 8081", "is not that of WORKER_INTERNAL_LISTEN"),
    Mutation("base/kustomization.yaml", "SHUTDOWN_DELAY=5s", "SHUTDOWN_DELAY=20s", "does not exceed the 50 s"),
    Mutation(
        WORKER, "terminationGracePeriodSeconds: 45", "terminationGracePeriodSeconds: 30", "does not exceed the 30 s"
    ),
    Mutation("base/kustomization.yaml", "DATABASE_POOL=8", "DATABASE_POOL=16", "connections to PostgreSQL"),
    Mutation(API, "maxReplicas: 10", "maxReplicas: 20", "connections to PostgreSQL"),
    Mutation(
        OVERLAY, "PUBLIC_BASE_URL=https://shop.example", "PUBLIC_BASE_URL=https://store.example", "PUBLIC_BASE_URL"
    ),
    Mutation(f"{PRODUCTION}/ingress.yaml", "path: /storeapi/", "path: /", "other paths than /storeapi/"),
    Mutation(f"{GATEWAY}/gateway.yaml", "hostname: shop.example", "hostname: store.example", "PUBLIC_BASE_URL", GATEWAY),
    Mutation(f"{GATEWAY}/gateway.yaml", "hostnames: [shop.example]", "hostnames: [a.example]", "PUBLIC_BASE_URL", GATEWAY),
    Mutation(GATEWAY_ROUTE, "value: /storeapi}", "value: /}", "other paths than /storeapi/", GATEWAY),
    Mutation(GATEWAY_ROUTE, "port: 80}", "port: 8080}", "has no port 8080", GATEWAY),
    Mutation(GATEWAY_ROUTE, "sectionName: http}", "sectionName: plain}", "the listener plain", GATEWAY),
    Mutation(GATEWAY_ROUTE, "[traceparent, tracestate]", "[traceparent]", "the trace that is recorded", GATEWAY),
    Mutation(OVERLAY, "index: 2}", "index: 3}", "does not link to the installation's runbook"),
    Mutation(OVERLAY, "fieldPaths: [spec.groups.*", "fieldPaths: [spec.groups.0", "does not link to the installation"),
    Mutation(OVERLAY, "newTag: 1.1.0", "newTag: 3.9.0", "does not run version"),
    Mutation(f"{DEVELOPMENT}/servers.yaml", "redis:7.4", "redis:7.2", "not the image of", DEVELOPMENT),
]
