// The start page: what people may have and the page for it, recent data sets, what an audit is, all
// pages and all terms. It is drawn from the document, before any connection.

import {make} from "./board.js"

const SVG = "http://www.w3.org/2000/svg"

export class Start {
  // content: see content() in start.py. go(page) shows a page, choose(key) takes a data set into view,
  // tour() starts the tour, and seen tells whether the person knows it; load(), if given, opens the import
  // step; linked(text) links terms, and glossary() opens their list.
  constructor(content, {go, choose, tour, seen = false, load, linked = (text, _met) => text, glossary}) {
    this.content = content
    this.go = go
    this.choose = choose
    this.load = load
    this.linked = linked
    this.seen = seen
    this.titles = new Map(content.menu.flatMap(({pages}) => pages).map(({name, title}) => [name, title]))
    const met = new Set() // a term is linked once on this page
    this.recent = make("section", {class: "wb-start-recent", "aria-labelledby": "wb-recent", hidden: ""})
    this.recentAudits = make("section", {class: "wb-start-recent", "aria-labelledby": "wb-recent-audits", hidden: ""})
    this.element = make("div", {class: "wb-start"},
      this.hero(tour, met),
      make("div", {class: "wb-start-recents"}, this.recent, this.recentAudits),
      section("What do you have?", "wb-have", make("ul", {class: "wb-doors"}, ...content.doors.map(door => this.door(door, met)))),
      section("What an audit is, and what it is not", "wb-audit",
        make("div", {class: "wb-remarks"}, ...content.audit.map(({title, text}) =>
          make("div", {}, make("h3", {}, title), make("p", {}, linked(text, met)))))),
      ...this.explorables(content.explorables ?? []),
      section("All pages", "wb-pages", make("div", {class: "wb-page-groups"}, ...content.menu.map(group => this.group(group)))),
      this.terms(glossary))
  }

  // datasets: those used last, the newest first, as {key, name, kind, size, when}; when is an ISO time.
  // audits: those saved last, as row() in audits.py.
  show({datasets, audits = []}) {
    this.showAudits(audits)
    this.recent.hidden = !datasets.length
    const cards = datasets.map(({key, name, kind, size, when}) => {
      const card = make("button", {type: "button", class: "wb-recent"},
        make("span", {class: "wb-recent-name"}, name), make("span", {class: "wb-quiet"}, `${kind} · ${size}`), ago(when))
      card.addEventListener("click", () => this.open("scores", key))
      return make("li", {}, card)
    })
    this.recent.replaceChildren(make("h2", {id: "wb-recent"}, "Recent data sets"), make("ul", {class: "wb-recents"}, ...cards))
  }

  showAudits(audits) {
    this.recentAudits.hidden = !audits.length
    const cards = audits.map(({key, name, title, number, made, imported}) => {
      const found = number ? [make("span", {class: "wb-recent-number"}, `${number.title} ${number.relation} ${number.value} `, make("span", {class: "wb-badge", "data-tone": number.tone}, number.badge))] : []
      return make("li", {}, make("a", {class: "wb-recent", href: `./audits#audit=${encodeURIComponent(key)}`, "data-page": "audits"},
        make("span", {class: "wb-recent-name"}, name), make("span", {class: "wb-quiet"}, imported ? `${title} · imported` : title), ...found, ago(made)))
    })
    this.recentAudits.replaceChildren(make("h2", {id: "wb-recent-audits"}, "Recent audits"), make("ul", {class: "wb-recents"}, ...cards),
      make("a", {class: "wb-text-link", href: "./audits", "data-page": "audits"}, "All saved audits"))
  }

  async open(page, data) {
    if (data) await this.choose(data)
    await this.go(page)
  }

  // -- parts --

  hero(tour, met) {
    const {title, about, tour: {steps}} = this.content
    const [first, second] = ["wb-filled-button", "wb-plain-button"]
    const begin = button(this.seen ? "Repeat the tour" : `Take the tour: ${steps.length} steps`, this.seen ? second : first, tour)
    const load = this.load ? [button("Load a score file …", this.seen ? first : second, this.load)] : []
    return make("header", {class: "wb-hero"},
      make("div", {class: "wb-hero-words"}, make("h1", {}, title), make("p", {class: "wb-lead"}, this.linked(about, met)),
        make("div", {class: "wb-actions"}, ...(this.seen ? [...load, begin] : [begin, ...load]))),
      new Game(this.linked).element)
  }

  door({key, have, looks, learn, page, data, loads, then}, met) {
    const text = make("p", {}, this.linked(looks, met))
    const said = make("p", {class: "wb-quiet"}, this.linked(learn, met))
    const main = loads && this.load ? button("Load a file …", "wb-plain-button", this.load) : this.page(page, "wb-plain-button")
    const example = data ? [button("Show an example", "wb-text-link", () => this.open(page, data))] : []
    const more = then.flatMap((name, k) => [k ? ", " : "Also: ", this.page(name, "wb-text-link")])
    return make("li", {class: "wb-door", "data-door": key},
      make("div", {class: "wb-door-head"}, make("h3", {}, have), drawing(key)), text, said,
      ...(more.length ? [make("p", {class: "wb-also"}, ...more)] : []),
      make("div", {class: "wb-actions"}, main, ...example))
  }

