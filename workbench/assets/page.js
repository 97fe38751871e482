// The page of the dashboard: draws the first state, which is in the document, then the changes that
// the session sends, and sends the gestures of people. See workbench/dashboard/session.py for the messages.

import {Board, make} from "./board.js"
import {Controls} from "./controls.js"
import {Sheet} from "./sheet.js"

const NARROW = "(max-width: 899px)"
const PATIENCE = 4000 // ms without an answer after which people are told
const ARRIVAL = 20_000 // ms for the connection to come
const RETRY = 1000 // ms between two questions whether the server is back
const RETURNS = 5 // reloads within a minute; then a person decides
const CHUNK = 2 ** 20 // bytes of a file in one message

const root = document.documentElement
const notice = document.querySelector(".wb-connection")
const first = JSON.parse(document.getElementById("first").textContent)
const kept = `workbench:lost:${location.pathname}`

// -- what people do, on its way to the session ----------------------------------------------------

// One message is under way at a time. Gestures made meanwhile follow in their order, only the latest
// of each control, so that a slow server is never more than one answer behind.
class Wire {
  constructor() {
    this.serial = this.handled = 0
    this.underway = null // the serial of the message that was not answered yet
    this.waiting = new Map() // key -> [gesture, serial]
    this.model = null
    this.lost = false
  }

  // The serial number that the answer will carry.
  send(gesture) {
    const key = gesture.name ?? gesture.kind
    this.serial += 1
    this.waiting.delete(key)
    this.waiting.set(key, [gesture, this.serial])
    this.flush()
    return this.serial
  }

  flush() {
    if (!this.model || this.lost || this.underway !== null || !this.waiting.size) return
    const [key, [gesture, serial]] = this.waiting.entries().next().value
    this.waiting.delete(key)
    this.underway = serial
    const {content, ...rest} = gesture
    const message = {text: JSON.stringify({...rest, serial})}
    this.model.send_msg(content === undefined ? message : {...message, content})
    this.watch()
  }

  answered(handled) {
    this.handled = Math.max(this.handled, handled)
    if (this.underway === null || this.underway > handled) return
    this.underway = null
    this.heard()
    this.flush()
  }

  // An answer that does not come is told: the numbers on the page are older than the controls.
  watch() {
    clearTimeout(this.alarm)
    this.alarm = setTimeout(
      () => tell("The server has not answered yet. The numbers do not include your last change."), PATIENCE)
  }

  // The server is at work on it, and said so.
  heard() {
    clearTimeout(this.alarm)
    tell("")
  }
}

const wire = new Wire()

// -- what the session sends ------------------------------------------------------------------------

const contents = {}
const settings = {...first.settings}
const board = new Board(first.frame, gesture => wire.send(gesture))
const controls = new Controls(first.sections, {
  send: gesture => wire.send(gesture),
  settled: serial => wire.handled >= serial,
  upload,
})

// A part of a figure builds on those before it, and messages can overtake each other.
const early = new Map() // number -> message
let next = 1

function arrived(message) {
  early.set(message.number, message)
  for (; early.has(next); next++) {
    update(early.get(next))
    early.delete(next)
  }
}

function update(news) {
  for (const [name, parts] of Object.entries(news.items ?? {})) {
    contents[name] = merged(contents[name], parts)
    board.show(name, contents[name])
  }
  if (news.handled !== undefined) {
    board.answered(news.handled)
    wire.answered(news.handled)
  }
  if (news.controls) controls.show(news.controls)
  if (news.settings) Object.assign(settings, news.settings)
  for (const [name, text] of Object.entries(news.jobs ?? {})) board.showJob(name.slice("job_".length), JSON.parse(text))
  if (news.message !== undefined) board.showMessage(news.message)
  if (news.busy !== undefined) board.showBusy(news.busy)
  if (news.busy) wire.heard()
}

// Puts the changed parts of a figure into the present one; any other item comes whole.
function merged(before, {all, layout, traces, ...changed}) {
  if (all !== undefined) return all
  const data = (before?.data ?? []).slice(0, traces)
  for (const [place, trace] of Object.entries(changed)) data[place] = trace
  return {data, layout: layout ?? before.layout}
}

// -- the connection --------------------------------------------------------------------------------

window.workbench.use = model => {
  wire.model = model
  model.on("msg:custom", event => arrived(JSON.parse(event.data ?? event)))
  Bokeh.documents[0].on_event("connection_lost", lost)
  const before = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  if (before) {
    const serial = wire.send({kind: "restore", settings: JSON.parse(before).settings})
    const done = setInterval(() => {
      if (wire.handled < serial) return
      clearInterval(done)
      dim(false)
      tell("")
    }, 50)
  }
  root.dataset.connected = ""
  tell("")
  wire.flush()
}
if (window.workbench.model) window.workbench.use(window.workbench.model)
setTimeout(() => {
  if (!wire.model) tell("There is no connection to the server: the controls have no effect yet.", "Reload the page")
}, ARRIVAL)

