// The board: title, message, numbers, sentences and charts of a page, and the gestures of people.
// The dashboard, JupyterLab and reports draw with it.

const CONFIG = {displayModeBar: false, doubleClick: "reset", showTips: false}
const ARRAYS = {f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array}
const ROLE = /^@([a-z]+)(?:\/(0?\.\d+|1|0))?$/
const ROWS_SHOWN = 200
const SAVE = '<svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d="M11 3h2v9l3.500-3.500 1.400 1.400L12 16 6.100 9.900l1.400-1.400L11 12ZM4 18h16v2H4Z"/></svg>'
const PENDING = "…" // what the dashboard shows while something slow is computed
const SOON = 300 // ms after the last change until an open explanation asks for its texts
const QUIET = 900 // ms after the last change until it is read aloud

// Pixels of the dashboard's page: its bar, the gap between cards, and what a row of charts needs.
const BAR = 56
const GAP = 12
// The ranks of numbers in the order of the page; those that answer its question are always shown.
const MAIN = "main"
const RANKS = [MAIN, "bound", "estimate", "fact"]
const UNSAMPLED = "no samples" // the term of a bound that rests on none: "proven" says as much
const WIDTHS = {bound: 1.15, estimate: 1, fact: 1.1} // of a column, relative to each other
const IN_ONE_ROW = 10 // numbers that fit into one row, where a main one takes the room of two
const ONE_LINE = 120 // letters of a provenance that is shown in whole
const SHORT = 40 // letters of a term that stands under its bound; a longer one is in its explanation

const TICKS = 11 // the least size of ticks for a projector, before all is enlarged
const ROW = {least: 244, highest: 560}

export class Board {
  // What is listened to while the board is in the document.
  fitting = () => this.fit()
  printing = ({type}) => this.charts.forEach(chart => chart.print(type === "beforeprint"))

  // frame: what the page holds and never changes; send(gesture) returns the gesture's serial. tools
  // serve what is loaded when it is used, the menus of charts and the copies of numbers:
  // module(name); file(item, kind, options) saves a chart; texts(item) of a number; risk: whether the
  // answer may lead to the page Risk.
  constructor(frame, send, tools) {
    this.views = new Map()
    this.jobs = new Map()
    const place = (item, view, at, panels = at) => {
      this.views.set(item.name, view)
      at.append(view.element)
      if (view.panel) panels.append(view.panel)
      return view
    }
    this.alert = new Alert(send)
    const jobs = frame.jobs.map(job => {
      const row = new JobRow(job, send)
      this.jobs.set(job.name, row)
      return row.element
    })
    const header = new Header(frame)
    const answers = frame.sentences.some(sentence => sentence.place === "answer")
    const [strip, behind] = answers ? foldedOf(frame.numbers) : [frame.numbers, []]
    this.numbers = new Numbers(strip, tools)
    const places = {
      answer: make("div", {class: "wb-answer"}),
      head: header.sentences,
      strip: make("div", {class: "wb-sentences wb-notices", "aria-live": "polite"}),
      text: make("div", {class: "wb-sentences wb-words"}),
      foot: make("div", {class: "wb-sentences wb-small"}),
    }
    this.cards = make("div", {class: "wb-cards"})
    this.top = make("div", {class: "wb-top"}, header.element, this.alert.element, places.answer, ...jobs, this.numbers.element, places.strip)
    this.charts = frame.figures.map(item => place(item, new ChartCard(item, send, tools), this.cards))
    const [first, folded] = foldedOf(frame.figures)
    this.rows = rowsOf(first)
    this.folded = new Folded(this.charts.filter(({item}) => folded.includes(item)), () => this.resized())
    const body = make("div", {class: "wb-body"}, this.top, this.cards, this.folded.button, ...inWords([places.text, places.foot], answers))
    this.busy = make("div", {class: "wb-busy", role: "status"})
    this.announcer = new Announcer()
    this.element = make("div", {class: "wb-board", "data-view": frame.view ?? ""},
      body, this.busy, this.announcer.element)
    this.voids = new Voids()
    places.strip.append(this.voids.element)
    for (const cell of this.numbers.cells) this.views.set(cell.item.name, cell)
    for (const item of frame.sentences) place(item, new (SENTENCES[item.place] ?? Sentence)(), places[item.place])
    for (const item of behind) this.views.set(item.name, new FoldedNumber(item, tools, places.answer))
    if (frame.risk && tools?.risk) places.answer.querySelector(".wb-headline")?.append(toRisk(send))
    this.panels = new Disclosures(this.element)
  }

