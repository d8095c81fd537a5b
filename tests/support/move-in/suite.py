"""What tests/move-in does: see there."""

import collections
import decimal
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

WORKER = sys.argv[1]
ADMIN = os.environ["TEST_DATABASE_ADMIN_URL"]
CLIENT = ["--batch", "--raw", "--skip-column-names", "--quick", "--default-character-set=utf8mb4"]
COURSE = "course-v1:Large+C{}+2024"


def run(*words, env=None, stdin=None, fails=False):
    done = subprocess.run(words, input=stdin, text=True, capture_output=True, env={**os.environ, **(env or {})})
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(words)[:300]}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout, done.stderr


class Database:
    """A database of the storefront, migrated and with an organisation."""

    def __init__(self, currency):
        self.name = f"move_in_{os.getpid()}_{time.time_ns()}"
        run("psql", ADMIN, "-qc", f'CREATE DATABASE "{self.name}" OWNER storefront_owner')
        owner = os.environ["TEST_OWNER_DATABASE_URL_BASE"].rstrip("/") + "/" + self.name
        self.url = os.environ["TEST_WORKER_DATABASE_URL_BASE"].rstrip("/") + "/" + self.name
        admin = urllib.parse.urlsplit(ADMIN)
        self.admin = admin._replace(path="/" + self.name).geturl()
        self.worker("migrate", url=owner)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="move-in-"))
        self.import_records([{
            "kind": "organisation", "id": "0b6c5f04-7b0d-4c0e-9d52-1f5b4b1d2c01", "short_name": "shop", "name": "Shop", "gateway": "stripe",
            "registration_url": "https://shop.example/register", "return_url": "https://shop.example/", "currency": currency,
            "created_at": "2026-01-01T00:00:00Z"}])

    def worker(self, *words, url=None, fails=False):
        return run(WORKER, "--log-filter=off", *words, "--database-url", url or self.url, env={"OPERATOR": "Suite"}, fails=fails)

    def import_records(self, records):
        file = self.folder / "records.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        self.import_file(file)

    def import_file(self, file):
        self.worker("catalog", "import", str(file), "--redis-url", os.environ["TEST_REDIS_URL"], "--redis-prefix", self.name)

    def rows(self, sql):
        out, _ = run("psql", self.admin, "-qAtc", f"SELECT to_json(r) FROM ({sql}) r")
        return [json.loads(line) for line in out.splitlines()]

    def drop(self):
        run("psql", ADMIN, "-qc", f'DROP DATABASE "{self.name}" WITH (FORCE)')
        shutil.rmtree(self.folder)


class Former:
    """A server of its own with the dump of a former shop, and the accounts and enrollments that the shop's people have at the platform."""

    def __init__(self, folder, expected):
        root = os.environ.get("MYSQL_ROOT")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="former-", dir=f"{root}/tmp" if root else None))
        # As the server's programs see it.
        self.place = pathlib.Path("/tmp", self.folder.name) if root else self.folder
        self.programs = ["chroot", root] if root else []
        data = self.place / "data"
        if root:
            install, server, user = ["mysqld", "--no-defaults", "--initialize-insecure"], ["mysqld", "--mysqlx=OFF", "--secure-file-priv=NULL"], ["--user=root"]
        else:
            install, server = ["mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db"], ["mariadbd"]
            user = ["--user=mysql"] if os.geteuid() == 0 else []
            if user:
                shutil.chown(self.folder, "mysql", "mysql")
        self.name = "mysql" if root else "mariadb"
        run(*self.programs, *install, f"--datadir={data}", *user)
        name, *options = server
        self.server = subprocess.Popen(
            [*self.programs, name, "--no-defaults", *options, f"--datadir={data}", f"--socket={self.place}/socket", "--skip-networking",
             f"--pid-file={self.place}/pid", *user], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            if subprocess.run(self.client() + ["-e", "SELECT 1"], capture_output=True).returncode == 0:
                break
            time.sleep(0.2)
        print(f"the former shop's server is {self.name} {self.ask('SELECT version()').strip()}")
        self.ask("CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE DATABASE platform CHARACTER SET utf8mb4")
        self.ask(gzip.decompress((folder / "dump.sql.gz").read_bytes()).decode(), "shop")
        self.platform(expected)

    def client(self, database=""):
        return [*self.programs, self.name, "--no-defaults", f"--socket={self.place}/socket", "-uroot", *CLIENT, *([database] if database else [])]

    def ask(self, sql, database=""):
        return run(*self.client(database), stdin=sql)[0]

    def platform(self, expected):
        """The tables of the platform that are read, with an account for each id that the shop knows."""
        self.ask("""
            CREATE TABLE auth_user (id int PRIMARY KEY, username varchar(150), email varchar(254));
            CREATE TABLE auth_userprofile (user_id int, name varchar(255));
            CREATE TABLE user_api_userretirementstatus (user_id int);
            CREATE TABLE student_courseenrollment (user_id int, course_id varchar(255), mode varchar(100), is_active tinyint(1));
        """, "platform")
        for user in expected["users"]:
            if user["lms_user_id"] is None:
                continue
            name, email, number = user["username"], user["email"], user["lms_user_id"]
            self.ask(f"INSERT INTO auth_user VALUES ({number}, '{name}', '{email}');"
                     f"INSERT INTO auth_userprofile VALUES ({number}, '{name}')", "platform")
            if "retired" in name:
                self.ask(f"INSERT INTO user_api_userretirementstatus VALUES ({number})", "platform")

    def export(self, of):
        statements, _ = run(WORKER, "move-in", "statements", of)
        return self.ask(statements, of)

    def stop(self):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder)


