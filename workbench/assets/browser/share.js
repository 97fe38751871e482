// The Share menu: the page that is shown as a link, a report, a notebook. It is loaded when it is
// first opened.

import {make} from "./board.js"
import {save, sentence} from "./chart_menu.js"
import {closePanels} from "./shell.js"

const LINK = ["link", "Copy link", "Opens this page with its settings; has no data."]
export const FILES = [
  ["html", "Report (HTML)", "One file; its charts work without a server."],
  ["pdf", "Report (PDF)", "The same report for print."],
  ["md", "Markdown", "The report as text, for an issue or a wiki."],
  ["json", "JSON (audit card)", "Numbers, guarantees, settings for programs."],
  ["ipynb", "Notebook", "Python that computes every number again."],
]

// Only where the server lets people share.
const DATA = ["data", "Share the data set …", "With people, or by a link."]
const AUDIT = ["audit", "Share as a saved audit …", "Saves this page; then with people, or by a link."]

const OFTEN = 800 // ms between two looks at how far a file is

export class ShareMenu {
  /** @type {HTMLElement[]} */
  items = [] // those that are offered now

  // page() names the page that is shown; link() copies a link to it; settled() resolves when the
  // server has answered everything; toast(words, more) shows a line; files: whether there are any.
  // withPeople() has what can be shared with people: own() is the data set, data() and audit() share; or null.
  constructor({panel, button, page, link, settled, toast, files, withPeople = () => /** @type {any} */ (null)}) {
    this.panel = panel
    this.button = button
    this.page = page
    this.link = link
    this.settled = settled
    this.toast = toast
    this.withPeople = withPeople
    this.making = new Map() // page and kind -> what ends it
    this.all = [LINK, DATA, AUDIT, ...(files ? FILES : [])].map(([kind, title, words]) => {
      const item = make("button", {type: "button", class: "wb-share-item", "data-kind": kind, ...kind === "audit" && {"data-edits": ""}},
        make("strong", {}, title), make("span", {}, words))
      item.addEventListener("click", () => this.choose(kind, title))
      return item
    })
    panel.replaceChildren(...this.all)
    panel.addEventListener("keydown", event => this.move(event))
    panel.addEventListener("wb-opened", () => {
      this.look()
      this.items[0].focus()
    })
    this.look()
  }

  // Which items there are now.
  look() {
    const people = this.withPeople()
    const set = people?.own()
    const offered = {data: Boolean(set), audit: Boolean(people)}
    for (const item of this.all) {
      const {kind} = item.dataset
      item.hidden = offered[kind] === false
      if (kind === "data" && set) item.lastChild.textContent = `“${set.name}”: with people, or by a link.`
    }
    this.items = this.all.filter(item => !item.hidden)
  }

  move(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (!step) return
    event.preventDefault()
    const at = this.items.findIndex(item => item === document.activeElement) + step
    this.items.at(at % this.items.length)?.focus()
  }

  choose(kind, title) {
    closePanels()
    this.button.focus()
    if (kind === "link") this.link()
    else if (kind === "data" || kind === "audit") this.withPeople()?.[kind]()
    else this.make(`./report/${this.page()}.${kind}`, title)
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
