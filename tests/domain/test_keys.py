"""Keys of models are read from the environment or from a file that it names, and are in no message."""

import pytest

from annotation.errors import DomainError
from authoring.domain import keys

NAME = "PLUMB_MODEL_KEY_TINY"
KEY = "sk-not-to-be-seen-anywhere"


def test_a_key_is_read_from_the_environment():
    assert keys.read(NAME, {NAME: f" {KEY}\n"}) == KEY
    assert keys.is_there(NAME, {NAME: KEY})


def test_a_key_is_read_from_the_first_line_of_a_file(tmp_path):
    (tmp_path / "key").write_text(f"{KEY}\nand a remark\n")
    assert keys.read(NAME, {f"{NAME}_FILE": str(tmp_path / "key")}) == KEY


@pytest.mark.parametrize("environ", [{}, {NAME: ""}, {NAME: "  "}, {f"{NAME}_FILE": "/nowhere/at/all"}])
def test_a_key_that_is_missing_is_named(environ):
    assert not keys.is_there(NAME, environ)
    with pytest.raises(DomainError) as refused:
        keys.read(NAME, environ)
    assert refused.value.code == "key_missing"
    assert NAME in refused.value.message


def test_a_file_that_is_no_text_holds_no_key(tmp_path):
    (tmp_path / "key").write_bytes(b"\xff\xfe\x00")
    assert not keys.is_there(NAME, {f"{NAME}_FILE": str(tmp_path / "key")})


@pytest.mark.parametrize(
    "name", ["SECRET_KEY", "DATABASE_URL", "", "PLUMB_MODEL_KEY_", f"{NAME}\n", NAME.lower()]
)
def test_no_other_variable_of_the_environment_can_be_named(name):
    environ = {name: KEY, f"{name}_FILE": "/etc/hostname"}
    assert not keys.is_there(name, environ)
    with pytest.raises(DomainError) as refused:
        keys.read(name, environ)
    assert KEY not in refused.value.message