  show(name, content) {
    const view = this.views.get(name)
    view?.show(content)
    if (!view?.said || (content.value ?? content.words) === PENDING) return
    this.announcer.changed(view)
    if (view instanceof NumberCell) this.voids.take(view.item.title, content.reason)
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

  // Draw the charts, once plotly.js is here; library() returns a promise of it.
  start(library) {
    this.startCharts(library)
    this.themes = new MutationObserver(() => this.resized())
    this.themes.observe(document.documentElement, {attributeFilter: ["data-theme", "data-projector"]})
    this.themes.observe(document.body, {attributeFilter: ["data-jp-theme-light"]})
    if (document.documentElement.dataset.bench === undefined) return
    this.heights = new ResizeObserver(([{contentRect: {height}}]) => {
      this.topHeight = height
      this.fit()
    })
    this.heights.observe(this.top)
    window.addEventListener("resize", this.fitting)
    window.addEventListener("beforeprint", this.printing)
    window.addEventListener("afterprint", this.printing)
  }

  // Rows of charts fill what the numbers leave of the window, unless the board is hidden, or all is
  // in one column.
  fit() {
    if (!this.topHeight || matchMedia("(max-width: 600px)").matches) return this.cards.style.removeProperty("--row")
    const large = document.documentElement.dataset.projector !== undefined
    const rest = window.innerHeight - BAR - this.topHeight - 3 * GAP - (large ? sheetHeight() : 0)
    const rows = large ? 1 : Math.max(1, Math.min(this.rows, Math.floor((rest + GAP) / (ROW.least + GAP))))
    const row = Math.floor((rest + GAP) / rows - GAP)
    this.cards.style.setProperty("--row", `${Math.min(Math.max(row, ROW.least), ROW.highest)}px`)
  }

  // After a change of size that no observer sees, or while the board was not part of the document.
  resized() {
    this.fit()
    this.charts.forEach(chart => chart.schedule())
  }

  startCharts(library) {
    havePlotly(library).then(() => {
      if (this.alert.act) this.showMessage("")
      this.element.classList.add("wb-live")
      this.charts.forEach(chart => chart.start())
    }, error => {
      const again = () => this.startCharts(library)
      this.alert.show(`${error.message}; the charts cannot be drawn without it`, "Try again", again)
    })
  }

  stop() {
    this.themes?.disconnect()
    if (this.heights) {
      this.heights.disconnect()
      window.removeEventListener("resize", this.fitting)
      window.removeEventListener("beforeprint", this.printing)
      window.removeEventListener("afterprint", this.printing)
    }
    this.panels.stop()
    this.announcer.stop()
    this.charts.forEach(chart => chart.stop())
  }
}

// Pixels that the sheet of main controls covers; see sheet.js.
const sheetHeight = () => parseFloat(document.documentElement.style.getPropertyValue("--wb-sheet")) || 0

// -- numbers, sentences, the message ------------------------------------------------------------

// Title and question, and the beginning of the provenance; a button opens all over what is below.
class Header {
  constructor({title, about}) {
    this.sentences = make("div", {class: "wb-sentences wb-small wb-provenance"})
    const sheet = make("div", {class: "wb-masthead"})
    const button = make("button", {class: "wb-icon wb-more", type: "button", "aria-label": "About this page",
      "aria-expanded": "false"}, "i")
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "false"
      // What is below keeps its place.
      this.element.style.height = open ? `${this.element.offsetHeight}px` : ""
      this.element.toggleAttribute("data-open", open)
      button.setAttribute("aria-expanded", String(open))
    })
    const asked = about.search(/[^.?!]+\?$/) // what comes before the question is in the sheet
    const question = about ? [make("p", {class: "wb-about"}, make("span", {class: "wb-rest"}, about.slice(0, Math.max(0, asked))),
      about.slice(Math.max(0, asked)))] : []
    sheet.append(make("div", {class: "wb-title"}, make("h1", {}, title), ...question, button), this.sentences)
    this.element = make("header", {class: "wb-header"}, sheet)
    this.element.addEventListener("wb-close", () => button.click())
  }
}

// The numbers in ranks: those that answer the question large, other bounds, estimates apart from
// them, and facts. What all bounds rest on is said once. A phone shows the main ones, and the others
// when asked.
class Numbers {
  constructor(items, tools) {
    const main = items.some(item => item.main) ? items.filter(item => item.main) : items.slice(0, 1)
    this.ranks = new Map(RANKS.map(rank => [rank, make("div", {class: "wb-rank", "data-rank": rank})]))
    this.strip = make("div", {class: "wb-strip"}, ...this.ranks.values())
    this.terms = make("p", {class: "wb-shared"})
    this.more = make("button", {class: "wb-text-button wb-all", type: "button", "aria-expanded": "false", hidden: ""})
    this.more.addEventListener("click", () => {
      this.more.setAttribute("aria-expanded", String(this.element.toggleAttribute("data-all")))
    })
    this.element = make("div", {class: "wb-numbers", hidden: ""}, this.strip, this.terms, this.more)
    this.element.hidden = !items.length
    this.rows = 1
    this.cells = items.map(item => new NumberCell(item, tools, cell => this.arrange(cell)))
    for (const cell of this.cells) {
      this.place(cell, main.includes(cell.item) ? MAIN : "bound")
      this.element.append(cell.panel)
    }
    this.measure()
  }

