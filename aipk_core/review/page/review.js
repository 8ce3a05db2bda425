// The review page. Text from the server is only ever set as text, never as markup.
"use strict";

const byId = (id) => document.getElementById(id);
const token = document.querySelector("meta[name=aipk-token]").content;
const filters = byId("filters");
const reviewer = byId("reviewer");
const REASONS = ["not true", "not a fact", "a fragment", "out of date", "needs its context", "not worth keeping"];
const PAGE = 100;
const DONE = { review: "Reviewed", promote: "Approved", reject: "Rejected", edit: "Replaced", reopen: "Reopened", demote: "Taken back", undo: "Undone" };

let rows = [];
let total = 0;
let claim = null;
let busy = false;
let opening = 0;
let listing = 0;
const undoable = [];
const skipped = new Set();

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function say(text) {
  byId("said").textContent = text;
}

function complain(text) {
  const alert = byId("alert");
  alert.textContent = text;
  alert.hidden = !text;
}

class Refusal extends Error {
  constructor(error) {
    super(error.remedy ? `${error.message}. ${error.remedy}.` : error.message);
    this.code = error.code;
  }
}

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json", "x-aipk-review": token },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refusal({ code: "unreachable", message: "The review server does not answer; nothing was stored", remedy: "Start aipk review again" });
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) {
    const known = answer && answer.error ? answer.error : { code: "failed", message: `The server failed (${response.status})` };
    throw new Refusal(typeof known.code === "string" ? known : { code: "failed", message: String(known.message) });
  }
  return answer;
}

function wanted() {
  const values = {};
  for (const [name, value] of new FormData(filters)) if (value) values[name] = value;
  return values;
}

// The queue

async function list(offset = 0) {
  const ticket = ++listing;
  const query = new URLSearchParams({ ...wanted(), person: reviewer.value.trim(), offset, limit: PAGE });
  const found = await ask(`/api/queue?${query}`);
  if (ticket !== listing) return;
  rows = offset ? rows.concat(found.rows) : found.rows;
  total = found.total;
  drawRows();
}

function drawRows() {
  byId("total").textContent = `(${total.toLocaleString()})`;
  byId("rows").replaceChildren(...rows.map(drawnRow));
  byId("more").hidden = rows.length >= total;
  byId("bulk").disabled = !total;
}

function drawnRow(row) {
  const item = element("li");
  const button = element("button", skipped.has(row.id) ? "skipped" : "");
  button.type = "button";
  button.dataset.claim = row.id;
  button.append(element("span", "text", row.text));
  button.append(element("span", "why", [row.status, ...row.reasons.slice(0, 2)].join(" · ")));
  if (claim && row.id === claim.id) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => open(row.id));
  item.append(button);
  return item;
}

function markCurrent() {
  for (const button of byId("rows").querySelectorAll("button")) {
    const current = claim !== null && button.dataset.claim === claim.id;
    if (current) {
      button.setAttribute("aria-current", "true");
      const list = button.closest("nav");
      const top = button.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - 80;
    } else button.removeAttribute("aria-current");
    button.classList.toggle("skipped", skipped.has(button.dataset.claim));
  }
}

async function relist(keep) {
  await list();
  if (keep && rows.some((row) => row.id === keep)) return open(keep);
  return openFirst();
}

function openFirst() {
  const next = rows.find((row) => !skipped.has(row.id)) || rows[0];
  if (next) return open(next.id);
  claim = null;
  byId("claim").hidden = byId("source").hidden = true;
  byId("empty").hidden = false;
  say("Nothing in this list");
  return undefined;
}

async function move(step) {
  const at = claim ? rows.findIndex((row) => row.id === claim.id) : -1;
  if (step > 0 && at + 1 >= rows.length && rows.length < total) await list(rows.length);
  const next = rows[at + step];
  if (next) await open(next.id);
  else say(step > 0 ? "This is the last claim of the list" : "This is the first claim of the list");
}

async function skip() {
  if (claim) skipped.add(claim.id);
  await move(1);
}

// One claim

async function open(id, { quiet = false } = {}) {
  const ticket = ++opening;
  complain("");
  const source = ask(`/api/claims/${encodeURIComponent(id)}/source?place=0`).catch((error) => error);
  try {
    const found = await ask(`/api/claims/${encodeURIComponent(id)}`);
    if (ticket !== opening) return;
    claim = found;
    history.replaceState(null, "", `#${id}`);
    drawClaim();
    markCurrent();
    const phone = window.innerWidth <= 700;
    if (phone) byId("queue").open = false;
    if (!quiet) byId("claim").focus({ preventScroll: true });
    if (phone) byId("claim").scrollIntoView({ block: "start" });
    const page = await source;
    if (ticket === opening) drawSource(page, 0);
  } catch (error) {
    byId("claim").hidden = false;
    complain(error.message);
  }
}

