"""Judges a folder of mails with SpamAssassin and rspamd, prints the highest score of each language, and exits with 1 if one is too
high. tests/mail-filters says what is needed."""

import contextlib
import email.utils
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

HIGHEST = {"SpamAssassin": 1.5, "rspamd": 3.0}

# rspamd 3.4 takes the vowel signs of Devanagari for letters of another alphabet than their consonants: any text in Hindi mixes two.
OWN_FAULT = {("rspamd", "hi"): "R_MIXED_CHARSET"}

# As a receiving server adds it: filters judge a mail that has none as one that was made up.
RECEIVED = (
    "Received: from mail.storefront.example by mx.example.com (Postfix) with ESMTPS id 4Xyz012345\r\n"
    f"\tfor <ada@example.com>; {email.utils.formatdate()}\r\n"
)

# What each filter must find, or it judges nothing: the GTUBE line that their authors agreed on for that, and what only rules find.
GTUBE = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"
BAIT = (
    "From: a@example.org\r\nTo: ada@example.com\r\nSubject: test\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\n"
    f"Message-ID: <1@example.org>\r\n\r\n{GTUBE}\r\n"
)
CARELESS = "To: ada@example.com\r\nSubject: test\r\n\r\nNo sender, date or id.\r\n"

# The modules of rspamd that ask others, or remember earlier mails.
ASKING = (
    "antivirus arc asn bimi clickhouse dcc dkim dkim_signing dmarc elastic fuzzy_check greylist hfilter history_redis mx_check neural "
    "p0f phishing ratelimit rbl replies reputation spf surbl url_redirector"
).split()


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def wait_for(port, process, log):
    for _ in range(300):
        if process.poll() is not None:
            sys.exit(f"mail-filters: the filter has ended:\n{log.read_text(errors='replace')[-2000:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    sys.exit("mail-filters: the filter does not answer within a minute")


@contextlib.contextmanager
def running(command, port, log):
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        wait_for(port, process, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


@contextlib.contextmanager
def spamassassin(state):
    """SpamAssassin with local tests alone. Yields what judges a mail: its score, and the rules that it hit."""
    port = free_port()
    home = state / "spamassassin"
    home.mkdir(parents=True, exist_ok=True)
    command = ["spamd", "--local", "--nouser-config", f"--helper-home-dir={home}", "--max-children=2", "--listen=127.0.0.1",
               f"--port={port}", "--syslog=stderr"]

    def judge(mail):
        answer = subprocess.run(["spamc", "--dest=127.0.0.1", f"--port={port}", "--full", "--max-size=1000000"], input=mail,
                                capture_output=True, check=False).stdout.decode(errors="replace")
        score, limit = map(float, answer.splitlines()[0].split("/"))
        if limit == 0:
            sys.exit("mail-filters: spamd does not answer")
        table = answer.split("---- ---------------------- ", 1)[-1].splitlines()[1:]
        hits = [line.split()[:2] for line in table if line[:4].strip() and len(line.split()) > 1]
        return score, {name: float(points) for points, name in hits if float(points) > 0}

    with running(command, port, state / "spamassassin.log"):
        yield judge


@contextlib.contextmanager
def rspamd(state):
    """rspamd with the modules that look at the mail alone. Yields as `spamassassin` does."""
    folder, port = state / "rspamd", free_port()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "local.d").mkdir(parents=True)
    (folder / "override.d").mkdir()
    for module in ASKING:
        (folder / f"local.d/{module}.conf").write_text("enabled = false;\n")
    for worker in ("controller", "proxy", "fuzzy"):
        (folder / f"override.d/worker-{worker}.inc").write_text("count = -1;\nenabled = false;\n")
    (folder / "override.d/worker-normal.inc").write_text(f'bind_socket = "127.0.0.1:{port}";\ncount = 2;\n')
    (folder / "override.d/logging.inc").write_text('type = "console";\n')
    folder.chmod(0o777)
    variables = {"LOCAL_CONFDIR": folder, "DBDIR": folder, "RUNDIR": folder, "LOGDIR": folder}
    command = ["rspamd", "--no-fork", "--insecure", *(f"--var={name}={value}" for name, value in variables.items())]

    def judge(mail):
        # The sender of MAIL_FROM by default.
        headers = {"Helo": "mail.storefront.example", "From": "no-reply@localhost.localdomain", "Rcpt": "ada@example.com"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/checkv2", data=mail, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = json.load(answer)
        return found["score"], {name: symbol["score"] for name, symbol in found["symbols"].items() if symbol["score"] > 0}

    with running(command, port, state / "rspamd.log"):
        yield judge


def main():
    state, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    mails = sorted(folder.glob("*.eml"))
    if not mails:
        sys.exit(f"mail-filters: no mail in {folder}")
    faults = []
    for name, filtering in (("SpamAssassin", spamassassin), ("rspamd", rspamd)):
        with filtering(state) as judge:
            if judge(BAIT.encode())[0] < 10 or not judge(CARELESS.encode())[1]:
                sys.exit(f"mail-filters: {name} finds nothing wrong in a mail that is made for that")
            highest = {}
            for path in mails:
                score, rules = judge(RECEIVED.encode() + path.read_bytes())
                language = path.stem.rsplit("-", 1)[0]
                score -= rules.pop(OWN_FAULT.get((name, language)), 0)
                said = ", ".join(f"{rule} {points:g}" for rule, points in rules.items())
                highest[language] = max(highest.get(language, (-99.0, "", "")), (score, path.name, said))
                if score > HIGHEST[name]:
                    faults.append(f"{name}: {path.name} has {score:.1f}: {said}")
        print(f"== {name}: {len(mails)} mails, the highest of each language, of {HIGHEST[name]} at most")
        for language, (score, mail, said) in sorted(highest.items()):
            print(f"{language:6} {score:5.1f}  {mail}  {said}")
    if faults:
        sys.exit("\n".join(faults))


main()
