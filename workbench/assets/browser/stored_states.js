// What a page shows at each place of its sliders, computed in advance: reports and explorables have
// it in their document, and draw it with the board, without a server.

import {Board, typedArray} from "./board.js"

export class StoredStates {
  constructor({sliders, items, drawings, contents}) {
    this.sliders = sliders
    this.items = items
    this.drawings = drawings
    this.contents = contents
    this.places = sliders.map(({start}) => start)
    this.shown = new Map() // item -> drawing
  }

  get moved() {
    return this.sliders.some(({start}, k) => this.places[k] !== start)
  }

  // Which drawing an item has at the present places.
  drawingOf({sliders, drawings}) {
    const index = sliders.reduce((sum, k) => sum * this.sliders[k].values.length + this.places[k], 0)
    return drawings[index]
  }

  // Names and contents of the items that look different now.
  *news() {
    for (const [name, item] of Object.entries(this.items)) {
      const drawing = this.drawingOf(item)
      if (this.shown.get(name) === drawing) continue
      this.shown.set(name, drawing)
      yield [name, this.content(this.drawings[drawing])]
    }
  }

  content({all, layout, ...traces}) {
    if (all !== undefined) return this.contents[all]
    const data = Object.keys(traces).sort((a, b) => Number(a) - Number(b)).map(key => this.contents[traces[key]])
    return {layout: this.contents[layout], data}
  }

  // The slider of a chart, and its place at which the chart's single point is nearest to x.
  pointAt(name, x) {
    const slider = this.items[name].sliders[0]
    const kept = this.places[slider]
    let best = [slider, -1, Infinity]
    this.sliders[slider].values.forEach((_, place) => {
      this.places[slider] = place
      const {data} = this.content(this.drawings[this.drawingOf(this.items[name])])
      const point = data.map(trace => numbersOf(trace.x)).find(({length}) => length === 1)
      const away = point ? Math.abs(point[0] - x) : Infinity
      if (away < best[2]) best = [slider, place, away]
    })
    this.places[slider] = kept
    return best
  }

  // The place of a slider nearest to a value.
  nearest(slider, value) {
    const distances = this.sliders[slider].values.map(one => Math.abs(one - value))
    return distances.indexOf(Math.min(...distances))
  }
}

class LiveBoard {
  constructor(frame, states) {
    this.states = states
    this.serial = 0
    this.board = new Board(frame, gesture => this.take(gesture))
    this.inputs = states.sliders.map(({name}, k) => {
      const input = partOf(`at-${name}`)
      input.value = states.places[k] // a browser may remember another one
      input.addEventListener("input", () => this.move(k, Number(input.value)))
      return input
    })
    this.said = partOf("moved")
    this.back = document.getElementById("back")
    this.back?.addEventListener("click", () => {
      states.sliders.forEach(({start}, k) => this.move(k, start))
      this.inputs[0].focus()
    })
    this.update()
  }

  start() {
    partOf("live").append(this.board.element)
    document.documentElement.dataset.live = ""
    const sliders = document.getElementById("sliders")
    if (sliders) sliders.hidden = false
    this.board.start(async () => window.Plotly)
    const again = () => this.board.resized()
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again)
  }

  take({kind, item, name, x}) {
    const slider = this.states.sliders.findIndex(one => one.name === name)
    if (kind === "drag" && slider >= 0) this.move(slider, this.states.nearest(slider, x))
    if (kind === "click") {
      const [clicked, place] = this.states.pointAt(item, x)
      if (place >= 0) this.move(clicked, place)
    }
    const serial = ++this.serial
    requestAnimationFrame(() => this.board.answered(serial))
    return serial
  }

  move(slider, place) {
    this.states.places[slider] = place
    this.update()
  }

  update() {
    const {states} = this
    states.sliders.forEach(({texts}, k) => {
      const text = texts[states.places[k]]
      this.inputs[k].value = states.places[k]
      this.inputs[k].setAttribute("aria-valuetext", text)
      this.inputs[k].nextElementSibling.textContent = text
    })
    if (this.back) {
      this.back.hidden = !states.moved
      this.said.textContent = states.moved ? this.back.dataset.moved : ""
    }
    for (const [name, content] of states.news()) this.board.show(name, content)
  }
}

const numbersOf = array => (array?.bdata === undefined ? array ?? [] : typedArray(array))

/**
 * What the document of a report has.
 * @param {string} id
 * @returns {any}
 */
export const partOf = id => document.getElementById(id)

export const jsonOf = id => JSON.parse(partOf(id).textContent)

async function unpackedStates() {
  const bytes = Uint8Array.from(atob(partOf("states").textContent), c => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  return new StoredStates(await new Response(stream).json())
}

// Draw the board of the document, whose charts answer to the sliders from now on.
export async function drawStates() {
  const states = await unpackedStates()
  new LiveBoard(jsonOf("frame"), states).start()
}