  // Bring a cell to where what it shows belongs.
  arrange(cell) {
    if (cell.value.textContent !== PENDING) {
      const {rank, element: {hidden}} = cell
      cell.element.hidden = !cell.value.textContent // the page does without it now
      if (rank !== MAIN) this.place(cell, cell.kind)
      if (cell.rank !== rank || cell.element.hidden !== hidden) this.measure()
    }
    this.share()
  }

  place(cell, rank) {
    if (cell.rank === rank) return
    cell.rank = rank
    const {activeElement} = /** @type {any} */ (cell.element.getRootNode())
    const held = cell.element.contains(activeElement ?? null) ? activeElement : null
    const later = this.cells.slice(this.cells.indexOf(cell) + 1).find(other => other.rank === rank)
    this.ranks.get(rank).insertBefore(cell.element, later?.element ?? null)
    held?.focus()
  }

  // Rows of the strip, and columns of each rank, for the numbers that the page has now.
  measure() {
    const shown = this.cells.filter(({element}) => !element.hidden)
    const main = shown.filter(({rank}) => rank === MAIN).length
    const others = shown.length - main
    this.rows = others + 2 * main > IN_ONE_ROW ? 2 : 1
    this.strip.style.setProperty("--rows", String(3 * this.rows))
    this.more.textContent = `${others} more number${others > 1 ? "s" : ""}`
    this.more.hidden = !others
    const tracks = []
    for (const [rank, element] of this.ranks) {
      const {style} = element
      const count = shown.filter(cell => cell.rank === rank).length
      element.hidden = !count
      const columns = rank === MAIN ? count : Math.ceil(count / this.rows)
      style.setProperty("--columns", String(columns))
      if (columns) tracks.push(rank === MAIN ? `${columns * 172}px` : `minmax(0, ${columns * WIDTHS[rank]}fr)`)
    }
    this.strip.style.setProperty("--tracks", tracks.join(" "))
  }

  // What all bounds rest on stands under them once, and not in every cell.
  share() {
    const stated = this.cells.filter(cell => cell.conditions.length && cell.kind === "bound")
    const [first, ...rest] = stated.map(cell => cell.conditions)
    const shared = rest.length ? first.filter(one => rest.every(conditions => conditions.includes(one))) : []
    this.terms.textContent = shared.length ? `Bounds: ${shared.join(" · ")}` : ""
    for (const cell of this.cells) cell.state(shared, this.rows > 1 && cell.rank !== MAIN)
  }
}

// A number of the strip: its title is the button that explains it.
class NumberCell {
  /** @type {any} */
  buttons // those that copy, once their script is here

  /** @type {any[]} */
  conditions = [] // what the number rests on, where it is valid
  /** @type {string[]} */
  notes = [] // what else stands under it

  // shown(cell) is called when it has changed.
  constructor(item, tools, shown) {
    this.item = item
    this.tools = tools
    this.shown = shown
    this.kind = "bound"
    this.relation = make("span", {class: "wb-relation"})
    this.value = make("span", {class: "wb-value"})
    this.badge = make("span", {class: "wb-badge"})
    this.note = make("p", {class: "wb-note"})
    this.terms = make("p", {})
    this.explanation = make("p", {})
    this.copies = make("div", {class: "wb-copies", role: "group", "aria-label": `Copy: ${item.title}`, hidden: ""})
    this.panel = make("div", {class: "wb-panel wb-number-panel"},
      make("div", {class: "wb-panel-head"}, make("h3", {}, item.title), this.copies), ...help(item),
      this.terms, this.explanation, ...promises(item))
    const button = this.button = discloses(this.panel, {class: "wb-number-title", "aria-label": `About: ${item.title}`}, item.title,
      () => {
        this.offerCopies()
        this.panel.scrollIntoView({block: "nearest"})
      })
    this.element = make("section", {class: "wb-number", "aria-label": item.title}, make("h2", {}, button),
      make("div", {class: "wb-figure"}, this.relation, this.value),
      make("div", {class: "wb-terms"}, this.badge, this.note))
    // The whole cell opens it, but not at the end of marking its text.
    this.element.addEventListener("click", event => {
      if (!button.contains(event.target) && getSelection()?.isCollapsed) button.click()
    })
  }

  show({value, relation, badge, tone, note, explanation, rank = "bound"}) {
    this.relation.textContent = relation
    this.value.textContent = value
    this.element.dataset.tone = tone
    // The letters are as large as the cell allows; a number may lose three digits without growing.
    const broken = value.length > 9 && value.includes(" ")
    this.value.toggleAttribute("data-broken", broken)
    this.element.style.setProperty("--ems", Math.max(3.2, ems(value)))
    this.element.style.setProperty("--before", relation ? "20px" : "0px")
    if (broken) this.element.style.setProperty("--half", halfOf(value))
    this.badge.textContent = badge
    this.badge.dataset.tone = tone
    this.kind = rank
    // Why it is not valid, or not chosen, is told by the mark, and in full by the explanation.
    const terms = tone === "void" || tone === "unset" || value === PENDING ? [] : note.split(" · ").filter(one => one && one !== UNSAMPLED)
    ;[this.conditions, this.notes] = rank === "fact" ? [[], terms] : [terms, []]
    this.shown(this)
    this.terms.textContent = [badge, note].filter(Boolean).join(" · ")
    this.explanation.textContent = explanation
    this.said = `${this.item.title} ${relation} ${value}${badge === "not valid" ? ", not valid" : ""}`
    this.copies.hidden = !this.tools || tone === "unset" || value === PENDING
    this.buttons?.show(null)
    clearTimeout(this.alarm)
    if (!this.panel.hidden) this.alarm = setTimeout(() => this.offerCopies(), SOON)
  }

