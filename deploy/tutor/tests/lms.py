"""Runs the plugin's init task in a real LMS, and calls the LMS with the account that it makes: `tests/tutor --lms`.

    lms.py FOLDER URL [USER COURSE]

FOLDER holds the LMS's manage.py, which must run with the environment of this command; URL is where the LMS answers. The
task's account enrolls USER in the open COURSE, and unenrolls. The LMS must be one for tests: the task makes a user
`storefront_plugin` and its application `storefront-plugin` there, and the application is restricted for a while.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from rendering import Rendered, render

SETTINGS = {"STOREFRONT_OAUTH2_KEY": "storefront-plugin", "STOREFRONT_SERVICE_USERNAME": "storefront_plugin"}
RESTRICT = """
from oauth2_provider.models import get_application_model
from openedx.core.djangoapps.oauth_dispatch.models import RestrictedApplication
application = get_application_model().objects.get(client_id='{client_id}')
RestrictedApplication.objects.{change}
"""


def say(text: str) -> None:
    print(f"lms: {text}", flush=True)


class Lms:
    def __init__(self, folder: Path, url: str):
        self.folder, self.url = folder, url

    def shell(self, script: str) -> subprocess.CompletedProcess:
        """As Tutor runs a task in the LMS's container."""
        return subprocess.run(
            ["sh", "-e", "-c", script], cwd=self.folder, env={**os.environ, "SERVICE_VARIANT": "lms"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def secret_key(self) -> str:
        """Tutor gives it to the LMS, and the plugin masks the application's secret with it; this LMS has its own."""
        done = self.shell("./manage.py lms shell -c 'from django.conf import settings; print(settings.SECRET_KEY)'")
        assert done.returncode == 0, done.stdout
        return done.stdout.splitlines()[-1]

    def initialise(self, installation: Rendered) -> str:
        done = self.shell(installation.lms_task())
        assert done.returncode == 0, done.stdout
        assert installation.config["STOREFRONT_OAUTH2_SECRET"] not in done.stdout, "the log shows the secret"
        return done.stdout

    def restrict(self, change: str) -> None:
        done = self.shell(
            f'./manage.py lms shell -c "{RESTRICT.format(change=change, client_id=SETTINGS["STOREFRONT_OAUTH2_KEY"])}"'
        )
        assert done.returncode == 0, done.stdout

    def call(self, path: str, headers: dict, form: dict = None, body: dict = None):
        data = urllib.parse.urlencode(form).encode() if form else json.dumps(body).encode() if body else None
        kind = {} if form else {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers={**headers, **kind})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def token(self, installation: Rendered):
        """The answer to what the worker asks for, with the settings that it gets."""
        worker = installation.local_environment("storefront-worker")
        form = {
            "grant_type": "client_credentials", "token_type": "jwt",
            "client_id": worker["PLATFORM_CLIENT_ID"], "client_secret": worker["PLATFORM_CLIENT_SECRET"],
        }  # fmt: skip
        return self.call("/oauth2/access_token", {}, form=form)

    def authorised(self, installation: Rendered) -> dict:
        status, answer = self.token(installation)
        assert status == 200, (status, answer)
        return {"Authorization": f"JWT {json.loads(answer)['access_token']}"}


def parts(headers: dict) -> list:
    """Header and claims of a JWT."""
    encoded = headers["Authorization"].removeprefix("JWT ").split(".")[:2]
    return [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in encoded]


def use(lms: Lms, installation: Rendered, user: str, course: str) -> None:
    """What the worker does with the account."""
    headers = lms.authorised(installation)
    head, claims = parts(headers)
    say(
        f"token for {claims['preferred_username']}: {head['alg']}, kid {head.get('kid')}, "
        f"restricted {claims['is_restricted']}"
    )
    assert claims["preferred_username"] == SETTINGS["STOREFRONT_SERVICE_USERNAME"]
    assert claims["is_restricted"] is False
    unknown = lms.call("/api/user/v1/accounts?email=unknown%40example.invalid", headers)
    assert unknown == (404, ""), f"404 with an empty body says that there is no account, and that we may ask: {unknown}"
    enrollment = f"/api/enrollment/v1/enrollment/{user},{urllib.parse.quote(course)}"
    assert lms.call(enrollment, headers)[0] == 200
    for active in (True, False):
        body = {
            "user": user, "mode": "audit", "is_active": active, "force_enrollment": True,
            "course_details": {"course_id": course},
        }  # fmt: skip
        status, answer = lms.call("/api/enrollment/v1/enrollment", headers, body=body)
        assert (status, json.loads(answer)["is_active"]) == (200, active), (status, answer)
    say(f"enrolled {user} in {course} and removed the enrollment again")


def main(folder: str, url: str, user: str = "ada", course: str = "course-v1:Lms+Open+2026") -> None:
    lms = Lms(Path(folder), url.rstrip("/"))
    settings = {**SETTINGS, "OPENEDX_SECRET_KEY": lms.secret_key()}
    with tempfile.TemporaryDirectory() as root:
        first, second = (render(Path(root) / name, settings) for name in ("first", "second"))
        say(lms.initialise(first).splitlines()[-1])
        use(lms, first, user, course)
        lms.initialise(first)
        use(lms, first, user, course)
        say("the task ran again and changed nothing")

        lms.initialise(second)
        use(lms, second, user, course)
        assert lms.token(first)[0] == 401
        say("a new secret took the place of the old one, which the LMS now refuses with 401")

        lms.restrict("get_or_create(application=application)")
        try:
            refused = lms.shell(second.lms_task())
            assert refused.returncode != 0 and "is restricted; remove it" in refused.stdout, refused.stdout
            headers = lms.authorised(second)
            status, _ = lms.call("/api/user/v1/accounts?email=unknown%40example.invalid", headers)
            assert (parts(headers)[1]["is_restricted"], status) == (True, 403)
            say("of a restricted application the task complains, and the LMS answers 403 to it")
        finally:
            lms.restrict("filter(application=application).delete()")
        lms.initialise(second)
        use(lms, second, user, course)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
