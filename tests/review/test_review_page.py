"""The review page in a real browser: keys, dialogs, clashes, undo, phone and dark screens, what a screen reader gets."""

import shutil
import threading

import pytest
from canal import PAGES, build_claims, named

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Status
from aipk_core.review.app import ReviewSecrets, build_review_app
from aipk_core.review.server import HOST, bound_socket, review_server

selenium = pytest.importorskip("selenium", reason="selenium is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (shutil.which("chromium") and shutil.which("chromedriver")), reason="Chromium is not installed"
    ),
]

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


class Review:
    """The page in the browser, and the corpus behind it."""

    def __init__(self, browser, desk, address):
        self.browser = browser
        self.desk = desk
        self.address = address

    def open(self):
        self.browser.get("about:blank")
        self.browser.get(self.address)
        self.until(lambda: self.text("claim-text") or self.shown("empty"))

    def find(self, name):
        return self.browser.find_element(By.ID, name)

    def text(self, name):
        return self.find(name).get_attribute("textContent")

    def shown(self, name):
        return self.find(name).is_displayed()

    def press(self, key):
        self.browser.switch_to.active_element.send_keys(key)

    def until(self, condition):
        return WebDriverWait(self.browser, 60, poll_frequency=0.05).until(lambda _: condition())

    def until_said(self, words):
        self.until(lambda: words in self.text("said"))

    def go_to(self, words):
        name = named(self.desk, words)
        self.browser.execute_script("open(arguments[0])", name)
        self.until(lambda: words in self.text("claim-text") and not self.browser.execute_script("return busy"))
        return name

    @property
    def entries(self):
        return read_ledger(self.desk.corpus.ledger).decisions


@pytest.fixture
def review(browser, desk):
    passes = ReviewSecrets()
    listener = bound_socket(0)
    server = review_server(build_review_app(desk, "ana", passes))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    page = Review(browser, desk, f"http://{HOST}:{listener.getsockname()[1]}/?key={passes.key}")
    page.open()
    yield page
    complaints = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    browser.get("about:blank")
    server.should_exit = True
    thread.join(10)
    # 409 and 422 are answers that tests ask for; anything else (a script error, a blocked resource) is a fault.
    assert [entry for entry in complaints if "409" not in entry["message"] and "422" not in entry["message"]] == []


def test_the_riskiest_claim_is_shown_beside_its_source_with_the_exact_sentence_marked(review):
    assert "opens at" in review.text("claim-text")
    review.until(lambda: review.browser.find_elements(By.CSS_SELECTOR, "#source-text mark"))
    assert review.browser.find_element(By.CSS_SELECTOR, "#source-text mark").text == review.text("claim-text")
    assert "in conflict with 1 other claim" in review.text("claim-reason")
    assert "6:00 here, 7:00 there" in review.text("conflicts")
    assert review.browser.find_element(By.CSS_SELECTOR, "#conflicts .partner p").text in (
        "The southern lock opens at 6:00 in summer.",
        "The southern lock opens at 7:00 in summer.",
    )
    assert review.browser.find_element(By.CSS_SELECTOR, "#conflicts .differs").text in ("6", "7")


def test_keys_approve_and_undo_and_both_are_in_the_ledger(review):
    first = review.text("claim-text")
    review.press("a")
    review.until(lambda: review.text("claim-text") != first)
    review.until_said("Approved.")
    assert [d.action for d in review.entries] == ["promote"]
    review.press("u")
    review.until_said("Undone.")
    assert review.text("claim-text") == first
    assert [d.action for d in review.entries] == ["promote", "undo"]


def test_rejecting_asks_for_a_reason_and_a_ready_one_can_be_taken(review):
    name = review.go_to("80 m")
    review.press("r")
    review.until(lambda: review.shown("reason-dialog"))
    review.browser.find_element(By.XPATH, "//button[text()='out of date']").click()
    review.press(Keys.ENTER)
    review.until_said("Rejected.")
    assert [(d.claim, d.action, d.reason) for d in review.entries] == [(name, "reject", "out of date")]


def test_letters_typed_into_a_field_decide_nothing(review):
    review.press("/")
    review.press("are")
    review.until(lambda: review.find("containing").get_attribute("value") == "are")
    review.press(Keys.ESCAPE)
    assert review.entries == []
    review.find("keys-on")
    review.browser.execute_script(
        "document.getElementById('keys-on').click(); document.getElementById('claim').focus()"
    )
    review.press("a")
    review.browser.execute_script("document.getElementById('keys-on').click()")
    assert review.entries == []


def test_editing_makes_a_new_claim(review):
    review.go_to("80 m")
    review.press("e")
    review.until(lambda: review.shown("edit-dialog"))
    field = review.find("edit-text")
    assert field.get_attribute("value") == "The southern lock is 80 m long."
    field.clear()
    field.send_keys("A southern lock is 80 m long.")
    field.submit()
    review.until_said("The new claim is canonical.")
    assert [d.action for d in review.entries] == ["edit", "promote"]


def test_skipping_moves_on_and_back(review):
    first = review.text("claim-text")
    review.press("s")
    review.until(lambda: review.text("claim-text") != first)
    review.press("k")
    review.until(lambda: review.text("claim-text") == first)
    assert review.entries == []