  // Under the number stands what it rests on besides what all bounds rest on: its confidence and its
  // family at least.
  state(shared, dense) {
    const own = this.conditions.filter(one => !shared.includes(one)).map(one => one.replace(/ \(.*\)$/, ""))
    const kept = own.filter(one => one.length <= SHORT && (!dense || one.startsWith("if ") || one.endsWith("%")))
    const note = [...kept, ...this.notes.filter(one => !shared.includes(one))].join(" · ")
    if (this.note.textContent !== note) this.note.textContent = note
  }

  // What is copied is what is shown, so the texts are asked for again after a change.
  async offerCopies() {
    if (this.copies.hidden) return
    const asked = this.asked = {}
    try {
      const texts = this.tools.texts(this.item.name)
      const {CopyButtons} = await this.tools.module("copy.js")
      this.buttons ??= new CopyButtons(this.copies, make)
      this.buttons.show(null)
      const found = await texts
      if (asked === this.asked) this.buttons.show(found)
    } catch (error) {
      if (asked === this.asked) this.buttons?.fail(error.message)
    }
  }
}

// A number that the answer says already: what it rests on stands in the headline, and opens it.
class FoldedNumber extends NumberCell {
  constructor(item, tools, place) {
    super(item, tools, () => {})
    this.element.classList.add("wb-folded-number")
    place.querySelector(".wb-headline").append(this.element)
    place.append(this.panel)
  }

  show(content) {
    super.show(content)
    this.said = "" // the answer is read aloud
    if (content.value !== PENDING) this.button.textContent = this.notes[0] ?? this.item.title
  }
}

// About how wide a bold text is, in units of the size of its letters.
const ems = text => [...text].reduce((sum, letter) => sum + (/[.,: ]/.test(letter) ? 0.38 : 0.7), 0)

// The width of the longer one of the two lines that a text is best broken into.
function halfOf(text) {
  const halves = [...text.matchAll(/ /g)].map(({index}) => [text.slice(0, index), text.slice(index + 1)])
  return Math.min(...halves.map(([first, second]) => Math.max(ems(first), ems(second))))
}

// The items that are shown first, and those that are shown when they are asked for, which only the
// dashboard has: notebooks compose their views, and reports show everything.
function foldedOf(items) {
  if (document.documentElement.dataset.bench === undefined) return [items, []]
  return [items.filter(item => !item.folded), items.filter(item => item.folded)]
}

// The charts that are shown when they are asked for, and the button that shows them.
class Folded {
  // changed() is called when they have been shown or hidden.
  constructor(charts, changed) {
    this.charts = charts
    this.button = make("button", {class: "wb-text-button wb-more-charts", type: "button", "aria-expanded": "false"},
      `${charts.length} more chart${charts.length > 1 ? "s" : ""}`)
    this.button.title = charts.map(({item}) => item.title).join(", ")
    this.button.hidden = !charts.length
    this.show(false)
    this.button.addEventListener("click", () => {
      this.show(this.button.getAttribute("aria-expanded") === "false")
      changed()
    })
  }

  show(open) {
    this.button.setAttribute("aria-expanded", String(open))
    for (const chart of this.charts) chart.fold(!open)
  }
}

// Rows that the charts take, twelve twelfths each.

function rowsOf(figures) {
  let rows = 0
  let free = 0
  for (const {span} of figures) {
    if (span > free) [rows, free] = [rows + 1, 12]
    free -= span
  }
  return rows
}

class Sentence {
  constructor() {
    this.element = make("p", {class: "wb-sentence", hidden: ""})
  }

  show(text) {
    this.element.textContent = text
    this.element.hidden = !text
  }
}

// The answer of the page: its words, large and with a mark of what they mean, and the evidence.
class Headline {
  constructor() {
    this.words = make("strong", {class: "wb-headline-words"})
    this.evidence = make("span", {class: "wb-headline-evidence"})
    this.element = make("div", {class: "wb-headline", hidden: ""}, this.words, " ", this.evidence)
  }

  show({words, evidence, tone}) {
    this.words.textContent = words
    this.evidence.textContent = evidence
    this.element.dataset.tone = words === PENDING ? "" : tone
    this.element.hidden = false
    this.said = evidence ? `${words}: ${evidence}` : words
  }
}

// Beside an answer: the button to the page Risk, about the same claim and data.
function toRisk(send) {
  const button = make("button", {class: "wb-text-button wb-to-risk", type: "button"}, "What could an attacker do?")
  button.addEventListener("click", () => send({kind: "risk"}))
  return button
}

