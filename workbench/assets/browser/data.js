// The Data menu, the same on every page: the data sets of the workspace, and ways to add one.

import {make} from "./board.js"
import {closePanels} from "./shell.js"

const KINDS = [
  ["own", "Your data sets"],
  ["lent", "Shared with you"],
  ["shared", "Served data sets"],
  ["example", "Bundled examples"],
  ["draw", "Simulated, with known privacy loss"],
]

const nameOf = element => element.ariaLabel || element.id || element.textContent

export class DataMenu {
  // bench: what the server said of the data sets; send(gesture); importing() opens the import step;
  // share({of, key}) the dialog that shares; leave(key) ends what others share.
  constructor({bench, send, importing, page, share, leave}) {
    this.bench = bench
    this.send = send
    this.importing = importing
    this.page = page
    this.share = share
    this.leave = leave
    this.button = /** @type {HTMLButtonElement} */ (document.querySelector(".wb-data-button"))
    this.panel = /** @type {HTMLElement} */ (document.getElementById("data"))
    /** @type {(files: File[]) => void} */
    this.files = () => {} // takes what a person opens
    this.panel?.addEventListener("wb-opened", () => {
      this.send({kind: "data sets"})
      this.draw()
      const chosen = /** @type {HTMLElement} */ (this.panel.querySelector("[aria-pressed=true]") ?? this.panel.querySelector("button"))
      chosen.focus()
    })
  }

  // The set in view on the page that is shown: the chosen one, or the one that the page begins with.
  get current() {
    const first = this.bench.first?.[this.page()]
    const key = (first?.kind === "table" ? this.bench.table : this.bench.current) ?? first?.key
    return this.bench.sets?.find(set => set.key === key) ?? (first?.key === key ? first : undefined)
  }

  open() {
    if (this.panel?.hidden) this.button.click()
  }

  show() {
    if (!this.panel) return
    const name = this.current?.name
    this.button.querySelector("span")?.replaceChildren(name ?? "Data sets")
    this.button.setAttribute("aria-label", name ? `Data: ${name}` : "Data sets")
    this.button.title = name ?? "Data sets"
    if (!this.panel.hidden && !this.editing && this.state !== this.drawn) this.draw()
  }

  // What the panel is drawn from. Only a change draws it again, and none while a person types in it.
  get state() {
    const {sets, where, problem, removed} = this.bench
    return JSON.stringify([sets, where, problem, removed, this.current?.key])
  }

  draw() {
    this.drawn = this.state
    this.editing = false
    const focused = this.panel.contains(document.activeElement) ? nameOf(document.activeElement) : ""
    const file = make("input", {type: "file", multiple: "", id: "open-files", class: "wb-said", "data-edits": ""})
    file.addEventListener("change", () => {
      if (!file.files.length) return
      closePanels()
      this.files([...file.files])
    })
    const paste = make("button", {type: "button", class: "wb-button", "data-edits": ""}, "Paste a table …")
    paste.addEventListener("click", () => this.showPaste())
    const add = make("div", {class: "wb-add"}, file,
      make("label", {for: "open-files", class: "wb-button wb-main", "data-edits": ""}, "Open files …"), paste)
    const {current, bench: {sets: known = []}} = this
    const all = current && !known.some(({key}) => key === current.key) ? [...known, current] : known
    const groups = KINDS.map(([kind, title]) => {
      const sets = all.filter(set => set.group === kind)
      return sets.length ? make("section", {}, make("h3", {}, title), make("ul", {}, ...sets.map(set => this.row(set)))) : ""
    })
    const notes = [this.bench.problem, this.bench.where ? `Your data sets are kept ${this.bench.where}.` : ""].filter(Boolean)
    this.panel.replaceChildren(
      make("h2", {}, "Data"), add,
      make("p", {class: "wb-quiet"}, "Or drop files on the page, or press Ctrl+V with rows from a spreadsheet."),
      ...groups,
      ...(this.bench.removed ? [this.purge()] : []),
      ...notes.map((text, k) => make("p", {class: k === 0 && this.bench.problem ? "wb-problem" : "wb-quiet"}, text)))
    const again = [...this.panel.querySelectorAll("button, input")].find(one => focused && nameOf(one) === focused)
    if (again instanceof HTMLElement) again.focus()
  }

