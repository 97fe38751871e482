// The controls of a page as native elements. A choice is sent to the session; the state that the
// session sends is shown, unless the person has meanwhile chosen something else.

import {make, typedArray} from "./board.js"
import {ask, standing} from "./notify.js"

export class Controls {
  // send(gesture) returns its serial; settled(serial) tells whether it was answered;
  // upload(name, files) sends files; offered(name) saves a file of the page and resolves to its name.
  constructor(sections, {send, settled, upload, offered}) {
    this.all = new Map()
    this.placed = new Map() // of sliders with places: name of the state that has these -> slider
    this.element = make("form", {class: "wb-controls", "aria-label": "Controls"})
    this.element.addEventListener("submit", event => event.preventDefault())
    this.sections = sections.map(section => {
      const docs = make("dl", {})
      const heading = make("h2", {}, section.title)
      const about = make("details", {}, make("summary", {}, heading, make("i", {"aria-hidden": "true"}, "i")), docs)
      const group = make("section", {class: "wb-group"}, section.title ? about : "")
      const controls = section.controls.map(spec => {
        const control = new KINDS[spec.kind](spec, {send, settled, upload, offered})
        this.all.set(spec.name, control)
        if (spec.places) this.placed.set(spec.places, control)
        group.append(control.element)
        return control
      })
      this.element.append(group)
      return {group, about, docs, controls}
    })
  }

  // The names of all states.
  names() {
    return [...this.placed.keys(), ...this.all.keys()]
  }

  show(states) {
    for (const [name, state] of Object.entries(states)) this.placed.get(name)?.takePlaces(state)
    for (const [name, state] of Object.entries(states)) this.all.get(name)?.take(state)
    for (const {group, about, docs, controls} of this.sections) {
      const offered = controls.filter(control => !control.element.hidden)
      group.hidden = !offered.length
      // Help is of what is shown.
      const explained = offered.filter(({spec}) => spec.doc)
      docs.replaceChildren(...explained.flatMap(({spec}) => [make("dt", {}, spec.label), make("dd", {}, spec.doc)]))
      about.classList.toggle("wb-bare", !explained.length)
    }
  }

  progress(name, share) {
    this.all.get(name)?.progress?.(Math.min(share, 1))
  }

  // The control that takes files which are dropped on the page; undefined if none is offered.
  taker() {
    return [...this.all.values()].find(({spec, element}) => spec.drops && !element.hidden)
  }

  // What was set while no answer came, so that it is not lost with the connection.
  unsent() {
    const open = [...this.all.values()].filter(control => control.open())
    return Object.fromEntries(open.map(control => [control.spec.name, control.asked]))
  }
}

let count = 0

// A control: its element, the last choice, and whether that was answered.
class Control {
  // Each kind makes its own elements in build().
  /** @type {any} */
  spec
  /** @type {any} */
  typed
  /** @type {any} */
  settled
  /** @type {any} */
  upload
  /** @type {any} */
  offered
  id = ""
  serial = 0

  build() {}

  show(_state) {}

  constructor(spec, {send, settled, upload, offered}) {
    Object.assign(this, {spec, settled, upload, offered, id: `wb-control-${++count}`, serial: 0})
    // typed: a number may lie beyond the ends of the slider, whose range then widens. done: the end
    // of a gesture, which is kept and can be undone.
    this.set = (value, {typed = false, done = true} = {}) => {
      this.asked = value
      this.serial = send({kind: "set", name: spec.name, value, ...typed && {typed}, ...!done && {done}})
    }
    this.press = () => { this.serial = send({kind: "job", job: spec.name}) }
    this.element = make("div", {class: "wb-control", "data-kind": spec.kind, "data-control": spec.name})
    this.build()
  }

  open() {
    return this.asked !== undefined && !this.settled(this.serial)
  }

  take(state) {
    this.element.hidden = !state.offered
    if (!this.open()) this.show(state)
  }

  label() {
    return make("label", {for: this.id}, this.spec.label)
  }
}

const ENDS = ["pointerup", "touchend", "touchcancel"] // of holding a slider

