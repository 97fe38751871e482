// The glossary: links the terms in a text to their definitions, which open beside the word, and
// lists all definitions in a dialog.

import {make} from "./board.js"

const MARGIN = 8 // px between a definition and the edges of the window
const NARROW = "(max-width: 600px)"

let count = 0

export class Glossary {
  entries = new Map() // key of a term -> its entry in the list
  /** @type {any} */
  list // the dialog of all terms, once it was opened
  /** @type {any} */
  filter // the field above the list
  /** @type {any} */
  note // the definition that is open, or was last

  // topics: see glossary() in start.py; go(page, {item}) leads to a chart or number.
  constructor(topics, {go}) {
    this.topics = topics
    this.go = go
    this.terms = new Map(topics.flatMap(({terms}) => terms).map(term => [term.key, term]))
    const words = [...this.terms.values()].flatMap(term => term.words.map(word => [word, term.key]))
    this.keys = new Map(words)
    this.pattern = wordPattern(words.map(([word]) => word))
    this.linked = this.linked.bind(this) // so that it can be handed on alone
  }

  // The text, with the first occurrence of each term as a button that opens its definition. Terms in
  // `met` are left as they are, and those found are added to it.
  linked(text, met = new Set()) {
    return this.replaced(text, met, (word, key) => this.link(word, key, at => this.explain(key, at)))
  }

  // Opens the list, at a term if one is named.
  open(key) {
    this.list ??= this.makeList()
    this.note?.hidePopover()
    this.filter.value = ""
    this.sift()
    if (!this.list.open) this.list.showModal()
    if (key) this.showInList(key)
    else this.filter.focus()
  }

  // -- links --

  replaced(text, met, link) {
    const parts = document.createDocumentFragment()
    let done = 0
    for (const match of text.matchAll(this.pattern)) {
      const [word] = match
      const key = this.keys.get(word) ?? this.keys.get(word[0].toLowerCase() + word.slice(1))
      if (met.has(key)) continue
      met.add(key)
      parts.append(text.slice(done, match.index), link(word, key))
      done = match.index + word.length
    }
    parts.append(text.slice(done))
    return parts
  }

