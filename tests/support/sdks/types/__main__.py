"""Checks recorded calls and webhooks against the types of the providers' own packages. An unknown field fails the run.

Usage: python tests/support/sdks/types RECORDS RAZORPAY_TS. RECORDS has a line of JSON for each call to a simulated provider and
for each webhook, as tests/simulators/src/payments/record.rs writes them. What Razorpay's types have to accept is
written to RAZORPAY_TS, for tsc.

The worker's requests are checked, but not those of other callers: tests of the simulators send wrong ones on purpose.
"""

import collections
import json
import sys

import mollie_types
import razorpay_types
import stripe_types

PROVIDERS = {
    "stripe": stripe_types,
    "mollie": mollie_types,
    "razorpay": razorpay_types,
    "curlec": razorpay_types,
}


def findings(record):
    """Yields what the package's types refuse, each in words."""
    types = PROVIDERS[record["provider"]]
    if "event" in record:
        yield from types.event(record["event"])
        return
    if (record["agent"] or "").startswith("storefront-worker/"):
        yield from types.request(record)
    if record["status"] < 300 and record["answer"] is not None:
        yield from types.answer(record)


def main(records, typescript):
    counts, refused = collections.Counter(), {}
    with open(records) as lines:
        for line in lines:
            record = json.loads(line)
            kind = "webhook" if "event" in record else "call"
            counts[f"{record['provider']} {kind}s"] += 1
            for finding in findings(record):
                refused.setdefault(f"{record['provider']} {finding}", record)
    for finding, record in refused.items():
        place = record["event"].get("type", record["event"].get("event")) if "event" in record else record["path"]
        print(f"{finding}\n    first in {place}")
    with open(typescript, "w") as file:
        file.write(razorpay_types.typescript())
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    missing = {f"{provider} {kind}s" for provider in PROVIDERS for kind in ("call", "webhook")} - set(counts)
    if missing:
        print(f"nothing was recorded of: {', '.join(sorted(missing))}")
    return 1 if refused or missing else 0


sys.exit(main(*sys.argv[1:]))