// Keys of a slider with places, and by how many of them each moves.
const STRIDES = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, End: Infinity, Home: -Infinity}

// A slider with steps of one width, or with one step for each of given places: the element then has
// the place, and between two places that of a number which was typed.
class Slider extends Control {
  /** @type {Float64Array | undefined} */
  places

  build() {
    this.range = make("input", {type: "range", id: this.id})
    this.typed = new Typed(`${this.spec.label}: value`, value => this.set(value, {typed: true}))
    this.held = this.moved = false // by a pointer, or by a key that repeats
    this.range.addEventListener("input", () => this.move(this.chosen()))
    const release = () => this.release()
    this.range.addEventListener("pointerdown", () => {
      this.held = true
      for (const end of ENDS) window.addEventListener(end, release, {once: true}) // wherever it is then
    })
    this.range.addEventListener("keydown", event => {
      this.held ||= event.repeat
      const stride = STRIDES[event.key]
      if (!this.places || !stride) return
      event.preventDefault() // the element's own steps are none of the places
      const next = beside(this.places, this.typed.value, stride)
      if (next !== this.typed.value) this.move(next)
    })
    this.range.addEventListener("keyup", release)
    this.range.addEventListener("blur", release)
    const head = make("div", {class: "wb-control-head"}, this.label(), this.typed.element)
    this.element.append(head, this.range)
  }

  chosen() {
    const at = Number(this.range.value)
    return this.places ? this.places[Math.round(at)] : at
  }

  move(value) {
    this.write(value)
    this.moved = this.held
    this.set(value, {done: !this.held})
  }

  // All steps since the slider was taken are one change.
  release() {
    const moved = this.moved
    this.held = this.moved = false
    if (moved) this.set(this.chosen())
  }

  // Places come once for the data in view, before the first state that they belong to.
  takePlaces({places}) {
    this.places = typedArray(places)
    if (this.state) this.show({...this.state, value: this.typed.value})
  }

  show(state) {
    const {low, high, step, decimals, log, value} = this.state = state
    this.decimals = decimals
    Object.assign(this.range, this.places ? {min: 0, max: this.places.length - 1, step: "any"} : {min: low, max: high, step})
    this.typed.scale({low, high, step, decimals, log, places: this.places})
    this.write(value)
  }

  write(value) {
    const at = this.places ? placeOf(this.places, value) : value
    const text = this.typed.log || this.places ? this.typed.text(value) : value.toFixed(this.decimals)
    this.range.value = at
    this.range.setAttribute("aria-valuetext", text)
    this.range.style.setProperty("--share", (at - this.range.min) / (this.range.max - this.range.min || 1))
    this.typed.write(value)
  }
}

// The place of a number: a fraction between two places, an end beyond it.
export function placeOf(places, value) {
  let below = 0, above = places.length - 1
  if (!(value > places[below])) return below
  if (value >= places[above]) return above
  while (above - below > 1) {
    const middle = (below + above) >> 1
    if (places[middle] <= value) below = middle
    else above = middle
  }
  return below + (value - places[below]) / (places[above] - places[below])
}

// The number so many places up or down from a number, which may lie between two; itself at an end.
export function beside(places, value, stride) {
  const at = placeOf(places, value)
  const next = stride > 0 ? Math.floor(at) + stride : Math.ceil(at) + stride
  const found = places[Math.min(Math.max(next, 0), places.length - 1)]
  return (found - value) * stride > 0 ? found : value
}

// A number with all its digits; with four where there are more than anybody types.
function enough(value) {
  const text = String(value)
  const digits = text.replace(/e.*$/, "").replaceAll(/[-.]/g, "").replace(/^0+/, "")
  return digits.length > 12 ? String(Number(value.toPrecision(4))) : text
}

class NumberField extends Control {
  build() {
    this.typed = new Typed(null, value => this.set(value, {typed: true}), this.id)
    const wrong = make("p", {class: "wb-wrong", role: "alert"})
    this.typed.say = words => wrong.replaceChildren(words)
    this.element.append(this.label(), this.typed.element, wrong)
  }

  show(state) {
    this.typed.scale(state)
    this.typed.write(state.value)
  }
}

