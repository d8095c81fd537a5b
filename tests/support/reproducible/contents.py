#!/usr/bin/env python3
"""Fails unless a program names, in the section .dep-v0, the crates that a bill of materials of it or of its image lists, if one
of them is not in the file that lists what was compiled, or if a file holds one of the paths.

  contents.py PROGRAM BILL [FILE…] [--compiled LIST] [--without PATH]…
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib


def named(program):
    """The name of the program's own crate, and each crate of the registry with its version."""
    with tempfile.NamedTemporaryFile() as content:
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.dep-v0", "--set-section-flags", ".dep-v0=alloc", program, content.name],
                       check=True)
        packages = json.loads(zlib.decompress(pathlib.Path(content.name).read_bytes()))["packages"]
    root = next(package["name"] for package in packages if package.get("root"))
    return root, {(package["name"], package["version"]) for package in packages if package["source"] == "crates.io"}


def listed(bill):
    content = json.loads(bill.read_text(encoding="utf-8"))
    parts = [content["metadata"]["component"], *content["components"]]
    root = next(part["name"] for part in parts if part["type"] == "application")
    return root, {(part["name"], part["version"]) for part in parts if part.get("purl", "").startswith("pkg:cargo/")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("bill", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--compiled", type=pathlib.Path)
    parser.add_argument("--without", action="append", default=[])
    options = parser.parse_args()
    root, crates = named(options.program)
    if (root, crates) != listed(options.bill):
        sys.exit(f"{options.program}: its crates are not those of {options.bill}")
    if len(crates) < 100:
        sys.exit(f"{options.program}: has {len(crates)} crates")
    if options.compiled and (never := {name for name, _ in crates} - set(options.compiled.read_text().split())):
        sys.exit(f"{options.bill} lists crates that were not compiled: {', '.join(sorted(never))}")
    for file in (options.program, options.bill, *options.files):
        content = file.read_bytes()
        for path in options.without:
            place = content.find(path.encode())
            if place >= 0:
                sys.exit(f"{file} holds {content[place:place + 200].split(bytes(1))[0].decode(errors='replace')}")
    print(f"{options.program.name} names the {len(crates)} crates of its bill of materials")


if __name__ == "__main__":
    main()