// Where the data come from: the first sentence, and the others where all of the header is shown.
class Provenance extends Sentence {
  constructor() {
    super()
    this.first = make("span")
    this.rest = make("span", {class: "wb-rest"})
    this.element.append(this.first, this.rest)
  }

  show(text) {
    const [first] = (text.length > ONE_LINE && text.match(/^.*?[.?!](?= \p{Lu})/su)) || [text]
    this.first.textContent = first
    this.rest.textContent = text.slice(first.length)
    this.element.hidden = !text
  }
}

const SENTENCES = {answer: Headline, head: Provenance}

// The sentences under the charts: behind a button where the page has an answer.
function inWords(places, folded) {
  if (!folded) return places
  const texts = make("div", {class: "wb-texts"}, ...places)
  const button = discloses(texts, {class: "wb-text-button wb-in-words"}, "In words")
  return [button, texts]
}

// Why several numbers at once are not valid, where it cannot be overlooked. The reason of one alone
// stands under that number.
class Voids extends Sentence {
  constructor() {
    super()
    this.element.className = "wb-voids"
    this.reasons = new Map() // title -> reason
  }

  take(title, reason = "") {
    if (this.reasons.get(title) === reason) return
    this.reasons.set(title, reason)
    const titles = why => [...this.reasons.keys()].filter(one => this.reasons.get(one) === why)
    const shared = [...new Set(this.reasons.values())].filter(why => why && titles(why).length > 1)
    this.show(shared.map(why => `Not valid: ${titles(why).join(", ")}; ${why}.`).join(" "))
  }
}

// Reads aloud what has become of the answer and the numbers, in one sentence, once they rest.
class Announcer {
  constructor() {
    this.element = make("p", {class: "wb-said", role: "status"})
    this.before = new Map() // number or answer -> what was last said or first shown of it
    this.news = new Set()
  }

  changed(view) {
    if (!this.before.has(view)) return this.before.set(view, view.said)
    this.news.add(view)
    clearTimeout(this.alarm)
    this.alarm = setTimeout(() => this.say(), QUIET)
  }

  say() {
    const changed = [...this.news].filter(view => view.said !== this.before.get(view))
    this.news.clear()
    for (const view of changed) this.before.set(view, view.said)
    if (!changed.length) return
    // The answer before the numbers.
    changed.sort((one, other) => Number(other instanceof Headline) - Number(one instanceof Headline))
    const others = changed.length > 1 ? `, and ${changed.length - 1} more changed` : ""
    this.element.textContent = `${changed[0].said}${others}`
  }

  stop() {
    clearTimeout(this.alarm)
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

  /** @param {(() => void) | null} act */
  show(message, action = "Dismiss", act = null) {
    this.act = act
    this.button.textContent = action
    if (this.words.textContent !== message) this.words.textContent = message
    this.body.hidden = !message
  }
}

// -- long work -----------------------------------------------------------------------------------

// Its button is among the controls, and here, where those may be hidden or far down.
class JobRow {
  constructor({name, title}, send) {
    this.title = title
    this.words = make("p", {class: "wb-job-words"})
    this.heading = make("h2", {}, title)
    this.button = make("button", {type: "button"})
    this.button.addEventListener("click", () => send({kind: "job", job: name}))
    this.bar = make("div", {class: "wb-progress", role: "progressbar", "aria-label": title,
      "aria-valuemin": "0", "aria-valuemax": "100"}, make("div", {}))
    // Read aloud are the beginning and the end, not every step.
    this.said = make("p", {class: "wb-said", role: "status"})
    this.element = make("section", {class: "wb-card wb-job", "aria-label": title},
      make("div", {class: "wb-job-head"}, this.heading, this.button, this.words),
      this.bar, this.said)
  }

