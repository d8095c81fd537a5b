#!/usr/bin/env bash
# One name of a time zone has two meanings in one PostgreSQL session: the setting TimeZone reads CET, MET and EET as zones of the IANA
# database, with summer time; AT TIME ZONE reads the same words as abbreviations of a fixed offset, all year.
#
# Seen with PostgreSQL 16.2 (PyPI: pgserver 0.1.4), on 2026-11-27. Of noon UTC on 1 July 2026:
#   SET TimeZone = 'CET', then the time itself      2026-07-01 14:00:00+02
#   the time AT TIME ZONE 'CET'                     2026-07-01 13:00:00
# pg_timezone_names has CET with summer time, pg_timezone_abbrevs without; Europe/Brussels gives 14:00 both ways.
#
# Why one would guess otherwise: 'CET' is in pg_timezone_names, and AT TIME ZONE takes every name of that view, so a program that checks a
# name against the view expects the rules which the view shows for it. The abbreviation has precedence, without a notice. A shop that keeps
# such a name finds its days change at 23:00 in summer.
#
# Needs Python 3 with venv. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pgserver==0.1.4
cat >"$folder/zones.py" <<'PY'
import sys
import pgserver

server = pgserver.get_server(sys.argv[1])
noon = "timestamptz '2026-07-01 12:00Z'"


def ask(statement):
    lines = server.psql(f"\\pset format unaligned\n\\pset tuples_only on\n{statement}").splitlines()
    return lines[-1]


print("PostgreSQL", ask("SHOW server_version"))
wrong = []
for zone, shown, converted in [
    ("CET", "2026-07-01 14:00:00+02", "2026-07-01 13:00:00"),
    ("MET", "2026-07-01 14:00:00+02", "2026-07-01 13:00:00"),
    ("EET", "2026-07-01 15:00:00+03", "2026-07-01 14:00:00"),
    ("Europe/Brussels", "2026-07-01 14:00:00+02", "2026-07-01 14:00:00"),
]:
    known = ask(f"SELECT count(*) FROM pg_timezone_names WHERE name = '{zone}'")
    seen = (ask(f"SET TimeZone = '{zone}'; SELECT {noon}"), ask(f"SELECT {noon} AT TIME ZONE '{zone}'"))
    print(f"{zone}: in pg_timezone_names {known}, TimeZone {seen[0]}, AT TIME ZONE {seen[1]}")
    if (known, *seen) != ("1", shown, converted):
        wrong.append(zone)
server.cleanup()
sys.exit(f"changed: {', '.join(wrong)}" if wrong else 0)
PY
"$folder/venv/bin/python" "$folder/zones.py" "$folder/data"