// A number field; it sends its number on Enter, on an arrow key, and when it loses the focus.
class Typed {
  low = 0
  step = 1
  decimals = 0
  /** @type {string | undefined} */
  log
  /** @type {Float64Array | undefined} */
  places

  // Shows what is wrong with what was typed; "" for nothing.
  /** @type {((words: string) => void) | undefined} */
  say

  constructor(name, taken, id) {
    const attributes = {type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false"}
    if (name) attributes["aria-label"] = name
    if (id) attributes.id = id
    this.element = make("input", {...attributes, class: "wb-typed"})
    this.taken = taken
    this.element.addEventListener("change", () => this.commit())
    this.element.addEventListener("keydown", event => {
      if (event.key === "Enter") this.commit()
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return
      event.preventDefault()
      const from = this.parsed() ?? this.value
      const sign = event.key === "ArrowUp" ? 1 : -1
      this.element.value = this.text(this.places ? beside(this.places, from, sign) : from + sign * this.step)
      this.commit()
    })
  }

  // log: what is sent and drawn is log₁₀ of what is typed and shown, "whole" or "real" numbers.
  /** @param {{low: number, step: number, decimals: number, log?: string, places?: Float64Array}} state */
  scale({low, step, decimals, log, places}) {
    this.places = places
    this.low = low
    this.step = step
    this.decimals = decimals
    this.log = log
  }

  // A person who is typing is not interrupted.
  write(value) {
    this.value = value
    const typing = this.element.matches(":focus") && this.element.value !== this.shown
    this.shown = this.places && this.parsed() === value ? this.element.value : this.text(value)
    if (!typing) this.element.value = this.shown
    if (!typing) this.mark(false)
  }

  text(value) {
    if (value === null || value === undefined) return ""
    if (this.log) return this.power(value)
    if (this.places) return enough(value)
    const fixed = value.toFixed(Math.min(this.decimals, 20))
    return Math.abs(Number(fixed) - value) <= 1e-9 * Math.abs(value) ? fixed : String(value)
  }

  // In three digits where the slider stands on a step, in more where they were typed.
  power(value) {
    const number = 10 ** value
    if (this.log === "whole") return Math.round(number).toLocaleString("en-US")
    const steps = (value - this.low) / this.step
    const rounded = Number(number.toPrecision(Math.abs(steps - Math.round(steps)) < 1e-6 ? 3 : 6))
    return rounded < 1e-3 ? rounded.toExponential() : String(rounded)
  }

  // "1,000" and "1 000" are a thousand; a decimal comma is not guessed.
  parsed() {
    const text = this.element.value.trim().replaceAll("−", "-")
    const plain = /^[-+]?\d{1,3}([,\s]\d{3})+(\.\d*)?$/.test(text) ? text.replaceAll(/[,\s]/g, "") : text
    const typed = plain === "" ? NaN : Number(plain)
    const number = this.log ? Math.log10(typed) : typed
    return Number.isFinite(number) ? number : null
  }

  commit() {
    if (this.element.value === this.shown) return
    const value = this.parsed()
    this.mark(value === null)
    if (value === null) return
    this.shown = this.element.value
    this.taken(value)
  }

  mark(wrong) {
    this.element.setAttribute("aria-invalid", String(wrong))
    this.element.title = wrong ? "Type a number, such as 0.05, 1e-5 or 1,000" : ""
    this.say?.(this.element.title)
  }
}

class Choice extends Control {
  build() {
    this.select = make("select", {id: this.id})
    this.select.addEventListener("change", () => this.set(this.select.value))
    this.element.append(this.label(), this.select)
  }

