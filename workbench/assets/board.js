// The board: title, message, numbers, sentences and charts of a page, and the gestures of people.
// The dashboard and JupyterLab both draw with it.

const CONFIG = {displayModeBar: false, doubleClick: "reset", showTips: false}
const ARRAYS = {f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array}
const ROLE = /^@([a-z]+)(?:\/(0?\.\d+|1|0))?$/
const ROWS_SHOWN = 200
const PATIENCE = 10_000 // ms

export class Board {
  // frame: what the page holds and never changes; send(gesture) returns the gesture's serial.
  constructor(frame, send) {
    this.views = new Map()
    this.jobs = new Map()
    const root = this.element = make("div", {class: "wb-board", "data-view": frame.view ?? ""})
    const place = (item, view, at) => {
      this.views.set(item.name, view)
      at.append(...view.elements)
      return view
    }
    const about = frame.about ? [make("p", {class: "wb-about"}, frame.about)] : []
    root.append(make("header", {}, make("h1", {}, frame.title), ...about))
    this.alert = new Alert(send)
    root.append(this.alert.element)
    for (const job of frame.jobs) {
      const row = new JobRow(job, send)
      this.jobs.set(job.name, row)
      root.append(row.element)
    }
    const strip = make("div", {class: "wb-strip", style: `--columns: ${columns(frame.numbers.length)}`})
    const places = {
      head: make("div", {class: "wb-sentences wb-small"}),
      strip: make("div", {class: "wb-sentences", "aria-live": "polite"}),
      foot: make("div", {class: "wb-sentences wb-small"}),
    }
    const cards = make("div", {class: "wb-cards"})
    root.firstChild.append(places.head)
    root.append(strip, places.strip, cards, places.foot)
    for (const item of frame.numbers) place(item, new NumberCard(item), strip)
    for (const item of frame.sentences) place(item, new Sentence(), places[item.place])
    this.charts = frame.figures.map(item => place(item, new ChartCard(item, send), cards))
    this.busy = make("div", {class: "wb-busy", role: "status"})
    root.append(this.busy)
  }

  show(name, content) {
    this.views.get(name)?.show(content)
  }

  showJob(name, state) {
    this.jobs.get(name)?.show(state)
  }

  showMessage(message) {
    this.alert.show(message)
  }

  showBusy(on) {
    this.busy.textContent = on ? "Updating …" : ""
  }

  answered(serial) {
    for (const chart of this.charts) chart.answered(serial)
  }

  // Draw the charts, once plotly.js is here: from an address, or from the model of a notebook.
  start(address, model) {
    this.startCharts(address, model)
    this.themes = new MutationObserver(() => this.charts.forEach(chart => chart.schedule()))
    this.themes.observe(document.documentElement, {attributeFilter: ["data-theme"]})
    this.themes.observe(document.body, {attributeFilter: ["data-jp-theme-light"]})
  }

  startCharts(address, model) {
    havePlotly(address, model).then(() => {
      if (this.alert.act) this.showMessage("")
      this.element.classList.add("wb-live")
      this.charts.forEach(chart => chart.start())
    }, error => {
      const again = () => this.startCharts(address, model)
      this.alert.show(`${error.message}; the charts cannot be drawn without it`, "Try again", again)
    })
  }

  stop() {
    this.themes.disconnect()
    this.charts.forEach(chart => chart.stop())
  }
}

// In JupyterLab (anywidget). Synced: frame, item_<name> (an item's content as JSON), job_<name> (the
// state of a job as JSON), message, busy, handled (serial of the last gesture that was
// answered), and gesture, the only one that is written here.
export default {
  render({model, el}) {
    let serial = 0
    const frame = model.get("frame")
    const board = new Board(frame, gesture => {
      model.set("gesture", {...gesture, serial: ++serial})
      model.save_changes()
      return serial
    })
    const watched = []
    const watch = (name, use) => {
      const update = () => use(model.get(name))
      model.on(`change:${name}`, update)
      watched.push([`change:${name}`, update])
      update()
    }
    for (const {name} of [...frame.numbers, ...frame.sentences, ...frame.figures]) {
      watch(`item_${name}`, text => { if (text) board.show(name, JSON.parse(text)) })
    }
    for (const {name} of frame.jobs) {
      watch(`job_${name}`, text => { if (text) board.showJob(name, JSON.parse(text)) })
    }
    watch("message", message => board.showMessage(message))
    watch("busy", on => board.showBusy(on))
    watch("handled", number => board.answered(number))
    el.append(board.element)
    board.start("", model)
    return () => {
      board.stop()
      watched.forEach(([event, update]) => model.off(event, update))
    }
  },
}