  show({status, tone, fraction, words, offered}) {
    const running = status === "running"
    const before = this.element.dataset.status
    Object.assign(this.element.dataset, {status, tone})
    this.element.hidden = ["idle", "stored"].includes(status) && !offered
    this.words.textContent = words
    this.button.textContent = running ? "Cancel" : this.title
    this.button.setAttribute("aria-label", `${running ? "Cancel" : "Run"}: ${this.title}`)
    this.button.hidden = !offered
    this.heading.hidden = offered && !running
    this.bar.hidden = !running
    if (fraction === null) this.bar.removeAttribute("aria-valuenow")
    else this.bar.setAttribute("aria-valuenow", Math.round(100 * fraction))
    this.bar.setAttribute("aria-valuetext", words)
    this.bar.firstChild.style.width = fraction === null ? "" : `${100 * fraction}%`
    if (before && before !== status) this.said.textContent = `${this.title}: ${running ? "running" : words}`
  }
}

// -- charts -------------------------------------------------------------------------------------

// A chart that the page does without for now is made at this size, to be there at once.
const UNSEEN = {width: 480, height: 300}

class ChartCard {
  constructor(item, send, tools) {
    this.item = item
    this.send = send
    this.tools = tools
    /** @type {{shape: string, x: number, release?: number} | null} */
    this.drag = null // the line under a person's finger; release: the serial of its last place
    this.arrays = new Map() // as text -> as last drawn
    this.folded = false
    this.plot = make("div", {class: "wb-plot", role: "img", "aria-label": item.title})
    this.handles = Object.keys(item.drag).map(shape => this.makeHandle(shape))
    this.table = make("div", {class: "wb-panel wb-data"})
    const info = make("div", {class: "wb-panel wb-info", tabindex: "0", role: "region", "aria-label": `About: ${item.title}`},
      ...help(item), ...promises(item))
    this.unzoom = make("button", {class: "wb-text-button", type: "button", "aria-label": `Reset zoom: ${item.title}`,
      hidden: ""}, "Reset zoom")
    this.unzoom.addEventListener("click", () => this.resetZoom())
    this.enlarge = make("button", {class: "wb-icon wb-enlarge", type: "button"})
    this.enlarge.addEventListener("click", () => (this.dialog ? this.dialog.close() : this.open()))
    const buttons = [
      this.unzoom,
      discloses(this.table, {class: "wb-text-button", "aria-label": `Data: ${item.title}`}, "Data",
        () => this.fillTable()),
    ]
    const menu = make("div", {class: "wb-panel wb-export", role: "group", "aria-label": `Save: ${item.title}`})
    if (tools) {
      this.saves = discloses(menu, {class: "wb-icon wb-export-button", "aria-label": `Save: ${item.title}`, title: "Save"}, "",
        () => this.fillMenu(menu))
      this.saves.innerHTML = SAVE
      buttons.push(this.saves)
    }
    if (info.childElementCount) {
      buttons.push(discloses(info, {class: "wb-icon", "aria-label": `About: ${item.title}`}, "i"))
    }
    const head = make("div", {class: "wb-card-head"}, make("h2", {}, item.title), ...help(item),
      make("div", {class: "wb-buttons"}, ...buttons, this.enlarge))
    const stage = make("div", {class: "wb-stage"}, this.plot, ...this.handles)
    this.element = make("section", {class: "wb-card wb-chart", "aria-label": item.title,
      "data-item": item.name, style: `--span: ${item.span}`},
      head, make("div", {class: "wb-frame"}, stage, info, this.table, ...(tools ? [menu] : [])))
    this.stage = stage
    this.nameEnlarge()
    if (item.click) this.listenForClicks(stage)
  }

  show(figure) {
    this.figure = figure
    this.element.hidden = Boolean(figure.layout.meta?.optional) && !figure.data.length
    this.schedule()
  }

  // One that is folded is drawn once, when the browser rests, and then for paper only.
  fold(folded) {
    this.folded = folded
    this.element.classList.toggle("wb-folded", folded)
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
    this.ready = false
  }

  // Many changes between two frames are one drawing, of the last of them.
  schedule() {
    if (this.frame || !this.ready || !this.figure || (this.folded && this.plot.on)) return
    this.frame = (this.folded ? whenIdle : requestAnimationFrame)(() => {
      this.frame = null
      if (this.ready) this.draw()
    })
  }

  draw() {
    const size = this.box()
    if (!size?.width || !size.height) return
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
      if (axis && document.documentElement.dataset.projector !== undefined) enlargeTicks(axis)
      for (const ticks of ["tickvals", "ticktext"]) {
        if (axis?.[ticks]) axis[ticks] = keep(JSON.stringify(axis[ticks]), () => axis[ticks])
      }
    }
    this.arrays = arrays
    this.summary = layout.meta?.summary ?? this.item.title
    // One that has nothing to draw needs less room on a phone.
    this.element.toggleAttribute("data-empty", !data.length)
    if (this.saves) this.saves.disabled = !data.length
    // A height that is more than there is comes back as a new size.
    if (this.need !== layout.height) this.stage.style.setProperty("--need", `${layout.height ?? 0}px`)
    this.need = layout.height
    delete layout.meta
    Object.assign(layout, size)
    layout.uirevision = `${JSON.stringify(layout.uirevision)} ${this.resets ?? 0}`
    // With a finger, a drag across the chart scrolls the page.
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false
    if (this.drag) moveNamed(layout, this.drag.shape, this.drag.x)
    const first = !this.plot.on
    Plotly.react(this.plot, data, layout, CONFIG)
    if (first) this.plot.on("plotly_afterplot", () => this.plotted())
    this.plotted()
    this.plot.setAttribute("aria-label", this.summary)
    if (!this.table.hidden) this.fillTable()
  }

  box() {
    return this.element.hidden || this.folded ? UNSEEN : this.size
  }

  // On paper a drawing is scaled, for it cannot be made anew.
  print(on) {
    if (on && this.folded && this.ready && this.figure) this.draw()
    const {width, height} = this.box() ?? {}
    if (!width) return
    this.stage.style.setProperty("--shape", `${width} / ${height}`)
    for (const svg of this.plot.querySelectorAll(".main-svg")) {
      if (on) svg.setAttribute("viewBox", `0 0 ${width} ${height}`)
      else svg.removeAttribute("viewBox")
    }
  }