  // refused: an option that cannot be chosen -> why. groups: an option -> the heading that it
  // stands under; options of one heading follow each other.
  show({options, value, refused = {}, groups = {}}) {
    const shown = JSON.stringify([options, refused, groups])
    if (this.shown !== shown) {
      this.shown = shown
      this.select.replaceChildren()
      let heading = this.select
      for (const name of options) {
        if (!groups[name]) heading = this.select
        else if (heading.label !== groups[name]) {
          heading = make("optgroup", {label: groups[name]})
          this.select.append(heading)
        }
        heading.append(refused[name]
          ? make("option", {value: name, disabled: ""}, `${name} (${refused[name]})`)
          : make("option", {value: name}, name))
      }
    }
    if (value === null) this.select.selectedIndex = -1
    else this.select.value = value
  }
}

class Switch extends Control {
  build() {
    this.box = make("input", {type: "checkbox", role: "switch", id: this.id})
    this.box.addEventListener("change", () => this.set(this.box.checked))
    this.element.append(this.box, this.label())
  }

  show({value}) {
    this.box.checked = value
  }
}

class TextField extends Control {
  build() {
    this.field = make("input", {type: "text", id: this.id, autocomplete: "off", spellcheck: "false"})
    this.field.addEventListener("change", () => this.set(this.field.value))
    this.element.append(this.label(), this.field)
  }

  show({value}) {
    if (!this.field.matches(":focus") || this.field.value === this.shown) this.field.value = value
    this.shown = value
  }
}

class Button extends Control {
  build() {
    this.button = make("button", {type: "button", class: "wb-button"}, this.spec.label)
    this.button.addEventListener("click", () => this.set(true))
    this.element.append(this.button)
  }

  open() {
    return false
  }

  show() {}
}

// Asks the browser whether it may notify; the session does not hear of it.
class Notice extends Control {
  build() {
    const id = `${this.id}-said`
    this.button = make("button", {type: "button", class: "wb-button", "aria-describedby": id}, this.spec.label)
    this.said = make("p", {class: "wb-help", id, role: "status"})
    this.button.addEventListener("click", async () => {
      await ask()
      this.show()
    })
    this.element.append(this.button, this.said)
  }

  open() {
    return false
  }

  show() {
    this.said.textContent = standing()
  }
}

// Saves a file of the page; the session does not hear of it.
class Download extends Control {
  build() {
    const id = `${this.id}-said`
    this.button = make("button", {type: "button", class: "wb-button", "aria-describedby": id}, this.spec.label)
    this.said = make("p", {class: "wb-help", id, role: "status"})
    this.button.addEventListener("click", async () => {
      try {
        this.said.textContent = `${await this.offered(this.spec.name)} was saved.`
      } catch (error) {
        this.said.textContent = error.message
      }
    })
    this.element.append(this.button, this.said)
  }

  open() {
    return false
  }

  show() {}
}

class JobButton extends Control {
  build() {
    this.button = make("button", {type: "button", class: "wb-button wb-main"}, this.spec.label)
    this.button.addEventListener("click", this.press)
    this.element.append(this.button)
  }

  show({label, running}) {
    this.button.textContent = label
    this.button.classList.toggle("wb-main", !running)
    this.button.toggleAttribute("data-edits", !running) // whoever may start none may end one
  }
}

class Files extends Control {
  build() {
    this.field = make("input", {type: "file", multiple: "", id: this.id, class: "wb-said", "data-edits": ""})
    this.said = make("p", {class: "wb-quiet", "aria-live": "polite"})
    this.bar = make("progress", {max: "1", value: "0", "aria-label": `Upload: ${this.spec.label}`, hidden: ""})
    const label = make("label", {for: this.id, class: "wb-button", "data-edits": ""}, this.spec.label)
    this.field.addEventListener("change", () => {
      if (!this.field.files.length) return
      const files = [...this.field.files]
      this.field.value = "" // the same file can be chosen again
      this.give(files)
    })
    this.element.append(this.field, label, this.bar, this.said)
  }

  // Sends files that a person has chosen or dropped.
  give(files) {
    this.said.textContent = files.map(({name}) => name).join(", ")
    this.upload(this.spec.name, files)
  }

  show() {}

  progress(share) {
    this.bar.value = share
    this.bar.hidden = share >= 1
  }
}

const KINDS = {
  slider: Slider,
  number: NumberField,
  choice: Choice,
  switch: Switch,
  text: TextField,
  button: Button,
  notice: Notice,
  download: Download,
  job: JobButton,
  files: Files,
}
