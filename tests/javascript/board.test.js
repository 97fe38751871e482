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

const RANKED = {
  ...FRAME,
  numbers: ["first", "second", "third", "fourth", "fifth"].map(name =>
    ({...ITEM, name, title: name, main: name === "second"})),
  sentences: [{...ITEM, name: "answered", title: "", place: "answer"}, ...FRAME.sentences,
    {...ITEM, name: "from", title: "", place: "head"}],
}

function ranked() {
  const board = new Board(RANKED, () => 0, null)
  document.body.replaceChildren(board.element)
  const find = selector => board.element.querySelector(selector)
  const inRank = rank => [...board.element.querySelectorAll(`[data-rank="${rank}"] h2`)].map(one => one.textContent)
  return {board, find, inRank}
}

test("the headline comes before the numbers, and they before the charts", () => {
  const {board, find} = ranked()
  board.show("answered", {words: "Refuted", evidence: "ε ≥ 2.13", tone: "bad"})
  assert.equal(find(".wb-headline").textContent, "Refuted ε ≥ 2.13")
  assert.equal(find(".wb-headline").dataset.tone, "bad")
  assert.equal(find(".wb-headline-words").textContent, "Refuted")
  const order = [".wb-title", ".wb-headline", ".wb-number", ".wb-notices", ".wb-chart", ".wb-words"].map(find)
  for (const [k, one] of order.slice(1).entries()) {
    assert.ok(order[k].compareDocumentPosition(one) & window.Node.DOCUMENT_POSITION_FOLLOWING, one.className)
  }
})

test("an answer leads to the page Risk where there is one, and widgets have none", () => {
  for (const [risk, tools, there] of [[true, {risk: true}, 1], [true, {risk: false}, 0], [false, {risk: true}, 0], [true, null, 0]]) {
    const sent = []
    const board = new Board({...RANKED, risk}, gesture => sent.push(gesture), tools)
    document.body.replaceChildren(board.element)
    const buttons = board.element.querySelectorAll(".wb-headline .wb-to-risk")
    assert.equal(buttons.length, there)
    for (const button of buttons) press(button)
    assert.deepEqual(sent, Array(there).fill({kind: "risk"}))
  }
})

test("numbers stand in ranks: the main one, bounds, estimates, facts", () => {
  const {board, inRank} = ranked()
  board.show("first", {...NUMBER, rank: "estimate"})
  board.show("second", {...NUMBER, rank: "bound"})
  board.show("third", {...NUMBER, rank: "bound"})
  board.show("fourth", {...NUMBER, rank: "fact"})
  board.show("fifth", {...NUMBER, rank: "bound"})
  const seen = () => ["main", "bound", "estimate", "fact"].map(inRank)
  assert.deepEqual(seen(), [["second"], ["third", "fifth"], ["first"], ["fourth"]])
  // A number that is being computed keeps its place, whatever stands in for it.
  board.show("third", {...NUMBER, value: "…", rank: "fact"})
  assert.deepEqual(seen(), [["second"], ["third", "fifth"], ["first"], ["fourth"]])
  // One that is found later comes to where it belongs, in the order of the page.
  board.show("fourth", {...NUMBER, rank: "bound"})
  assert.deepEqual(seen(), [["second"], ["third", "fourth", "fifth"], ["first"], []])
})

test("the first number is the main one of a page that names none", () => {
  const {find} = made()
  assert.equal(find('[data-rank="main"] h2').textContent, "ε")
})

test("what all bounds rest on stands under them once", () => {
  const {board, find} = ranked()
  const note = name => find(`[aria-label="${name}"] .wb-note`).textContent
  board.show("first", {...NUMBER, rank: "bound", note: "95% · independent runs"})
  board.show("second", {...NUMBER, rank: "bound", note: "95% · independent runs · if the pair is Gaussian (cannot be checked)"})
  board.show("third", {...NUMBER, rank: "estimate", note: "independent runs"})
  board.show("fourth", {...NUMBER, rank: "fact", note: "from 10 rows"})
  board.show("fifth", {...NUMBER, rank: "bound", tone: "void", badge: "not valid", note: "chosen late · 99%", reason: "chosen late"})
  assert.equal(find(".wb-shared").textContent, "Bounds: 95% · independent runs")
  assert.deepEqual(["first", "second", "third", "fourth", "fifth"].map(note),
    ["", "if the pair is Gaussian", "", "from 10 rows", ""])
  assert.equal(find('[aria-label="fifth"] .wb-badge').textContent, "not valid")
  press(find('[aria-label="fifth"] .wb-number-title'))
  assert.match(find(".wb-number-panel:not([hidden])").textContent, /not valid · chosen late · 99%/)
  board.show("first", {...NUMBER, rank: "bound", note: "99% · independent runs"})
  assert.equal(find(".wb-shared").textContent, "Bounds: independent runs")
  assert.equal(note("first"), "99%")
})

