"""The review page's server: who may use it, what it shows, and how it takes decisions."""

import json
from urllib.parse import quote

import pytest
from canal import build_claims, named, write_corpus
from starlette.testclient import TestClient

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Status
from aipk_core.claims.queue import Filter
from aipk_core.review.app import PAGE_HEADER, ReviewSecrets, build_review_app
from aipk_core.review.bulk import BulkDesk
from aipk_core.review.desk import ReviewDesk


class Page:
    """A browser that came through the address that the command printed."""

    def __init__(self, desk, reviewer="ana"):
        self.passes = ReviewSecrets()
        self.app = build_review_app(desk, reviewer, self.passes)
        self.client = self.stranger()
        self.client.get("/", params={"key": self.passes.key})
        self.reviewer = reviewer

    def stranger(self):
        return TestClient(self.app, base_url="http://127.0.0.1:8000")

    def get(self, path, **query):
        return self.client.get(path, params=query)

    def post(self, path, **body):
        return self.client.post(
            path, json={"reviewer": self.reviewer, **body}, headers={PAGE_HEADER: self.passes.token}
        )

    def decide(self, claim, action, **more):
        return self.post("/api/decide", claim=claim, action=action, **more)


@pytest.fixture
def page(desk):
    return Page(desk)


def entries(desk):
    return read_ledger(desk.corpus.ledger).decisions


# Who may use it


def test_only_who_has_the_address_gets_in(page, desk):
    stranger = page.stranger()
    assert stranger.get("/").status_code == 403
    assert stranger.get("/", params={"key": "guess"}).status_code == 403
    for path in ("/api/queue", "/api/progress", "/source/locks.md", f"/api/claims/{named(desk, '80 m')}"):
        assert stranger.get(path).status_code == 403
    assert page.get("/").status_code == 200