function drawClaim() {
  byId("claim").hidden = byId("source").hidden = false;
  byId("empty").hidden = true;
  byId("claim").scrollTop = 0;
  const facts = [claim.status, claim.id, claim.kind, claim.engine];
  if (claim.in_sample) facts.push("in the sample");
  byId("claim-facts").textContent = facts.join(" · ");
  byId("claim-context").textContent = claim.context.join(" › ");
  byId("claim-text").textContent = claim.text;
  byId("claim-text").lang = claim.lang;
  // A failed check is explained under "Checks"; here its name is enough.
  const own = claim.why === "checks" ? "" : claim.reason;
  const reasons = [own, ...claim.reasons.filter((reason) => !own.includes(reason))].filter(Boolean);
  byId("claim-reason").textContent = reasons.join(" · ");
  byId("claim-reason").hidden = !reasons.length;
  const shows = {
    approve: claim.status === "extracted" || claim.status === "reviewed",
    reject: claim.status !== "deprecated",
    edit: claim.status !== "deprecated",
    reopen: claim.status === "deprecated",
    demote: claim.status === "canonical",
  };
  for (const [id, shown] of Object.entries(shows)) byId(id).hidden = !shown;
  byId("valid-from").value = byId("valid-until").value = "";
  drawDifference();
  drawPartners("conflicts");
  drawPartners("duplicates");
  const checks = [...claim.checks].sort((one, other) => one.passed - other.passed);
  byId("checks").replaceChildren(...checks.map((check) => {
    const text = check.passed ? check.name : `${check.name}: ${check.reason}`;
    const item = element("li", check.passed ? "passed" : "failed");
    item.append(element("span", "hidden", check.passed ? "passed: " : "failed: "), text);
    return item;
  }));
  byId("places-title").textContent = claim.places.length > 1 ? `Where it stands (${claim.places.length + claim.more_places} places)` : "Where it stands";
  byId("places").replaceChildren(...claim.places.map((place, number) => {
    const button = element("button", "", [place.document, ...place.heading_path].join(" › ") + (place.page ? `, page ${place.page}` : ""));
    button.type = "button";
    button.addEventListener("click", () => showPlace(number));
    const item = element("li");
    item.append(button);
    return item;
  }));
  byId("history-part").hidden = !claim.history.length;
  byId("history").replaceChildren(...claim.history.map((entry) => {
    const what = [`${entry.at.slice(0, 16).replace("T", " ")} ${entry.reviewer}: ${entry.action} (${entry.before} → ${entry.after})`];
    if (entry.claim !== claim.id) what.push(`on ${entry.claim}`);
    if (entry.replaced_by) what.push(`replaced by ${entry.replaced_by}`);
    if (entry.valid_from) what.push(`valid from ${entry.valid_from}`);
    if (entry.valid_until) what.push(`valid until ${entry.valid_until}`);
    if (entry.reason) what.push(entry.reason);
    return element("li", "", what.join(", "));
  }));
}

function drawPieces(target, pieces) {
  target.replaceChildren(...pieces.map(([kind, text]) => {
    if (kind === "same") return document.createTextNode(text);
    const made = element(kind === "gone" ? "del" : "ins");
    made.append(element("span", "hidden", kind === "gone" ? " (was: " : " (now: "), text, element("span", "hidden", ") "));
    return made;
  }));
}

function drawDifference() {
  const found = claim.difference;
  byId("difference-part").hidden = !found;
  if (!found) return;
  byId("difference-title").textContent = found.of === claim.id || claim.engine === "edited"
    ? `What changed: ${found.what}` : `What changed since ${found.of}: ${found.what}`;
  drawPieces(byId("difference"), found.pieces);
}

function drawPartners(kind) {
  byId(`${kind}-part`).hidden = !claim[kind].length;
  byId(kind).replaceChildren(...claim[kind].map((other) => {
    const item = element("li", "partner");
    const text = element("p");
    // Its own words, with those set off that the claim on show does not have.
    for (const [kind, words] of other.pieces || []) {
      if (kind !== "new") text.append(kind === "gone" ? element("em", "differs", words) : words);
    }
    const facts = element("p", "facts");
    const link = element("button", "", other.id);
    link.type = "button";
    link.addEventListener("click", () => open(other.id));
    facts.append(link, ` ${[other.status, other.document, ...other.reasons].filter(Boolean).join(" · ")}`);
    item.append(text, facts);
    return item;
  }));
}

