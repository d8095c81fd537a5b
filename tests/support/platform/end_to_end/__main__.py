"""Runs the storefront's api and worker against a seeded Open edX LMS, and compares the LMS's records with the expected ones.

tests/platform --lms URL --end-to-end calls this. It needs the Python standard library, psql, the built programs, and servers
at DATABASE_ADMIN_URL, REDIS_URL and AMQP_URL, on which each run has its own database, queues and keys. A proxy between worker
and LMS can make the LMS unreachable without stopping it. Each step can run alone: --only enroll,pending

The step `burst` measures several service accounts, and is skipped without --accounts ID:SECRET,… and --lms-sql COMMAND.
The step `bus` needs an LMS with an event bus producer on Redis, and is skipped without --bus REDIS_URL,STREAM,STREAM: of
registrations and of enrollments.
"""
import argparse, concurrent.futures, json, shutil, subprocess, sys, tempfile, time

from lms import FORM, Lms, Proxy, call, key, until
from storefront import CLIENT_SECRET, HINT_TOKEN, REPO, Storefront, course_id

PATIENCE = 60  # seconds that the storefront has to update the LMS


class Report:
    passed = failed = 0
    expected = {}  # (username, course) → the enrollment that the LMS must have at the end

    def check(self, title, good, seen=''):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        print(f"{'ok    ' if good else 'FAILED'} {title}" + ('' if good else f'\n         {seen}'), flush=True)