function lost() {
  if (wire.lost) return
  wire.lost = true
  delete root.dataset.connected
  dim(true)
  clearTimeout(wire.alarm)
  const returns = recentReturns()
  if (returns.length >= RETURNS) {
    tell("Connection lost repeatedly. The numbers are from before the loss.", "Reload the page")
    return
  }
  tell("Connection lost. The numbers are from before; controls have no effect until the server answers.")
  const ask = setInterval(async () => {
    try {
      const answer = await fetch("./liveness", {cache: "no-store"})
      if (!answer.ok) return
    } catch {
      return
    }
    clearInterval(ask)
    sessionStorage.setItem(kept, JSON.stringify({settings: {...settings, ...controls.unsent()}}))
    sessionStorage.setItem("workbench:returns", JSON.stringify([...returns, Date.now()]))
    location.reload()
  }, RETRY)
}

function recentReturns() {
  const times = JSON.parse(sessionStorage.getItem("workbench:returns") ?? "[]")
  return times.filter(time => Date.now() - time < 60_000)
}

const dim = on => root.toggleAttribute("data-stale", on)

function tell(words, action) {
  if (wire.lost && !words) return
  notice.textContent = words
  notice.hidden = !words
  if (!action) return
  const button = make("button", {type: "button", class: "wb-button"}, action)
  button.addEventListener("click", () => location.reload())
  notice.append(" ", button)
}

// -- files -----------------------------------------------------------------------------------------

const answer = serial => new Promise(resolve => {
  const ask = () => (wire.handled >= serial ? resolve() : setTimeout(ask, 20))
  ask()
})

async function upload(name, files) {
  const all = [...files].map(file => [file.name, file.size])
  await answer(wire.send({kind: "files", name, files: all}))
  for (const [k, file] of [...files].entries()) {
    for (let at = 0; at < file.size; at += CHUNK) {
      const content = await file.slice(at, at + CHUNK).arrayBuffer()
      await answer(wire.send({kind: "chunk", name, file: k, content}))
      controls.progress(name, (at + CHUNK) / file.size)
    }
  }
  controls.progress(name, 1)
}

// -- the shell: drawer and theme -------------------------------------------------------------------

const drawer = document.querySelector(".wb-drawer")
const menuButton = document.querySelector(".wb-menu-button")
const narrow = matchMedia(NARROW)

function openDrawer(open) {
  root.toggleAttribute("data-drawer", open)
  drawer.inert = !open
  menuButton.setAttribute("aria-expanded", String(open))
  menuButton.setAttribute("aria-label", open ? "Close drawer" : "Open drawer")
}
openDrawer(!narrow.matches)
narrow.addEventListener("change", () => openDrawer(!narrow.matches))
menuButton.addEventListener("click", () => openDrawer(drawer.inert))
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && narrow.matches && !drawer.inert) {
    openDrawer(false)
    menuButton.focus()
  }
})
document.querySelector("#content").addEventListener("pointerdown", () => {
  if (narrow.matches && !drawer.inert) openDrawer(false)
})

const themeButton = document.querySelector(".wb-theme")
const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm-1-6h2v4h-2Zm0 18h2v4h-2ZM1 11h4v2H1Zm18 0h4v2h-4ZM5 3.6 7.8 6.4 6.4 7.8 3.6 5Zm12.6 12.6 2.8 2.8-1.4 1.4-2.8-2.8ZM3.6 19l2.8-2.8 1.4 1.4L5 20.4ZM16.2 6.4 19 3.6 20.4 5l-2.8 2.8Z"
const MOON = "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"

function showTheme() {
  const dark = root.dataset.theme === "dark"
  themeButton.setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme")
  themeButton.innerHTML = `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="${dark ? SUN : MOON}"/></svg>`
}
themeButton.addEventListener("click", () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
  localStorage.setItem("workbench:theme", root.dataset.theme)
  showTheme()
})
showTheme()

// -- the first drawing -----------------------------------------------------------------------------

drawer.append(controls.element)
document.querySelector("#content").append(board.element)
const sheet = new Sheet(first.frame.main, name => controls.all.get(name)?.element)
document.body.append(sheet.element)
board.element.addEventListener("wb-enlarged", event => sheet.lend(event.detail))
update(first)
board.start(document.body.dataset.plotly)
if (sessionStorage.getItem(kept)) {
  dim(true)
  tell("The connection is back. Restoring your settings …")
}