async function showPlace(number) {
  const shown = claim.id;
  try {
    const source = await ask(`/api/claims/${encodeURIComponent(shown)}/source?place=${number}`);
    if (claim && claim.id === shown) drawSource(source, number);
  } catch (error) {
    drawSource(error, number);
  }
}

function drawSource(source, number) {
  const text = byId("source-text");
  const facts = byId("source-facts");
  byId("places").querySelectorAll("button").forEach((button, at) => {
    if (at === number) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  if (source instanceof Error) {
    byId("source-title").textContent = "The source page cannot be shown";
    facts.textContent = source.message;
    text.replaceChildren();
    return;
  }
  byId("source-title").textContent = source.title || source.document;
  facts.replaceChildren([source.document, ...source.heading_path].join(" › ") + (source.page ? `, page ${source.page}` : ""), " · ");
  const whole = element("a", "", "whole document");
  whole.href = `/source/${source.document.split("/").map(encodeURIComponent).join("/")}?start=${source.start}&end=${source.end}#cited`;
  whole.target = "_blank";
  whole.rel = "noopener";
  facts.append(whole);
  if (/^https?:\/\//i.test(source.url)) {
    const outside = element("a", "", "original page");
    outside.href = source.url;
    outside.target = "_blank";
    outside.rel = "noopener noreferrer";
    facts.append(" · ", outside);
  }
  text.lang = source.lang;
  text.replaceChildren(...source.blocks.map(drawnBlock));
  if (source.cut_before) text.prepend(element("p", "cut", "…"));
  if (source.cut_after) text.append(element("p", "cut", "…"));
  const mark = text.querySelector("mark");
  const panel = byId("source");
  panel.scrollTop = mark ? mark.offsetTop - panel.offsetTop - panel.clientHeight / 3 : 0;
}

function drawnBlock(block) {
  const made = element(block.kind === "verbatim" ? "pre" : "p", `block ${block.kind}`);
  if (block.columns.length) made.append(element("span", "columns", `${block.columns.join(" · ")} `));
  made.append(block.before);
  if (block.marked) made.append(element("mark", "", block.marked));
  made.append(block.after);
  return made;
}

// Decisions

async function decide(action, extra = {}) {
  if (!claim || busy) return null;
  const on = claim;
  busy = true;
  try {
    const answer = await ask("/api/decide", {
      reviewer: reviewer.value, claim: on.id, action, status: on.status, last_entry: on.last_entry, ...extra,
    });
    const last = answer.decisions[answer.decisions.length - 1];
    undoable.push(answer.decisions.map((decision) => decision.entry));
    byId("undo").disabled = false;
    showProgress(answer.progress);
    let text = `${DONE[answer.decisions[0].action] || answer.decisions[0].action}.`;
    if (action === "edit") text = answer.decisions.length > 1
      ? `The new claim is ${last.after}.`
      : "The new claim is stored, but it fails a check and waits for a decision.";
    await afterDecision(on.id, answer.rows);
    say(`${text} ${answer.progress.waiting.toLocaleString()} left.`);
    return answer;
  } catch (error) {
    if (error.code === "review-clash") await open(on.id, { quiet: true });
    throw error;
  } finally {
    busy = false;
  }
}

// Takes the claim out of the list, unless it still belongs there, and opens the next one.
async function afterDecision(id, changed) {
  const at = rows.findIndex((row) => row.id === id);
  const mine = changed.find((row) => row.id === id);
  const view = wanted().view;
  const stays = mine && (view === "all" || view === mine.status || (view === "waiting" && mine.waits && mine.why !== "second"));
  skipped.delete(id);
  if (at >= 0 && !stays) {
    rows.splice(at, 1);
    total -= 1;
  } else if (at >= 0) rows[at] = { ...rows[at], ...mine };
  if (rows.length < Math.min(total, 10)) await list();
  else drawRows();
  const next = rows[stays ? at + 1 : at] || rows[rows.length - 1];
  if (next) await open(next.id);
  else openFirst();
}

async function attempt(work) {
  complain("");
  try {
    await work();
  } catch (error) {
    complain(error.message);
  }
}

function approve() {
  const dates = { valid_from: byId("valid-from").value, valid_until: byId("valid-until").value };
  return attempt(async () => {
    try {
      await decide("approve", dates);
    } catch (error) {
      if (error.code !== "reason-missing") throw error;
      askReason("approve", "Approve", error.message, dates);
    }
  });
}

function undo() {
  return attempt(async () => {
    if (busy || !undoable.length) return;
    busy = true;
    try {
      const answer = await ask("/api/undo", { reviewer: reviewer.value, entries: undoable[undoable.length - 1] });
      undoable.pop();
      showProgress(answer.progress);
      const count = answer.decisions.length;
      const back = answer.decisions[count - 1].claim;
      await list();
      await open(back);
      say(count > 2 ? `${count} decisions undone.` : "Undone.");
    } finally {
      busy = false;
      byId("undo").disabled = !undoable.length;
    }
  });
}

function showProgress(found) {
  const done = found.claims - found.waiting;
  byId("progress-bar").max = Math.max(1, found.claims);
  byId("progress-bar").value = done;
  const parts = [`${found.waiting.toLocaleString()} of ${found.claims.toLocaleString()} wait`];
  parts.push(`${found.by_status.canonical.toLocaleString()} canonical`, `${found.by_status.deprecated.toLocaleString()} rejected`);
  if (found.sample) parts.push(`sample: ${found.sample.read} of ${found.sample.size} read, ${found.sample.wrong} wrong, ` +
    `upper bound ${found.sample.upper_bound_percent} % (limit ${found.sample.limit_percent} %)`);
  byId("progress-text").textContent = parts.join(" · ");
  const pace = [`${found.today.toLocaleString()} today`];
  if (found.per_minute) pace.push(`${found.per_minute} a minute`);
  if (found.minutes_left !== null) pace.push(`about ${lasting(found.minutes_left)} left`);
  byId("pace-text").textContent = pace.join(" · ");
}

function lasting(minutes) {
  return minutes < 90 ? `${Math.max(1, minutes)} min` : `${Math.round(minutes / 60).toLocaleString()} h`;
}

// Dialogs: what was typed stays until the decision is stored.

function handled(dialog, send) {
  const error = dialog.querySelector(".error");
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    error.textContent = "";
    try {
      await send();
      dialog.close();
      byId("claim").focus({ preventScroll: true });
    } catch (problem) {
      error.textContent = problem.message;
    }
  });
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => { error.textContent = ""; });
}

