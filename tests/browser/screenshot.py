"""Makes the picture in README.md anew: the demo, an annotator's second text, a score chosen and justified."""

import os
import re
import socket
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests import chromium
from tests.children import ROOT, running, wait_until

PICTURE = ROOT / "docs" / "scoring.png"
SIZE = {"width": 1440, "height": 900}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        log = Path(folder) / "demo.log"
        command = [sys.executable, ROOT / "manage.py", "demo", "--port", str(port)]
        with running(command, log=log, env={**os.environ, "DATA_DIR": folder}) as demo:
            wait_until(
                lambda: "Press Ctrl-C" in log.read_text(), "The demo", seconds=90, process=demo, log=log
            )
            password = re.search(r"^login annotator annotator3 (\S+)$", log.read_text(), re.MULTILINE)[1]
            with sync_playwright() as playwright:
                path = chromium.executable(playwright)
                with playwright.chromium.launch(executable_path=path, args=chromium.flags()) as browser:
                    page = browser.new_page(viewport=SIZE, locale="en-GB", color_scheme="light")
                    take(page, f"http://127.0.0.1:{port}/", password)


def take(page: Page, address: str, password: str) -> None:
    page.goto(address)
    page.get_by_label("User name").fill("annotator3")
    page.get_by_label("Password", exact=True).fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile("Continue")).first.click()  # of the main round
    page.wait_for_url(re.compile("/score/"), wait_until="load")
    page.keyboard.press("2")
    page.get_by_label("Justification").fill(
        "Clear and complete, but every turn is one the prompt already gave (¶3)."
    )
    PICTURE.parent.mkdir(exist_ok=True)
    page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
