#!/usr/bin/env python3
"""Validates bills of materials by the schema of CycloneDX 1.6, as the package cyclonedx-python-lib brings it, and each licence
by SPDX's list: tests/dependencies runs it with FILE…"""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing

LICENCES = get_spdx_licensing()


def faults(content):
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(content)
    if fault:
        yield str(fault)
    bill = json.loads(content)
    for part in [bill["metadata"]["component"], *bill["components"]]:
        known = [licence for licence in part.get("licenses", []) if "expression" in licence]
        if not known:
            yield f"{part['name']} has no licence"
        for licence in known:
            yield from (f"{part['name']}: {fault}" for fault in LICENCES.validate(licence["expression"]).errors)
        if part["type"] == "library" and "purl" not in part and not part["name"].startswith(("storefront-", "Noto Sans")):
            yield f"{part['name']} has no purl"


def main():
    found = [f"{file}: {fault}" for file in sys.argv[1:] for fault in faults(pathlib.Path(file).read_text(encoding="utf-8"))]
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