def test_a_clash_is_said_and_what_was_typed_is_kept(review):
    name = review.go_to("80 m")
    review.press("r")
    review.until(lambda: review.shown("reason-dialog"))
    review.find("reason").send_keys("the sluice was rebuilt")
    decide(review.desk.corpus.ledger, review.desk.queue.claim(name), "promote", reviewer="ben")
    review.find("reason").submit()
    review.until(lambda: "ben has decided meanwhile" in review.find("reason-dialog").text)
    assert review.find("reason").get_attribute("value") == "the sluice was rebuilt"
    assert len(review.entries) == 1
    assert "canonical" in review.text("claim-facts")
    review.find("reason").submit()  # having seen it, ana rejects all the same
    review.until_said("Rejected.")
    assert [d.action for d in review.entries] == ["promote", "reject"]


def test_filters_and_search_narrow_the_queue(review):
    review.press("/")
    review.find("containing").send_keys("pilot")
    review.until(lambda: review.text("total") == "(1)")
    review.until(lambda: "pilot" in review.text("claim-text"))
    review.find("containing").clear()
    review.find("containing").send_keys("zzz")
    review.until(lambda: review.shown("empty"))


def test_a_bulk_decision_is_made_after_a_sample(review):
    total = len(review.desk.queue)
    review.find("bulk").click()
    review.until(lambda: review.shown("bulk-dialog"))
    submit = review.browser.find_element(By.CSS_SELECTOR, "#bulk-dialog [type=submit]")
    assert not submit.is_enabled()
    review.find("bulk-action").send_keys("approve")
    review.until(submit.is_enabled)
    assert review.browser.find_elements(By.CSS_SELECTOR, "#bulk-sample li")
    review.find("bulk-reason").send_keys("read in print")
    submit.click()
    review.until_said(f"{total} claims decided.")
    assert {d.after for d in review.entries} == {Status.CANONICAL}
    review.press("u")
    review.until_said(f"{total} decisions undone.")


def test_what_changed_in_the_source_is_shown(review, corpus):
    review.desk.queue.decide([_order(named(review.desk, "80 m"))], "ben")
    (corpus / "pages" / "locks.md").write_text(PAGES["locks.md"].replace("80 m", "85 m"), "utf-8")
    build_claims(corpus)
    review.open()
    review.go_to("85 m")
    assert "80" in review.browser.find_element(By.CSS_SELECTOR, "#difference del").text
    assert "85" in review.browser.find_element(By.CSS_SELECTOR, "#difference ins").text


def _order(name):
    from aipk_core.claims.queue import Order

    return Order(name, "approve")


def test_markup_in_a_source_stays_text(review):
    review.go_to("in blue")
    review.until(lambda: "<b>paid</b>" in review.text("source-text"))
    assert "<b>paid</b>" in review.text("claim-text")
    assert not review.browser.find_elements(By.CSS_SELECTOR, "main b")


def test_a_server_that_is_gone_is_said_and_nothing_seems_stored(review):
    review.browser.execute_script("window.fetch = () => Promise.reject(new TypeError('down'))")
    review.press("a")
    review.until(lambda: "nothing was stored" in review.text("alert"))
    assert review.entries == []


def test_a_screen_reader_finds_landmarks_names_and_announcements(review):
    run = review.browser.execute_script
    unnamed = """
        const name = (e) => (e.getAttribute("aria-label") || e.textContent ||
          (e.labels && e.labels[0] && e.labels[0].textContent) || "").trim();
        return [...document.querySelectorAll("button, select, input, textarea, progress, a, nav, dialog, [role=group]")]
          .filter((e) => !name(e) && !e.getAttribute("aria-labelledby")).map((e) => e.outerHTML);
    """
    assert run(unnamed) == []
    for landmark in ("header", "main", "nav[aria-label]", "article[aria-labelledby]", "section#source[aria-label]"):
        assert review.browser.find_elements(By.CSS_SELECTOR, landmark)
    assert review.find("said").get_attribute("aria-live") == "polite"
    assert review.find("alert").get_attribute("role") == "alert"
    assert run("return document.querySelectorAll('#rows [aria-current=true]').length") == 1
    assert run("return document.activeElement.id") == "claim"  # the next claim is read out after a decision
    assert run("return document.documentElement.lang") == "en"


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1400, True)])
def test_it_fits_a_phone_and_a_dark_screen_with_enough_contrast(review, width, dark):
    send = review.browser.execute_cdp_cmd
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    send(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    send("Emulation.setEmulatedMedia", {"features": scheme})
    try:
        review.open()
        run = review.browser.execute_script
        assert run("return document.documentElement.scrollWidth") <= width
        assert review.shown("approve")
        assert run("return document.getElementById('claim-text').getBoundingClientRect().top") < 800
        for selector in (
            "#claim-text",
            "#claim-facts",
            "#approve",
            "#rows .why, #claim-reason",
            "#source-facts",
            "mark",
        ):
            assert run(CONTRAST, selector) >= 4.5, selector
    finally:
        send("Emulation.clearDeviceMetricsOverride", {})
        send("Emulation.setEmulatedMedia", {"features": []})


CONTRAST = """
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const element = document.querySelector(arguments[0]);
  let ground = element;
  while (ground && channels(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
  const pair = [getComputedStyle(element).color, getComputedStyle(ground || document.body).backgroundColor]
    .map(channels).map(light).sort((one, other) => other - one);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
"""
