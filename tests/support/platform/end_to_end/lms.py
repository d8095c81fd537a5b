"""A client of the LMS that uses HTTP only, and a proxy that can make the LMS unreachable."""
import http.client, json, socket, socketserver, threading, time, urllib.parse

PASSWORD, JSON, FORM = 'Edx-Pass-2026!', 'application/json', 'application/x-www-form-urlencoded'
key = lambda course: f'course-v1:Lms+{course}+2026'


def call(base, method, path, body=None, headers=None):
    """(status, JSON or text, {cookie: value})"""
    at, headers = urllib.parse.urlsplit(base), {'Accept': JSON, **(headers or {})}
    if body is not None:
        headers.setdefault('Content-Type', JSON)
        body = urllib.parse.urlencode(body) if headers['Content-Type'] == FORM else json.dumps(body)
    connection = http.client.HTTPConnection(at.hostname, at.port or 80, timeout=60)
    connection.request(method, at.path + path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode('utf-8', 'replace')
    cookies = dict(value.split(';')[0].split('=', 1) for name, value in answer.getheaders() if name.lower() == 'set-cookie')
    connection.close()
    try:
        return answer.status, json.loads(text), cookies
    except ValueError:
        return answer.status, text, cookies


def until(seconds, condition):
    end = time.monotonic() + seconds
    while not (seen := condition()) and time.monotonic() < end:
        time.sleep(0.4)
    return seen


class Lms:
    """Calls the LMS as staff: its enrollment records are what the checks compare with."""

    def __init__(self, url):
        self.url, self.token = url.rstrip('/'), None

    def access(self, client):
        form = {'grant_type': 'client_credentials', 'client_id': f'{client}-client', 'client_secret': f'{client}-secret', 'token_type': 'jwt'}
        return call(self.url, 'POST', '/oauth2/access_token', form, {'Content-Type': FORM})[1]['access_token']

    def ask(self, method, path, body=None):
        self.token = self.token or self.access('storefront')
        while True:
            status, answer, _ = call(self.url, method, path, body, {'Authorization': f'JWT {self.token}'})
            if status != 429:
                return status, answer
            time.sleep(2)  # the worker calls as the same user

    def state(self, user, course):
        record = self.ask('GET', f'/api/enrollment/v1/enrollment/{user},{key(course)}')[1]
        return f"{record['mode']} {'active' if record['is_active'] else 'inactive'}" if record else 'none'

    def enroll_elsewhere(self, user, course, mode):
        body = {'user': user, 'mode': mode, 'is_active': True, 'course_details': {'course_id': key(course)}, 'force_enrollment': True}
        return self.ask('POST', '/api/enrollment/v1/enrollment', body)

    def register(self, email, username):
        _, answer, jar = call(self.url, 'GET', '/csrf/api/v1/token')
        headers = {'Content-Type': FORM, 'X-CSRFToken': answer['csrfToken'], 'Referer': self.url + '/register',
                   'Cookie': '; '.join(f'{name}={value}' for name, value in jar.items())}
        form = {'email': email, 'username': username, 'name': 'New Learner', 'password': PASSWORD, 'terms_of_service': 'true',
                'honor_code': 'true', 'country': 'SE'}
        return call(self.url, 'POST', '/api/user/v2/account/registration/', form, headers)[0]

    def sign_in(self, user):
        """The headers of a learner's session."""
        _, answer, jar = call(self.url, 'GET', '/csrf/api/v1/token')
        headers = lambda: {'X-CSRFToken': jar['csrftoken'], 'Referer': self.url, 'Cookie': '; '.join(f'{name}={value}' for name, value in jar.items())}
        form = {'email_or_username': user, 'password': PASSWORD}
        jar |= call(self.url, 'POST', '/api/user/v2/account/login_session/', form, {'Content-Type': FORM, **headers()})[2]
        return headers()

    def activate(self, email):
        account = self.ask('GET', '/api/user/v1/accounts?email=' + urllib.parse.quote(email))[1][0]
        call(self.url, 'GET', f"/activate/{account['activation_key']}", headers={'Accept': 'text/html'})


class Proxy:
    """A proxy between worker and LMS: while it is closed, the LMS is unreachable."""

    def __init__(self, target):
        at = urllib.parse.urlsplit(target)
        self.open, proxy = True, self

        class Connection(socketserver.BaseRequestHandler):
            def handle(self):
                if not proxy.open:
                    return
                with socket.create_connection((at.hostname, at.port or 80)) as far:
                    back = threading.Thread(target=proxy.copy, args=(far, self.request), daemon=True)
                    back.start()
                    proxy.copy(self.request, far)
                    back.join(60)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address = True, True

        self.server = Server(('127.0.0.1', 0), Connection)
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def copy(self, source, sink):
        try:
            while (data := source.recv(65536)) and self.open:
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
