// The connection to the session on the server, and the order of what goes to and fro.

import {make} from "./board.js"
import {Channel} from "./channel.js"

const PATIENCE = 4000 // ms without an answer after which people are told
const ARRIVAL = 20_000 // ms for the connection to come
const RETRY = 1000 // ms between two questions whether the server is back
const RETURNS = 5 // reloads within a minute; then a person decides
const TRIES = 5 // sockets that are opened for a document
const ANSWER = 4000 // ms for the answer to such a question
const RESTARTS = "The server is being restarted: your work is kept. This page comes back by itself."
const LOST = "Connection lost. The numbers are from before; controls have no effect until the server answers."
const CHUNK = 2 ** 20 // bytes of a file in one message

const root = document.documentElement
const notice = document.querySelector(".wb-connection")

export class Connection {
  // take(message) takes a message in its order; keep() returns what a reload has to bring back.
  constructor({take, keep}) {
    Object.assign(this, {take, keep, open: false, lost: false, tries: 0, wires: new Map(), early: new Map(), next: 1})
    this.connect()
    setTimeout(() => { if (!this.open) this.absent() }, ARRIVAL)
    // Who signs out is on the way to another document: the server closes the socket first.
    document.querySelector(".wb-person-panel form")?.addEventListener("submit", () => { this.lost = true })
  }

  connect() {
    this.tries += 1
    this.channel = new Channel({
      opened: () => this.opened(),
      arrived: message => this.arrived(message),
      closed: refused => (this.open ? this.lose() : this.fail(refused)),
    })
  }

  // The socket did not open: a server under load has cut it off, or has let go of the session. What
  // was done meanwhile waits for the next socket, or is brought back by the next document.
  fail(refused) {
    if (this.lost) return
    if (!refused && this.tries < TRIES) {
      setTimeout(() => this.connect(), RETRY * this.tries)
      return
    }
    const returns = recentReturns()
    if (!refused || returns.length >= RETURNS) {
      this.absent()
      return
    }
    this.lost = true
    this.comeBack(returns)
  }

  // The wire of a page; that of the bench has no name.
  wire(page) {
    if (!this.wires.has(page)) this.wires.set(page, new Wire(page, this))
    return this.wires.get(page)
  }

  opened() {
    this.open = true
    root.dataset.connected = ""
    this.tell("")
    for (const wire of this.wires.values()) wire.flush()
  }

  absent() {
    this.tell("There is no connection to the server: the controls have no effect yet.", "Reload the page")
  }

  // A part of a figure builds on those before it, and messages can overtake each other.
  arrived(message) {
    if (message.away) { // whatever was before it: the socket closes now
      this.putAway(message.away)
      this.take(message)
      return
    }
    this.early.set(message.number, message)
    for (; this.early.has(this.next); this.next++) {
      const {page, handled, busy, refused, stopping} = this.early.get(this.next)
      if (refused) this.wire(page).stopUpload()
      if (stopping) this.stopping()
      // First, so that the control that asked shows what came of it.
      if (handled !== undefined) this.wire(page).handled = Math.max(this.wire(page).handled, handled)
      this.take(this.early.get(this.next))
      this.early.delete(this.next)
      if (handled !== undefined) this.wire(page).answered(handled)
      if (busy) this.wire(page).heard()
    }
  }

  get waits() {
    return [...this.wires.values()].some(wire => wire.busy)
  }

  // The server let go of this document, which was not used for long; it says so and closes.
  putAway(words) {
    this.tell(words, "Reload the page")
    this.lost = true
    delete root.dataset.connected
    dim(true)
    this.keep()
  }

  // The server ends in a moment, once what runs is finished.
  stopping() {
    this.restarts = true
    this.tell(RESTARTS)
  }

  lose() {
    if (this.lost) return
    this.lost = true
    delete root.dataset.connected
    dim(true)
    for (const wire of this.wires.values()) wire.heard()
    const returns = recentReturns()
    if (returns.length >= RETURNS && !this.restarts) {
      this.tell("Connection lost repeatedly. The numbers are from before the loss.", "Reload the page")
      return
    }
    this.tell(this.restarts ? RESTARTS : LOST)
    this.comeBack(returns)
  }

