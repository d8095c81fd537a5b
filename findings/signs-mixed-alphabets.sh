#!/usr/bin/env bash
# rspamd finds a mix of alphabets (R_MIXED_CHARSET) in plain text of one alphabet whose vowels and tones are signs on its consonants: a
# sentence in Hindi, Tamil or Thai gets nearly all of the 5 points that the symbol can have, of 6 that mark a mail as spam. The same letters
# without signs get none, nor do Arabic and Russian.
#
# Seen with rspamd 3.4 (Debian 12's 3.4-1), with the rules of the package and no network, on 2026-11-30:
#   points of R_MIXED_CHARSET: Hindi 4.4, Hindi without vowel signs 0.0, Bengali 1.5, Tamil 5.0, Thai 5.0, Arabic, Russian and English 0.0
#
# Why one would guess otherwise: the module is described as a search for words that mix letters of several alphabets, as forged brands do
# with Latin and Cyrillic, and Unicode gives these signs the script of their letters.
#
# Needs Debian 12 with apt-get, dpkg and Python 3, and no root. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
chmod 777 "$folder"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Some of them are on most machines; the others' libraries are taken from the folder.
apt-get download -qq rspamd=3.4-1 libhyperscan5 libicu72 libluajit2-5.1-2 libluajit2-5.1-common libpcre2-8-0 libsodium23 libsqlite3-0 libunwind8 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
mkdir -p state/local.d state/override.d
# Without the modules that ask others or remember mails.
for module in antivirus arc asn bimi clickhouse dcc dkim dkim_signing dmarc elastic fuzzy_check greylist hfilter history_redis mx_check neural p0f \
  phishing ratelimit rbl replies reputation spf surbl url_redirector; do
  echo 'enabled = false;' >"state/local.d/$module.conf"
done
for worker in controller proxy fuzzy; do echo 'count = -1; enabled = false;' >"state/override.d/worker-$worker.inc"; done
echo 'type = "console";' >state/override.d/logging.inc
cat >judge.py <<'PY'
import json, os, pathlib, socket, subprocess, sys, time, urllib.request

folder = pathlib.Path.cwd()
TEXTS = {
    "Hindi": "हम आपके आदेश के लिए धन्यवाद करते हैं और पाठ्यक्रम कल सुबह से आपके खाते में दिखाई देगा",
    "Hindi without vowel signs": "कमल नमक पवन जल थल घर वन फल बहन नगर सड़क शहर",
    "Bengali": "আপনার অর্ডারের জন্য ধন্যবাদ এবং কোর্সটি আগামীকাল সকাল থেকে আপনার অ্যাকাউন্টে দেখা যাবে",
    "Tamil": "உங்கள் ஆணைக்கு நன்றி மற்றும் பாடநெறி நாளை காலை முதல் உங்கள் கணக்கில் தோன்றும்",
    "Thai": "ขอบคุณสำหรับการสั่งซื้อ และหลักสูตรจะปรากฏในบัญชีของคุณตั้งแต่พรุ่งนี้เช้า",
    "Arabic": "شكرا لطلبك وسوف تظهر الدورة في حسابك ابتداء من صباح الغد",
    "Russian": "Спасибо за ваш заказ, курс появится в вашем кабинете завтра утром",
    "English": "Thank you for your order, the course will be in your account from tomorrow morning on",
}
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
(folder / "state/override.d/worker-normal.inc").write_text(f'bind_socket = "127.0.0.1:{port}"; count = 1;')
share = folder / "root/usr/share/rspamd"
places = {"CONFDIR": folder / "root/etc/rspamd", "LOCAL_CONFDIR": folder / "state", "RULESDIR": share / "rules", "LUALIBDIR": share / "lualib",
          "PLUGINSDIR": share / "plugins", "SHAREDIR": share, "DBDIR": folder / "state", "RUNDIR": folder / "state", "LOGDIR": folder / "state"}
library = folder / "root/usr/lib"
paths = [str(path) for path in [library / "rspamd", *library.glob("*-linux-gnu")]]
server = subprocess.Popen(
    [str(folder / "root/usr/bin/rspamd"), "--no-fork", "--insecure", "-c", str(folder / "root/etc/rspamd/rspamd.conf"), *(f"--var={name}={place}" for name, place in places.items())],
    env={**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "LUA_PATH": f"{share}/lualib/?.lua;{share}/lualib/?/init.lua"},
    stdout=open("log", "wb"), stderr=subprocess.STDOUT)
try:
    for _ in range(900):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            if server.poll() is not None:
                sys.exit(pathlib.Path("log").read_text(errors="replace")[-1500:])
            time.sleep(0.2)
    else:
        sys.exit(pathlib.Path("log").read_text(errors="replace")[-1500:])
    for name, text in TEXTS.items():
        mail = (f"From: a@example.org\r\nTo: b@example.com\r\nSubject: a\r\nMIME-Version: 1.0\r\n"
                f"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}\r\n").encode()
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/checkv2", data=mail), timeout=30) as answer:
            found = json.load(answer)["symbols"].get("R_MIXED_CHARSET", {})
        print(f"{name:26} {found.get('score', 0):.1f}")
finally:
    server.terminate()
    server.wait(30)
PY
cat >expected <<'SEEN'
Hindi                      4.4
Hindi without vowel signs  0.0
Bengali                    1.5
Tamil                      5.0
Thai                       5.0
Arabic                     0.0
Russian                    0.0
English                    0.0
SEEN
python3 judge.py | tee seen
diff expected seen
