// A page in the document: its board, its controls, and what the session last sent of it.

import {Board, libraryFrom} from "./board.js"
import {Controls} from "./controls.js"
import {Sheet} from "./sheet.js"

export class PageView {
  // state: a whole page, see workbench/dashboard/live_page.py; wire: of the page; tools: see Board.
  constructor(name, state, wire, tools) {
    this.name = name
    this.wire = wire
    this.contents = {}
    this.settings = {}
    this.title = state.frame.title
    this.board = new Board(state.frame, gesture => wire.send(gesture), tools)
    this.controls = new Controls(state.sections, {
      send: gesture => wire.send(gesture),
      settled: serial => wire.settled(serial),
      upload: (control, files) => wire.upload(control, files, share => this.controls.progress(control, share)),
      offered: control => tools.offered(control),
    })
    this.main = state.frame.main
    this.sheet = null
    this.board.element.addEventListener("wb-enlarged", event => this.sheet?.lend(event.detail))
    this.board.element.dataset.page = name
    this.controls.element.dataset.page = name
    this.update(state)
  }

  update(news) {
    for (const [name, parts] of Object.entries(news.items ?? {})) {
      this.contents[name] = merged(this.contents[name], parts)
      this.board.show(name, this.contents[name])
    }
    if (news.handled !== undefined) this.board.answered(news.handled)
    if (news.controls) this.controls.show(news.controls)
    if (news.settings) Object.assign(this.settings, news.settings)
    for (const [name, text] of Object.entries(news.jobs ?? {})) {
      this.board.showJob(name.slice("job_".length), JSON.parse(text))
    }
    if (news.message !== undefined) this.board.showMessage(news.message)
    if (news.busy !== undefined) this.board.showBusy(news.busy)
  }

  get element() {
    return this.board.element
  }

  // Its place beside the pages: in the drawer.
  get side() {
    return this.controls.element
  }

  start(plotly) {
    this.board.start(() => libraryFrom(plotly))
  }

  stop() {
    this.show(false)
    this.board.stop()
    this.element.remove()
    this.side.remove()
  }

  // Links the terms in the texts that never change; linked(text, met) as in glossary.js.
  link(linked) {
    const met = new Set()
    for (const text of this.element.querySelectorAll(".wb-help, .wb-about")) {
      if (!text.childElementCount) text.replaceChildren(linked(text.textContent, met))
    }
  }

  show(on) {
    this.board.element.hidden = !on
    this.controls.element.hidden = !on
    if (on && !this.sheet) {
      this.sheet = new Sheet(this.main, control => this.controls.all.get(control)?.element)
      document.body.append(this.sheet.element)
    } else if (!on && this.sheet) {
      this.sheet.stop()
      this.sheet = null
    }
  }

  // What a reload has to bring back where the server has forgotten it.
  get kept() {
    return {...this.settings, ...this.controls.unsent()}
  }
}

// A view that needs no session, such as the start page.
export class PlainView {
  /** @param {any} _news */
  update(_news) {}

  constructor(name, element) {
    this.name = name
    this.element = element
    this.kept = null
    this.side = document.createElement("div")
    this.element.dataset.page = name
  }

  show(on) {
    this.element.hidden = !on
  }

  start() {}

  stop() {}

  link() {}
}

// Puts the changed parts of a figure into the present one; any other item comes whole.
function merged(before, {all, layout, traces, ...changed}) {
  if (all !== undefined) return all
  const data = (before?.data ?? []).slice(0, traces)
  for (const [place, trace] of Object.entries(changed)) data[place] = trace
  return {data, layout: layout ?? before.layout}
}