def test_the_cookie_goes_to_no_other_site_and_to_no_script(page):
    stranger = page.stranger()
    answer = stranger.get("/", params={"key": page.passes.key}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "key=" not in answer.headers["location"]


def test_a_change_needs_the_token_of_the_page_and_json(page, desk):
    body = {"reviewer": "eve", "claim": named(desk, "80 m"), "action": "approve"}
    client = page.client
    assert client.post("/api/decide", json=body).status_code == 403
    assert client.post("/api/decide", json=body, headers={PAGE_HEADER: "guess"}).status_code == 403
    good = {PAGE_HEADER: page.passes.token}
    assert client.post("/api/decide", data=body, headers=good).status_code == 415
    text = {**good, "content-type": "text/plain"}
    assert client.post("/api/decide", content=json.dumps(body), headers=text).status_code == 415
    assert (
        client.post("/api/decide", content="[]", headers={**good, "content-type": "application/json"}).status_code
        == 400
    )
    assert page.stranger().post("/api/decide", json=body, headers=good).status_code == 403
    assert client.get("/api/decide").status_code == 405
    assert entries(desk) == []


def test_other_host_names_and_other_sites_are_turned_away(page):
    assert page.client.get("/", headers={"host": "evil.example"}).status_code == 421
    origin = {"origin": "http://evil.example", PAGE_HEADER: page.passes.token}
    assert page.client.post("/api/undo", json={"entries": []}, headers=origin).status_code == 403


def test_the_page_runs_only_its_own_scripts_and_escapes_the_title(page):
    answer = page.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "The &lt;canal&gt;" in answer.text
    assert "<canal>" not in answer.text
    for name in ("review.js", "review.css", "page.css"):
        assert page.get(f"/static/{name}").status_code == 200
    assert page.get("/static/review.html").status_code == 404
    assert page.get("/static/..%2Fapp.py").status_code == 404


# What it shows


def test_the_queue_begins_with_the_conflict(page):
    found = page.get("/api/queue", limit=3).json()
    assert found["total"] >= 6
    assert len(found["rows"]) == 3
    assert all("opens at" in row["text"] for row in found["rows"][:2])
    rest = page.get("/api/queue", offset=3).json()
    assert len(rest["rows"]) == found["total"] - 3


def test_a_claim_comes_with_all_that_a_decision_needs(page, desk):
    name = named(desk, "opens at 6:00")
    found = page.get(f"/api/claims/{name}").json()
    assert found["text"] == "The southern lock opens at 6:00 in summer."
    assert {check["name"] for check in found["checks"]} >= {"numbers", "self-contained"}
    assert found["places"][0]["heading_path"] == ["Locks of the canal", "Opening hours"]
    other = found["conflicts"][0]
    assert other["reasons"] == ["6:00 here, 7:00 there"]
    assert ["gone", "7"] in other["pieces"]
    assert ["new", "6"] in other["pieces"]


def test_the_source_page_has_the_exact_sentence_marked(page, desk):
    name = named(desk, "two chambers")
    source = page.get(f"/api/claims/{name}/source", place=0).json()
    marked = [block for block in source["blocks"] if block["marked"]]
    assert [block["marked"] for block in marked] == ["The northern lock has two chambers."]
    assert marked[0]["before"] == "The southern lock is 80 m long. "
    assert page.get(f"/api/claims/{name}/source", place=7).status_code == 404


def test_the_whole_document_is_a_page_with_the_sentence_marked(page, desk):
    place = desk.queue.entry(named(desk, "two chambers")).claim.evidence[0]
    answer = page.get(f"/source/{quote(place.document)}", start=place.start, end=place.end)
    assert '<mark id="cited">The northern lock has two chambers.</mark>' in answer.text


@pytest.mark.parametrize("path", ["/api/claims/c-nowhere", "/source/nowhere.md", "/api/claims/c-nowhere/source"])
def test_what_is_not_there_is_not_found(page, path):
    assert page.get(path).status_code == 404


@pytest.mark.parametrize("query", [{"view": "nice"}, {"colour": "red"}, {"pair": "x"}])
def test_bad_filters_are_said(page, query):
    answer = page.get("/api/queue", **query)
    assert answer.status_code == 422
    assert "there is no" in answer.json()["error"]["message"]


# Decisions


def test_a_decision_is_on_disk_when_it_is_answered(page, desk):
    name = named(desk, "80 m")
    answer = page.decide(name, "approve", status="extracted", last_entry="")
    assert answer.status_code == 200
    assert [(d.claim, d.after, d.reviewer) for d in entries(desk)] == [(name, Status.CANONICAL, "ana")]
    assert answer.json()["decisions"][0]["entry"] == entries(desk)[0].digest
    assert answer.json()["progress"]["by_status"]["canonical"] == 1


def test_a_decision_on_what_somebody_else_has_decided_meanwhile_is_a_clash_and_changes_nothing(page, desk):
    name = named(desk, "80 m")
    decide(desk.corpus.ledger, desk.queue.claim(name), "reject", reviewer="ben", reason="wrong")  # another program
    answer = page.decide(name, "approve", status="extracted", last_entry="")
    assert answer.status_code == 409
    assert "ben has decided meanwhile" in answer.json()["error"]["message"]
    assert len(entries(desk)) == 1
    assert page.get(f"/api/claims/{name}").json()["status"] == "deprecated"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"action": "reject"}, "reason-missing"),
        ({"action": "reopen", "reason": "x"}, "transition-forbidden"),
        ({"action": "bless"}, "review-invalid"),
        ({"action": "approve", "reviewer": " "}, "reviewer-missing"),
        ({"action": "approve", "reason": 5}, "review-invalid"),
        ({"action": "edit", "text": ""}, "review-invalid"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_the_reason(page, desk, body, code):
    answer = page.post("/api/decide", claim=named(desk, "80 m"), **body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code
    assert entries(desk) == []


def test_undo_is_a_further_entry(page, desk):
    name = named(desk, "80 m")
    entry = page.decide(name, "approve").json()["decisions"][0]["entry"]
    undone = page.post("/api/undo", entries=[entry])
    assert undone.json()["decisions"][0]["action"] == "undo"
    assert [d.action for d in entries(desk)] == ["promote", "undo"]
    assert page.post("/api/undo", entries="all").status_code == 422
    assert page.post("/api/undo", entries=[entry]).status_code == 409


def test_an_edited_claim_is_in_the_queue_with_what_was_changed(page, desk):
    answer = page.decide(named(desk, "80 m"), "edit", text="The southern lock is 90 m long.").json()
    assert len(answer["decisions"]) == 1
    fresh = answer["decisions"][0]["replaced_by"]
    found = page.get(f"/api/claims/{fresh}").json()
    assert found["status"] == "extracted"
    assert ["gone", "80"] in found["difference"]["pieces"]
    assert any(not check["passed"] for check in found["checks"])


def test_a_bulk_decision_shows_a_sample_first_and_leaves_alone_what_others_decided(page, desk):
    total = len(desk.queue)
    assert page.post("/api/bulk", ticket="guess", reason="x").status_code == 409
    seen = page.post("/api/bulk/preview", filter={"view": "waiting"}, action="approve").json()
    assert seen["count"] == total
    assert 0 < len(seen["sample"]) <= 12
    mine = named(desk, "80 m")
    decide(desk.corpus.ledger, desk.queue.claim(mine), "reject", reviewer="ben", reason="wrong")
    assert page.post("/api/bulk", ticket=seen["ticket"], reason=" ").json()["error"]["code"] == "reason-missing"
    done = page.post("/api/bulk", ticket=seen["ticket"], reason="all read in print").json()
    assert (done["decided"], done["clashes"]) == (total - 1, [mine])
    assert {d.reason for d in entries(desk)[1:]} == {"all read in print (bulk)"}
    assert page.post("/api/bulk", ticket=seen["ticket"], reason="again").status_code == 409
    undone = page.post("/api/undo", entries=done["entries"]).json()
    assert undone["progress"]["by_status"] == {"extracted": total - 1, "reviewed": 0, "canonical": 0, "deprecated": 1}


def test_a_bulk_ticket_is_for_the_person_who_saw_the_sample(page):
    seen = page.post("/api/bulk/preview", filter={}, action="approve").json()
    assert page.post("/api/bulk", ticket=seen["ticket"], reason="x", reviewer="ben").status_code == 409


def test_bulk_decisions_keep_to_the_status(desk):
    desk.queue.decide([order(named(desk, "80 m"))], "ana")
    preview = BulkDesk().preview(desk.queue, Filter("all"), "approve", "ana")
    assert (preview.count, preview.passed_over) == (len(desk.queue) - 1, 1)


def order(name):
    from aipk_core.claims.queue import Order

    return Order(name, "approve")


def test_text_that_is_no_text_is_refused(page, desk):
    headers = {PAGE_HEADER: page.passes.token, "content-type": "application/json"}
    for body in ('{"claim": "\\ud800"}', '{"entries": ["\\ud800"], "reviewer": "ana"}', "[" * 100_000, "\xff"):
        for path in ("/api/decide", "/api/undo"):
            answer = page.client.post(path, content=body.encode("latin-1"), headers=headers)
            assert answer.status_code == 400
    assert entries(desk) == []


# Builds while the page is open


def test_a_new_build_is_seen_and_an_edited_sentence_comes_with_what_was_decided_on_the_old_one(page, desk, corpus):
    old = named(desk, "80 m")
    page.decide(old, "approve")
    source = corpus / "pages" / "locks.md"
    source.write_text(source.read_text("utf-8").replace("80 m", "85 m"), "utf-8")
    build_claims(corpus)
    new = named(desk, "85 m")
    found = page.get(f"/api/claims/{new}").json()
    assert found["why"] == "successor"
    assert found["difference"]["of"] == old
    assert ["gone", "80"] in found["difference"]["pieces"]
    assert page.get("/api/queue", why="successor").json()["total"] == 1
    decided = page.decide(new, "approve").json()["decisions"][0]
    assert decided["predecessor"] == old
    assert [entry["claim"] for entry in page.get(f"/api/claims/{new}").json()["history"]] == [old, new]


def test_an_edited_claim_survives_the_next_build(page, desk, corpus):
    page.decide(named(desk, "80 m"), "edit", text="A southern lock is 80 m long.")
    build_claims(corpus)
    again = ReviewDesk(corpus)
    claim = again.queue.claim(named(again, "A southern lock"))
    assert claim.status is Status.CANONICAL
    assert again.queue.claim(claim.predecessor).status is Status.DEPRECATED
    assert claim.evidence[0].quote == "The southern lock is 80 m long."


def test_two_people_and_roles_of_the_corpus_hold_on_the_page(tmp_path):
    review = 'policy = "manual"\npeople_needed = 2\npeople = { ana = "approver", ben = "approver", cleo = "reviewer" }'
    folder = write_corpus(tmp_path, review)
    build_claims(folder)
    desk = ReviewDesk(folder)
    page = Page(desk)
    name = named(desk, "80 m")
    assert page.decide(name, "approve", reviewer="eve").json()["error"]["code"] == "reviewer-unknown"
    assert page.decide(name, "approve", reviewer="cleo").json()["decisions"][0]["after"] == "reviewed"
    assert page.decide(name, "approve", reviewer="ana").json()["decisions"][0]["after"] == "canonical"
    assert page.get("/api/progress").json()["people_needed"] == 2