  // Removed data sets can be brought back by Undo, and take room until they are deleted for good.
  purge() {
    const button = make("button", {type: "button", class: "wb-text-button wb-long"}, "Delete removed data for good")
    button.addEventListener("click", () => {
      if (button.dataset.asked === undefined) {
        button.dataset.asked = ""
        button.textContent = `Delete ${this.bench.removed} removed data ${this.bench.removed === 1 ? "set" : "sets"} and all removed audits? This cannot be undone. Press again.`
        return
      }
      this.send({kind: "purge"})
    })
    return make("p", {class: "wb-set-tools"}, button)
  }

  row(set) {
    const chosen = set.key === this.current?.key
    const choose = make("button", {type: "button", class: "wb-set", "aria-pressed": String(chosen)},
      make("strong", {}, set.name), ...(set.shared ? [make("em", {class: "wb-shared"}, "shared")] : []), make("span", {}, set.size))
    choose.addEventListener("click", () => {
      closePanels()
      this.send({kind: "choose", data: set.key, on: this.page()})
    })
    const item = make("li", {}, choose)
    const lent = set.group === "lent"
    if (set.group !== "own" && !lent && !chosen) return item
    const tools = make("div", {class: "wb-set-tools"})
    const tool = (text, act, edits = false) => {
      const button = make("button", {type: "button", class: "wb-text-button", "aria-label": `${text}: ${set.name}`, ...edits && {"data-edits": ""}}, text)
      button.addEventListener("click", act)
      tools.append(button)
    }
    const table = set.kind === "table"
    if (!table) tool("Download", () => { location.assign(`./data/${encodeURIComponent(set.key)}.csv`) })
    if (!table && (set.group === "own" || lent)) {
      tool("How it was read", () => {
        closePanels()
        this.importing({data: set.key})
      }, true)
    }
    if (lent) tool("Leave", () => this.leave(set.key))
    if (set.group === "own") {
      if (this.bench.shares) {
        tool("Share", () => {
          closePanels()
          this.share({of: "data", key: set.key})
        }, !set.shared) // whoever shared it may end that
      }
      tool("Rename", () => this.rename(item, set), true)
      tool("Remove", () => this.send({kind: "remove", data: set.key}))
    }
    const added = set.when ? `added ${new Date(set.when).toLocaleString("en", {dateStyle: "medium", timeStyle: "short"})}` : ""
    const facts = [lent ? `shared by ${set.owner}` : "", set.source, added, set.sha256 ? `SHA-256 ${set.sha256.slice(0, 12)}…` : ""]
    item.append(make("p", {class: "wb-quiet"}, facts.filter(Boolean).join(" · ")), tools)
    return item
  }

  rename(item, set) {
    this.editing = true
    const field = make("input", {type: "text", value: set.name, "aria-label": "New name", maxlength: "120"})
    const done = () => {
      this.editing = false
      if (field.value.trim() && field.value !== set.name) this.send({kind: "rename", data: set.key, to: field.value.trim()})
      else this.draw()
    }
    field.addEventListener("change", done)
    field.addEventListener("keydown", event => {
      if (event.key === "Escape") field.value = set.name
      if (event.key === "Enter") field.blur()
    })
    item.querySelector(".wb-set").replaceWith(field)
    field.select()
  }

  showPaste() {
    this.editing = true
    const area = make("textarea", {rows: "8", "aria-label": "Rows of a table, with or without a header",
      placeholder: "score,member\n0.93,1\n0.12,0"})
    const button = make("button", {type: "button", class: "wb-button wb-main"}, "Read the table")
    button.addEventListener("click", () => {
      if (!area.value.trim()) return
      closePanels()
      this.files([new File([area.value], area.value.includes("\t") ? "pasted.tsv" : "pasted.csv")])
    })
    this.panel.replaceChildren(make("h2", {}, "Paste a table"),
      make("p", {class: "wb-quiet"}, "Copy the columns in your spreadsheet and paste them here."), area, button)
    area.focus()
  }
}