  async comeBack(returns) {
    while (!(await serves())) await new Promise(resolve => setTimeout(resolve, RETRY))
    this.keep()
    sessionStorage.setItem("workbench:returns", JSON.stringify([...returns, Date.now()]))
    location.reload()
  }

  tell(words, action) {
    if ((this.lost || this.restarts) && !words) return
    notice.textContent = words
    notice.hidden = !words
    if (!action) return
    const button = make("button", {type: "button", class: "wb-button"}, action)
    button.addEventListener("click", () => location.reload())
    notice.append(" ", button)
  }
}

// What people do on one page, on its way to the session. One message is under way at a time.
// Gestures made meanwhile follow in their order, only the latest of each control, so that a slow
// server is never more than one answer behind.
class Wire {
  constructor(page, connection) {
    Object.assign(this, {page, connection, serial: 0, handled: 0})
    this.underway = null // the serial of the message that was not answered yet
    this.asked = null // that message
    this.waiting = new Map() // key -> [gesture, serial]
    this.uploads = 0
  }

  get busy() {
    return this.underway !== null || this.waiting.size > 0
  }

  // The serial number that the answer will carry. Of gestures with one key, the latest is sent.
  send(gesture, key = gesture.name ?? gesture.kind) {
    this.serial += 1
    this.waiting.delete(key)
    this.waiting.set(key, [gesture, this.serial])
    this.flush()
    return this.serial
  }

  flush() {
    const {channel, open, lost} = this.connection
    if (!open || lost || this.underway !== null || !this.waiting.size) return
    const [key, [gesture, serial]] = this.waiting.entries().next().value
    this.waiting.delete(key)
    this.underway = serial
    this.asked = gesture
    channel.send({...gesture, page: this.page, serial})
    clearTimeout(this.alarm)
    this.alarm = setTimeout(
      () => this.connection.tell("The server has not answered yet. The numbers do not include your last change."), PATIENCE)
  }

  answered(handled) {
    if (this.underway === null || this.underway > handled) return
    this.underway = this.asked = null
    this.heard()
    this.flush()
  }

  // The server is at work on it, and said so.
  heard() {
    clearTimeout(this.alarm)
    this.connection.tell("")
  }

  // Where things were dragged to in charts while no answer came, so that it is not lost with the connection.
  get drags() {
    const all = [this.asked, ...[...this.waiting.values()].map(([gesture]) => gesture)]
    return all.filter(gesture => gesture?.kind === "drag").map(gesture => ({...gesture, done: true}))
  }

  settled(serial) {
    return this.handled >= serial
  }

  // Until a gesture was answered.
  answer(serial) {
    return new Promise(resolve => {
      const ask = () => (this.settled(serial) ? resolve() : setTimeout(ask, 20))
      ask()
    })
  }

  // A later upload takes the place of one that is on its way, and so does a refusal.
  async upload(name, files, progress) {
    const upload = ++this.uploads
    const all = [...files].map(file => [file.name, file.size])
    await this.answer(this.send({kind: "files", name, files: all}))
    for (const [k, file] of [...files].entries()) {
      for (let at = 0; at < file.size && upload === this.uploads; at += CHUNK) {
        const content = await file.slice(at, at + CHUNK).arrayBuffer()
        if (upload !== this.uploads) break
        await this.answer(this.send({kind: "chunk", name, file: k, content}))
        if (upload === this.uploads) progress((at + CHUNK) / file.size)
      }
    }
    progress(1)
  }

  stopUpload() {
    this.uploads++
  }
}

// Whether the server is there again; one that starts says that it is not.
async function serves() {
  try {
    return (await fetch("./health", {cache: "no-store", signal: AbortSignal.timeout(ANSWER)})).ok
  } catch {
    return false
  }
}

function recentReturns() {
  const times = JSON.parse(sessionStorage.getItem("workbench:returns") ?? "[]")
  return times.filter(time => Date.now() - time < 60_000)
}

export const dim = on => root.toggleAttribute("data-stale", on)
