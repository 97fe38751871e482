import {choose, key, press} from "./dom.js"

import assert from "node:assert/strict"
import {test} from "node:test"

import {Controls} from "../../workbench/assets/browser/controls.js"

const KINDS = ["slider", "number", "choice", "switch", "text", "button", "job", "files"]
const SECTION = {
  title: "All",
  controls: KINDS.map(kind => ({name: kind, kind, label: `A ${kind}`, doc: kind === "slider" ? "How much." : ""})),
}
const SCALE = {low: 0, high: 1, step: 0.25, decimals: 2}
const STATES = {
  slider: {offered: true, ...SCALE, value: 0.5},
  number: {offered: true, ...SCALE, value: 7.5},
  choice: {offered: true, options: ["none", "A"], value: "none"},
  switch: {offered: true, value: true},
  text: {offered: true, value: "x"},
  button: {offered: true},
  job: {offered: true, running: false, label: "Simulate"},
  files: {offered: true},
}

function made(states = STATES) {
  const sent = []
  const wire = {handled: 0}
  const controls = new Controls([SECTION], {
    send: gesture => sent.push(gesture),
    settled: serial => wire.handled >= serial,
    upload: (name, files) => sent.push({name, files}),
  })
  document.body.replaceChildren(controls.element)
  controls.show(states)
  const of = name => controls.element.querySelector(`[data-control="${name}"]`)
  return {controls, sent, wire, of, field: (name, which = "input, select, button") => of(name).querySelector(which)}
}

test("every field has a name of its own that people read", () => {
  const {controls} = made()
  for (const field of controls.element.querySelectorAll("input, select, button")) {
    const label = field.id ? controls.element.querySelector(`label[for="${field.id}"]`) : null
    assert.ok(label?.textContent || field.getAttribute("aria-label") || field.textContent, field.outerHTML)
  }
})

test("states are shown, and what is not offered is hidden", () => {
  const {controls, of, field} = made()
  assert.equal(field("slider", "input[type=range]").value, "0.5")
  assert.equal(field("slider", "input[type=range]").getAttribute("aria-valuetext"), "0.50")
  assert.equal(field("slider", ".wb-typed").value, "0.50")
  assert.equal(field("choice").value, "none")
  assert.equal(field("switch").checked, true)
  assert.equal(field("text").value, "x")
  assert.equal(field("job").textContent, "Simulate")
  controls.show({...STATES, slider: {...STATES.slider, offered: false}})
  assert.equal(of("slider").hidden, true)
  controls.show(Object.fromEntries(KINDS.map(kind => [kind, {...STATES[kind], offered: false}])))
  assert.equal(controls.element.querySelector(".wb-group").hidden, true)
})

test("a choice of each kind is one gesture", () => {
  const {sent, field} = made()
  choose(field("slider", "input[type=range]"), "0.75")
  assert.deepEqual(sent.shift(), {kind: "set", name: "slider", value: 0.75})
  choose(field("choice"), "A")
  choose(field("switch"), false)
  choose(field("text"), "y")
  press(field("button"))
  press(field("job"))
  assert.deepEqual(sent, [
    {kind: "set", name: "choice", value: "A"},
    {kind: "set", name: "switch", value: false},
    {kind: "set", name: "text", value: "y"},
    {kind: "set", name: "button", value: true},
    {kind: "job", job: "job"},
  ])
})

test("the steps of a slider that is held are marked, and letting go ends them", () => {
  const {sent, field} = made()
  const range = field("slider", "input[type=range]")
  range.dispatchEvent(new Event("pointerdown"))
  for (const value of ["0.25", "0.75"]) {
    range.value = value
    range.dispatchEvent(new Event("input"))
  }
  window.dispatchEvent(new Event("pointerup"))
  window.dispatchEvent(new Event("pointerup"))
  assert.deepEqual(sent.map(({value, done}) => [value, done]), [[0.25, false], [0.75, false], [0.75, undefined]])
})

test("a state on its way does not undo a choice that was not answered", () => {
  const {controls, wire, field} = made()
  const range = field("slider", "input[type=range]")
  choose(range, "0.75")
  controls.show(STATES)
  assert.equal(range.value, "0.75")
  assert.deepEqual(controls.unsent(), {slider: 0.75})
  wire.handled = 1
  controls.show(STATES)
  assert.equal(range.value, "0.5")
  assert.deepEqual(controls.unsent(), {})
})