// -- numbers, sentences, the message ------------------------------------------------------------

class NumberCard {
  constructor(item) {
    this.item = item
    this.relation = make("span", {class: "wb-relation"})
    this.value = make("span", {class: "wb-value"})
    this.badge = make("span", {class: "wb-badge"})
    this.note = make("p", {class: "wb-note"})
    const panel = make("div", {class: "wb-panel wb-number-panel"})
    this.explanation = make("p", {})
    panel.append(...help(item), this.explanation, ...promises(item))
    const button = discloses(panel, {class: "wb-icon", "aria-label": `About: ${item.title}`}, "i")
    const card = make("section", {class: "wb-card wb-number", "aria-label": item.title},
      make("div", {class: "wb-card-head"}, make("h2", {}, item.title), button),
      make("div", {class: "wb-figure"}, this.relation, this.value), this.badge, this.note)
    this.elements = [card, panel]
  }

  show({value, relation, badge, tone, note, explanation}) {
    this.relation.textContent = relation
    this.value.textContent = value
    this.value.classList.toggle("wb-long", value.length > 8)
    this.value.classList.toggle("wb-longer", value.length > 14)
    this.badge.textContent = badge
    this.badge.dataset.tone = tone
    this.note.textContent = note
    this.explanation.textContent = explanation
  }
}

// The fewest rows of at most six columns, about equally full.
const columns = count => Math.ceil(count / Math.ceil(count / 6)) || 1

class Sentence {
  constructor() {
    this.elements = [make("p", {class: "wb-sentence", hidden: ""})]
  }

  show(text) {
    const [paragraph] = this.elements
    paragraph.textContent = text
    paragraph.hidden = !paragraph.textContent
  }
}

// The error message; its button dismisses it, unless it has another action.
class Alert {
  constructor(send) {
    this.words = make("p", {})
    this.button = make("button", {class: "wb-text-button", type: "button"})
    this.button.addEventListener("click", () => (this.act ? this.act() : send({kind: "dismiss"})))
    this.body = make("div", {class: "wb-alert", hidden: ""}, this.words, this.button)
    this.element = make("div", {role: "alert"}, this.body)
  }

  show(message, action = "Dismiss", act = null) {
    this.act = act
    this.button.textContent = action
    if (this.words.textContent !== message) this.words.textContent = message
    this.body.hidden = !message
  }
}

// -- long work -----------------------------------------------------------------------------------

// Its button is among the controls; on a phone, where those are hidden, it is here.
class JobRow {
  constructor({name, title}, send) {
    this.title = title
    this.words = make("p", {class: "wb-job-words"})
    this.button = make("button", {class: "wb-text-button", type: "button"})
    this.button.addEventListener("click", () => send({kind: "job", job: name}))
    this.bar = make("div", {class: "wb-progress", role: "progressbar", "aria-label": title,
      "aria-valuemin": "0", "aria-valuemax": "100"}, make("div", {}))
    // Read aloud are the beginning and the end, not every step.
    this.said = make("p", {class: "wb-said", role: "status"})
    this.element = make("section", {class: "wb-card wb-job", "aria-label": title},
      make("div", {class: "wb-job-head"}, make("h2", {}, title), this.words, this.button),
      this.bar, this.said)
  }

  show({status, tone, fraction, words, offered}) {
    const running = status === "running"
    const before = this.element.dataset.status
    Object.assign(this.element.dataset, {status, tone})
    this.element.hidden = status === "idle" && !offered
    this.words.textContent = words
    this.button.textContent = running ? "Cancel" : "Run"
    this.button.setAttribute("aria-label", `${this.button.textContent}: ${this.title}`)
    this.button.hidden = !offered
    this.bar.hidden = !running
    if (fraction === null) this.bar.removeAttribute("aria-valuenow")
    else this.bar.setAttribute("aria-valuenow", Math.round(100 * fraction))
    this.bar.setAttribute("aria-valuetext", words)
    this.bar.firstChild.style.width = fraction === null ? "" : `${100 * fraction}%`
    if (before && before !== status) this.said.textContent = `${this.title}: ${running ? "running" : words}`
  }
}