def report(said):
    sections = collections.defaultdict(list)
    for line in said.splitlines():
        row = json.loads(line)
        sections[row.pop("section")].append(row)
    return sections


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{what}: here {ours}, expected {theirs}")
    print(f"{what}: {len(theirs) if hasattr(theirs, '__len__') else theirs} agree")


def money(text):
    return decimal.Decimal(text)


def compare_totals(sections, expected, domain):
    ours = {(int(r["year"]), r["currency"], r["what"]): [int(r["orders"])] + [money(r[c]) for c in ("total", "discount", "debited", "refunded")]
            for r in sections["orders"]}
    theirs = {(r["year_utc"], r["currency"], r["what"]): [r["orders"]] + [money(r[c]) for c in (
        "total", "discount", "debited_at_processors", "refunded_at_processors")]
        for r in expected["totals_by_site_currency_year"] if r["site"] == domain}
    same(f"{domain}: years, currencies and sums", ours, theirs)
    refunds = collections.defaultdict(lambda: [0, decimal.Decimal(0)])
    for order in expected["orders"].values():
        if order["site"] == domain:
            for refund in order["refunds"]:
                entry = refunds[refund["state"], order["currency"]]
                entry[0] += 1
                entry[1] += money(refund["amount"])
    ours = {(r["state"], r["currency"]): [int(r["refunds"]), money(r["amount"])] for r in sections["refunds"]}
    same(f"{domain}: refunds by state", ours, dict(refunds))


def compare_people(sections, expected, domain):
    buyers = {order["user"] for order in purchases(expected, domain).values()}
    known = collections.Counter((u["lms_user_id_from"] or "nowhere") for u in expected["users"] if u["username"] in buyers)
    ours = {r["id of the course platform from"]: int(r["people"]) for r in sections["people"]}
    same(f"{domain}: people by where their id is from", ours, dict(known))


def compare_baskets(sections, expected, domain):
    theirs = {b["would_be_order"]: "paid" in b["meaning"] and "never" not in b["meaning"]
              for b in expected["baskets_without_order"] if b["site"] == domain and b["status"] == "Frozen"}
    ours = {r["key"]: "no order was placed" in r["reason"] for r in sections["findings"] if r["kind"] == "basket"}
    same(f"{domain}: frozen baskets, and whether they were paid", ours, theirs)


def purchases(expected, domain):
    return {number: order for number, order in expected["orders"].items()
            if order["site"] == domain and not any(line["kind"] == "Coupon" for line in order["lines"])}