for (const [typed, log, value] of [
  ["1e-5", "real", -5],
  ["1,000", "whole", 3],
  ["1 000", "whole", 3],
  ["0.05", undefined, 0.05],
  ["−0.5", undefined, -0.5],
]) {
  test(`the number ${typed} may be typed${log ? " on a logarithmic scale" : ""}`, () => {
    const {sent, field} = made({slider: {...STATES.slider, low: -8, high: 4, log, value: 1}})
    choose(field("slider", ".wb-typed"), typed)
    assert.equal(sent.length, 1)
    assert.ok(Math.abs(sent[0].value - value) < 1e-12)
    assert.equal(sent[0].typed, true)
  })
}

for (const wrong of ["", "0,5", "many", "1e999", "-1"]) {
  test(`“${wrong}” is no number here: it is marked, and nothing is sent`, () => {
    const {sent, field} = made({slider: {...STATES.slider, low: -8, high: 4, log: "real", value: 1}})
    const typed = field("slider", ".wb-typed")
    choose(typed, wrong)
    assert.deepEqual(sent, [])
    assert.equal(typed.getAttribute("aria-invalid"), "true")
  })
}

test("arrow keys in the number move it by a step", () => {
  const {sent, field} = made()
  key(field("slider", ".wb-typed"), "ArrowUp")
  key(field("slider", ".wb-typed"), "ArrowDown")
  assert.deepEqual(sent.map(({value}) => value), [0.75, 0.5])
})

test("a person who is typing is not interrupted", () => {
  const {controls, field} = made()
  const typed = field("slider", ".wb-typed")
  typed.focus()
  typed.value = "0.6"
  controls.show({slider: {...STATES.slider, value: 0.25}})
  assert.equal(typed.value, "0.6")
  typed.blur()
  controls.show({slider: {...STATES.slider, value: 0.25}})
  assert.equal(typed.value, "0.25")
})

test("options stay where they are, and new ones replace them without a choice", () => {
  const {controls, sent, field} = made()
  const before = field("choice").firstElementChild
  controls.show({choice: {...STATES.choice, value: "A"}})
  assert.equal(field("choice").firstElementChild, before)
  controls.show({choice: {offered: true, options: ["B", "C"], value: "C"}})
  assert.equal(field("choice").value, "C")
  controls.show({choice: {offered: true, options: ["B", "C"], value: null}})
  assert.equal(field("choice").selectedIndex, -1)
  assert.deepEqual(sent, [])
})

test("a job that runs can be cancelled by the same button", () => {
  const {controls, field} = made()
  controls.show({job: {offered: true, running: true, label: "Cancel"}})
  assert.equal(field("job").textContent, "Cancel")
  assert.equal(field("job").hasAttribute("data-edits"), false)
})

// -- a slider with places ------------------------------------------------------------------------

const PLACES = [0.00002, 0.000571, 0.000579, 0.16, 2, 4.8]
const packed = numbers => ({dtype: "f8", bdata: Buffer.from(new Float64Array(numbers).buffer).toString("base64")})
const SCALED = {offered: true, low: PLACES[0], high: PLACES.at(-1), step: 0.02, decimals: 2}

function placed(value = 0.16) {
  const sent = []
  const wire = {handled: Infinity}
  const controls = new Controls([{title: "", controls: [
    {name: "threshold", kind: "slider", label: "Threshold", doc: "", places: "threshold_places"},
  ]}], {send: gesture => sent.push(gesture), settled: serial => wire.handled >= serial, upload() {}})
  document.body.replaceChildren(controls.element)
  const show = (value, places = PLACES) => controls.show({
    threshold: {...SCALED, value}, ...places && {threshold_places: {places: packed(places)}},
  })
  show(value)
  const range = controls.element.querySelector("input[type=range]")
  const typed = controls.element.querySelector(".wb-typed")
  return {controls, sent, show, range, typed, shown: () => [Number(range.value), typed.value, range.getAttribute("aria-valuetext")]}
}