// -- charts -------------------------------------------------------------------------------------

class ChartCard {
  constructor(item, send) {
    this.item = item
    this.send = send
    this.drag = null // {shape, x, release}: the line under a person's finger
    this.arrays = new Map() // as text -> as last drawn
    this.plot = make("div", {class: "wb-plot", role: "img", "aria-label": item.title})
    this.handles = Object.keys(item.drag).map(shape => this.makeHandle(shape))
    this.table = make("div", {class: "wb-panel wb-data"})
    const info = make("div", {class: "wb-panel"}, ...promises(item))
    const buttons = [
      discloses(this.table, {class: "wb-text-button", "aria-label": `Data: ${item.title}`}, "Data",
        () => this.fillTable()),
    ]
    const promised = info.childElementCount ? [info] : []
    if (promised.length) {
      buttons.push(discloses(info, {class: "wb-icon", "aria-label": `About: ${item.title}`}, "i"))
    }
    const head = make("div", {class: "wb-card-head"}, make("h2", {}, item.title),
      make("div", {class: "wb-buttons"}, ...buttons))
    const stage = make("div", {class: "wb-stage"}, this.plot, ...this.handles)
    const card = make("section", {class: "wb-card wb-chart", "aria-label": item.title,
      "data-item": item.name, style: `--span: ${item.span}`},
      head, ...help(item), ...promised, stage, this.table)
    if (item.click) this.listenForClicks(stage)
    this.elements = [card]
  }

  show(figure) {
    this.figure = figure
    this.schedule()
  }

  start() {
    this.ready = true
    this.resizes = new ResizeObserver(([{contentRect: {width, height}}]) => {
      this.size = {width, height}
      this.schedule()
    })
    this.resizes.observe(this.plot)
    this.schedule()
  }

  stop() {
    this.resizes?.disconnect()
    if (this.ready) Plotly.purge(this.plot)
  }

  // Many changes between two frames are one drawing, of the last of them.
  schedule() {
    if (this.frame || !this.ready || !this.figure) return
    this.frame = requestAnimationFrame(() => {
      this.frame = null
      this.draw()
    })
  }

  draw() {
    if (!this.size?.width) return
    const style = getComputedStyle(this.plot)
    const arrays = new Map()
    // Plotly takes for unchanged what is the same object as before, and then redraws much less.
    const keep = (text, array) => {
      arrays.set(text, this.arrays.get(text) ?? array())
      return arrays.get(text)
    }
    const paint = role => color(role, style)
    const data = revive(this.figure.data, paint, keep)
    // A layout's arrays are plotly's to change (ranges), but for those of the ticks.
    const layout = revive(this.figure.layout, paint, (text, array) => array())
    for (const axis of [layout.xaxis, layout.yaxis]) {
      for (const ticks of ["tickvals", "ticktext"]) {
        if (axis?.[ticks]) axis[ticks] = keep(JSON.stringify(axis[ticks]), () => axis[ticks])
      }
    }
    this.arrays = arrays
    this.summary = layout.meta?.summary ?? this.item.title
    delete layout.meta
    // A height that differs from the last one comes back as a new size.
    this.plot.style.height = layout.height ? `${layout.height}px` : ""
    Object.assign(layout, this.size)
    // With a finger, a drag across the chart scrolls the page.
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false
    if (this.drag) moveNamed(layout, this.drag.shape, this.drag.x)
    const first = !this.plot.on
    Plotly.react(this.plot, data, layout, CONFIG)
    if (first) this.plot.on("plotly_afterplot", () => this.placeHandles())
    this.placeHandles()
    this.plot.setAttribute("aria-label", this.summary)
    if (!this.table.hidden) this.fillTable()
  }

  // -- dragging a line --

