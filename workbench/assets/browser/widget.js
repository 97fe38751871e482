// A page in somebody else's document, such as a notebook: controls beside a board. The host is an
// object of the shape of anywidget's model: get(field), on(event, call), off(event, call), and
// send(message, callbacks, buffers). Events are "change:<field>" and "msg:custom", with a message
// and its buffers.
//
// Fields: frame (see Board; its "brief" names the items and controls that are shown first), sections (see Controls), opens (whether there is a button that opens
// the page in the dashboard), item_<name> (the content of an item as JSON), job_<name> (the state of
// a job as JSON), control_<name> (the state of a control as JSON), message, busy, and handled (the
// serial number of the last gesture that was carried out).

import {Board, make} from "./board.js"
import {Brief} from "./brief.js"
import {Controls} from "./controls.js"
import {Wire} from "./wire.js"

const KERNEL_WAIT = 10_000 // ms

export default {
  render: ({model, el}) => show(model, el),
}

// Draws the page of a host into an element; returns the function that takes it away.
export function show(host, el) {
  const kernel = new Kernel(host)
  const frame = host.get("frame")
  const sections = host.get("sections")
  const wire = new Wire({
    ready: () => true,
    send: ({content, ...gesture}) => host.send({kind: "gesture", gesture}, undefined, content ? [content] : []),
    late: on => board.showBusy(on || host.get("busy")),
  })
  const board = new Board(frame, gesture => wire.send(gesture), kernel)
  const controls = new Controls(sections, {
    send: gesture => wire.send(gesture),
    settled: serial => wire.settled(serial),
    upload: (name, files) => wire.upload(name, files, share => controls.progress(name, share)),
    offered: name => kernel.offered(name),
  })
  const watched = []
  const watch = (field, use) => {
    const update = () => use(host.get(field))
    host.on(`change:${field}`, update)
    watched.push([`change:${field}`, update])
    update()
  }
  const state = name => JSON.parse(host.get(`control_${name}`))
  // First, so that the control that was used shows what came of it, even if that is what was before.
  watch("handled", handled => {
    Object.assign(wire, {handled, serial: Math.max(wire.serial, handled)})
    wire.answered(handled)
    board.answered(handled)
    controls.show(Object.fromEntries(controls.names().map(name => [name, state(name)])))
  })
  for (const name of controls.names()) watch(`control_${name}`, () => controls.show({[name]: state(name)}))
  for (const {name} of [...frame.numbers, ...frame.sentences, ...frame.figures]) {
    watch(`item_${name}`, text => { if (text) board.show(name, JSON.parse(text)) })
  }
  for (const {name} of frame.jobs) {
    watch(`job_${name}`, text => { if (text) board.showJob(name, JSON.parse(text)) })
  }
  watch("message", message => board.showMessage(message))
  watch("busy", on => board.showBusy(on))

  if (frame.brief) controls.element.append(new Brief(frame.brief, board, controls, el).button)
  if (sections.length || frame.brief || host.get("opens")) {
    if (host.get("opens")) controls.element.append(opener(kernel))
    // Their keys are not JupyterLab's, which looks at the focused element itself.
    for (const one of controls.element.querySelectorAll("input, select, button, summary")) {
      one.setAttribute("data-lm-suppress-shortcuts", "")
    }
    el.append(controls.element)
  }
  el.append(board.element)
  el.classList.add("wb-view")
  board.start(() => kernel.charts())
  return () => {
    board.stop()
    kernel.stop()
    watched.forEach(([event, update]) => host.off(event, update))
  }
}

// A button that opens the address with which the kernel answers.
function opener(kernel) {
  const button = make("button", {type: "button", class: "wb-open"}, "Open in the workbench")
  button.addEventListener("click", async () => {
    const tab = window.open("", "_blank") // now, as browsers open no window later than the click
    const address = await kernel.address().catch(() => "") // the page says why there is none
    if (address) tab?.location.replace(new URL(address, location.href))
    else tab?.close()
  })
  return button
}

// What the kernel behind a page serves; see the constructor of Board.
class Kernel {
  constructor(host) {
    this.host = host
    this.modules = {}
    this.open = new Map() // open: id of a question -> who waits
    this.answered = ({kind, id, ...answer}, buffers) => {
      if (kind === "answer") this.open.get(id)?.({...answer, buffers})
    }
    host.on("msg:custom", this.answered)
  }

  ask(question, patience = KERNEL_WAIT) {
    const id = `${Date.now()} ${Math.random()}` // several boards of a page have one model
    return new Promise((resolve, reject) => {
      const late = () => this.open.get(id)({error: "the kernel does not answer; it is busy or was stopped"})
      const alarm = setTimeout(late, patience)
      this.open.set(id, ({error, ...answer}) => {
        clearTimeout(alarm)
        this.open.delete(id)
        if (error) reject(new Error(error))
        else resolve(answer)
      })
      this.host.send({kind: "ask", id, ...question})
    })
  }

  async module(name) {
    this.modules[name] ??= this.ask({what: "module", name}).then(({buffers: [code]}) =>
      import(URL.createObjectURL(new Blob([code], {type: "text/javascript"}))))
    try {
      return await this.modules[name]
    } catch (error) {
      delete this.modules[name]
      throw error
    }
  }

  async file(item, as, options = {}) {
    return this.saved({what: "file", item, as, ...options})
  }

  offered(control) {
    return this.saved({what: "offered", control})
  }

  // Has the browser save the file with which the kernel answers; resolves to its name.
  async saved(question) {
    const {save} = await this.module("chart_menu.js")
    const {name, type, buffers} = await this.ask(question, 6 * KERNEL_WAIT)
    return save(new Blob(buffers, {type}), name)
  }

  async texts(item) {
    return (await this.ask({what: "texts", item})).texts
  }

  async address() {
    return (await this.ask({what: "address"}, 6 * KERNEL_WAIT)).address
  }

  // plotly.js is sent once per document, compressed, to the first board that asks. If the kernel
  // stops before it answers, nothing waits for it.
  charts() {
    const before = window.wbPlotly
    if (before && (before.here || performance.now() - before.at < KERNEL_WAIT)) return before.library
    /** @type {{here: boolean, at: number, library?: Promise<any>}} */
    const asked = window.wbPlotly = {here: false, at: performance.now()}
    asked.library = new Promise((resolve, reject) => {
      this.host.on("msg:custom", ({kind}, buffers) => {
        if (kind !== "plotly") return
        asked.here = true
        unpacked(buffers[0]).then(resolve, reject)
      })
    })
    this.host.send({kind: "plotly"})
    return asked.library
  }

  stop() {
    this.host.off("msg:custom", this.answered)
    this.open.clear()
  }
}

// In a function of a module, so that no loader on the page takes it for a module of its own, and no
// other output of the notebook finds this small plotly.js where it looks for the whole.
async function unpacked(bytes) {
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  const code = await new Response(text).blob()
  const parts = [
    "const others = window.Plotly, own = {exports: {}};(function(module, exports, define) {", code,
    "\n}).call(window, own, own.exports); window.Plotly = others; export default own.exports",
  ]
  const address = URL.createObjectURL(new Blob(parts, {type: "text/javascript"}))
  return (await import(address)).default
}