  // One idea each, in a file of its own: it opens in another tab, or is saved for a course.
  explorables(all) {
    if (!all.length) return []
    const rows = all.map(({title, asks, file}) => make("li", {},
      make("span", {}, make("a", {class: "wb-page-link", href: `./explorables/${file}`, target: "_blank", rel: "noopener"}, title), " · ",
        make("a", {class: "wb-text-link", href: `./explorables/${file}`, download: file, "aria-label": `Save: ${title}`}, "save")),
      make("span", {class: "wb-quiet"}, asks)))
    return [section("Explorables: one idea each, with questions that check themselves", "wb-explorables",
      make("ul", {class: "wb-explorables"}, ...rows),
      make("p", {class: "wb-quiet"}, "Each is one file that works without a network. It is made when it is first opened, which may take some seconds."))]
  }

  group({title, pages}) {
    const rows = pages.map(({name, answers}) => make("li", {}, this.page(name, "wb-page-link"), make("span", {class: "wb-quiet"}, answers)))
    return make("div", {}, make("h3", {}, title), make("ul", {}, ...rows))
  }

  terms(glossary) {
    const topics = this.content.glossary.map(({topic, terms}) =>
      make("div", {}, make("h3", {}, topic), make("p", {}, ...terms.flatMap(({name, words}, k) => [k ? " · " : "", this.term(name, words[0])]))))
    const all = glossary ? [button("All definitions", "wb-plain-button", () => glossary())] : []
    return section("Glossary", "wb-terms", make("div", {class: "wb-topics"}, ...topics), ...all)
  }

  // The name of a term, which opens its definition.
  term(name, word) {
    const linked = this.linked(word)
    const link = linked.firstElementChild ?? linked.querySelector?.("[data-term]")
    if (!link) return name
    link.textContent = name
    return link
  }

  // A link to a page, which can be opened in another tab, too.
  page(name, style) {
    const link = make("a", {href: `./${name}`, class: style}, this.titles.get(name))
    link.addEventListener("click", event => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      this.go(name)
    })
    return link
  }
}

function section(title, id, ...children) {
  return make("section", {"aria-labelledby": id}, make("h2", {id}, title), ...children)
}

function button(words, style, act) {
  const made = make("button", {type: "button", class: style}, words)
  made.addEventListener("click", () => act())
  return made
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3600], ["minute", 60]]

function ago(when) {
  const time = new Date(when)
  const seconds = (Date.now() - time.getTime()) / 1000
  const found = UNITS.find(([, size]) => seconds >= size)
  const words = found ? new Intl.RelativeTimeFormat("en", {numeric: "auto"}).format(-Math.floor(seconds / found[1]), found[0]) : "just now"
  return make("time", {class: "wb-quiet", datetime: when, title: time.toLocaleString("en")}, words)
}

// -- the membership game --------------------------------------------------------------------------

const MU = 1
const [LOW, HIGH] = [-3.2, 4.4]
const [WIDE, TALL, BASE, PEAK] = [440, 142, 120, 100] // of the picture

// Two curves, P and Q, and a threshold to move: the exact rates of that attack, and what they imply.
class Game {
  constructor(linked) {
    this.areas = ["q", "p"].map(role => shape("path", {class: `wb-area-${role}`}))
    this.line = shape("line", {class: "wb-game-line", y1: 8, y2: BASE})
    const curves = ["q", "p"].map(role => shape("path", {class: `wb-curve-${role}`, d: curve(mean(role), LOW, HIGH)}))
    const labels = ["q", "p"].map(role =>
      shape("text", {class: `wb-label-${role}`, x: across(mean(role) + (role === "q" ? -1.1 : 1.1)), y: 36,
        "text-anchor": role === "q" ? "end" : "start"}, role === "q" ? "Q: record out" : "P: record in"))
    const axis = shape("line", {class: "wb-game-axis", x1: 0, x2: WIDE, y1: BASE, y2: BASE})
    const picture = shape("svg", {viewBox: `0 0 ${WIDE} ${TALL}`, "aria-hidden": "true"},
      ...this.areas, ...curves, axis, this.line, ...labels)
    this.range = make("input", {type: "range", min: LOW, max: HIGH, step: "0.1", value: "1.5", id: "wb-game-threshold"})
    this.range.addEventListener("input", () => this.show())
    this.said = make("p", {class: "wb-game-said", "aria-live": "polite"})
    const about = "An attack gives each output a score. Above the threshold, it guesses that the record is in the data."
    this.element = make("figure", {class: "wb-game", "aria-label": "The membership game"},
      make("figcaption", {}, make("strong", {}, "The membership game. "), linked(about, new Set(["score"]))),
      picture, make("label", {for: "wb-game-threshold", class: "wb-said"}, "Threshold of the game"), this.range, this.said)
    this.show()
  }

