// The tour: a small guide beside one element after another, over the pages. It is not modal: the
// pages can be used meanwhile, and the guide stays until it is ended.

import {make} from "./board.js"

const KEPT = "workbench:tour"
const GAP = 12 // px between the element and the guide
const BAR = 64 // px at the top that the bar of the page covers
const NARROW = "(max-width: 700px)"

export class Tour {
  /** @type {any} */
  opener // what had the focus before the tour
  escape = event => {
    if (event.key !== "Escape" || event.defaultPrevented) return
    if (!document.querySelector("dialog[open], :popover-open")) this.end()
  }

  // data, steps: see tour() in start.py; go(page, {item, control}) shows a page and may return a
  // promise; choose(key) takes a data set into view; linked(text) links its terms.
  constructor({data, steps}, {go, choose, linked = text => text}) {
    this.data = data
    this.steps = steps
    this.go = go
    this.choose = choose
    this.linked = linked
    this.place = null // of the element, as last drawn
  }

  get seen() {
    return localStorage.getItem(KEPT) !== null
  }

  get running() {
    return Boolean(this.guide?.isConnected)
  }

  // chosen: true if the person has a data set in view, which then stays.
  async start({chosen = false} = {}) {
    if (this.running) this.end()
    this.opener = document.activeElement
    this.make()
    document.body.append(this.ring, this.guide)
    document.addEventListener("keydown", this.escape)
    this.follow()
    if (!chosen) await this.choose(this.data)
    await this.show(0)
  }

  end() {
    if (!this.running) return
    localStorage.setItem(KEPT, "seen")
    this.asked = null
    cancelAnimationFrame(this.frame ?? 0)
    document.removeEventListener("keydown", this.escape)
    const inside = this.guide.contains(document.activeElement)
    this.guide.remove()
    this.ring.remove()
    if (inside) this.giveFocusBack()
  }

  async show(at) {
    const step = this.steps[at]
    const {title, text, page, item, control, where} = step
    const asked = this.asked = Symbol(title)
    this.at = at
    this.target = null
    this.count.textContent = `Step ${at + 1} of ${this.steps.length} · ${where}`
    this.title.textContent = title
    this.text.replaceChildren(this.linked(text))
    this.back.disabled = at === 0
    this.next.textContent = at + 1 < this.steps.length ? "Next" : "Finish"
    this.dots.forEach((dot, k) => dot.toggleAttribute("data-done", k <= at))
    this.next.focus({preventScroll: true})
    await this.go(page, control ? {control} : {item})
    const target = await this.found(control ? `[data-control="${control}"]` : `[data-item="${item}"]`, asked)
    if (this.asked !== asked) return // meanwhile at another step
    this.target = target
    target.scrollIntoView({block: "center", behavior: calm() ? "auto" : "smooth"})
    this.next.focus({preventScroll: true}) // the new page may have taken it
  }

  move(by) {
    const at = this.at + by
    if (at >= this.steps.length) this.end()
    else if (at >= 0) this.show(at)
  }

  // -- the guide --

  make() {
    this.count = make("p", {class: "wb-tour-count"})
    this.title = make("h2", {id: "wb-tour-title"})
    this.text = make("p", {class: "wb-tour-text"})
    this.dots = this.steps.map(() => make("i", {}))
    const close = this.button("✕", () => this.end(), {class: "wb-round", "aria-label": "End the tour"})
    this.back = this.button("Back", () => this.move(-1), {class: "wb-plain-button"})
    this.next = this.button("Next", () => this.move(1), {class: "wb-filled-button"})
    this.guide = make("section", {class: "wb-tour", role: "dialog", "aria-labelledby": "wb-tour-title"},
      make("div", {class: "wb-tour-head"}, this.count, close),
      make("div", {"aria-live": "polite"}, this.title, this.text),
      make("div", {class: "wb-tour-foot"},
        make("span", {class: "wb-dots", "aria-hidden": "true"}, ...this.dots), this.back, this.next))
    this.ring = make("div", {class: "wb-ring", "aria-hidden": "true", hidden: ""})
    // Arrow keys belong to the guide only while it has the focus: elsewhere they move sliders.
    this.guide.addEventListener("keydown", event => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return
      event.preventDefault()
      this.move(event.key === "ArrowRight" ? 1 : -1)
    })
  }

  button(words, act, attributes) {
    const button = make("button", {type: "button", ...attributes}, words)
    button.addEventListener("click", act)
    return button
  }

  giveFocusBack() {
    const at = this.opener?.isConnected && this.opener.checkVisibility() ? this.opener : document.querySelector("#content")
    at?.focus({preventScroll: true})
  }

  // -- the element --

  // The element, once it is there; null if the person went on before.
  async found(selector, asked) {
    while (this.asked === asked) {
      const seen = [...document.querySelectorAll(selector)].find(one => one.checkVisibility())
      if (seen) return seen
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    return null
  }

  // Elements move while charts are drawn and people scroll.
  follow() {
    this.frame = requestAnimationFrame(() => this.follow())
    const visible = this.target?.isConnected && this.target.checkVisibility()
    const box = visible ? this.target.getBoundingClientRect() : null
    const {offsetWidth: width, offsetHeight: height} = this.guide
    const place = JSON.stringify([box, width, height, innerWidth, innerHeight])
    if (place === this.place) return
    this.place = place
    this.ring.hidden = !box
    if (box) {
      Object.assign(this.ring.style, {
        transform: `translate(${box.left - 6}px, ${box.top - 6}px)`,
        width: `${box.width + 12}px`,
        height: `${box.height + 12}px`,
      })
    }
    const {left, top} = guidePlace(box, width, height)
    this.guide.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`
  }
}

// Where the guide covers the element least: beside it, below or above it; in a narrow window at the
// lower or the upper edge.
function guidePlace(box, width, height) {
  const right = innerWidth - width - GAP
  const bottom = innerHeight - height - GAP
  if (matchMedia(NARROW).matches) {
    const under = !box || innerHeight - box.bottom >= box.top - BAR
    return {left: (innerWidth - width) / 2, top: under ? bottom : BAR}
  }
  if (!box) return {left: right, top: bottom}
  const level = clamp(box.top, BAR, bottom)
  const column = clamp(box.left + box.width / 2 - width / 2, GAP, right)
  if (box.right + GAP <= right) return {left: box.right + GAP, top: level}
  if (box.left - GAP - width >= GAP) return {left: box.left - GAP - width, top: level}
  if (box.bottom + GAP <= bottom) return {left: column, top: box.bottom + GAP}
  if (box.top - GAP - height >= BAR) return {left: column, top: box.top - GAP - height}
  return {left: right, top: bottom}
}

const clamp = (value, low, high) => Math.max(low, Math.min(value, high))

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches
