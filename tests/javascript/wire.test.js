import assert from "node:assert/strict"
import {test} from "node:test"

import {Wire} from "../../workbench/assets/browser/wire.js"

function made({ready = true} = {}) {
  const sent = []
  const late = []
  const transport = {ready: () => ready, send: message => sent.push(message), late: on => late.push(on)}
  const wire = new Wire(transport)
  const answer = serial => {
    wire.handled = serial
    wire.answered(serial)
  }
  return {wire, sent, late, answer, open: () => { ready = true }}
}

test("one message is under way, and of each control only the latest follows", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {wire, sent, answer} = made()
  wire.send({kind: "set", name: "a", value: 1})
  for (const value of [2, 3]) wire.send({kind: "set", name: "a", value})
  wire.send({kind: "set", name: "b", value: 9})
  wire.send({kind: "set", name: "a", value: 4})
  assert.deepEqual(sent.map(({value}) => value), [1])
  assert.equal(wire.busy, true)
  answer(1)
  assert.deepEqual(sent.map(({name, value, serial}) => [name, value, serial]).slice(1), [["b", 9, 4]])
  answer(4)
  assert.deepEqual(sent.at(-1), {kind: "set", name: "a", value: 4, serial: 5})
  answer(5)
  assert.equal(wire.busy, false)
  assert.equal(sent.length, 3)
})

test("an answer to something earlier lets nothing through", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {wire, sent, answer} = made()
  wire.send({kind: "set", name: "a", value: 1})
  answer(1)
  wire.send({kind: "set", name: "a", value: 2})
  wire.send({kind: "set", name: "a", value: 3})
  answer(1)
  assert.equal(sent.length, 2)
  assert.equal(wire.settled(1), true)
  assert.equal(wire.settled(2), false)
})

test("nothing is sent before there is a connection, and then what was done", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {wire, sent, open} = made({ready: false})
  wire.send({kind: "set", name: "a", value: 1})
  assert.equal(sent.length, 0)
  open()
  wire.flush()
  assert.equal(sent.length, 1)
})

test("people are told when an answer is late, and when it came", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {wire, late, answer} = made()
  wire.send({kind: "job", job: "go"})
  context.mock.timers.tick(3999)
  assert.deepEqual(late, [])
  context.mock.timers.tick(2)
  assert.deepEqual(late, [true])
  answer(1)
  assert.deepEqual(late, [true, false])
})

test("drags that were not answered are kept as finished ones", context => {
  context.mock.timers.enable({apis: ["setTimeout"]})
  const {wire} = made()
  wire.send({kind: "drag", item: "roc", name: "a", x: 1, done: false})
  wire.send({kind: "drag", item: "tv", name: "b", x: 2, done: false})
  wire.send({kind: "set", name: "c", value: 1})
  assert.deepEqual(wire.drags.map(({item, x, done}) => [item, x, done]), [["roc", 1, true], ["tv", 2, true]])
})

test("files go in parts, and a later upload takes the place of an earlier one", async () => {
  const {wire, sent, answer} = made()
  wire.transport.send = message => {
    sent.push(message)
    queueMicrotask(() => answer(message.serial))
  }
  const shares = []
  const big = new File([new Uint8Array(2 ** 20 + 5)], "a.csv")
  await wire.upload("upload", [big, new File([], "empty.csv")], share => shares.push(share))
  assert.deepEqual(sent[0].files, [["a.csv", 2 ** 20 + 5], ["empty.csv", 0]])
  assert.deepEqual(sent.slice(1).map(({kind, file, content}) => [kind, file, content.byteLength]),
    [["chunk", 0, 2 ** 20], ["chunk", 0, 5]])
  assert.equal(shares.at(-1), 1)

  sent.length = 0
  const first = wire.upload("upload", [big], () => {})
  wire.stopUpload()
  await first
  assert.equal(sent.filter(({kind}) => kind === "chunk").length, 0)
})
