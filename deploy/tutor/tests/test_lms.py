"""What the plugin changes in the LMS and in Studio, and the task that makes the service account."""

import ast
import base64
import json
import re
import subprocess
import sys
import tempfile
import types
from unittest import mock

import pytest
from Crypto.Hash import SHA512
from Crypto.PublicKey import RSA
from Crypto.Signature import pkcs1_15


def number(text: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")


def test_the_api_verifies_what_the_lms_signs(installation):
    (key,) = installation.public_keys["keys"]
    # Only the public half: the modulus and the exponent.
    assert set(key) == {"kid", "kty", "n", "e"}
    private = RSA.import_key(installation.config["JWT_RSA_PRIVATE_KEY"])
    signed = SHA512.new(b"header.payload")
    pkcs1_15.new(RSA.construct((number(key["n"]), number(key["e"])))).verify(signed, pkcs1_15.new(private).sign(signed))


def test_the_lms_publishes_the_same_key(installation):
    text = installation.lms_settings()
    published = text.split('JWT_AUTH["JWT_PUBLIC_SIGNING_JWK_SET"] = json.dumps(', 1)[1].split(")\n", 1)[0]
    assert ast.literal_eval(published.strip()) == installation.public_keys
    api = installation.local_environment("storefront-api")
    assert f'JWT_AUTH["JWT_ISSUER"] = "{api["JWT_ISSUERS"]}"\n' in text
    assert f'JWT_AUTH["JWT_AUDIENCE"] = "{api["JWT_AUDIENCES"]}"\n' in text


def test_the_lms_signs_everything_with_the_rsa_key(installation):
    text = installation.lms_settings()
    assert ast.parse(text)
    assert "\nJWT_AUTH_FORCE_CREATE_ASYMMETRIC = True\n" in text and "\nJWT_AUTH_ADD_KID_HEADER = True\n" in text


def settings_after(text: str) -> dict:
    """The event bus's settings as Python would leave them at the end of a settings file."""
    names = {"EVENT_BUS_PRODUCER_CONFIG": {}}
    for statement in ast.parse(text).body:
        line = ast.unparse(statement)
        if line.startswith(("EVENT_BUS_", "SEND_CATALOG_INFO_SIGNAL")):
            exec(line, {}, names)  # noqa: S102 – assignments of constants from Tutor's output
    return names


def test_the_event_bus_is_the_one_that_the_worker_reads(defaults):
    worker = defaults.local_environment("storefront-worker")
    lms = settings_after(defaults.lms_settings())
    assert lms["EVENT_BUS_PRODUCER"] == "edx_event_bus_redis.create_producer"
    assert lms["EVENT_BUS_REDIS_CONNECTION_URL"] == worker["EVENT_BUS_REDIS_URL"]
    topics = lms["EVENT_BUS_PRODUCER_CONFIG"]["org.openedx.learning.student.registration.completed.v1"]
    assert topics == {"learning-registration": {"event_key_field": "user.pii.username", "enabled": True}}
    for kind in ("enrollment.created", "enrollment.changed", "unenrollment.completed"):
        topics = lms["EVENT_BUS_PRODUCER_CONFIG"][f"org.openedx.learning.course.{kind}.v1"]
        assert topics == {"learning-enrollment": {"event_key_field": "enrollment.course.course_key", "enabled": True}}
    streams = [f"{lms['EVENT_BUS_TOPIC_PREFIX']}-{topic}" for topic in ("learning-registration", "learning-enrollment")]
    assert ",".join(streams) == worker["EVENT_BUS_STREAM"]


def test_studio_reports_changed_courses_only_where_the_catalog_follows(defaults, odd, outside):
    worker = odd.local_environment("storefront-worker")
    studio = settings_after(odd.lms_settings("cms"))
    assert studio["SEND_CATALOG_INFO_SIGNAL"] is True
    topics = studio["EVENT_BUS_PRODUCER_CONFIG"]["org.openedx.content_authoring.course.catalog_info.changed.v1"]
    assert topics["course-catalog-info-changed"]["enabled"] is True
    assert f"{studio['EVENT_BUS_TOPIC_PREFIX']}-course-catalog-info-changed" == worker["EVENT_BUS_CATALOG_STREAM"]
    for other in (defaults, outside):
        assert "SEND_CATALOG_INFO_SIGNAL" not in other.lms_settings("cms")
        assert "CATALOG_SYNC_EVERY" not in other.local_environment("storefront-worker")


def test_without_the_event_bus_the_lms_keeps_its_settings(outside):
    assert "student.registration.completed" not in outside.lms_settings()


def test_the_task_makes_the_account_that_the_worker_uses(defaults):
    task = defaults.lms_task()
    worker = defaults.local_environment("storefront-worker")
    subprocess.run(["sh", "-n", "-c", task], check=True)
    calls = run_with_a_recorder(task)
    assert calls[0] == [
        "lms",
        "manage_user",
        "--staff",
        "--unusable-password",
        "storefront_worker",
        "storefront@openedx.invalid",
    ]
    assert calls[1][:3] == ["lms", "shell", "-c"]
    assert application(calls[1][3], defaults.config["OPENEDX_SECRET_KEY"]) == (
        ("create_dot_application", "storefront", "storefront_worker"),
        {
            "update": True, "grant_type": "client-credentials", "client_id": worker["PLATFORM_CLIENT_ID"],
            "client_secret": worker["PLATFORM_CLIENT_SECRET"],
        },
    )  # fmt: skip
    assert calls[2][:3] == ["lms", "shell", "-c"] and ast.parse(calls[2][3])
    assert "RestrictedApplication" in calls[2][3] and worker["PLATFORM_CLIENT_ID"] in calls[2][3]


def test_the_task_leads_the_upgrade_buttons_to_the_page_once(defaults):
    script = run_with_a_recorder(defaults.lms_task())[3][3]
    page = defaults.local_environment("storefront-api")["PUBLIC_BASE_URL"] + "/storeapi/payment/buy/"
    saved = []
    current = types.SimpleNamespace(checkout_on_ecommerce_service=False, basket_checkout_page="/basket/add/")
    current.save = lambda: saved.append(current.basket_checkout_page)
    models = types.ModuleType("lms.djangoapps.commerce.models")
    models.CommerceConfiguration = types.SimpleNamespace(current=lambda: current)
    for _ in range(2):
        with mock.patch.dict(sys.modules, {"lms.djangoapps.commerce.models": models}):
            exec(script, {})  # noqa: S102 – the plugin's own text
    assert saved == [page] and current.enabled and current.checkout_on_ecommerce_service


def application(script: str, secret_key: str) -> tuple:
    """The command that a script calls in an LMS with this secret key."""
    called = []
    conf, management = types.ModuleType("django.conf"), types.ModuleType("django.core.management")
    conf.settings = types.SimpleNamespace(SECRET_KEY=secret_key)
    management.call_command = lambda *words, **options: called.append((words, options))
    with mock.patch.dict(sys.modules, {"django.conf": conf, "django.core.management": management}):
        exec(script, {})  # noqa: S102 – the plugin's own text
    (command,) = called
    return command


def test_no_process_has_the_applications_secret_among_its_arguments(installation):
    task = installation.lms_task()
    assert installation.config["STOREFRONT_OAUTH2_SECRET"] not in task
    masks = set(re.findall(r"b64decode\('([^']+)'\)", task + installation.lms_task()))
    assert len(masks) == 2, "the same secret is masked in the same way twice"
    script = run_with_a_recorder(task)[1][3]
    _, options = application(script, installation.config["OPENEDX_SECRET_KEY"])
    assert options["client_secret"] == installation.config["STOREFRONT_OAUTH2_SECRET"]
    with pytest.raises((UnicodeDecodeError, AssertionError)):
        _, options = application(script, "another key")
        assert options["client_secret"] == installation.config["STOREFRONT_OAUTH2_SECRET"]


def run_with_a_recorder(task: str) -> list:
    """The arguments that the task gives to manage.py, as the shell splits them. The real commands: see README.md."""
    write = "import json, sys; print(json.dumps(sys.argv[1:]), file=open('calls', 'a'))"
    recorder = f'manage() {{ "{sys.executable}" -c "{write}" "$@"; }}\n'
    with tempfile.TemporaryDirectory() as folder:
        script = recorder + task.replace("./manage.py", "manage")
        subprocess.run(["sh", "-e", "-c", script], check=True, cwd=folder)
        with open(f"{folder}/calls", encoding="utf-8") as calls:
            return [json.loads(line) for line in calls]