let pending = { action: "reject", extra: {} };

function askReason(action, label, note = "", extra = {}) {
  if (!claim) return;
  pending = { action, extra };
  byId("reason-title").textContent = note || `${label} this claim`;
  byId("reason-claim").textContent = claim.text;
  byId("reason-choices").hidden = action !== "reject";
  byId("reason").value = "";
  byId("reason-dialog").querySelector("[type=submit]").textContent = label;
  byId("reason-dialog").showModal();
  byId("reason").focus();
}

handled(byId("reason-dialog"), () => decide(pending.action, { ...pending.extra, reason: byId("reason").value }));

for (const reason of REASONS) {
  const button = element("button", "", reason);
  button.type = "button";
  button.addEventListener("click", () => {
    byId("reason").value = reason;
    byId("reason-dialog").querySelector("[type=submit]").focus();
  });
  byId("reason-choices").append(button);
}

function askText() {
  if (!claim) return;
  byId("edit-source").textContent = [...new Set(claim.places.map((place) => place.quote))].slice(0, 3).join("\n");
  byId("edit-text").value = claim.text;
  byId("edit-reason").value = "";
  byId("edit-dialog").showModal();
  byId("edit-text").focus();
}

handled(byId("edit-dialog"), () => decide("edit", { text: byId("edit-text").value, reason: byId("edit-reason").value }));

let bulk = null;

function askBulk() {
  bulk = null;
  byId("bulk-action").value = "";
  byId("bulk-reason").value = "";
  byId("bulk-preview").hidden = true;
  byId("bulk-dialog").querySelector("[type=submit]").disabled = true;
  byId("bulk-dialog").showModal();
}

