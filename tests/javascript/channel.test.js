import "./dom.js"

import assert from "node:assert/strict"
import {test} from "node:test"

import {Channel} from "../../workbench/assets/browser/channel.js"

class Socket {
  constructor(address, protocols) {
    Object.assign(this, {address: String(address), protocols, sent: []})
    Socket.last = this
  }

  send(data) {
    this.sent.push(data)
  }
}
globalThis.WebSocket = Socket

function made(path = "/scores") {
  history.replaceState({}, "", path)
  document.body.dataset.token = "token"
  const heard = []
  const channel = new Channel({
    opened: () => heard.push("opened"),
    arrived: message => heard.push(message),
    closed: refused => heard.push({refused}),
  })
  return {channel, socket: Socket.last, heard}
}
globalThis.history = window.history

test("the socket is beside the page, and shows the token of the document", () => {
  const {socket} = made()
  assert.equal(socket.address, "ws://localhost/scores/ws")
  assert.deepEqual(socket.protocols, ["bokeh", "token"])
  assert.equal(made("/").socket.address, "ws://localhost/ws")
})

test("the first message says that the session listens, and others are JSON", () => {
  const {socket, heard} = made()
  socket.onmessage({data: "{}"})
  socket.onmessage({data: '{"page": "scores", "number": 1}'})
  assert.deepEqual(heard, ["opened", {page: "scores", number: 1}])
})

test("the content of a file follows the message that announces it", () => {
  const {channel, socket} = made()
  channel.send({kind: "set", name: "a", value: 1})
  const content = new ArrayBuffer(3)
  channel.send({kind: "chunk", file: 0, content})
  assert.deepEqual(JSON.parse(socket.sent[0]), {kind: "set", name: "a", value: 1})
  assert.deepEqual(JSON.parse(socket.sent[1]), {kind: "chunk", file: 0, content: true})
  assert.equal(socket.sent[2], content)
})

test("a connection that the server refuses is told from one that was lost", () => {
  const {socket, heard} = made()
  socket.onclose({reason: ""})
  socket.onclose({reason: "no such session"})
  assert.deepEqual(heard, [{refused: false}, {refused: true}])
})