  // A span, because a button cannot be broken over two lines.
  link(word, key, act) {
    const link = make("span", {class: "wb-term", role: "button", tabindex: "0", "data-term": key}, word)
    let wasOpen = false // a definition is closed by the press, before the click
    link.addEventListener("pointerdown", () => { wasOpen = this.openAt(link) })
    link.addEventListener("click", event => {
      event.preventDefault()
      event.stopPropagation()
      if (!wasOpen) act(link)
      wasOpen = false
    })
    link.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return
      event.preventDefault()
      event.stopPropagation()
      act(link)
    })
    return link
  }

  // -- one definition, beside the word --

  openAt(link) {
    return this.opener === link && Boolean(this.note?.matches(":popover-open"))
  }

  explain(key, at) {
    this.note ??= this.makeNote()
    const again = this.note.contains(at) // a term within a definition takes its place
    if (this.note.matches(":popover-open") && !again) this.note.hidePopover()
    this.fill(key)
    if (!again) {
      this.opener = at
      // What is outside an open dialog cannot be used.
      const home = at.closest("dialog") ?? document.body
      if (this.note.parentNode !== home) home.append(this.note)
      this.note.showPopover()
    }
    this.place()
    this.note.focus({preventScroll: true})
  }

  makeNote() {
    const id = `wb-definition-${++count}`
    this.noteName = make("h2", {id})
    this.noteText = make("p", {})
    this.noteLinks = make("div", {class: "wb-note-links"})
    const note = make("div", {class: "wb-definition", popover: "auto", role: "dialog", tabindex: "-1", "aria-labelledby": id},
      this.noteName, this.noteText, this.noteLinks)
    const away = event => { if (!note.contains(event.target)) note.hidePopover() }
    note.addEventListener("toggle", ({newState}) => {
      if (newState === "open") return document.addEventListener("scroll", away, {capture: true})
      document.removeEventListener("scroll", away, {capture: true})
      if (document.activeElement === document.body) this.opener?.focus({preventScroll: true})
    })
    return note
  }

  fill(key) {
    const term = this.terms.get(key)
    this.noteName.textContent = term.name
    this.noteText.replaceChildren(this.linked(term.text, new Set([key])))
    const all = make("button", {type: "button", class: "wb-text-link"}, "Glossary")
    all.addEventListener("click", () => this.open(key))
    this.noteLinks.replaceChildren(...this.shownAt(term, () => this.note.hidePopover()), all)
  }

  place() {
    const {style} = this.note
    Object.assign(style, {left: "", top: ""})
    if (matchMedia(NARROW).matches) return // at the lower edge, by the style sheet
    const word = this.opener.getClientRects()[0] ?? this.opener.getBoundingClientRect()
    const {width, height} = this.note.getBoundingClientRect()
    const below = word.bottom + MARGIN
    const top = below + height + MARGIN > innerHeight && word.top > height + 2 * MARGIN ? word.top - height - MARGIN : below
    style.left = `${Math.max(MARGIN, Math.min(word.left - 16, innerWidth - width - MARGIN))}px`
    style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - height - MARGIN))}px`
  }

  shownAt({shown, where}, leave) {
    if (!where) return []
    const [page, item] = shown
    const button = make("button", {type: "button", class: "wb-text-link"}, `Show it on ${where}`)
    button.addEventListener("click", () => {
      leave()
      this.go(page, {item})
    })
    return [button]
  }

  // -- all definitions --

  makeList() {
    const id = `wb-glossary-${++count}`
    this.filter = make("input", {type: "search", placeholder: "Filter", "aria-label": "Filter the terms", autocomplete: "off", spellcheck: "false"})
    this.filter.addEventListener("input", () => this.sift())
    const close = make("button", {type: "button", class: "wb-round", "aria-label": "Close the glossary"}, "✕")
    close.addEventListener("click", () => this.list.close())
    this.none = make("p", {class: "wb-quiet", role: "status"})
    this.sections = this.topics.map(({topic, terms}) => {
      const entries = terms.map(term => this.entry(term))
      return {entries, element: make("section", {}, make("h3", {}, topic), make("dl", {}, ...entries.map(({element}) => element)))}
    })
    const list = make("dialog", {class: "wb-glossary", "aria-labelledby": id},
      make("header", {}, make("h2", {id}, "Glossary"), this.filter, close),
      make("div", {class: "wb-glossary-body", tabindex: "0", role: "region", "aria-labelledby": id},
        ...this.sections.map(({element}) => element), this.none))
    // A press beside the dialog closes it.
    list.addEventListener("pointerdown", event => { if (event.target === list) list.close() })
    document.body.append(list)
    return list
  }

  entry(term) {
    const name = make("dt", {tabindex: "-1"}, term.name)
    const text = this.replaced(term.text, new Set([term.key]),
      (word, key) => this.link(word, key, () => this.showInList(key)))
    const links = this.shownAt(term, () => this.list.close())
    const element = make("div", {class: "wb-entry", "data-term": term.key}, name, make("dd", {}, text, " ", ...links))
    const entry = {term, element, name}
    this.entries.set(term.key, entry)
    return entry
  }

  showInList(key) {
    this.filter.value = ""
    this.sift()
    for (const {element, term} of this.entries.values()) element.classList.toggle("wb-found", term.key === key)
    const {element, name} = this.entries.get(key) ?? {}
    element?.scrollIntoView({block: "center"})
    name?.focus({preventScroll: true})
  }

  sift() {
    const asked = this.filter.value.trim().toLowerCase()
    let left = 0
    for (const {element, entries} of this.sections) {
      for (const {element: entry, term} of entries) {
        entry.hidden = !`${term.name} ${term.words.join(" ")} ${term.text}`.toLowerCase().includes(asked)
        entry.classList.remove("wb-found")
        if (!entry.hidden) left += 1
      }
      element.hidden = entries.every(({element: entry}) => entry.hidden)
    }
    this.none.textContent = left ? "" : `No term or definition contains “${this.filter.value.trim()}”.`
  }
}

// Whole words, the longest first. A word in lower case may begin a sentence; others are exact, so that
// "P" is the distribution and "p" is not. A letter before "(" is a function, after "^" an exponent.
function wordPattern(words) {
  const escaped = word => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const forms = words.toSorted((a, b) => b.length - a.length).map(word => {
    const first = word[0]
    const small = word === word.toLowerCase() && first !== first.toUpperCase() && /[a-z]/.test(first)
    return small ? `[${first}${first.toUpperCase()}]${escaped(word.slice(1))}` : escaped(word)
  })
  return new RegExp(`(?<![\\p{L}\\p{N}^_])(?:${forms.join("|")})(?![\\p{L}\\p{N}(′_]|-[\\p{L}])`, "gu")
}
