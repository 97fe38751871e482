// The Share menu, which asks who is to read the page that is shown: a person here, somebody outside, who
// gets a file, or whoever has a link. It is loaded when it is first opened.

import {make} from "./board.js"
import {save, sentence} from "./chart_menu.js"
import {closePanels} from "./shell.js"

// Kind of a file, its title and what it is, and its form if that is not the complete one.
export const FILES = [
  ["pdf", "One page (PDF)", "The answer, one chart, three numbers, and how to check them.", "one-page"],
  ["html", "One page (HTML)", "The same page for a browser.", "one-page"],
  ["html", "Complete report (HTML)", "One file; its charts work without a server."],
  ["pdf", "Complete report (PDF)", "The same report for print."],
  ["md", "Markdown", "The report as text, for an issue or a wiki."],
  ["json", "JSON (audit card)", "Numbers, guarantees, settings for programs."],
  ["ipynb", "Notebook", "Python that computes every number again."],
]

const AUDIT = ["audit", "Share as a saved audit …", "Saves this page, if it is not saved yet. They sign in to read it."]
const DATA = ["data", "Share the data set …", ""]
const PAGE_LINK = ["link", "Link to this page …", "Opens the page with its settings; has no data."]
const AUDIT_LINK = ["audit-link", "Link to a saved audit …", "Opens the report. Nobody signs in, and no data are asked for."]

// That a link of this server leads nowhere on another computer, and what to do about it.
export const ONLY_HERE = "This address opens on this computer only. To let others read it, send a file, or start "
  + "the server with --address, as “For colleagues” in the README says."
export const onlyHere = () => document.body.dataset.here !== undefined

export const addressOf = (of, kind, form) => `./report/${of}${form ? `/${form}` : ""}.${kind}`

const OFTEN = 800 // ms between two looks at how far a file is

export class ShareMenu {
  /** @type {HTMLElement[]} */
  items = [] // those that are offered now

  // page() names the page that is shown; link() makes a link to it; settled() resolves when the
  // server has answered everything; toast(words, more) shows a line; files: whether there are any.
  // withPeople() has what can be shared: accounts says whether people have any, own() is the data set,
  // data() and audit(way) share; or null.
  constructor({panel, button, page, link, settled, toast, files, withPeople = () => /** @type {any} */ (null)}) {
    this.panel = panel
    this.button = button
    this.page = page
    this.link = link
    this.settled = settled
    this.toast = toast
    this.withPeople = withPeople
    this.making = new Map() // page and kind -> what ends it
    const group = (title, words, ways) => make("section", {role: "group", "aria-label": title},
      make("h3", {}, title), ...(words ? [make("p", {}, words)] : []), ...ways.map(way => this.item(way)))
    this.groups = [
      group("A person here", "", [AUDIT, DATA]),
      ...(files ? [group("Somebody outside: send a file", "", FILES)] : []),
      group("Whoever has a link", onlyHere() ? ONLY_HERE : "", [AUDIT_LINK, ["data-link", ...DATA.slice(1)], PAGE_LINK]),
    ]
    panel.replaceChildren(make("h2", {}, "Who is to read it?"), ...this.groups)
    this.all = [...panel.querySelectorAll(".wb-share-item")]
    panel.addEventListener("keydown", event => this.move(event))
    panel.addEventListener("wb-opened", () => {
      this.look()
      this.items[0].focus()
    })
    this.look()
  }

  item([kind, title, words, form = ""]) {
    const item = make("button", {type: "button", class: "wb-share-item", "data-kind": kind, "data-form": form, ...kind.startsWith("audit") && {"data-edits": ""}},
      make("strong", {}, title), make("span", {}, words))
    item.addEventListener("click", () => this.choose(kind, title, form))
    return item
  }

  // Which items there are now.
  look() {
    const people = this.withPeople()
    const set = people?.own()
    const accounts = Boolean(people?.accounts)
    const offered = {data: accounts && Boolean(set), "data-link": people && !accounts && Boolean(set), audit: accounts, "audit-link": Boolean(people)}
    for (const item of this.all) {
      const {kind} = item.dataset
      item.hidden = kind in offered && !offered[kind]
      if (kind.startsWith("data") && set) item.lastChild.textContent = `“${set.name}”: ${accounts ? "with people, or by a link" : "by a link"}.`
    }
    for (const group of this.groups) group.hidden = !group.querySelector(".wb-share-item:not([hidden])")
    this.items = this.all.filter(item => !item.hidden)
  }

  move(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (!step) return
    event.preventDefault()
    const at = this.items.findIndex(item => item === document.activeElement) + step
    this.items.at(at % this.items.length)?.focus()
  }

  choose(kind, title, form) {
    closePanels()
    this.button.focus()
    const [what, way = "person"] = kind.split("-")
    if (kind === "link") this.link()
    else if (what === "data") this.withPeople()?.data()
    else if (what === "audit") this.withPeople()?.audit(way)
    else this.make(addressOf(this.page(), kind, form), title)
  }

  // Has a file made, which takes seconds, and saves it; meanwhile the page goes on.
  async make(address, title) {
    if (this.making.has(address)) return
    const control = new AbortController()
    this.making.set(address, control)
    this.show()
    const cancel = make("button", {type: "button", class: "wb-text-button"}, "Cancel")
    cancel.addEventListener("click", () => control.abort())
    const bar = make("div", {class: "wb-progress", role: "progressbar", "aria-label": `Making: ${title}`}, make("div", {}))
    this.toast(`Making: ${title} …`, make("span", {class: "wb-making"}, bar, cancel))
    const watch = setInterval(() => showProgress(bar, address), OFTEN)
    try {
      await this.settled()
      this.toast(`${await download(address, control.signal)} was saved.`)
    } catch (error) {
      if (control.signal.aborted) this.toast(`Cancelled: ${title}.`)
      else this.toast(sentence(error.message), null, true)
    }
    clearInterval(watch)
    this.making.delete(address)
    this.show()
  }

  show() {
    this.button.toggleAttribute("data-busy", this.making.size > 0)
  }
}

async function showProgress(bar, address) {
  const answer = await fetch(`./progress.json?of=${encodeURIComponent(address)}`).catch(() => null)
  const {fraction} = answer?.ok ? await answer.json() : {}
  if (typeof fraction !== "number") return
  bar.setAttribute("aria-valuenow", Math.round(100 * fraction))
  bar.firstChild.style.width = `${100 * fraction}%`
}

// Fetches something that the server makes; an error has the server's words.
export async function made(address, signal) {
  let answer
  try {
    answer = await fetch(address, {signal})
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error("The server does not answer; is it still running?")
  }
  if (!answer.ok) throw new Error(await answer.text() || `The server answered ${answer.status}.`)
  return answer
}

// Fetches a file and has the browser save it; resolves to its name.
export async function download(address, signal) {
  const answer = await made(address, signal)
  const [, name] = answer.headers.get("Content-Disposition")?.match(/filename\*=UTF-8''(.+)$/) ?? []
  return save(await answer.blob(), decodeURIComponent(name ?? address.split("/").at(-1)))
}
