import {press, window} from "./dom.js"

import assert from "node:assert/strict"
import {test} from "node:test"

import {Board, typedArray} from "../../workbench/assets/browser/board.js"

const ITEM = {help: "What it is.", formula: "", caution: "It may be larger.", span: 6, drag: {}, click: false, place: "text"}
const FRAME = {
  title: "A page", about: "What is asked?", main: [],
  numbers: [{...ITEM, name: "epsilon", title: "ε"}],
  sentences: [{...ITEM, name: "words", title: ""}, {...ITEM, name: "note", title: "", place: "strip"}],
  figures: [{...ITEM, name: "roc", title: "ROC", drag: {line: "threshold"}}],
  jobs: [{name: "run", title: "Simulate"}],
}
const NUMBER = {value: "1.23", relation: "≥", badge: "simultaneous", tone: "good", note: "95%", explanation: "So it is."}

function made() {
  const sent = []
  const board = new Board(FRAME, gesture => sent.push(gesture), null)
  document.body.replaceChildren(board.element)
  return {board, sent, find: selector => board.element.querySelector(selector)}
}

test("a number is shown with its guarantee, and explained when asked", () => {
  const {board, find} = made()
  board.show("epsilon", NUMBER)
  assert.equal(find(".wb-number").textContent.includes("≥1.23"), true)
  assert.equal(find(".wb-badge").textContent, "simultaneous")
  const title = find(".wb-number-title")
  assert.equal(title.getAttribute("aria-expanded"), "false")
  press(title)
  assert.equal(title.getAttribute("aria-expanded"), "true")
  assert.match(find(".wb-number-panel").textContent, /What it is\..*So it is\..*It may be larger\./s)
})

test("texts are texts: no markup of a name becomes an element", () => {
  const {board, find} = made()
  const evil = "<img src=x onerror=alert(1)>"
  board.show("words", evil)
  board.show("epsilon", {...NUMBER, value: evil, note: evil, explanation: evil})
  board.showMessage(evil)
  assert.equal(find("img"), null)
  assert.equal(find(".wb-sentence:not([hidden])").textContent, evil)
})

test("an empty sentence takes no place", () => {
  const {board, find} = made()
  board.show("words", "Something.")
  assert.equal(find(".wb-words .wb-sentence").hidden, false)
  board.show("words", "")
  assert.equal(find(".wb-words .wb-sentence").hidden, true)
})

test("a message can be dismissed", () => {
  const {board, sent, find} = made()
  board.showMessage("This did not work.")
  assert.match(find("[role=alert]").textContent, /This did not work\./)
  press(find("[role=alert] button"))
  assert.deepEqual(sent, [{kind: "dismiss"}])
})

test("what is read aloud is what changed, once it rests", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {board} = made()
  const said = () => [...board.element.querySelectorAll("p[role=status].wb-said")].map(one => one.textContent).join("")
  board.show("epsilon", NUMBER)
  context.mock.timers.tick(5000)
  assert.equal(said(), "")
  for (const value of ["1.3", "1.4", "1.5"]) board.show("epsilon", {...NUMBER, value})
  assert.equal(said(), "")
  context.mock.timers.tick(5000)
  assert.match(said(), /ε ≥ 1\.5/)
})

test("a board that was never started can be taken away", () => {
  const {board} = made()
  board.stop()
})

test("without the chart library there are words, and another try", async () => {
  const {board, find} = made()
  let tries = 0
  board.start(async () => {
    tries += 1
    throw new Error("no plotly.js")
  })
  await new Promise(resolve => setTimeout(resolve))
  assert.match(find("[role=alert]").textContent, /no plotly\.js; the charts cannot be drawn without it/)
  press(find("[role=alert] button"))
  assert.equal(tries, 2)
  board.stop()
})

test("arrays of numbers come as bytes", () => {
  const bdata = btoa(String.fromCharCode(...new Uint8Array(new Float64Array([1, -2.5]).buffer)))
  assert.deepEqual([...typedArray({dtype: "f8", bdata})], [1, -2.5])
  assert.ok(typedArray({dtype: "u1", bdata: btoa("\u0007")}) instanceof Uint8Array)
})

test("the document of the test is the board's", () => assert.equal(window.document, document))