  show() {
    const at = Number(this.range.value)
    const [falsely, truly] = [above(at), above(at - MU)]
    for (const [k, role] of ["q", "p"].entries()) {
      this.areas[k].setAttribute("d", `${curve(mean(role), at, HIGH)}L${across(HIGH)} ${BASE}L${across(at)} ${BASE}Z`)
    }
    for (const name of ["x1", "x2"]) this.line.setAttribute(name, across(at))
    this.range.style.setProperty("--share", (at - LOW) / (HIGH - LOW))
    this.range.setAttribute("aria-valuetext", at.toFixed(1))
    // Above or below the threshold, whichever gives the larger bound.
    const over = truly / falsely > (1 - falsely) / (1 - truly)
    const [member, other] = over ? [truly, falsely] : [1 - falsely, 1 - truly]
    const bound = Math.log(member / other)
    this.said.replaceChildren(
      make("span", {}, "Above the threshold: ", make("b", {class: "wb-game-p"}, `${share(truly)} of P`), ", ",
        make("b", {class: "wb-game-q"}, `${share(falsely)} of Q`)),
      make("span", {}, `ratio ${over ? "above" : "below"}: ${down(Math.exp(bound), 1)}`),
      make("strong", {}, `ε ≥ ${down(bound, 2)}`))
  }
}

const mean = role => (role === "p" ? MU : 0)
const across = x => Number(((x - LOW) / (HIGH - LOW) * WIDE).toFixed(1))
// A lower bound is rounded down.
const down = (x, digits) => (Math.floor(x * 10 ** digits) / 10 ** digits).toFixed(digits)
const share = x => (x < 0.01 ? `${(100 * x).toPrecision(1)}%` : `${Math.round(100 * x)}%`)

function curve(center, from, to) {
  const count = Math.max(2, Math.ceil((to - from) * 12))
  return Array.from({length: count + 1}, (_, k) => {
    const x = from + (to - from) * k / count
    const y = BASE - PEAK * Math.exp(-((x - center) ** 2) / 2)
    return `${k ? "L" : "M"}${across(x)} ${y.toFixed(1)}`
  }).join("")
}

// Probability of a standard normal above x; the error of this form (Abramowitz and Stegun 26.2.17) is
// below 1e-7, and the range of x is short.
function above(x) {
  if (x < 0) return 1 - above(-x)
  const t = 1 / (1 + 0.2316419 * x)
  const sum = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) * sum
}

function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

// -- drawings of the doors ------------------------------------------------------------------------

const P = {class: "wb-draw-p"}
const Q = {class: "wb-draw-q"}
const INK = {class: "wb-draw-ink"}

/** @type {Record<string, () => any>} */
const DRAWINGS = {
  scores: () => [[3, 7], [9, 15], [15, 22], [21, 17], [27, 8]].flatMap(([x, height], k) => [
    shape("rect", {...Q, x, y: 30 - height, width: 5, height, rx: 1}),
    shape("rect", {...P, x: x + 12, y: 30 - [5, 12, 24, 18, 9][k], width: 5, height: [5, 12, 24, 18, 9][k], rx: 1}),
  ]),
  counts: () => [{x: 6, y: 2, ...P}, {x: 26, y: 2, ...Q}, {x: 6, y: 17, ...Q}, {x: 26, y: 17, ...P}].map((at, k) =>
    shape("rect", {...at, width: 18, height: 13, rx: 2, opacity: k === 1 || k === 2 ? 0.35 : 1})),
  canaries: () => Array.from({length: 15}, (_, k) =>
    shape("circle", {...([0, 2, 3, 7, 9, 10, 14].includes(k) ? P : INK), cx: 7 + 9 * (k % 5), cy: 7 + 9 * Math.floor(k / 5), r: 3})),
  code: () => [
    shape("path", {...INK, d: "M17 6 6 16l11 10M33 6l11 10-11 10"}),
    shape("path", {...P, class: "wb-draw-p wb-draw-stroke", d: "M28 4 22 28"}),
  ],
  table: () => Array.from({length: 20}, (_, k) => {
    const [column, row] = [k % 5, Math.floor(k / 5)]
    return shape("rect", {...(column !== 2 ? INK : row % 2 ? Q : P), x: 4 + 9 * column, y: 2 + 8 * row, width: 7, height: 6, rx: 1})
  }),
  nothing: () => [
    shape("path", {...Q, class: "wb-draw-q wb-draw-stroke", d: "M3 28C14 28 12 6 19 6s5 22 16 22"}),
    shape("path", {...P, class: "wb-draw-p wb-draw-stroke", d: "M15 28C26 28 24 6 31 6s5 22 16 22"}),
  ],
}

const drawing = key => shape("svg", {class: "wb-drawing", viewBox: "0 0 50 32", width: 50, height: 32, "aria-hidden": "true"}, ...DRAWINGS[key]())