def compare_orders(database, expected, domain):
    ours = {}
    for row in database.rows(
            "SELECT c.reference, c.currency, c.total, c.buyer, coalesce(t.refunded_amount, 0) AS refunded, c.metadata ->> 'processor' AS processor,"
            " t.provider_reference AS payment, to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SSZ') AS placed,"
            " (SELECT json_agg(json_build_array(l.position, l.mode, l.original_price, l.price, coalesce(l.seats, 1)) ORDER BY l.position)"
            "  FROM cart_items l WHERE l.cart_id = c.id) AS lines"
            " FROM carts c LEFT JOIN transactions t ON t.cart_id = c.id WHERE c.former_shop IS NOT NULL"):
        ours[row.pop("reference")] = row
    theirs = {}
    ids = {u["username"]: u["lms_user_id"] for u in expected["users"] if "retired" not in u["username"]}
    for number, order in purchases(expected, domain).items():
        minor = lambda text: int(money(text) * 100)
        back = sum(minor(r["amount"]) for r in order["refunds"] if r["money_went_back"])
        theirs[number] = {
            "currency": order["currency"], "total": minor(order["total"]), "placed": order["date_placed"],
            "refunded": max(back, sum(minor(p["refunded"]) for p in order["payments"])),
            "processor": order["payments"][0]["processor"] if order["payments"] else None,
            "payment": order["payments"][0]["reference"] if order["payments"] else None,
            "lines": [[l["position"], l.get("mode") or ours[number]["lines"][l["position"]][1], minor(l["price_before_discounts"]),
                       minor(l["paid"]), l["quantity"]] for l in order["lines"]]}
        buyer = ours[number].pop("buyer")
        known = ids.get(order["user"])
        if (str(known) != buyer) if known else not buyer.startswith("erased-"):
            sys.exit(f"{number}: the buyer is {buyer}, not {known}")
    same(f"{domain}: orders, lines, payments, refunds and buyers", ours, theirs)
    same(f"{domain}: lines without a mode", [n for n, o in theirs.items() if any(not l[1] for l in o["lines"])], [])


def other_modes(coupon, expected):
    """The paid modes that a list of SKUs leaves out of its courses, as the report names them."""
    listed = set((coupon["range"] or {}).get("skus", []))
    for key, course in expected["courses"].items():
        has = {seat["mode"] for seat in course["seats"] if seat["sku"] in listed}
        for seat in course["seats"]:
            if has and seat["mode"] not in has and money(seat["price"]) > 0:
                yield f"{seat['mode']} of {key}"


def why_not(coupon, code, expected):
    """The reason why a coupon's code cannot be expressed here, read from the terms that ecommerce's models give; None if it can."""
    terms = coupon["range"] or {}
    if not re.fullmatch("[A-Z0-9_-]{3,40}", code["code"]):
        return "a code here has 3 to 40 letters A to Z, digits, - and _"
    if code["usage"] == "Multi-use-per-Customer":
        return "only one person may use it, several times"
    if coupon["email_domains"]:
        return f"it is for addresses of {coupon['email_domains']} alone"
    if "query" in terms or "catalog_id" in terms:
        return "only the discovery service knows its courses: " + terms.get("query", f"catalog {terms.get('catalog_id')}")
    if coupon["program_uuid"]:
        return f"the catalog has no program {coupon['program_uuid'].replace('-', '')}"
    mode = min(other_modes(coupon, expected), default=None)
    return mode and f"it is not for {mode}, and a voucher is for all modes of a course"


def compare_codes(database, sections, expected, domain):
    """Each code with uses left is here with as many, or named with the reason that its terms give."""
    partner = next(s["partner_short_code"] for s in expected["sites"] if s["domain"] == domain)
    left, reasons = {}, {}
    for coupon in expected["coupons"].values():
        for code in coupon["vouchers"]:
            if coupon["partner"] == partner and code["uses_left"] > 0 and code["end"] > "2026":
                reason = why_not(coupon, code, expected)
                if reason:
                    reasons[code["code"]] = reason
                else:
                    left[code["code"]] = code["uses_left"]
    for order in purchases(expected, domain).values():
        for line in order["lines"]:
            left.update({c["code"]: 1 for c in line.get("codes", []) if not c["used_by_orders"]})
    here = {r["code"]: r["uses_left"] for r in database.rows("SELECT code, max_uses - uses AS uses_left FROM vouchers")}
    same(f"{domain}: codes and uses left", here, left)
    same(f"{domain}: codes that cannot be expressed, and why", {r["key"]: r["reason"] for r in sections["findings"] if r["kind"] == "code"}, reasons)


