// The chat page. Text from the server is only ever set as text, never as markup.
"use strict";

const talk = document.getElementById("talk");
const form = document.getElementById("ask");
const question = document.getElementById("question");
const model = document.getElementById("model");
const panel = document.getElementById("panel");
let conversation = [];

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function turn(kind, text) {
  const made = element("div", `turn ${kind}`, text);
  talk.append(made);
  made.scrollIntoView({ block: "end" });
  return made;
}

function webAddress(url) {
  return /^https?:\/\//i.test(url || "");
}

function show(citation) {
  document.getElementById("panel-title").textContent = citation.document;
  const path = (citation.heading_path || []).concat(citation.page ? [`page ${citation.page}`] : []);
  document.getElementById("panel-path").textContent = path.join(" › ");
  document.getElementById("panel-quote").textContent = citation.quote;
  const links = document.getElementById("panel-links");
  links.replaceChildren();
  const inside = element("a", "", "Show it in the whole document");
  inside.href = citation.source;
  inside.target = "_blank";
  inside.rel = "noopener";
  links.append(inside);
  if (webAddress(citation.url)) {
    const outside = element("a", "", "original page");
    outside.href = citation.url;
    outside.target = "_blank";
    outside.rel = "noopener noreferrer";
    links.append(" · ", outside);
  }
  panel.hidden = false;
}

// Writes `text`, with a button in place of every cited id.
function withCitations(target, text, byId) {
  let rest = 0;
  for (const match of text.matchAll(/\[([^\[\]\s][^\[\]\n]{0,200})\]/g)) {
    const known = match[1].split(/[\s,;]+/).filter((id) => byId.has(id));
    if (!known.length) continue;
    target.append(text.slice(rest, match.index).replace(/ $/, ""));
    for (const id of known) {
      const citation = byId.get(id);
      const button = element("button", "cite", String(citation.number));
      button.type = "button";
      button.title = citation.quote;
      button.setAttribute("aria-label", `Source ${citation.number}: ${citation.quote}`);
      button.addEventListener("click", () => show(citation));
      target.append(button);
    }
    rest = match.index + match[0].length;
  }
  target.append(text.slice(rest));
}

function render(target, text, report) {
  target.replaceChildren();
  const byId = new Map((report?.citations || []).map((citation) => [citation.id, citation]));
  const points = Array.from(text);
  let position = 0;
  for (const unit of report?.units || []) {
    if (unit.start < position || points.slice(unit.start, unit.end).join("") !== unit.text) continue;
    withCitations(target, points.slice(position, unit.start).join(""), byId);
    const piece = element("span", `unit ${unit.verdict}`);
    if (unit.reasons.length) piece.title = unit.reasons.map((reason) => reason.message).join("\n");
    withCitations(piece, unit.text, byId);
    target.append(piece);
    position = unit.end;
  }
  withCitations(target, points.slice(position).join(""), byId);
  if (!report) return;
  const shown = (report.citations || []).filter((citation) => !text.includes(citation.id));
  for (const citation of shown) {
    const button = element("button", "cite", String(citation.number));
    button.type = "button";
    button.setAttribute("aria-label", `Source ${citation.number}`);
    button.addEventListener("click", () => show(citation));
    target.append(button);
  }
  const facts = [report.mode];
  if (report.refusal) facts.push(`no answer: ${report.refusal.code}`);
  else if (report.coverage !== null) facts.push(`${Math.round(report.coverage * 100)} % supported`);
  if (report.repaired) facts.push("repaired");
  target.append(element("span", "facts", facts.join(" · ")));
  target.classList.toggle("refused", Boolean(report.refusal));
}

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    held += value;
    let cut;
    while ((cut = held.indexOf("\n\n")) >= 0) {
      const line = held.slice(0, cut);
      held = held.slice(cut + 2);
      if (line.startsWith("data: ") && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
    }
  }
}

async function ask(text) {
  conversation.push({ role: "user", content: text });
  turn("user", text);
  const target = turn("assistant", "…");
  let answer = "";
  let report = null;
  try {
    const response = await fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: model.value, messages: conversation, stream: true }),
    });
    if (!response.ok) throw new Error((await response.json()).error.message);
    for await (const event of events(response)) {
      if (event.error) throw new Error(event.error.message);
      answer += event.choices?.[0]?.delta?.content || "";
      report = event._aipk || report;
      target.textContent = answer || "…";
    }
    render(target, answer, report);
    conversation.push({ role: "assistant", content: answer });
  } catch (error) {
    target.classList.add("failed");
    target.textContent = error.message;
    conversation.pop();
  }
  target.scrollIntoView({ block: "end" });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = question.value.trim();
  if (!text) return;
  question.value = "";
  const button = form.querySelector("button");
  button.disabled = true;
  await ask(text);
  button.disabled = false;
  question.focus();
});
question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
document.getElementById("close").addEventListener("click", () => { panel.hidden = true; });
document.getElementById("fresh").addEventListener("click", () => {
  conversation = [];
  talk.replaceChildren();
  panel.hidden = true;
  question.focus();
});
fetch("/v1/models").then((response) => response.json()).then((listed) => {
  for (const entry of listed.data) model.append(new Option(entry.id, entry.id));
  question.focus();
}).catch((error) => turn("failed", error.message));
