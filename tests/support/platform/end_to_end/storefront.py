"""Runs the api and the worker as processes, with a catalog of the seeded courses."""
import json, os, pathlib, signal, socket, subprocess, sys, uuid

from lms import call, key, until

REPO = pathlib.Path(__file__).resolve().parents[4]
HINT_TOKEN, CLIENT_SECRET = 'platform-e2e-registration-hint-token', 'platform-e2e-client-secret-platform-e2e'
MODES = {'Open': ['audit', 'verified'], 'Invite': ['audit', 'professional'], 'Closed': ['audit', 'verified'], 'Full': ['audit'],
         'Expired': ['audit', 'verified'], 'NoCert': ['audit', 'verified'], 'Missing': ['audit']}
course_id = lambda course: str(uuid.uuid5(uuid.NAMESPACE_DNS, course))


def program(name):
    """The newest build of a program; tests/platform makes sure that one exists."""
    built = [path for path in REPO.glob(f'target/*/{name}') if path.parent.name in ('dist', 'release', 'demo', 'debug')]
    return max(built, key=lambda path: path.stat().st_mtime)


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


class Storefront:
    """The api and the worker as processes, with their own database, queues and keys."""

    def __init__(self, lms_url, folder):
        self.folder, self.name, self.running = pathlib.Path(folder), f'platform_e2e_{os.getpid()}', {}
        self.admin = os.environ.get('DATABASE_ADMIN_URL', 'postgres://postgres@127.0.0.1:5432/postgres')
        at = self.admin.split('@')[-1].split('/')[0]
        self.api_port, api_internal, self.worker_port, self.sim_port, smtp = (free_port() for _ in range(5))
        self.url, self.smtp, self.api_internal = f'http://127.0.0.1:{self.api_port}', smtp, api_internal
        self.simulators = f'http://127.0.0.1:{self.sim_port}'
        shared = {'REDIS_URL': os.environ.get('REDIS_URL', 'redis://127.0.0.1:6379/0'), 'REDIS_PREFIX': self.name, 'QUEUE_PREFIX': self.name,
                  'AMQP_URL': os.environ.get('AMQP_URL', 'amqp://guest:guest@127.0.0.1:5672/%2f'), 'PUBLIC_BASE_URL': self.url,
                  'LINK_SECRET': 'platform-e2e-link-secret-platform-e2e', 'PLATFORM_URL': lms_url, 'RETRY_DELAYS': '2s,5s,15s,60s',
                  'NOTIFICATION_KEYS': 'a1' * 32, 'NO_COLOR': '1',
                  'ALLOW_PLAINTEXT': 'true'}  # the LMS under test may be another machine's, without TLS
        self.worker = {**os.environ, **shared, 'DATABASE_URL': f'postgres://storefront_worker:storefront@{at}/{self.name}',
                       'WORKER_INTERNAL_LISTEN': f'127.0.0.1:{self.worker_port}', 'PLATFORM_CLIENT_ID': 'storefront-client',
                       'PLATFORM_CLIENT_SECRET': 'storefront-secret', 'RECONCILE_EVERY': '5s', 'SMTP_URL': f'smtp://127.0.0.1:{smtp}',
                       'GATEWAY_KEYS': 'd3' * 32, 'STRIPE_URL': f'{self.simulators}/stripe', 'OPERATOR': 'platform-e2e', 'LOG_FILTER': 'info,worker=debug'}
        self.api = {**os.environ, **shared, 'DATABASE_URL': f'postgres://storefront_api:storefront@{at}/{self.name}',
                    'API_LISTEN': f'127.0.0.1:{self.api_port}', 'API_INTERNAL_LISTEN': f'127.0.0.1:{api_internal}',
                    'CLIENT_API_SECRET': CLIENT_SECRET, 'REGISTRATION_HINT_TOKEN': HINT_TOKEN, 'RATE_LIMIT_PER_MINUTE': '0',
                    'MAIL_SMTPUTF8': 'true', 'IDENTITY_KEYS': '1d' * 32, 'ALLOWED_ORIGINS': self.url}

    def psql(self, *arguments):
        subprocess.run(['psql', '-qX', self.admin, '-v', 'ON_ERROR_STOP=1', *arguments], check=True, stdout=subprocess.DEVNULL, timeout=60)

    def begin(self, name, env, *command):
        log = open(self.folder / f'{name}.log', 'a')
        self.running[name] = subprocess.Popen([program(command[0]), *command[1:]], env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def end(self, name):
        process = self.running.pop(name, None)
        if process:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()

    def start(self):
        passwords = [part for role in ('owner', 'worker', 'api') for part in ('-v', f'{role}_password=storefront')]
        self.psql(*passwords, '-f', str(REPO / 'deploy/roles.sql'))
        self.psql('-c', f"CREATE DATABASE {self.name} OWNER storefront_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'")
        self.operator('migrate', DATABASE_URL=self.worker['DATABASE_URL'].replace('storefront_worker', 'storefront_owner'))
        catalog = self.folder / 'catalog.jsonl'
        catalog.write_text(''.join(json.dumps(line) + '\n' for line in catalog_lines()))
        self.operator('catalog', 'import', str(catalog))
        # Their mail server accepts the worker's mails, and their Stripe knows this account.
        account = {'secret_key': 'sk_test_demo_northwind', 'public_key': 'pk_test_demo_northwind', 'notification_secret': 'whsec_demo_northwind'}
        self.operator('gateways', 'set', 'northwind', 'stripe', given=json.dumps(account))
        self.begin('simulators', {**os.environ, 'SIM_HTTP': f'127.0.0.1:{self.sim_port}', 'SIM_SMTP': f'127.0.0.1:{self.smtp}',
                                  'SIM_NOTIFICATION_URL': f'{self.url}/storeapi/payment/notifications'}, 'storefront-simulators')
        self.begin('api', self.api, 'storefront-api')
        self.work()
        self.await_ready('api', self.api_internal)

    def work(self, **settings):
        self.end('worker')
        self.begin('worker', {**self.worker, **settings}, 'storefront-worker', 'run')
        self.await_ready('worker', self.worker_port)

    def await_ready(self, name, port):
        def ready():
            try:
                return call(f'http://127.0.0.1:{port}', 'GET', '/readyz')[0] == 200
            except OSError:
                return False
        if not until(60, ready):
            sys.exit(f'the {name} is not ready: {self.folder}/{name}.log')

    def operator(self, *arguments, given='', **settings):
        done = subprocess.run([program('storefront-worker'), *arguments], env={**self.worker, 'LOG_FILTER': 'off', **settings}, input=given, capture_output=True, text=True, timeout=120)
        if done.returncode:
            sys.exit(f"storefront-worker {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def refused(self, email, course):
        shown = json.loads(self.operator('enrollments', 'show', email, '--json'))
        states = [one.get('platform_state') or one.get('platform') for one in shown['enrollments'] if key(course) in json.dumps(one)]
        return 'refused' in json.dumps(states)

    def stop(self):
        for name in list(self.running):
            self.end(name)
        self.psql('-c', f'DROP DATABASE IF EXISTS {self.name} WITH (FORCE)')
        self.operator('queues', 'delete')
        self.operator('cache', 'clear')


def catalog_lines():
    since = '2026-01-01T00:00:00Z'
    web = 'https://shop.example/'
    yield {'kind': 'organisation', 'id': course_id('organisation'), 'short_name': 'northwind', 'name': 'LMS', 'logo_url': web + 'l.svg',
           'favicon_url': web + 'f.png', 'trademark_url': web + 't.svg', 'registration_url': web + 'register', 'return_url': web + 'return',
           'currency': 'USD', 'gateway': 'stripe', 'created_at': since}
    yield {'kind': 'platform_organisation', 'org': 'Lms', 'organisation': 'northwind'}
    for course, modes in MODES.items():
        offered = [{'modeSlug': mode, 'modeDisplayName': mode.title(), 'minPrice': 0 if mode == 'audit' else 49, 'currency': 'USD'} for mode in modes]
        yield {'kind': 'course', 'id': course_id(course), 'organisation': 'northwind', 'openedx_course_id': key(course), 'display_name': course,
               'short_description': course, 'overview': '<p>A course of the LMS.</p>', 'number': course, 'self_paced': True, 'created_at': since,
               'start': '2024-01-01T00:00:00Z', 'end': '2095-01-01T00:00:00Z', 'modes': offered}
