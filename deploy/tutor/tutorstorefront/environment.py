"""Values in the environment of a program and in tasks: how the templates quote, list and mask them. No Tutor, no I/O."""

import base64
import hashlib
import re
import secrets
from urllib.parse import quote

NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def url_part(text) -> str:
    """A user, a password or a virtual host, as a URL has it."""
    return quote(str(text), safe="")


def mask(secret, key) -> str:
    """A secret that is read back with the key alone, each time under a new nonce. The LMS's task undoes it."""
    secret, nonce = str(secret).encode(), secrets.token_bytes(16)
    stream = hashlib.shake_256(nonce + str(key).encode()).digest(len(secret))
    masked = bytes(one ^ other for one, other in zip(secret, stream, strict=True))
    return base64.b64encode(nonce + masked).decode()


def mailbox(name, address) -> str:
    """A sender. The name is quoted: a comma or a colon in it would end the worker at its start."""
    quoted = str(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}" <{address}>'


def environment(lines: str, more: dict) -> list[str]:
    """The lines NAME=VALUE of a rendered template, without empty ones, and with the operator's own settings `more`.

    An operator's setting replaces the template's: kustomize refuses a name that appears twice.
    """
    settings = {}
    for line in lines.splitlines():
        if not line.strip():
            continue
        name, equals, value = line.partition("=")
        if not equals:
            raise ValueError(f"{line!r} is not NAME=VALUE: a setting has several lines")
        settings[name] = value
    for name, value in more.items():
        if isinstance(value, bool):
            value = str(value).lower()
        settings[name] = str(value)
    for name, value in settings.items():
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a setting")
        if "\n" in value:
            raise ValueError(f"{name} has several lines")
    return [f"{name}={value}" for name, value in settings.items()]


def compose_value(line: str) -> str:
    """A line of `environment` for Docker Compose, which replaces $NAME otherwise."""
    return line.replace("$", "$$")