def compare_account(database, command, files, expected, domain):
    """The orders that Stripe has charged can be refunded at the account here, once the operator has said that it is the same."""
    run("psql", database.admin, "-qc", "INSERT INTO gateway_credentials SELECT id, 'stripe', 'none', '', now() FROM organisations")
    for what in ("at the same account", "at the same account, again"):
        begun = acts(database)
        _, errors = database.worker(*command, "--apply", "--same-account", "stripe", *map(str, files))
        print(f"{domain}: {errors.strip()}")
        here = {r["reference"]: r["payment"] for r in database.rows(
            "SELECT c.reference, t.provider_reference AS payment FROM transactions t JOIN carts c ON c.id = t.cart_id WHERE t.gateway = 'stripe'")}
        theirs = {number: order["payments"][0]["reference"] for number, order in purchases(expected, domain).items()
                  if [p["processor"] for p in order["payments"]] == ["stripe"]}
        same(f"{domain}: payments {what}", here, theirs)
        same(f"{domain}: what acts by itself then", acts(database) - begun, 0)


def compare_catalog(file, expected, domain):
    ours = {}
    for line in file.read_text().splitlines():
        record = json.loads(line)
        ours[record["openedx_course_id"]] = {m["modeSlug"]: money(str(m["minPrice"])) for m in record.get("modes", [])}
    theirs = {}
    for key, course in expected["courses"].items():
        if course["site"] == domain:
            modes = {}
            for seat in course["seats"]:
                if "mobile" not in seat:
                    modes.setdefault(seat["mode"], money(seat["price"]))
            theirs[re.sub(r"^([^/]+)/([^/]+)/([^/]+)$", r"course-v1:\1+\2_\3+former", key)] = modes
    former = {key for key in ours if key not in theirs}
    same(f"{domain}: courses, modes and prices", {k: v for k, v in ours.items() if k not in former}, theirs)
    print(f"{domain}: products without a course: {sorted(former)}")


def compare_missing(former):
    """Each table that the statements read is named if it is missing."""
    statements, _ = run(WORKER, "move-in", "statements", "shop")
    tables = sorted(set(re.findall(r"(?:FROM|JOIN) ([a-z]+_[a-z_]+)\b(?!\.)", statements)))
    named = []
    for table in tables:
        former.ask(f"RENAME TABLE {table} TO hidden", "shop")
        begin = json.loads(subprocess.run(former.client("shop"), input=statements, text=True, capture_output=True).stdout.splitlines()[0])
        former.ask(f"RENAME TABLE hidden TO {table}", "shop")
        if any(name.startswith(table + ".") for name in begin["missing"].split(", ")):
            named.append(table)
    same("tables that are named if they are missing", named, tables)


def acts(database):
    tables = ("events", "documents", "documents_due", "outbox", "mails", "enrollments", "cart_courses")
    return database.rows("SELECT " + " + ".join(f"(SELECT count(*) FROM {t})" for t in tables) + " AS n")[0]["n"]


def site(former, expected, domain, currency):
    database = Database(currency)
    shop, platform = database.folder / "shop.jsonl", database.folder / "platform.jsonl"
    shop.write_text(former.export("shop"))
    platform.write_text(former.export("platform"))
    command = ["move-in", "ecommerce", "--site", domain, "--organisation", "shop", "--json"]
    catalog = database.folder / "catalog.jsonl"
    sections = report(database.worker(*command, "--catalog", str(catalog), str(shop))[0])
    compare_totals(sections, expected, domain)
    compare_people(sections, expected, domain)
    compare_baskets(sections, expected, domain)
    compare_catalog(catalog, expected, domain)
    database.worker(*command, "--apply", str(shop), str(platform), fails=True)
    same(f"{domain}: carts before the catalog has the courses", database.rows("SELECT count(*) AS n FROM carts")[0]["n"], 0)
    database.import_file(catalog)
    before = acts(database)
    said, errors = database.worker(*command, "--apply", "--codes", str(shop), str(platform))
    sections = report(said)
    print(errors.strip())
    compare_orders(database, expected, domain)
    compare_codes(database, sections, expected, domain)
    same(f"{domain}: what acts by itself", acts(database) - before, 0)
    _, errors = database.worker(*command, "--apply", "--codes", str(shop), str(platform))
    same(f"{domain}: orders and codes of a second run", re.findall(r"(\d+) (?:orders|codes) were", errors), ["0", "0"])
    compare_account(database, command, (shop, platform), expected, domain)
    for row in sections["findings"]:
        if row["kind"] not in ("code", "coupon sale"):
            print(f"  {row['kind']}: {row['key']}: {row['reason']}")
    database.drop()


