"""The settings of both programs, from docs/configuration.md, which is generated from their command lines."""

import re
from dataclasses import dataclass
from functools import cache

from tree import REPOSITORY

TITLES = {"Both programs": ("api", "worker"), "The api": ("api",), "The worker (`storefront-worker run`)": ("worker",)}


@dataclass(frozen=True)
class Setting:
    name: str
    default: str | None
    is_required: bool
    is_secret: bool


@cache
def read() -> dict[str, dict[str, Setting]]:
    """The settings of `api` and `worker`, by name."""
    programs = {"api": {}, "worker": {}}
    for section in re.split(r"^## ", (REPOSITORY / "docs/configuration.md").read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        for name, default, text in re.findall(r"^\| `([A-Z][A-Z0-9_]*)` \| (.*?) \| (.*) \|$", body, re.MULTILINE):
            setting = Setting(
                name,
                default.strip("`") if default.startswith("`") else None,
                default == "required",
                text.endswith("*(secret)*"),
            )
            for program in TITLES.get(title, ()):
                programs[program][name] = setting
    if not programs["api"] or not programs["worker"]:
        raise RuntimeError("docs/configuration.md has no tables of settings")
    return programs


def seconds(text: str) -> float:
    """A duration as the programs read it."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]