test("two rows leave room for less, but for the confidence, the family and what is main", () => {
  const numbers = [..."abcdefghijk"].map((name, k) => ({...ITEM, name, title: name, main: k === 0}))
  const board = new Board({...FRAME, numbers}, () => 0, null)
  document.body.replaceChildren(board.element)
  const note = name => board.element.querySelector(`[aria-label="${name}"] .wb-note`).textContent
  board.show("a", {...NUMBER, rank: "bound", note: "95% · independent runs"})
  assert.equal(note("a"), "95% · independent runs")
  board.show("b", {...NUMBER, rank: "bound", note: "99% · fair coins · if the pair is Gaussian"})
  assert.deepEqual(["a", "b"].map(note), ["95% · independent runs", "99% · if the pair is Gaussian"])
})

test("why several numbers are not valid is said above the charts", () => {
  const {board, find} = ranked()
  const late = {...NUMBER, tone: "void", badge: "not valid", reason: "chosen late"}
  board.show("first", late)
  assert.equal(find(".wb-voids").hidden, true)
  board.show("third", late)
  assert.equal(find(".wb-voids").textContent, "Not valid: first, third; chosen late.")
  board.show("answered", {words: "Nothing may be concluded", evidence: "chosen late", tone: "void"})
  assert.equal(find(".wb-voids").textContent, "Not valid: first, third; chosen late.")
})

test("a new answer is read aloud before the numbers, once it rests", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {board} = ranked()
  const said = () => board.element.querySelector(":scope > .wb-said").textContent
  const refuted = {words: "Refuted", evidence: "ε ≥ 2.13", tone: "bad"}
  board.show("answered", {...refuted, words: "Not refuted"})
  board.show("second", NUMBER)
  context.mock.timers.tick(5000)
  assert.equal(said(), "")
  board.show("second", {...NUMBER, value: "2.13"})
  board.show("answered", {words: "…", evidence: "", tone: "open"})
  context.mock.timers.tick(500)
  board.show("answered", refuted)
  context.mock.timers.tick(500)
  assert.equal(said(), "")
  context.mock.timers.tick(5000)
  assert.equal(said(), "Refuted: ε ≥ 2.13, and 1 more changed")
})

test("the sentences of a page with an answer are a press away", () => {
  const {board, find} = ranked()
  board.show("words", "It leaks.")
  assert.equal(find(".wb-texts").hidden, true)
  press(find(".wb-in-words"))
  assert.equal(find(".wb-texts").hidden, false)
  assert.equal(made().find(".wb-texts"), null) // of one without, they are shown
})

test("of the provenance and the question the header shows the beginning and the end", () => {
  const {board, find} = ranked()
  const whole = `A Gaussian, σ = 0.3. A quarter is seen. ${"The rest is not. ".repeat(9)}`
  board.show("from", whole)
  assert.equal(find(".wb-provenance p").textContent, whole)
  assert.equal(find(".wb-provenance .wb-rest").textContent, whole.slice("A Gaussian, σ = 0.3.".length))
  board.show("from", "A short one. It is shown.")
  assert.equal(find(".wb-provenance .wb-rest").textContent, "")
  assert.equal(find(".wb-about").textContent, "What is asked?")
  const long = new Board({...FRAME, about: "It is so. What follows?"}, () => 0, null).element.querySelector(".wb-about")
  assert.deepEqual([long.textContent, long.querySelector(".wb-rest").textContent], ["It is so. What follows?", "It is so."])
})
