// The connection to the session on the server, and the order of what goes to and fro.

import {make} from "./board.js"
import {Channel} from "./channel.js"
import {Wire} from "./wire.js"

const ARRIVAL = 20_000 // ms for the connection to come
const RETRY = 1000 // ms between two questions whether the server is back
const RETURNS = 5 // reloads within a minute; then a person decides
const TRIES = 5 // sockets that are opened for a document
const ANSWER = 4000 // ms for the answer to such a question
const RESTARTS = "The server is being restarted: your work is kept. This page comes back by itself."
const LATE = "The server has not answered yet. The numbers do not include your last change."
const LOST = "Connection lost. The numbers are from before; controls have no effect until the server answers."

const root = document.documentElement
const notice = /** @type {HTMLElement} */ (document.querySelector(".wb-connection"))

export class Connection {
  // take(message) takes a message in its order; keep() returns what a reload has to bring back.
  constructor({take, keep}) {
    this.take = take
    this.keep = keep
    this.open = false
    this.lost = false
    this.tries = 0
    this.wires = new Map()
    this.early = new Map()
    this.next = 1
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
    if (!this.wires.has(page)) {
      this.wires.set(page, new Wire({
        ready: () => this.open && !this.lost,
        send: message => this.channel?.send({...message, page}),
        late: on => this.tell(on ? LATE : ""),
      }))
    }
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