test("places are equal steps of the slider, and its text is the number with its digits", () => {
  const {range, show, shown} = placed()
  assert.deepEqual([range.min, range.max, range.step], ["0", "5", "any"])
  assert.deepEqual(shown(), [3, "0.16", "0.16"])
  show(0.000579, null)
  assert.deepEqual(shown(), [2, "0.000579", "0.000579"])
  show(0.00019311937198048345, null)
  assert.equal(shown()[1], "0.0001931")
})

test("a key moves by one place, from between two places to the next", () => {
  const {range, sent, show} = placed(0.000579)
  for (const name of ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "End", "Home", "PageUp", "PageDown"]) key(range, name)
  assert.deepEqual(sent.map(({value}) => value), [0.16, 2, 0.16, 0.000579, 4.8, 0.00002, 4.8, 0.00002])
  sent.length = 0
  show(0.000575, null) // was typed
  key(range, "ArrowRight")
  show(0.000575, null)
  key(range, "ArrowLeft")
  assert.deepEqual(sent.map(({value}) => value), [0.000579, 0.000571])
})

test("a number beyond the places stands at an end, and no key moves it farther in", () => {
  const {range, sent, show, shown} = placed(9)
  assert.deepEqual(shown(), [5, "9", "9"])
  key(range, "ArrowRight")
  key(range, "End")
  assert.deepEqual(sent, [])
  key(range, "ArrowLeft")
  assert.deepEqual(sent.map(({value}) => value), [2])
  show(0.00001, null)
  key(range, "ArrowLeft")
  assert.equal(sent.length, 1)
})

test("dragging snaps to places, and is one change", () => {
  const {range, sent, shown} = placed()
  range.dispatchEvent(new Event("pointerdown"))
  for (const at of ["1.4", "2.3", "2.2"]) {
    range.value = at
    range.dispatchEvent(new Event("input"))
  }
  window.dispatchEvent(new Event("pointerup"))
  assert.deepEqual(sent.map(({value, done}) => [value, done]), [
    [0.000571, false], [0.000579, false], [0.000579, false], [0.000579, undefined],
  ])
  assert.equal(shown()[0], 2)
})

test("a typed number keeps its digits, and the slider stands at its place between", () => {
  const {typed, sent, show, shown} = placed()
  choose(typed, "0.000575123456789012")
  assert.deepEqual(sent, [{kind: "set", name: "threshold", value: 0.000575123456789012, typed: true}])
  show(0.000575123456789012, null)
  assert.equal(typed.value, "0.000575123456789012")
  assert.ok(Math.abs(shown()[0] - (1 + (0.000575123456789012 - 0.000571) / 0.000008)) < 1e-9)
  key(typed, "ArrowUp")
  assert.equal(sent.at(-1).value, 0.000579)
})

test("other data bring other places", () => {
  const {show, shown} = placed()
  show(0.5, [0, 0.5, 1])
  assert.deepEqual(shown(), [1, "0.5", "0.5"])
})

test("options stand under their headings, those without one by themselves", () => {
  const {controls, field} = made()
  const groups = {one: "First", two: "First", three: "Second"}
  controls.show({choice: {offered: true, options: ["mine", "one", "two", "three"], value: "two", groups}})
  const select = field("choice")
  assert.deepEqual([...select.children].map(child => child.label || child.value), ["mine", "First", "Second"])
  assert.deepEqual([...select.children[1].children].map(option => option.value), ["one", "two"])
  assert.equal(select.value, "two")
  controls.show({choice: {offered: true, options: ["one"], value: "one"}})
  assert.deepEqual([...select.children].map(child => child.value), ["one"])
})

test("an option that the data forbid cannot be chosen, and says why", () => {
  const {controls, field} = made()
  controls.show({choice: {offered: true, options: ["linear", "log"], value: "linear", refused: {log: "the least score is -1"}}})
  const [linear, log] = field("choice").options
  assert.equal(linear.disabled, false)
  assert.equal(log.disabled, true)
  assert.equal(log.textContent, "log (the least score is -1)")
  assert.equal(log.value, "log")
  controls.show({choice: {offered: true, options: ["linear", "log"], value: "log"}})
  assert.equal(field("choice").options[1].disabled, false)
})