  makeHandle(shape) {
    const handle = make("div", {class: "wb-handle", "data-shape": shape, "aria-hidden": "true", hidden: ""})
    let from
    handle.addEventListener("pointerdown", event => {
      event.preventDefault()
      handle.setPointerCapture(event.pointerId)
      from = event.clientX
    })
    handle.addEventListener("pointermove", event => {
      if (from === undefined || (!this.dragging() && Math.abs(event.clientX - from) < 3)) return
      this.drag = {shape, x: this.at(event).x}
      this.schedule()
      this.sendDrag(false)
    })
    const end = event => {
      from = undefined
      if (!this.dragging()) return
      // A busy browser leaves out moves, the last one too; where it was let go is certain.
      if (event.type === "pointerup") this.drag.x = this.at(event).x
      this.schedule()
      this.drag.release = this.sendDrag(true)
    }
    handle.addEventListener("pointerup", end)
    handle.addEventListener("pointercancel", end)
    return handle
  }

  dragging() {
    return this.drag && this.drag.release === undefined
  }

  sendDrag(done) {
    const {shape, x} = this.drag
    return this.send({kind: "drag", item: this.item.name, shape, name: this.item.drag[shape], x, done})
  }

  // Once the page has answered the last place of a drag, the chart is what the page says.
  answered(serial) {
    if (this.drag?.release <= serial) {
      this.drag = null
      this.schedule()
    }
  }

  placeHandles() {
    const {xaxis, _size: size} = this.plot._fullLayout
    for (const handle of this.handles) {
      const shape = this.plot.layout.shapes?.find(({name}) => name === handle.dataset.shape)
      const x = shape ? xaxis.d2p(shape.x0) : NaN
      handle.hidden = !(x > -1 && x < xaxis._length + 1) // a pixel for round-off at the ends
      Object.assign(handle.style, {left: `${xaxis._offset + x}px`, top: `${size.t}px`, height: `${size.h}px`})
    }
  }

  // -- clicking --

  listenForClicks(stage) {
    stage.addEventListener("pointerdown", from => {
      if (from.button !== 0 || !this.plot._fullLayout) return
      const {x, y, inside} = this.at(from)
      // The button comes up over a cover that plotly lays across the whole page.
      window.addEventListener("pointerup", to => {
        const still = Math.hypot(to.clientX - from.clientX, to.clientY - from.clientY) < 3
        if (still && inside) this.send({kind: "click", item: this.item.name, x, y})
      }, {once: true, capture: true})
    }, true)
  }

  // The place of a pointer in data coordinates, held inside the plot area.
  at(event) {
    const {xaxis, yaxis} = this.plot._fullLayout
    const box = this.plot.getBoundingClientRect()
    const right = event.clientX - box.left - xaxis._offset
    const down = event.clientY - box.top - yaxis._offset
    const x = Math.min(Math.max(right, 0), xaxis._length)
    const y = Math.min(Math.max(down, 0), yaxis._length)
    return {x: xaxis.p2d(x), y: yaxis.p2d(y), inside: x === right && y === down}
  }

  // -- the data as a table --

  curves() {
    return this.plot.data.filter(({name}) => name).map(({name, x, y}) => ({name, x, y}))
  }

  axes() {
    const {xaxis, yaxis} = this.plot.layout
    return ["curve", xaxis?.title?.text || "x", yaxis?.title?.text || "y"]
  }

  fillTable() {
    if (!this.plot.data) return
    const row = (cell, values) => make("tr", {}, ...values.map(value => make(cell, {}, value)))
    const rows = this.curves().flatMap(({name, x, y}) => {
      const every = Math.ceil(x.length / ROWS_SHOWN)
      return Array.from(x).flatMap((_, k) => (k % every ? [] : [row("td", [name, digits(x[k]), digits(y[k])])]))
    })
    const all = this.curves().reduce((sum, {x}) => sum + x.length, 0)
    const download = make("button", {class: "wb-text-button", type: "button"}, "Download CSV")
    download.addEventListener("click", () => this.download())
    const table = make("table", {}, make("thead", {}, row("th", this.axes())), make("tbody", {}, ...rows))
    this.table.replaceChildren(
      make("p", {}, this.summary),
      make("p", {class: "wb-quiet"}, `${rows.length} of ${all} rows shown. `, download),
      make("div", {class: "wb-scroll", tabindex: "0", role: "region", "aria-label": `Data: ${this.item.title}`}, table))
  }

