// Parts that the pages of saved audits share: links, numbers, times, tags. All texts are people's own, so
// they are never read as HTML.

import {Board, libraryFrom, make} from "./board.js"

const STYLE = "./audits.css"

// Resolves when the style sheet is there; it comes with the first of these scripts.
export const styled = new Promise(resolve => {
  const link = make("link", {rel: "stylesheet", href: new URL(STYLE, import.meta.url).href})
  link.addEventListener("load", resolve)
  link.addEventListener("error", resolve)
  document.head.append(link)
})

export const addressOf = (kind, ...keys) => `./audits#${kind}${keys.length ? `=${keys.map(encodeURIComponent).join(",")}` : ""}`

// A link within the page of saved audits.
export function linkTo(address, text, attributes = {}) {
  return make("a", {href: address, "data-page": "audits", ...attributes}, text)
}

export function nameLink({key, name}) {
  return linkTo(addressOf("audit", key), name, {class: "wb-audit-name", title: name.slice(0, 200)})
}

// A number with its guarantee, as the board shows it.
export function numberShown(number) {
  if (!number) return make("span", {class: "wb-quiet"}, "–")
  const {title, relation, value, badge, tone, note} = number
  return make("div", {class: "wb-audit-number", "data-tone": tone, title: note},
    make("span", {class: "wb-quiet"}, title),
    make("strong", {}, `${relation} ${value}`.trim()),
    make("span", {class: "wb-badge", "data-tone": tone}, badge))
}

export function time(iso) {
  const date = new Date(iso)
  return make("time", {datetime: iso, title: date.toLocaleString("en")},
    date.toLocaleString("en", {day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23"}))
}

export function button(text, act, style = "wb-text-button", more = {}) {
  const made = make("button", {type: "button", class: style, ...more}, text)
  made.addEventListener("click", act)
  return made
}

export function table(heads, rows, attributes = {}) {
  return make("table", {class: "wb-audit-table", ...attributes},
    make("thead", {}, make("tr", {}, ...heads.map(head => make("th", {scope: "col"}, head)))),
    make("tbody", {}, ...rows))
}

// Text that is only read aloud.
export const said = text => make("span", {class: "wb-said"}, text)

// Pairs of a term and a text.
export function facts(pairs) {
  return make("dl", {class: "wb-facts"}, ...pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]))
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`

// Charts, and what else a page shows, as they were; see record() in audits.py.
export function boardOf({frame, items}) {
  const board = new Board(frame, () => 0)
  for (const [name, content] of Object.entries(items)) board.show(name, content)
  board.start(() => libraryFrom(document.body.dataset.plotly))
  return board
}

export const backToList = () => make("nav", {"aria-label": "Saved audits"}, linkTo("./audits", "All saved audits", {class: "wb-text-link"}))

// Instead of what could not be had.
export const failed = (title, words) => ({element: make("div", {class: "wb-empty"}, make("h1", {tabindex: "-1"}, title), make("p", {}, words), backToList())})
