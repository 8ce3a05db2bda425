"""The chat page in a real browser: ask, click a citation, land on the highlighted sentence."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="Chromium or chromedriver is not installed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TRUE = "Camera recordings are kept for 45 days."


@pytest.fixture
def browser() -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def test_a_reader_asks_and_lands_on_the_source_sentence(start: Callable[..., str], browser: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    wait = WebDriverWait(browser, 60)

    def ask(question: str) -> None:
        before = len(browser.find_elements(By.CSS_SELECTOR, ".turn.assistant .facts"))
        browser.find_element(By.ID, "question").send_keys(question + "\n")
        wait.until(lambda page: len(page.find_elements(By.CSS_SELECTOR, ".turn.assistant .facts")) > before)

    browser.get(start() + "/")
    wait.until(lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
    ask("How long are camera recordings kept?")
    ask("What does the Heron 12 cost?")
    answers = [turn.text for turn in browser.find_elements(By.CSS_SELECTOR, ".turn.assistant")]
    assert answers[0].startswith(TRUE)
    assert answers[1].startswith("I don't know")
    browser.find_element(By.CSS_SELECTOR, ".cite").click()
    assert browser.find_element(By.ID, "panel-quote").text == TRUE
    browser.get(browser.find_element(By.CSS_SELECTOR, "#panel-links a").get_attribute("href"))
    assert browser.find_element(By.ID, "cited").text == TRUE
    assert [entry["message"] for entry in browser.get_log("browser")] == []