  download() {
    const quote = value => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value)
    const lines = [this.axes()]
    for (const {name, x, y} of this.curves()) x.forEach((value, k) => lines.push([name, value, y[k]]))
    const csv = lines.map(line => line.map(quote).join(",")).join("\n")
    const href = URL.createObjectURL(new Blob([csv], {type: "text/csv"}))
    make("a", {href, download: `${this.item.name}.csv`}).click()
    URL.revokeObjectURL(href)
  }
}

function moveNamed({shapes = [], annotations = []}, name, x) {
  for (const shape of shapes) if (shape.name === name) Object.assign(shape, {x0: x, x1: x})
  for (const note of annotations) if (note.name === name) note.x = x
}

// A figure for plotly: roles become colors, encoded arrays become typed arrays.
function revive(value, paint, keep) {
  const again = one => revive(one, paint, keep)
  if (typeof value === "string") return value.startsWith("@") ? paint(value) : value
  if (value === null || typeof value !== "object") return value
  if (value.bdata !== undefined) return keep(value.bdata, () => typedArray(value))
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, again(one)]))
  const plain = value.every(one => one === null || typeof one !== "object")
  const array = value.map(again)
  return plain ? keep(JSON.stringify(array), () => array) : array
}

const typedArray = ({dtype, bdata}) =>
  new ARRAYS[dtype](Uint8Array.from(atob(bdata), character => character.charCodeAt(0)).buffer)

// The palette is in the page's style sheet, so a change of theme needs no server.
function color(role, style) {
  const [, name, opacity] = role.match(ROLE) ?? []
  if (!name) return role
  const hex = style.getPropertyValue(`--wb-${name}`).trim()
  if (opacity === undefined) return hex
  return `rgba(${[1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16))},${opacity})`
}

// The chart library; until it is here there are no charts.
let Plotly
let coming

async function havePlotly(address, model) {
  Plotly ??= await (address ? fromAddress(address) : fromModel(model))
}

// To run the library takes longer than to draw the numbers, so these are painted first.
function fromAddress(address) {
  coming ??= painted().then(() => run(address)).catch(error => {
    coming = null
    throw error
  })
  return coming
}

// Runs the library while the browser rests, where no chart is shown yet. If it does not come, the
// first chart asks again, and tells.
export function prepareCharts(address) {
  const rest = window.requestIdleCallback ?? setTimeout
  rest(() => fromAddress(address).catch(() => {}))
}

// After the next frame; a page in the background has none.
const painted = () => new Promise(resolve => {
  requestAnimationFrame(() => setTimeout(resolve))
  if (document.hidden) resolve()
})

function run(address) {
  const script = make("script", {src: address})
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve(window.Plotly))
    script.addEventListener("error", () => reject(new Error(`plotly.js could not be loaded from ${address}`)))
    document.head.append(script)
  })
}

// A notebook's kernel sends plotly.js once per page, compressed, to the first board that asks. If
// the kernel stops before it answers, nothing waits for it.
function fromModel(model) {
  const before = window.wbPlotly
  if (before && (before.here || performance.now() - before.at < PATIENCE)) return before.library
  const asked = window.wbPlotly = {here: false, at: performance.now()}
  asked.library = new Promise((resolve, reject) => {
    model.on("msg:custom", ({kind}, buffers) => {
      if (kind !== "plotly") return
      asked.here = true
      unpacked(buffers[0]).then(resolve, reject)
    })
  })
  model.send({kind: "plotly"})
  return asked.library
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

// -- elements -----------------------------------------------------------------------------------

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const help = item => (item.help ? [make("p", {class: "wb-help"}, item.help)] : [])

function promises({formula, caution}) {
  const parts = []
  if (formula) parts.push(make("p", {class: "wb-formula"}, formula))
  if (caution) parts.push(make("h3", {}, "Assumptions and limits"), make("p", {}, caution))
  return parts
}

// A button that opens and closes a panel.
function discloses(panel, attributes, text, onOpen = () => {}) {
  const button = make("button", {type: "button", "aria-expanded": "false", ...attributes}, text)
  panel.hidden = true
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden
    button.setAttribute("aria-expanded", String(!panel.hidden))
    if (!panel.hidden) onOpen()
  })
  return button
}

const digits = value => (typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value))
