"""Grants a course to one new learner after another, as a client does that repeats a command under its key until an
answer comes. On SIGTERM it lets each command get its answer, and prints their number and the longest time without
one."""

import http.client
import itertools
import json
import signal
import sys
import threading
import time
from urllib.parse import urlsplit

CALLERS = 16
FREE_COURSE = "28b0b164-7eb3-4aba-aac1-d7498b344ed4"  # of the demo catalog, with the mode audit
PATIENCE = 60  # seconds for one command

stop = threading.Event()
numbers = itertools.count()
answers: list[float] = []
failures: list[str] = []


def post(base: str, path: str, body: dict, headers: dict) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=15)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def grant(api: str, secret: str, email: str) -> None:
    body = {"email": email, "course_id": FREE_COURSE, "mode": "audit"}
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            status, text = post(
                api, "/storeapi/enrollments/client/enroll/", body, {"clientapisecret": secret, "Idempotency-Key": email}
            )
        except (OSError, http.client.HTTPException) as error:
            status, text = 503, str(error)
        if status == 200:
            answers.append(time.monotonic())
            return
        if status < 500 and status not in (409, 429):
            break
        time.sleep(0.5)
    failures.append(f"{email}: {status} {text}")
    stop.set()


def caller(api: str, simulators: str, secret: str) -> None:
    while not stop.is_set():
        email = f"learner{next(numbers)}@example.com"
        post(simulators, "/_sim/users", {"email": email, "hint": False}, {})
        grant(api, secret, email)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    begun = time.monotonic()
    callers = [threading.Thread(target=caller, args=sys.argv[1:4]) for _ in range(CALLERS)]
    for thread in callers:
        thread.start()
    stop.wait()
    for thread in callers:
        thread.join()
    if failures:
        print(failures[0])
        return 1
    moments = [begun, *sorted(answers)]
    print(len(answers), f"{max(after - before for before, after in itertools.pairwise(moments)):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
