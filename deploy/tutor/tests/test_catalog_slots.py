"""What the plugin adds to the catalog micro-frontend: the code, the slots that it fills, and where the storefront is."""

import re
import subprocess

import pytest
from rendering import BIN, REPOSITORY, render
from tutorstorefront.catalog_slots import CATALOG, SLOTS

SOURCE = REPOSITORY / "deploy/catalog-slots/src"
BUILD = "plugins/mfe/build/mfe"
# Tutor 22 has the catalog micro-frontend.
TUTOR = int(subprocess.check_output([BIN / "tutor", "--version"], text=True).split()[-1].split(".")[0])
with_catalog = pytest.mark.skipif(TUTOR < 22, reason="this Tutor has no catalog micro-frontend")


def micro_frontends(folder, **settings):
    return render(folder, {"PLUGINS": ["mfe", "storefront"], **settings})


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return micro_frontends(tmp_path_factory.mktemp("mfe"))


def block(text: str, name: str) -> str:
    """The part of env.config.jsx with the slots of one micro-frontend."""
    return next(part for part in text.split("if (process.env.APP_ID == ") if part.startswith(f"'{name}'"))


@with_catalog
def test_each_slot_gets_a_part_that_the_code_exports(rendered):
    config = rendered.text(f"{BUILD}/env.config.jsx")
    catalog = block(config, "catalog")
    assert "const storefront = await import('./storefront/slots');" in catalog
    added = re.findall(r"addPlugins\(config, '([^']+)', \[\{op: PLUGIN_OPERATIONS\.Wrap, .*wrapper: storefront\.(\w+)", catalog)
    assert dict(added) == {CATALOG + slot: part for slot, part in SLOTS.items()}
    exported = re.findall(r"^export function (\w+)", (SOURCE / "slots.jsx").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(SLOTS.values()) == set(exported)
    assert config.count("storefront.") == len(SLOTS), "no other micro-frontend gets them"


@with_catalog
def test_the_image_has_the_code_before_it_is_built(rendered):
    folder = rendered.root / "env" / BUILD / "storefront"
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
        file.name: file.read_bytes() for file in SOURCE.iterdir()
    }
    catalog = rendered.text(f"{BUILD}/Dockerfile").split("FROM base AS catalog-common")[1].split("AS catalog-prod")[0]
    assert "\nCOPY storefront /openedx/app/storefront\n" in catalog


@with_catalog
def test_the_catalog_knows_the_storefront_unless_the_operator_says_no(rendered, tmp_path):
    line = f'\nMFE_CONFIG["STOREFRONT_URL"] = "{rendered.local_environment("storefront-api")["PUBLIC_BASE_URL"]}"\n'
    assert line in rendered.lms_settings()
    without = micro_frontends(tmp_path, STOREFRONT_CATALOG_SLOTS=False)
    assert "STOREFRONT_URL" not in without.lms_settings()


@pytest.mark.skipif(TUTOR >= 22, reason="this Tutor has the catalog micro-frontend")
def test_an_older_tutor_builds_the_same_image_as_before(rendered):
    assert "COPY storefront" not in rendered.text(f"{BUILD}/Dockerfile")
    assert "storefront" not in rendered.text(f"{BUILD}/env.config.jsx")


def test_nothing_is_rendered_without_micro_frontends(defaults):
    assert not (defaults.root / "env/plugins/mfe").exists()
