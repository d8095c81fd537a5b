"""Tests of ages.py with a made-up index: tests/dependencies runs them first."""

import datetime
import json
import unittest

import ages

TODAY = datetime.date(2026, 11, 29)


def cached(*lines):
    """A file of cargo's cache with these versions."""
    content = b"\x03\x02\x00\x00\x00etag: x\0"
    for line in lines:
        entry = {"name": "made-up", "yanked": False, **line}
        content += line["vers"].encode() + b"\0" + json.dumps(entry).encode() + b"\0"
    return list(ages.entries(content))


class Ages(unittest.TestCase):
    def overdue(self, *lines):
        found = ages.overdue("1.9.0", cached({"vers": "1.9.0", "pubtime": "2024-01-01T00:00:00Z"}, *lines), "1.95", TODAY)
        return found and found.version

    def test_a_version_that_came_out_366_days_ago_makes_the_locked_one_a_year_behind(self):
        self.assertEqual(self.overdue({"vers": "1.10.0", "pubtime": "2025-11-28T23:59:59Z"}), "1.10.0")
        self.assertIsNone(self.overdue({"vers": "1.10.0", "pubtime": "2025-11-29T00:00:00Z"}))

    def test_the_oldest_newer_version_is_named_whatever_came_out_since(self):
        newest, older = {"vers": "2.0.0", "pubtime": "2026-11-01T00:00:00Z"}, {"vers": "1.9.1", "pubtime": "2025-01-01T00:00:00Z"}
        self.assertEqual(self.overdue(newest, older), "1.9.1")
        self.assertIsNone(self.overdue(newest))

    def test_yanked_versions_pre_releases_and_those_for_a_later_rust_do_not_count(self):
        old = {"pubtime": "2025-01-01T00:00:00Z"}
        self.assertIsNone(self.overdue({"vers": "2.0.0", "yanked": True, **old}))
        self.assertIsNone(self.overdue({"vers": "2.0.0-rc.1", **old}))
        self.assertIsNone(self.overdue({"vers": "2.0.0", "rust_version": "1.96", **old}))
        self.assertEqual(self.overdue({"vers": "2.0.0", "rust_version": "1.95.0", **old}), "2.0.0")
        self.assertEqual(self.overdue({"vers": "2.0.0+build-1", **old}), "2.0.0+build-1")

    def test_patches_of_an_older_line_do_not_count(self):
        self.assertIsNone(self.overdue({"vers": "1.8.9", "pubtime": "2025-01-01T00:00:00Z"}))

    def test_a_version_without_a_date_is_not_judged(self):
        self.assertIsNone(self.overdue({"vers": "2.0.0", "pubtime": None}, {"vers": "2.0.1"}))


if __name__ == "__main__":
    unittest.main()
