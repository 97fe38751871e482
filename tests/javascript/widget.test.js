import {choose, press} from "./dom.js"

import assert from "node:assert/strict"
import {test} from "node:test"

import {show} from "../../workbench/assets/browser/widget.js"

const ITEM = {help: "", formula: "", caution: "", span: 6, drag: {}, click: false, place: "text", title: "ε"}
const SLIDER = {offered: true, low: 0, high: 1, step: 0.1, decimals: 1, value: 0.5}

// A host as anywidget's model is one.
class Host {
  constructor(fields) {
    this.fields = {message: "", busy: false, handled: 0, opens: false, sections: [], ...fields}
    this.calls = new Map()
    this.sent = []
  }

  get(name) {
    return this.fields[name]
  }

  on(event, call) {
    this.calls.set(event, [...this.calls.get(event) ?? [], call])
  }

  off(event, call) {
    this.calls.set(event, this.calls.get(event).filter(one => one !== call))
  }

  send(message, _callbacks, buffers) {
    this.sent.push({...message, ...buffers?.length && {buffers}})
  }

  set(fields) {
    Object.assign(this.fields, fields)
    for (const name of Object.keys(fields)) this.fire(`change:${name}`)
  }

  fire(event, ...given) {
    for (const call of this.calls.get(event) ?? []) call(...given)
  }
}

function made(fields = {}) {
  const host = new Host({
    frame: {title: "", about: "", main: [], jobs: [], figures: [], sentences: [], numbers: [{...ITEM, name: "epsilon"}]},
    sections: [{title: "All", controls: [{name: "a", kind: "slider", label: "A", doc: ""}, {name: "up", kind: "files", label: "Up", doc: ""}]}],
    item_epsilon: '{"value": "1", "relation": "", "badge": "", "tone": "", "note": "", "explanation": ""}',
    control_a: JSON.stringify(SLIDER),
    control_up: '{"offered": true}',
    ...fields,
  })
  const el = document.createElement("div")
  document.body.replaceChildren(el)
  const stop = show(host, el)
  host.gestures = () => host.sent.filter(({kind}) => kind === "gesture").map(({gesture}) => gesture)
  return {host, el, stop, range: el.querySelector("input[type=range]")}
}

test("the state of the host is shown, and its changes", () => {
  const {host, el, range} = made()
  assert.equal(el.querySelector(".wb-value").textContent, "1")
  assert.equal(range.value, "0.5")
  host.set({control_a: JSON.stringify({...SLIDER, value: 0.7})})
  assert.equal(range.value, "0.7")
})

test("a choice is a message; a widget that is shown again goes on counting", () => {
  const {host, range} = made({handled: 41})
  choose(range, "0.6")
  assert.deepEqual(host.gestures(), [{kind: "set", name: "a", value: 0.6, serial: 42}])
})

test("a choice that the page did not take is taken back, though its state is what it was", () => {
  const {host, range} = made()
  choose(range, "0.9")
  host.set({busy: true})
  assert.equal(range.value, "0.9")
  host.set({handled: 1, busy: false})
  assert.equal(range.value, "0.5")
})

test("a kernel that is busy gets the last choice, not all of them", () => {
  const {host, range} = made()
  for (const value of ["0.1", "0.2", "0.3"]) choose(range, value)
  assert.deepEqual(host.gestures().map(({value}) => value), [0.1])
  host.set({handled: 1})
  assert.deepEqual(host.gestures().map(({value}) => value), [0.1, 0.3])
})

test("files are sent as buffers", async () => {
  const {host, el} = made()
  const field = el.querySelector("input[type=file]")
  Object.defineProperty(field, "files", {value: [new File(["12"], "a.csv")]})
  field.dispatchEvent(new window.Event("change"))
  assert.deepEqual(host.gestures()[0].files, [["a.csv", 2]])
  host.set({handled: 1})
  while (host.gestures().length < 2) await new Promise(resolve => setTimeout(resolve, 5))
  const {gesture, buffers} = host.sent.at(-1)
  assert.deepEqual(gesture, {kind: "chunk", name: "up", file: 0, serial: 2})
  assert.equal(new TextDecoder().decode(buffers[0]), "12")
})

test("keys in the controls are not JupyterLab's", () => {
  const {el} = made()
  for (const one of el.querySelectorAll(".wb-controls :is(input, select, button, summary)")) {
    assert.ok(one.hasAttribute("data-lm-suppress-shortcuts"))
  }
})

test("the address of the dashboard is asked for, and opened in a tab of its own", async () => {
  const {host, el} = made({opens: true})
  const opened = []
  window.open = () => ({location: {replace: address => opened.push(String(address))}, close: () => opened.push("closed")})
  const button = [...el.querySelectorAll("button")].find(one => one.textContent === "Open in the workbench")
  for (const address of ["/wb/scores?key=1", ""]) {
    press(button)
    const {id, what} = host.sent.at(-1)
    assert.equal(what, "address")
    host.fire("msg:custom", {kind: "answer", id, address}, [])
    await new Promise(resolve => setTimeout(resolve))
  }
  assert.deepEqual(opened, ["http://localhost/wb/scores?key=1", "closed"])
})

test("without controls there is the board alone, and stopping leaves nothing behind", () => {
  const {el, host, stop} = made({sections: []})
  assert.equal(el.querySelector(".wb-controls"), null)
  stop()
  host.calls.delete("msg:custom") // one that waits for plotly.js stays: it serves the whole document
  assert.deepEqual([...host.calls.values()].flat(), [])
})

test("what is brief shows some items and controls first, and the others after one press", () => {
  const {el} = made({
    frame: {title: "", about: "", main: [], jobs: [], figures: [], sentences: [],
      numbers: [{...ITEM, name: "epsilon"}, {...ITEM, name: "mu", title: "μ"}],
      brief: {items: ["epsilon"], controls: ["a"]}},
    item_mu: '{"value": "2", "relation": "", "badge": "", "tone": "", "note": "", "explanation": ""}',
  })
  const rest = [...el.querySelectorAll(".wb-later")].map(one => one.ariaLabel ?? one.getAttribute("aria-label") ?? one.dataset.control)
  assert.deepEqual(rest, ["up", "μ"])
  const button = el.querySelector(".wb-everything")
  const state = () => [el.hasAttribute("data-brief"), button.textContent, button.getAttribute("aria-expanded")]
  assert.deepEqual(state(), [true, "Show everything", "false"])
  press(button)
  assert.deepEqual(state(), [false, "Show less", "true"])
  press(button)
  assert.deepEqual(state(), [true, "Show everything", "false"])
})

test("what is not brief has no such button", () => {
  const {el} = made()
  assert.equal(el.querySelector(".wb-everything"), null)
  assert.equal(el.hasAttribute("data-brief"), false)
})