byId("bulk-action").addEventListener("change", async () => {
  const action = byId("bulk-action").value;
  const submit = byId("bulk-dialog").querySelector("[type=submit]");
  const error = byId("bulk-dialog").querySelector(".error");
  bulk = null;
  submit.disabled = true;
  byId("bulk-preview").hidden = true;
  error.textContent = "";
  if (!action) return;
  try {
    const found = await ask("/api/bulk/preview", { filter: wanted(), action, reviewer: reviewer.value });
    if (byId("bulk-action").value !== action) return;
    bulk = found;
    const notes = [`${found.count.toLocaleString()} claims`];
    if (found.passed_over) notes.push(`${found.passed_over.toLocaleString()} of the list do not allow it`);
    if (found.more) notes.push(`${found.more.toLocaleString()} more are left for another time`);
    byId("bulk-count").textContent = `${notes.join("; ")}.`;
    byId("bulk-sample").replaceChildren(...found.sample.map((row) => element("li", "", [...row.context, row.text].join(" › "))));
    submit.textContent = `${action[0].toUpperCase()}${action.slice(1)} ${found.count.toLocaleString()} claims`;
    submit.disabled = false;
    byId("bulk-preview").hidden = false;
  } catch (problem) {
    error.textContent = problem.message;
  }
});

handled(byId("bulk-dialog"), async () => {
  if (!bulk) throw new Error("Choose an action first.");
  const done = await ask("/api/bulk", { ticket: bulk.ticket, reviewer: reviewer.value, reason: byId("bulk-reason").value });
  if (done.entries.length) undoable.push(done.entries);
  byId("undo").disabled = !undoable.length;
  showProgress(done.progress);
  await relist(null);
  const left = done.clashes.length ? ` ${done.clashes.length} were decided by somebody else meanwhile and left as they are.` : "";
  say(`${done.decided.toLocaleString()} claims decided.${left}`);
  if (left) complain(left.trim());
});

// Keys and buttons

const actions = {
  a: () => !byId("approve").hidden && approve(),
  r: () => !byId("reject").hidden && askReason("reject", "Reject"),
  e: () => !byId("edit").hidden && askText(),
  o: () => !byId("reopen").hidden && askReason("reopen", "Reopen"),
  d: () => !byId("demote").hidden && askReason("demote", "Take back"),
  s: () => attempt(skip),
  j: () => attempt(skip),
  k: () => attempt(() => move(-1)),
  u: undo,
  "/": () => { byId("queue").open = true; byId("containing").focus(); },
  "?": () => byId("help-dialog").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  if (document.querySelector("dialog[open]") || !byId("keys-on").checked) return;
  if (event.target.closest("input, textarea, select")) return;
  const act = actions[event.key];
  if (!act || (!claim && !"/?u".includes(event.key))) return;
  event.preventDefault();
  act();
});

for (const [id, key] of Object.entries({ approve: "a", reject: "r", edit: "e", reopen: "o", demote: "d", skip: "s", undo: "u", "show-help": "?" })) {
  byId(id).addEventListener("click", () => actions[key]());
}
byId("bulk").addEventListener("click", askBulk);
byId("more").addEventListener("click", () => attempt(() => list(rows.length)));
byId("keys-on").addEventListener("change", () => localStorage.setItem("aipk-keys", byId("keys-on").checked ? "on" : "off"));

let typing = 0;
function filter() {
  clearTimeout(typing);
  typing = setTimeout(() => attempt(async () => {
    await list();
    say(`${total.toLocaleString()} claims in the list`);
    const shown = claim && rows.some((row) => row.id === claim.id);
    if (!shown && rows.length) await open(rows[0].id, { quiet: true });
    else if (!rows.length) openFirst();
    else markCurrent();
  }), 150);
}
filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => { event.preventDefault(); byId("claim").focus(); });

reviewer.value = localStorage.getItem("aipk-reviewer") || reviewer.value;
byId("keys-on").checked = localStorage.getItem("aipk-keys") !== "off";
reviewer.addEventListener("change", () => {
  localStorage.setItem("aipk-reviewer", reviewer.value.trim());
  undoable.length = 0;
  byId("undo").disabled = true;
  attempt(() => Promise.all([refreshProgress(), list()]));
});

async function refreshProgress() {
  showProgress(await ask(`/api/progress?${new URLSearchParams({ reviewer: reviewer.value })}`));
}

// Others may be at work too; their decisions show in the figures, and in the list when it is loaded again.
setInterval(() => { if (!document.hidden && !busy) refreshProgress().catch(() => {}); }, 30000);

attempt(async () => {
  const named = decodeURIComponent(location.hash.slice(1));
  await Promise.all([refreshProgress(), list()]);
  if (named) await open(named, { quiet: true });
  if (!claim) await openFirst();
});