def compare(folder):
    expected = json.loads((folder / "expected.json").read_text())
    former = Former(folder, expected)
    try:
        compare_missing(former)
        for domain, currency in (("nova.example.com", "USD"), ("alpen.example.com", "EUR")):
            site(former, expected, domain, currency)
    finally:
        former.stop()


def large_export(file, orders):
    """An export of so many orders of half as many people; each twentieth is refunded, each third discounted, each fiftieth is of codes."""
    with open(file, "w") as out:
        def row(**fields):
            out.write(json.dumps(fields) + "\n")
        row(t="begin", format=1, missing=None)
        row(t="site", id=2, domain="large.example.com", partner_id=1, short_code="large", name="Large")
        for course in range(200):
            for kind, offset in (("seat", 1000), ("enrollment-code", 2000)):
                row(t="product", id=offset + course, **{"class": kind}, title=f"Seat in C{course}", course=COURSE.format(course), course_name=f"C{course}",
                    partner_id=1, sku=f"S{offset + course}", price="149.00", currency="USD", certificate="verified" if kind == "seat" else None,
                    seat_type=None if kind == "seat" else "verified", verified_id=1)
        for user in range(orders // 2):
            row(t="user", id=user, username=f"learner_{user}", lms_id=user + 1)
        for order in range(orders):
            course, bulk = order % 200, order % 50 == 0
            paid = "111.75" if order % 3 == 0 else "149.00"
            back, at = order % 20 == 0, f"20{16 + order % 10}-{1 + order % 12:02}-{1 + order % 28:02}T10:00:00.000000Z"
            row(t="order", id=order, number=f"LARGE-{100000 + order}", site_id=2, partner_id=1, user_id=order // 2, status="Complete",
                currency="USD", total=paid, placed=at, invoiced=0, vouchers=None)
            row(t="line", id=order, order_id=order, product_id=(2000 if bulk else 1000) + course, sku=f"S{1000 + course}", title=f"Seat in C{course}",
                quantity=5 if bulk else 1, before="149.00", paid=paid)
            row(t="payment", id=order, order_id=order, processor="stripe", reference=f"pi_{order:024}", currency="USD", debited=paid,
                refunded=paid if back else "0.00")
            if back:
                row(t="refund", id=order, order_id=order, status="Complete", amount=paid, created=at, changed=at)
                row(t="refund_line", refund_id=order, line_id=order, amount=paid)
                row(t="refunded", id=order, order_id=order, amount=paid, reference=f"re_{order:024}", at=at)
            if bulk and not back:
                for n in range(5):
                    row(t="code", id=order * 5 + n, code=f"C{order}N{n}", usage="Single use", **{"from": at}, until="2036-01-01T00:00:00.000000Z",
                        orders=n % 2, offer_id=course, applications=0, most=None, kind="Percentage", value="100.00", line_id=order)
        row(t="end")
        row(t="begin_platform", format=1, missing=None)
        for user in range(orders // 2):
            row(t="account", id=user + 1, username=f"learner_{user}", email=f"learner_{user}@example.com", name=f"Learner {user}", retired=0)
        for order in range(orders):
            row(t="enrollment", user_id=order // 2 + 1, course=COURSE.format(order % 200), mode="verified", active=1)
        row(t="end_platform")


def large(orders):
    database = Database("USD")
    file, catalog = database.folder / "large.jsonl", database.folder / "catalog.jsonl"
    large_export(file, orders)
    print(f"{orders} orders, {file.stat().st_size >> 20} MiB of export")
    command = ["move-in", "ecommerce", "--site", "large.example.com", "--organisation", "shop"]
    database.worker(*command, "--catalog", str(catalog), str(file))
    database.import_file(catalog)
    for what in ("first run", "second run without news"):
        begun = time.monotonic()
        _, errors = database.worker(*command, "--apply", "--codes", str(file))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        print(f"{what}: {time.monotonic() - begun:.0f} s, at most {peak} MiB so far; {errors.strip()}")
    database.drop()


if sys.argv[2] == "--large":
    large(int(sys.argv[3]))
else:
    compare(pathlib.Path(sys.argv[2]))
