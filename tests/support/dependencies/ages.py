#!/usr/bin/env python3
"""Fails if a direct dependency of a crate of this workspace is a year behind: a version that is newer than the one in Cargo.lock
has been out for more than 365 days. Yanked versions, pre-releases and versions for a later Rust do not count.

  ages.py                     as of today; makes cargo refresh its copy of the registry's index
  ages.py --today 2027-11-29  as of another day

Exits with 77 if the registry does not say when versions were published, or cannot be reached."""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
LONGEST = datetime.timedelta(days=365)

# Name and version of what may be older: why. An entry that is no longer needed is a fault.
EXCEPTIONS = {}


@dataclasses.dataclass(frozen=True)
class Published:
    version: str
    day: datetime.date | None
    rust: str | None
    yanked: bool


def numbers(version):
    """The numbers of a version without its build metadata: `2.10+wasi` is (2, 10, 0)."""
    parts = [int(part) for part in version.split("+")[0].split("-")[0].split(".")]
    return tuple(parts + [0] * (3 - len(parts)))


def is_pre_release(version):
    return "-" in version.split("+")[0]


def fits(published, rust):
    return not published.rust or numbers(published.rust) <= numbers(rust)


def entries(content):
    """The versions in a file of cargo's cache: a header, then for each version its number and its line of the index, each of
    them ended by a NUL."""
    for line in content.split(b"\0"):
        if line.startswith(b"{"):
            entry = json.loads(line)
            day = datetime.date.fromisoformat(entry["pubtime"][:10]) if entry.get("pubtime") else None
            yield Published(entry["vers"], day, entry.get("rust_version"), entry["yanked"])


def overdue(locked, published, rust, today):
    """The oldest version after `locked` that has been out for more than a year, or None."""
    newer = [
        one for one in published
        if numbers(one.version) > numbers(locked) and not one.yanked and not is_pre_release(one.version) and fits(one, rust)
        and one.day and today - one.day > LONGEST
    ]
    return min(newer, key=lambda one: numbers(one.version), default=None)


def cargo(*arguments):
    run = subprocess.run(["cargo", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        skip(f"cargo {arguments[0]}: {run.stderr.strip()}")
    return run.stdout


def skip(why):
    print(f"ages: skipped: {why}", file=sys.stderr)
    sys.exit(77)


def direct_dependencies():
    """The name and locked version of each crate of a registry that a member names, and Rust's version of this workspace."""
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    packages = {package["id"]: package for package in metadata["packages"]}
    members = set(metadata["workspace_members"])
    named = {
        (packages[dependency["pkg"]]["name"], packages[dependency["pkg"]]["version"])
        for node in metadata["resolve"]["nodes"] if node["id"] in members
        for dependency in node["deps"] if (packages[dependency["pkg"]]["source"] or "").startswith("registry+")
    }
    return sorted(named), next(packages[member]["rust_version"] for member in members)


def index(name):
    """What cargo's cache knows of a crate; of several registries, the file that was written last."""
    lower = name.lower()
    folder = {1: "1", 2: "2", 3: f"3/{lower[0]}"}.get(len(lower), f"{lower[:2]}/{lower[2:4]}")
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    files = sorted(home.glob(f"registry/index/*/.cache/{folder}/{lower}"), key=lambda file: file.stat().st_mtime)
    return list(entries(files[-1].read_bytes())) if files else []


def check(today):
    """The faults, the crates without dates, and the number of direct dependencies."""
    dependencies, rust = direct_dependencies()
    cargo("update", "--dry-run", "--quiet")
    faults, unknown = [], []
    for name, locked in dependencies:
        published = index(name)
        if not any(one.day for one in published):
            unknown.append(name)
            continue
        found = overdue(locked, published, rust, today)
        excepted = (name, locked) in EXCEPTIONS
        if found and not excepted:
            faults.append(f"{name} {locked} is a year behind: {found.version} is of {found.day}")
        elif excepted and not found:
            faults.append(f"{name} {locked} needs no exception")
    gone = EXCEPTIONS.keys() - set(dependencies)
    faults += [f"{name} {locked} is no direct dependency, and needs no exception" for name, locked in sorted(gone)]
    return faults, unknown, len(dependencies)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--today", type=datetime.date.fromisoformat, default=datetime.date.today())
    faults, unknown, compared = check(parser.parse_args().today)
    if faults:
        sys.exit("\n".join(faults))
    if unknown:
        skip(f"the registry has no dates of {len(unknown)} of {compared} crates, such as {unknown[0]}")
    print(f"ages: none of {compared} direct dependencies is a year behind")


if __name__ == "__main__":
    main()