  plotted() {
    this.placeHandles()
    const {xaxis, yaxis} = this.plot._fullLayout
    this.unzoom.hidden = ![[xaxis, this.figure.layout.xaxis], [yaxis, this.figure.layout.yaxis]]
      .some(([now, {range}]) => range && !now.range.every((end, k) => near(end, range[k], range)))
  }

  // -- in the whole window --

  resetZoom() {
    this.resets = (this.resets ?? 0) + 1
    this.draw()
    this.enlarge.focus()
  }

  // The card moves into a dialog, and back to its place when that closes.
  open() {
    const place = make("div", {class: "wb-chart", style: `--span: ${this.item.span}`})
    const dialog = this.dialog = make("dialog", {class: "wb-enlarged", "aria-label": this.item.title})
    this.element.replaceWith(place)
    const dock = make("div", {class: "wb-dock"})
    dialog.append(this.element, dock)
    place.after(dialog)
    dialog.addEventListener("close", () => {
      this.dialog = null
      this.tell(null)
      place.replaceWith(this.element)
      dialog.remove()
      this.nameEnlarge()
      this.enlarge.focus()
    })
    dialog.showModal()
    this.nameEnlarge()
    this.enlarge.focus()
    this.tell(dock)
  }

  // Where the main controls of the page may be put while the chart covers them.
  tell(dock) {
    this.element.dispatchEvent(new CustomEvent("wb-enlarged", {bubbles: true, detail: dock}))
  }

  nameEnlarge() {
    const words = this.dialog ? `Back to the page: ${this.item.title}` : `Enlarge: ${this.item.title}`
    this.enlarge.setAttribute("aria-label", words)
    this.enlarge.title = this.dialog ? "Back to the page (Escape)" : "Enlarge"
    this.enlarge.toggleAttribute("data-on", Boolean(this.dialog))
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
      this.sendDrag(this.drag, false)
    })
    const end = event => {
      from = undefined
      if (this.drag === null || this.drag.release !== undefined) return
      // A busy browser leaves out moves, the last one too; where it was let go is certain.
      if (event.type === "pointerup") this.drag = {shape, x: this.at(event).x}
      this.schedule()
      this.drag = {shape, x: this.drag.x, release: this.sendDrag(this.drag, true)}
    }
    handle.addEventListener("pointerup", end)
    handle.addEventListener("pointercancel", end)
    return handle
  }

  /** Whether a line follows the finger now. */
  dragging() {
    return this.drag !== null && this.drag.release === undefined
  }

  sendDrag({shape, x}, done) {
    return this.send({kind: "drag", item: this.item.name, shape, name: this.item.drag[shape], x, done})
  }

  // Once the page has answered the last place of a drag, the chart is what the page says.
  answered(serial) {
    if (this.drag?.release !== undefined && this.drag.release <= serial) {
      this.drag = null
      this.schedule()
    }
  }

  placeHandles() {
    const {xaxis, _size: size} = this.plot._fullLayout
    const scale = this.scale()
    for (const handle of this.handles) {
      const shape = this.plot.layout.shapes?.find(({name}) => name === handle.dataset.shape)
      const x = shape ? xaxis.d2p(shape.x0) : NaN
      handle.hidden = !(x > -1 && x < xaxis._length + 1) // a pixel for round-off at the ends
      const place = {left: xaxis._offset + x, top: size.t, height: size.h}
      for (const [side, pixels] of Object.entries(place)) handle.style[side] = `${scale * pixels}px`
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

  // How much larger a drawing is shown than it is made: for a projector, a style sheet enlarges it.
  scale() {
    return this.plot.getBoundingClientRect().width / this.plot.offsetWidth || 1
  }

  // The place of a pointer in data coordinates, held inside the plot area.
  at(event) {
    const {xaxis, yaxis} = this.plot._fullLayout
    const box = this.plot.getBoundingClientRect()
    const scale = this.scale()
    const right = (event.clientX - box.left) / scale - xaxis._offset
    const down = (event.clientY - box.top) / scale - yaxis._offset
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
    const table = make("table", {}, make("thead", {}, row("th", this.axes())), make("tbody", {}, ...rows))
    this.table.replaceChildren(
      make("p", {}, this.summary),
      make("p", {class: "wb-quiet"}, `${rows.length} of ${all} rows shown. `, ...this.csv()),
      make("div", {class: "wb-scroll", tabindex: "0", role: "region", "aria-label": `Data: ${this.item.title}`}, table))
  }

  csv() {
    if (!this.tools) return []
    const words = make("span", {role: "status"})
    const button = make("button", {class: "wb-text-button", type: "button"}, "Download CSV")
    button.addEventListener("click", () => {
      this.tools.file(this.item.name, "csv").catch(error => { words.textContent = error.message })
    })
    return [button, words]
  }

  // -- saving --

  async fillMenu(menu) {
    if (menu.childElementCount) return
    try {
      const {ChartMenu} = await this.tools.module("chart_menu.js")
      menu.replaceChildren(new ChartMenu(this.item, this.tools, make).element)
    } catch (error) {
      menu.textContent = error.message
    }
  }
}

// A shape is placed by data, a text by the unit of the axis.
function moveNamed({shapes = [], annotations = [], xaxis}, name, x) {
  for (const shape of shapes) if (shape.name === name) Object.assign(shape, {x0: x, x1: x})
  for (const note of annotations) if (note.name === name) note.x = xaxis?.type === "log" ? Math.log10(x) : x
}

// A figure for plotly: roles become colors, encoded arrays become typed arrays.
function revive(value, paint, keep) {
  const again = one => revive(one, paint, keep)
  if (typeof value === "string") return value.startsWith("@") ? paint(value) : asText(value)
  if (value === null || typeof value !== "object") return value
  if (value.bdata !== undefined) return keep(value.bdata, () => typedArray(value))
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, again(one)]))
  const plain = value.every(one => one === null || typeof one !== "object")
  const array = value.map(again)
  return plain ? keep(JSON.stringify(array), () => array) : array
}

