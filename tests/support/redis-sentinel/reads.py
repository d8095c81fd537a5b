"""What tests/redis-sentinel does over HTTP, and with the demo catalog.

read API SECRET           reads the catalog until SIGTERM, then prints the numbers of reads and of failed ones, the
                          slowest read, and how long an old price showed again after a newer one, in seconds
price API SECRET PRICE    waits until the course has the price, and prints when that was, in milliseconds since 1970
course PRICE              prints the course's record with the price
ports COUNT               prints free ports
"""

import http.client
import json
import random
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote, urlsplit

CATALOG = Path(__file__).resolve().parents[3] / "deploy/demo-catalog/catalog.jsonl"
COURSE = "course-v1:Northwind+WRT105+2026"  # of the demo catalog, with one mode, in dollars
COURSE_PATH = f"/storeapi/discovery/course/{quote(COURSE)}/"
READERS = 4
PAUSE = 0.01  # seconds between two reads of a reader
PATIENCE = 60  # seconds for a price to show

stop = threading.Event()
times: list[float] = []
failures: list[str] = []


class Client:
    """One connection, which is opened again after a failure."""

    def __init__(self, api: str, secret: str):
        self.connection = http.client.HTTPConnection(urlsplit(api).netloc, timeout=15)
        self.headers = {"clientapisecret": secret}

    def get(self, path: str) -> dict:
        self.connection.request("GET", path, headers=self.headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise OSError(f"{response.status} {body.decode()}")
        return json.loads(body)

    def read(self, path: str) -> dict | None:
        begun = time.monotonic()
        try:
            answer = self.get(path)
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"{path}: {error}")
            self.connection.close()
            return None
        times.append(time.monotonic() - begun)
        return answer

    def price(self) -> float | None:
        answer = self.read(COURSE_PATH)
        return answer and float(answer["price"])


def read_lists(client: Client) -> None:
    """More lists than the process has in memory under one generation, so that Redis is asked as well."""
    while not stop.wait(PAUSE):
        client.read(f"/storeapi/discovery/courses/?limit={random.randint(1, 100)}&offset={random.randint(0, 20)}")


def read_prices(client: Client, outdated: list[float]) -> None:
    """Prices only rise. Notes how long each lower one shows."""
    highest, since = 0.0, None
    while not stop.wait(PAUSE):
        price = client.price()
        if price is None:
            continue
        if price >= highest:
            highest, since = price, None
        else:
            since = since or time.monotonic()
            outdated.append(time.monotonic() - since)


def read(api: str, secret: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    outdated = [0.0]
    readers = [threading.Thread(target=read_lists, args=[Client(api, secret)]) for _ in range(READERS)]
    readers.append(threading.Thread(target=read_prices, args=[Client(api, secret), outdated]))
    for reader in readers:
        reader.start()
    stop.wait()
    for reader in readers:
        reader.join()
    for failure in failures[:5]:
        print(failure, file=sys.stderr)
    print(len(times) + len(failures), len(failures), f"{max(times):.2f}", f"{max(outdated):.1f}")
    return 0


def course(price: str) -> int:
    records = map(json.loads, CATALOG.read_text(encoding="utf-8").splitlines())
    record = next(each for each in records if each.get("openedx_course_id") == COURSE)
    record["modes"][0]["minPrice"] = price
    print(json.dumps(record))
    return 0


def await_price(api: str, secret: str, price: str) -> int:
    client, end = Client(api, secret), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if client.price() == float(price):
            print(round(time.time() * 1000))
            return 0
        time.sleep(PAUSE)
    return 1


def ports(count: str) -> int:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(int(count))]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        print(*(probe.getsockname()[1] for probe in probes))
    return 0


if __name__ == "__main__":
    commands = {"read": read, "price": await_price, "course": course, "ports": ports}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
