"""The browser tests find a browser or fail with a sentence; they are never left out."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import chromium

NONE_OF_PLAYWRIGHT = SimpleNamespace(chromium=SimpleNamespace(executable_path="/nonexistent/chrome"))

pytestmark = pytest.mark.files


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine without a browser, on which nothing can be installed: the commands that were tried."""
    tried: list[str] = []
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium, "_starts", lambda path: False)
    monkeypatch.setattr(chromium, "_rights", list)
    monkeypatch.setattr(chromium, "_run", lambda command: tried.append(" ".join(command)))
    return tried


def test_a_browser_that_does_not_start_is_named(ran, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nonexistent/browser")
    with pytest.raises(
        chromium.NoChromiumError, match="CHROMIUM is '/nonexistent/browser', which does not start"
    ):
        chromium.executable(NONE_OF_PLAYWRIGHT)
    assert ran == []


def test_an_installed_browser_is_taken_and_nothing_is_installed(ran, monkeypatch):
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium, "_starts", lambda path: path.name == "google-chrome")
    assert chromium.executable(NONE_OF_PLAYWRIGHT) == Path("/usr/bin/google-chrome")
    assert ran == []


def test_apt_is_tried_before_playwright_and_then_the_remedy_is_named(ran, monkeypatch):
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(chromium.NoChromiumError, match="install chromium or Google Chrome, or set CHROMIUM"):
        chromium.executable(NONE_OF_PLAYWRIGHT)
    assert [line.rpartition("apt-get ")[2].split()[0] for line in ran[:2]] == ["update", "install"]
    assert "fonts-noto-cjk" in ran[1]
    assert ran[2].endswith("-m playwright install chromium")


def test_who_may_not_use_apt_gets_the_build_of_playwright(ran, monkeypatch):
    monkeypatch.setattr(chromium, "_rights", lambda: None)
    with pytest.raises(chromium.NoChromiumError):
        chromium.executable(NONE_OF_PLAYWRIGHT)
    assert len(ran) == 1