// plotly.js takes texts for HTML with links and styles. Of that, charts use only what is named here; all
// else is part of a name, such as that of a data set, and is shown as it is.
const asText = text => (text.includes("<") ? text.replaceAll(/<(?!\/?(sup|extra)>|br>)/g, "&lt;") : text)

export const typedArray = ({dtype, bdata}) =>
  new ARRAYS[dtype](Uint8Array.from(atob(bdata), character => character.charCodeAt(0)).buffer)

// No tick is smaller than others: on a logarithmic axis plotly writes those between two powers so.
function enlargeTicks(axis) {
  if (axis.tickfont?.size < TICKS) axis.tickfont.size = TICKS
  if (axis.type === "log" && !axis.tickvals) axis.dtick = 1
}

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

async function havePlotly(library) {
  Plotly ??= await library()
}

// To run the library takes longer than to draw the numbers, so these are painted first.
export function libraryFrom(address) {
  coming ??= painted().then(() => run(address)).catch(error => {
    coming = null
    throw error
  })
  return coming
}

// Runs the library while the browser rests, where no chart is shown yet. If it does not come, the
// first chart asks again, and tells.
export function prepareCharts(address) {
  whenIdle(() => libraryFrom(address).catch(() => {}))
}

// Safari has no callback for idleness.
const whenIdle = call => (window.requestIdleCallback ?? setTimeout)(call)

// After the next frame; a page in the background has none.
const painted = () => new Promise(resolve => {
  requestAnimationFrame(() => setTimeout(resolve))
  if (document.hidden) resolve(null)
})

function run(address) {
  const script = make("script", {src: address})
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve(window.Plotly))
    script.addEventListener("error", () => reject(new Error(`plotly.js could not be loaded from ${address}`)))
    document.head.append(script)
  })
}

// -- elements -----------------------------------------------------------------------------------

// The element that an event is about; null where that is the document itself.
export const elementOf = ({target}) => (target instanceof Element ? /** @type {HTMLElement} */ (target) : null)

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {any[]} children nodes and texts
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  // A content policy refuses the attribute, and allows what scripts set.
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") element.style.cssText = value
    else element.setAttribute(name, value)
  }
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
    if (panel.hidden) return
    onOpen()
    // One panel at a time lies over a place.
    const others = [...panel.parentElement.children].filter(one => one.matches(".wb-panel:not([hidden])"))
    others.forEach(other => { if (other !== panel) other.dispatchEvent(new Event("wb-close")) })
  })
  panel.addEventListener("wb-close", () => {
    if (panel.hidden) return
    if (panel.matches(":focus-within")) button.focus()
    button.click()
  })
  return button
}

// What lies over the page closes with Escape, and what lies over the charts with a press elsewhere.
class Disclosures {
  constructor(element) {
    this.element = element
    this.pressed = event => {
      const target = /** @type {any} */ (event.composedPath()[0]) // also within a shadow root
      if (!target.closest?.(".wb-numbers, .wb-answer")) this.close(".wb-number-panel:not([hidden])")
      if (!target.closest?.(".wb-header")) this.close(".wb-header[data-open]")
      if (!target.closest?.(".wb-export, .wb-export-button")) this.close(".wb-export:not([hidden])")
    }
    document.addEventListener("pointerdown", this.pressed)
    element.addEventListener("keydown", event => {
      if (event.key === "Escape" && this.close(".wb-panel:not([hidden]), .wb-header[data-open]")) event.preventDefault()
    })
  }

  close(which) {
    const open = [...this.element.querySelectorAll(which)]
    open.forEach(panel => panel.dispatchEvent(new Event("wb-close")))
    return open.length
  }

  stop() {
    document.removeEventListener("pointerdown", this.pressed)
  }
}

const near = (a, b, [low, high]) => Math.abs(a - b) <= 1e-6 * Math.abs(high - low)

const digits = value => (typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value))
