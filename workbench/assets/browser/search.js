// The search: a dialog that finds pages, controls, numbers, charts, data sets and terms while one types.

import {make} from "./board.js"

const MOST = 12 // results
const MOST_OF_KIND = 5
const MOST_ALIKE = 2 // of one kind and title, such as the control δ of eleven pages
const HEADINGS = {
  page: "Pages",
  "data set": "Data sets",
  control: "Controls",
  number: "Numbers",
  chart: "Charts",
  term: "Glossary",
}
// Of two entries that match equally well, the one of the earlier kind comes first.
const ORDER = ["page", "data set", "term", "chart", "number", "control"]
const APPLE = /Mac|iP(hone|ad|od)/.test(navigator.platform)
const LENS = "M10 3a7 7 0 1 0 4.2 12.6l5.1 5.1 1.400-1.400-5.100-5.100A7 7 0 0 0 10 3Zm0 2a5 5 0 1 1 0 10 5 5 0 0 1 0-10Z"

let count = 0

export class Search {
  /** @type {any} */
  dialog // once it was opened

  // load() returns a promise of the index, see search_index() in search.py; go(page, {control, item}),
  // choose(key) of a data set, and define(key) of a term do what was found.
  constructor({load, go, choose, define}) {
    this.load = load
    this.go = go
    this.choose = choose
    this.define = define
    this.datasets = [] // {kind: "data set", key, title, where}: the page keeps them up to date
    this.page = "" // the name of the page in view, of which entries come first
    this.options = [] // those shown, as {entry, element}
    this.button = this.makeButton()
    document.addEventListener("keydown", event => {
      const wanted = (APPLE ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey
      if (!wanted || event.key.toLowerCase() !== "k") return
      event.preventDefault()
      if (this.dialog?.open) this.dialog.close()
      else this.open()
    })
  }

  async open() {
    this.dialog ??= this.makeDialog()
    this.input.value = ""
    if (!this.dialog.open) this.dialog.showModal()
    this.input.focus()
    if (!this.index) await this.fetch()
    this.find()
  }

  async fetch() {
    this.say("Loading …")
    try {
      this.index = (await this.load()).map(prepared)
    } catch {
      this.say("The search index could not be loaded. Close the search and open it again.")
    }
  }

  // -- the elements --

  makeButton() {
    const keys = APPLE ? "⌘ K" : "Ctrl K"
    const button = make("button", {type: "button", class: "wb-search-button", "aria-label": "Search",
      "aria-keyshortcuts": APPLE ? "Meta+K" : "Control+K", "aria-haspopup": "dialog"})
    button.append(lens(), make("span", {}, "Search"), make("kbd", {}, keys))
    button.addEventListener("click", () => this.open())
    return button
  }

  makeDialog() {
    this.id = `wb-search-${++count}`
    this.input = make("input", {type: "text", role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list",
      "aria-controls": this.id, "aria-label": "Search pages, controls, data sets and help",
      placeholder: "Search pages, controls, data sets and help", autocomplete: "off", autocapitalize: "off", spellcheck: "false"})
    this.input.addEventListener("input", () => this.find())
    this.input.addEventListener("keydown", event => this.key(event))
    const close = make("button", {type: "button", class: "wb-round", "aria-label": "Close the search"}, "✕")
    close.addEventListener("click", () => this.dialog.close())
    this.list = make("div", {role: "listbox", id: this.id, class: "wb-results", "aria-label": "Results"})
    this.said = make("p", {class: "wb-search-said", role: "status"})
    const dialog = make("dialog", {class: "wb-search", "aria-label": "Search"},
      make("div", {class: "wb-search-head"}, lens(), this.input, close), this.list, this.said)
    dialog.addEventListener("pointerdown", event => { if (event.target === dialog) dialog.close() })
    document.body.append(dialog)
    return dialog
  }

  // -- what was found --

  find() {
    if (!this.index) return
    const all = [...this.datasets.map(prepared), ...this.index]
    const asked = words(this.input.value)
    const groups = asked.length ? found(all, asked, this.page) : offered(all)
    this.options = []
    this.list.replaceChildren(...groups.map(([kind, entries], k) => {
      const id = `${this.id}-group-${k}`
      const options = entries.map(entry => this.option(entry))
      return make("div", {role: "group", "aria-labelledby": id},
        make("div", {id, class: "wb-results-kind", role: "presentation"}, HEADINGS[kind]), ...options)
    }))
    this.input.setAttribute("aria-expanded", String(this.options.length > 0))
    this.list.hidden = !this.options.length
    this.list.scrollTop = 0
    this.mark(0)
    const typed = this.input.value.trim()
    if (!this.options.length) this.say(typed ? `Nothing found for “${typed}”.` : "")
    else this.say(typed ? `${this.options.length} result${this.options.length === 1 ? "" : "s"}` : "")
  }

  option(entry) {
    const at = this.options.length
    const {kind, title, where = ""} = entry
    const element = make("div", {role: "option", id: `${this.id}-${at}`, class: "wb-result", "aria-selected": "false",
      "data-kind": kind}, make("span", {class: "wb-result-title"}, title), make("span", {class: "wb-result-where"}, where))
    element.addEventListener("pointermove", () => this.mark(at))
    element.addEventListener("click", () => this.take(entry))
    this.options.push({entry, element})
    return element
  }

  mark(at) {
    this.at = at
    this.options.forEach(({element}, k) => element.setAttribute("aria-selected", String(k === at)))
    const marked = this.options[at]?.element
    if (marked) this.input.setAttribute("aria-activedescendant", marked.id)
    else this.input.removeAttribute("aria-activedescendant")
    return marked
  }

  key(event) {
    const last = this.options.length - 1
    const places = {ArrowDown: this.at < last ? this.at + 1 : 0, ArrowUp: this.at > 0 ? this.at - 1 : last}
    if (event.key in places && last >= 0) {
      event.preventDefault()
      this.mark(places[event.key]).scrollIntoView({block: "nearest"})
    }
    if (event.key === "Enter" && this.options[this.at]) {
      event.preventDefault()
      this.take(this.options[this.at].entry)
    }
  }

  take({kind, page, control, item, key}) {
    this.dialog.close()
    if (kind === "data set") this.choose(key)
    else if (kind === "term") this.define(key)
    else this.go(page, control ? {control} : item ? {item} : {})
  }

  say(text) {
    this.said.textContent = text
  }
}

const lens = () => {
  const span = make("span", {class: "wb-lens", "aria-hidden": "true"})
  span.innerHTML = `<svg viewBox="0 0 24 24" width="18" height="18"><path d="${LENS}"/></svg>`
  return span
}

// -- ranking --------------------------------------------------------------------------------------

// Without a question: data sets and pages.
function offered(all) {
  const datasets = all.filter(({kind}) => kind === "data set").slice(0, 3)
  const pages = all.filter(({kind}) => kind === "page").slice(0, MOST - datasets.length)
  return [["data set", datasets], ["page", pages]].filter(([, entries]) => entries.length)
}

// The best entries, in groups of one kind; the group with the best entry comes first.
export function found(all, asked, page = "") {
  const scored = all
    .map(entry => [points(entry, asked), entry])
    .filter(([score]) => score > 0)
    .map(([score, entry]) => [score + (entry.page === page ? 1.5 : 0) - ORDER.indexOf(entry.kind) / 10, entry])
    .toSorted(([a], [b]) => b - a)
  const groups = new Map()
  const alike = new Map()
  let taken = 0
  for (const [, entry] of scored) {
    const group = groups.get(entry.kind) ?? []
    const same = `${entry.kind} ${entry.title}`
    const before = alike.get(same) ?? 0
    if (taken === MOST || group.length === MOST_OF_KIND || before === MOST_ALIKE) continue
    groups.set(entry.kind, [...group, entry])
    alike.set(same, before + 1)
    taken += 1
  }
  return [...groups]
}

// Every word that was asked has to be found; in the title it counts most. Where an entry is counts only
// together with what it is: the name of a page alone does not find everything on it.
function points({titleWords, alsoWords, textWords, whereWords, phrases}, asked) {
  let sum = 0
  let own = false
  for (const word of asked) {
    const best = Math.max(
      wordPoints(titleWords, word, [10, 8, 5]), wordPoints(alsoWords, word, [9, 7, 4]), wordPoints(textWords, word, [4, 3, 0]))
    own ||= best > 0
    const gained = best || wordPoints(whereWords, word, [3, 2, 0])
    if (!gained) return 0
    sum += gained
  }
  if (!own) return 0
  const begins = titleWords[0]?.startsWith(asked[0]) ? 2 : 0
  const whole = phrases.includes(asked.join(" ")) ? 4 : 0
  return sum / asked.length + begins + whole
}

function wordPoints(list, word, [whole, prefix, typo]) {
  if (list.includes(word)) return whole
  if (list.some(one => one.startsWith(word))) return prefix
  if (typo && word.length >= 4 && list.some(one => nearPrefix(one, word))) return typo
  return 0
}

// Whether the word, with one letter wrong, missing, added or swapped, begins the other one.
function nearPrefix(whole, word) {
  return [-1, 0, 1].some(by => oneEdit(whole.slice(0, word.length + by), word))
}

function oneEdit(a, b) {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let same = 0
  while (same < short.length && short[same] === long[same]) same += 1
  if (short.length < long.length) return short.slice(same) === long.slice(same + 1)
  const swapped = short[same] === long[same + 1] && short[same + 1] === long[same]
  return short.slice(same + 1) === long.slice(same + 1) || (swapped && short.slice(same + 2) === long.slice(same + 2))
}

const GREEK = {α: "alpha", β: "beta", δ: "delta", ε: "epsilon", η: "eta", μ: "mu", ν: "nu", ρ: "rho", σ: "sigma", τ: "tau"}

// Lower case, without accents, Greek letters by name; "held-out" is found as "held", "out" and "heldout".
export function words(text) {
  const plain = text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(/[α-ω]/g, letter => ` ${GREEK[letter] ?? letter} `)
  const joined = plain.match(/[a-z0-9]+(-[a-z0-9]+)+/g) ?? []
  return [...(plain.match(/[a-z0-9]+/g) ?? []), ...joined.map(word => word.replaceAll("-", ""))]
}

function prepared(entry) {
  const {title, also = [], where = "", text = ""} = entry
  const page = entry.kind === "page" // what a page answers says what it is
  return {
    ...entry,
    phrases: [title, ...also].map(one => words(one).join(" ")),
    titleWords: words(title),
    alsoWords: words(also.join(" ")),
    textWords: words(page ? `${where} ${text}` : text),
    whereWords: words(where),
  }
}