class Run:
    def __init__(self, lms, store, proxy, given):
        self.lms, self.store, self.proxy, self.report = lms, store, proxy, Report()
        self.bus, self.accounts, self.lms_sql = given.bus, given.accounts.split(','), given.lms_sql

    def ask(self, action, email, course, mode=None):
        body = {'email': email, 'course_id': course_id(course), **({'mode': mode} if mode else {})}
        return call(self.store.url, 'POST', f'/storeapi/enrollments/client/{action}/', body, {'clientapisecret': CLIENT_SECRET})

    def enroll(self, email, course, mode, want='enrolled'):
        status, body, _ = self.ask('enroll', email, course, mode)
        self.report.check(f'enroll {email} in {course} as {mode}: {want}', status == 200 and body.get('enrollment_state') == want, f'{status} {body}')

    def unenroll(self, email, course, *want):
        want = want or ('removed',)
        status, body, _ = self.ask('unenroll', email, course)
        good = status == 200 and body.get('enrollment_state') in want
        self.report.check(f"unenroll {email} from {course}: {' or '.join(want)}", good, f'{status} {body}')

    def becomes(self, title, user, course, want):
        began = time.monotonic()
        seen = until(PATIENCE, lambda: (now := self.lms.state(user, course)) == want and now) or self.lms.state(user, course)
        self.report.expected[user, course] = want
        self.report.check(f'{title}: the LMS says {want} ({time.monotonic() - began:.1f} s)', seen == want, f'it says {seen}')

    def stays(self, title, user, course, want, seconds=6):
        time.sleep(seconds)
        seen = self.lms.state(user, course)
        self.report.expected[user, course] = want
        self.report.check(f'{title}: the LMS still says {want}', seen == want, f'it says {seen}')

    def refuses(self, title, email, user, course, mode):
        """The answer states the refusal at once, or the storefront's record does soon."""
        status, body, _ = self.ask('enroll', email, course, mode)
        at_once = status == 400 and body.get('code') == 'enrollment_failed'
        good = at_once or (status == 200 and until(PATIENCE, lambda: self.store.refused(email, course)))
        self.report.check(f"{title}: refused {'at once' if at_once else 'on the record'}", good, f'{status} {body}')
        self.stays(title, user, course, 'none', 0)

    def step_enroll(self):
        for attempt in ('first', 'again'):
            self.enroll('ada@example.com', 'Open', 'verified')
            self.becomes(attempt, 'ada', 'Open', 'verified active')
        self.enroll('GRACE.hopper@example.com', 'Open', 'audit')
        self.becomes('capitals and a dot', 'Grace.Hopper', 'Open', 'audit active')
        self.enroll('grace.hopper@example.com', 'Open', 'verified')
        self.becomes('upgraded', 'Grace.Hopper', 'Open', 'verified active')
        self.enroll('mary+shop@example.com', 'Open', 'audit')
        self.becomes('a plus in the address', 'plus_user-1', 'Open', 'audit active')
        for email in ('ivan@example.com', 'retired.me@example.com', 'josé@example.com'):
            self.enroll(email, 'Open', 'audit', 'pending_registration')
        self.stays('jose is not josé', 'jose', 'Open', 'none')
        self.stays('not active yet', 'ivan', 'Open', 'none', 0)
        self.refuses('a course that the LMS lacks', 'jose@example.com', 'jose', 'Missing', 'audit')

    def step_unenroll(self):
        self.enroll('ada@example.com', 'NoCert', 'verified')
        self.becomes('enrolled', 'ada', 'NoCert', 'verified active')
        self.unenroll('ada@example.com', 'NoCert')
        self.becomes('without a certificate', 'ada', 'NoCert', 'verified inactive')
        self.unenroll('ada@example.com', 'NoCert', 'none', 'removed')
        self.enroll('ada@example.com', 'NoCert', 'verified')
        self.becomes('enrolled again', 'ada', 'NoCert', 'verified active')
        for course in ('Open', 'NoCert'):
            self.enroll('certified@example.com', course, 'verified')
            self.becomes('with a certificate', 'certified', course, 'verified active')
            time.sleep(2)
            self.unenroll('certified@example.com', course)
        self.stays('a certificate keeps access', 'certified', 'Open', 'verified active')
        self.stays('so does one without a web page', 'certified', 'NoCert', 'verified active', 0)

    def step_windows(self):
        for course, mode in (('Invite', 'professional'), ('Closed', 'verified'), ('Expired', 'verified')):
            self.enroll('ada@example.com', course, mode)
            self.becomes('for the first time', 'ada', course, f'{mode} active')
            self.unenroll('ada@example.com', course)
            self.becomes('removed', 'ada', course, f'{mode} inactive')
            self.enroll('ada@example.com', course, mode)
            self.becomes('again', 'ada', course, f'{mode} active')
        self.lms.enroll_elsewhere('jose', 'Expired', 'audit')
        self.enroll('jose@example.com', 'Expired', 'verified')
        self.becomes('an upgrade into an expired mode', 'jose', 'Expired', 'verified active')

    def step_full(self):
        self.enroll('filler1@example.com', 'Full', 'audit')
        self.becomes('the last seat', 'filler1', 'Full', 'audit active')
        self.enroll('filler1@example.com', 'Full', 'audit')
        self.stays('the same again', 'filler1', 'Full', 'audit active', 3)
        self.report.check('the storefront does not record a refusal', not self.store.refused('filler1@example.com', 'Full'))
        self.refuses('no seat left', 'filler2@example.com', 'filler2', 'Full', 'audit')

    def newcomer(self, way):
        n = f'{way}{int(time.time())}'
        email = f'{n}@example.com'
        self.enroll(email, 'Open', 'verified', 'pending_registration')
        self.report.check(f'the LMS registers {email}', self.lms.register(email.capitalize(), n) == 200)
        return email, n

    def step_pending(self):
        email, user = self.newcomer('poll')
        self.enroll(email, 'NoCert', 'audit', 'pending_registration')
        self.unenroll(email, 'NoCert', 'cancelled')
        self.stays('registered, not active', user, 'Open', 'none')
        self.lms.activate(email)
        self.becomes('activated, found by the reconciler', user, 'Open', 'verified active')
        self.stays('the cancelled enrollment', user, 'NoCert', 'none', 1)

    def step_hint(self):
        self.store.work(RECONCILE_EVERY='1h')
        email, user = self.newcomer('hint')
        self.lms.activate(email)
        self.stays('the reconciler rests for an hour', user, 'Open', 'none')
        event = {'openedx_events.learning.data.UserData': {'id': 1, 'is_active': True, 'pii': {'username': user, 'email': email, 'name': ''}}}
        status = call(self.store.url, 'POST', f'/storeapi/platform/registrations/{HINT_TOKEN}/', event)[0]
        self.report.check('the api accepts the hint', status == 202, status)
        self.becomes('activated, announced by the webhook', user, 'Open', 'verified active')
        self.store.work()

    def step_bus(self):
        if not self.bus:
            print('skipped: --bus REDIS_URL,STREAM,… is not given')
            return
        url, streams = self.bus.split(',', 1)
        # The LMS sends the event at registration, before activation.
        self.store.work(RECONCILE_EVERY='1h', EVENT_BUS_REDIS_URL=url, EVENT_BUS_STREAM=streams, PLATFORM_REQUIRE_ACTIVE='false')
        email, user = self.newcomer('bus')
        self.becomes('registered, announced by the event bus', user, 'Open', 'verified active')
        self.lms.enroll_elsewhere(user, 'NoCert', 'audit')
        shown = lambda: '"platform"' in self.store.operator('enrollments', 'show', email, '--json')
        self.report.check('enrolled by the LMS itself: on record', until(PATIENCE, shown))
        self.store.work()

    def step_restricted(self):
        self.store.work(PLATFORM_CLIENT_ID='restricted-client', PLATFORM_CLIENT_SECRET='restricted-secret')
        status, body, _ = self.ask('enroll', 'filler2@example.com', 'Open', 'verified')
        self.report.check('enroll with a restricted application: 200, or 5xx', status == 200 or status >= 500, f'{status} {body}')
        self.stays('a restricted application', 'filler2', 'Open', 'none')
        self.report.check('the storefront does not record a refusal', not self.store.refused('filler2@example.com', 'Open'))
        self.store.work()
        self.becomes('the pending grant, once the application is right', 'filler2', 'Open', 'verified active')

    def step_throttled(self):
        token = self.lms.access('userid')
        path = f"/api/enrollment/v1/enrollment/ada,{key('Open')}"
        used = next((n for n in range(130) if call(self.lms.url, 'GET', path, headers={'Authorization': f'JWT {token}'})[0] == 429), None)
        self.report.check('the test used up the calls of this minute', used is not None)
        self.enroll('filler1@example.com', 'Open', 'audit')
        seen = until(120, lambda: self.lms.state('filler1', 'Open') == 'audit active')
        self.report.expected['filler1', 'Open'] = 'audit active'
        self.report.check('throttled: the enrollment arrives when the LMS answers again', seen, self.lms.state('filler1', 'Open'))

    def step_away(self):
        self.proxy.open = False
        self.unenroll('mary+shop@example.com', 'Open', 'removed', 'none')
        status, body, _ = self.ask('enroll', 'jose@example.com', 'NoCert', 'audit')
        self.report.check('enroll while the LMS is unreachable: 200, or 503', status in (200, 503), f'{status} {body}')
        self.stays('the LMS is unreachable', 'jose', 'NoCert', 'none')
        self.proxy.open = True
        if status == 503:
            until(PATIENCE, lambda: self.ask('enroll', 'jose@example.com', 'NoCert', 'audit')[0] == 200)
        self.becomes('the LMS is back', 'jose', 'NoCert', 'audit active')
        self.becomes('and the removal arrives', 'plus_user-1', 'Open', 'audit inactive')

    def step_sync(self):
        """The catalog follows the LMS's courses; a second sync finds nothing to do."""
        report = json.loads(self.store.operator('catalog', 'sync', '--json'))
        self.report.check(f"{report['listed']} courses are listed", report['listed'] >= 7, report)
        self.report.check('none fails', not report['failed'] and not report.get('stopped'), report)
        exported = [json.loads(line) for line in self.store.operator('catalog', 'export').splitlines()]
        invite = next(one for one in exported if one.get('openedx_course_id') == key('Invite'))
        self.report.check('the LMS says which course is for invited learners', invite['is_invite_only'] is True, invite)
        again = json.loads(self.store.operator('catalog', 'sync', '--json'))
        self.report.check('synchronised again, nothing changes', again['unchanged'] == report['listed'], again)

    def step_buttons(self):
        """An upgrade button leads to the page for buying; a refund leads back to the audit that the learner joined at the LMS."""
        self.store.operator('catalog', 'sync', '--skus')
        session, user, course = self.lms.sign_in('jose'), 'jose', 'Closed' if self.lms.state('jose', 'Open') != 'none' else 'Open'
        self.lms.enroll_elsewhere(user, course, 'audit')
        home = call(self.lms.url, 'GET', '/api/learner_home/init', headers=session)[1]
        link = next((run['upgradeUrl'] for run in (one['courseRun'] for one in home['courses']) if run['courseId'] == key(course)), None)
        modes = self.lms.ask('GET', f'/api/course_modes/v1/courses/{key(course)}/')[1]
        sku = next(mode['sku'] for mode in modes if mode['mode_slug'] == 'verified')
        if link is None:
            print('the LMS shows no button: its Commerce configuration is off')
        query = link.split('?')[1] if link else f'sku={sku}'
        self.report.check('the button names the sku', f'sku={sku}' in query, query)
        browser = {'Cookie': session['Cookie'], 'Accept': 'text/html', 'Origin': self.store.url}
        page = call(self.store.url, 'GET', f'/storeapi/payment/buy/?{query}', headers=browser)
        self.report.check('the page for buying has the price', page[0] == 200 and '$49.00' in page[1], page)
        bought = call(self.store.url, 'POST', f'/storeapi/payment/buy/?{query}', {}, {'Content-Type': FORM, **browser})
        self.report.check('its button leads to the payment', bought[0] == 303, bought)
        if bought[0] != 303:
            return
        payment = call(self.store.simulators, 'GET', '/_sim/payments')[1][-1]['reference']
        call(self.store.simulators, 'POST', f'/_sim/payments/{payment}/pay', {})
        self.becomes('paid', user, course, 'verified active')
        call(self.store.simulators, 'POST', f'/_sim/payments/{payment}/refund', {})
        self.becomes('refunded', user, course, 'audit active')

    def sql(self, statements):
        done = subprocess.run(['bash', '-c', self.lms_sql], input=statements, capture_output=True, text=True, timeout=120, check=True)
        return done.stdout.split()

    def new_learners(self, prefix, count):
        """Makes active learners in the LMS's database: its registration takes 60 a week from an address."""
        fields = self.sql("SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'auth_userprofile'"
                          " AND column_name NOT IN ('id', 'user_id')")
        fields = ', '.join(f'`{field}`' for field in fields if field != 'column_name')
        self.sql(f"""
            INSERT INTO auth_user (username, email, password, first_name, last_name, is_active, is_staff, is_superuser, date_joined)
            WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
            SELECT CONCAT('{prefix}', n), CONCAT('{prefix}', n, '@example.com'), '!', '', '', 1, 0, 0, NOW() FROM numbers;
            INSERT INTO auth_userprofile (user_id, {fields})
            SELECT u.id, {fields} FROM auth_user u, (SELECT {fields} FROM auth_userprofile p JOIN auth_user a ON a.id = p.user_id WHERE a.username = 'ada') model
            WHERE u.username LIKE '{prefix}%';""")
        return [f'{prefix}{n}@example.com' for n in range(1, count + 1)]

    def step_burst(self):
        """Each account gets as many enrollments as the worker allows it in two minutes."""
        if len(self.accounts) < 2 or not self.lms_sql:
            print('skipped: --accounts ID:SECRET,ID:SECRET,… and --lms-sql are not given')
            return
        rates = []
        for accounts in (self.accounts[:1], self.accounts):
            prefix = f'burst{int(time.time())}x'
            learners = self.new_learners(prefix, 220 * len(accounts))
            ids, secrets = zip(*(account.split(':') for account in accounts))
            self.store.work(PLATFORM_CLIENT_ID=','.join(ids), PLATFORM_CLIENT_SECRET=','.join(secrets), PLATFORM_VERDICT_WAIT='0s', RECONCILE_EVERY='1h')
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda email: self.ask('enroll', email, 'Open', 'audit')[0], learners))
            self.report.check(f'{len(learners)} are granted', set(answers) == {200}, set(answers))
            enrolled = lambda: int(self.sql(f"SELECT COUNT(*) FROM student_courseenrollment e JOIN auth_user u ON u.id = e.user_id"
                                            f" WHERE u.username LIKE '{prefix}%' AND e.is_active")[-1])
            until(600, lambda: enrolled() == len(learners))
            took = time.monotonic() - began
            rates.append(enrolled() * 60 / took)
            self.report.check(f'{len(accounts)} accounts: {enrolled()} of {len(learners)} enrolled in {took:.0f} s, {rates[-1]:.0f} a minute', enrolled() == len(learners))
        least = 2.8 / 3 * len(self.accounts)
        self.report.check(f'{len(self.accounts)} accounts are {rates[1] / rates[0]:.2f} times as fast as one (at least {least:.1f})', rates[1] >= least * rates[0])
        self.store.work()

    def compare(self):
        for (user, course), want in sorted(self.report.expected.items()):
            seen = self.lms.state(user, course)
            self.report.check(f'{user:<16} {course:<8} {want}', seen == want, f'the LMS says {seen}')


STEPS = ['enroll', 'unenroll', 'windows', 'full', 'pending', 'hint', 'bus', 'restricted', 'throttled', 'away', 'sync', 'buttons', 'burst']


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('lms')
    arguments.add_argument('--bus')
    arguments.add_argument('--accounts', default='')
    arguments.add_argument('--lms-sql', default='')
    arguments.add_argument('--only', default=','.join(STEPS))
    given = arguments.parse_args()
    proxy = Proxy(given.lms)
    with tempfile.TemporaryDirectory(prefix='platform-e2e-') as folder:
        store = Storefront(proxy.url, folder)
        run = Run(Lms(given.lms), store, proxy, given)
        try:
            store.start()
            for step in given.only.split(','):
                print(f'## {step}', flush=True)
                getattr(run, f'step_{step}')()
            print('## the enrollments of the LMS at the end', flush=True)
            run.compare()
        finally:
            store.stop()
        if run.report.failed:
            kept = REPO / 'target/platform-e2e'
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            print(f'logs: {kept}')
    print(f'{run.report.passed} passed, {run.report.failed} failed')
    sys.exit(bool(run.report.failed))


main()
