import {key, press} from "./dom.js"

import assert from "node:assert/strict"
import {test} from "node:test"

import {noteOf, wanted} from "../../workbench/assets/browser/asked.js"
import {addressOf, FILES, ShareMenu} from "../../workbench/assets/browser/share.js"

const SHA = "a".repeat(64)

// The menu of a page, and what was asked of the page.
function made({accounts = false, set = null, shares = true, files = true, here = false} = {}) {
  document.body.replaceChildren()
  delete document.body.dataset.here
  if (here) document.body.dataset.here = ""
  const panel = document.createElement("div")
  const button = document.createElement("button")
  document.body.append(button, panel)
  const calls = []
  const people = {accounts, own: () => set, data: () => calls.push("data"), audit: way => calls.push(`audit ${way}`)}
  const menu = new ShareMenu({panel, button, page: () => "scores", link: () => calls.push("link"), settled: async () => {},
    toast() {}, files, withPeople: () => (shares ? people : null)})
  menu.make = (address, title) => calls.push(`${title}: ${address}`)
  const shown = () => menu.items.map(item => item.firstChild.textContent)
  const groups = () => [...panel.querySelectorAll("section")].filter(one => !one.hidden).map(one => one.querySelector("h3").textContent)
  return {menu, panel, calls, shown, groups}
}

test("the menu asks who is to read it, and offers what there is for each", () => {
  const own = made({accounts: true, set: {key: "k", name: "<b>losses</b>"}})
  assert.equal(own.panel.querySelector("h2").textContent, "Who is to read it?")
  assert.deepEqual(own.groups(), ["A person here", "Somebody outside: send a file", "Whoever has a link"])
  assert.deepEqual(own.shown().slice(0, 3), ["Share as a saved audit …", "Share the data set …", "One page (PDF)"])
  assert.deepEqual(own.shown().slice(-2), ["Link to a saved audit …", "Link to this page …"])
  assert.equal(own.panel.querySelector("b"), null)
  assert.match(own.panel.textContent, /“<b>losses<\/b>”/)
})

test("without accounts nobody is a person here, and the data set goes by a link", () => {
  const alone = made({set: {key: "k", name: "losses"}})
  assert.deepEqual(alone.groups(), ["Somebody outside: send a file", "Whoever has a link"])
  assert.deepEqual(alone.shown().slice(-3), ["Link to a saved audit …", "Share the data set …", "Link to this page …"])
  assert.deepEqual(made().shown().slice(-2), ["Link to a saved audit …", "Link to this page …"])
  assert.deepEqual(made({shares: false, files: false}).shown(), ["Link to this page …"])
})

test("a link of this computer is not offered as if others could open it", () => {
  assert.match(made({here: true}).panel.textContent, /opens on this computer only.*send a file.*--address/)
  assert.doesNotMatch(made().panel.textContent, /this computer only/)
})

test("each way does what it says", () => {
  const {menu, calls} = made({accounts: true, set: {key: "k", name: "losses"}})
  for (const item of menu.items) press(item)
  assert.deepEqual(calls, ["audit person", "data",
    "One page (PDF): ./report/scores/one-page.pdf", "One page (HTML): ./report/scores/one-page.html",
    "Complete report (HTML): ./report/scores.html", "Complete report (PDF): ./report/scores.pdf", "Markdown: ./report/scores.md",
    "JSON (audit card): ./report/scores.json", "Notebook: ./report/scores.ipynb", "audit link", "link"])
  assert.equal(FILES.length, 7)
  assert.equal(addressOf("audit/k", "pdf", "one-page"), "./report/audit/k/one-page.pdf")
})

test("arrow keys go through what is offered, and around", () => {
  const {menu, panel} = made()
  menu.items[0].focus()
  for (const item of [...menu.items.slice(1), menu.items[0]]) {
    key(panel, "ArrowDown")
    assert.equal(document.activeElement, item)
  }
  key(panel, "ArrowUp")
  assert.equal(document.activeElement, menu.items.at(-1))
})

test("what a link needs is said with the name of the file and its hash, as text", () => {
  const text = (...given) => given.map(one => one.textContent ?? one).join("")
  assert.equal(text(...wanted({name: "losses", files: ["losses.csv"], sha256: SHA})), `the file “losses.csv”SHA-256 of its content ${SHA}`)
  assert.equal(text(...wanted({name: "release 7", files: ["in.npy", "out.npy"], sha256: SHA})),
    `the files “in.npy” and “out.npy” (data set “release 7”)SHA-256 of its content ${SHA}`)
  assert.match(text(...wanted({name: "losses", sha256: SHA})), /^the data set “losses”SHA/)
  const note = noteOf("A link holds no data.", {name: "<img src=x>", files: [], sha256: SHA})
  assert.equal(note.querySelector("img"), null)
  assert.match(note.textContent, /ask whoever sent you the link to share the saved audit instead/)
})
