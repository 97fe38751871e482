// The page of saved audits: a list that is searched on the server, one audit in full, a comparison, series
// and plans. What is shown is in the hash of the address, so links and the way back work.

import {make} from "./board.js"
import {addressOf, button, linkTo, nameLink, numberShown, plural, said, styled, table, time} from "./audit_parts.js"
import {Comparison} from "./audit_comparison.js"
import {plansOf} from "./audit_plans.js"
import {Record} from "./audit_record.js"
import {Series} from "./audit_series.js"
import {short} from "./save.js"

const MOST_COMPARED = 6
const SOON = 250 // ms after which a part that has not come is announced
const PAUSE = 200 // ms without a key press until the list is asked for

export {styled}

export class Audits {
  // query(what, more) asks the archive; upload(file) sends a file; toast(words, more) says what happened;
  // pages: name -> {title}; present() is the page that was shown last, save(page) opens the dialog;
  // shares(): whether people share here, share({of, key}) opens the dialog, leave(key) ends what others share.
  constructor({query, go, upload, toast, pages, present, save, shares, share, leave}) {
    this.query = query
    this.go = go
    this.upload = upload
    this.toast = toast
    this.pages = pages
    this.present = present
    this.save = save
    this.shares = shares
    this.share = share
    this.leave = leave
    this.chosen = new Map() // key -> row, to compare
    this.tags = new Set()
    this.rows = []
    this.main = make("div", {class: "wb-audits-main"})
    this.element = make("div", {class: "wb-audits"}, this.main)
    this.list = this.makeList()
    this.part = null // what is shown: {element, stop?}
  }

  // Shows what the address names.
  async show() {
    if (this.hash === location.hash && this.part) return this.part.refresh?.()
    const first = this.hash === undefined
    this.hash = location.hash
    const [, kind = "", keys = ""] = location.hash.match(/^#([a-z]+)(?:=(.*))?$/) ?? []
    const asked = keys.split(",").filter(Boolean).map(decoded)
    const makePart = PARTS[kind] ?? (() => this.list)
    const late = setTimeout(() => { document.documentElement.dataset.opening = "audits" }, SOON)
    const part = await makePart(this, asked)
    await part.refresh?.()
    clearTimeout(late)
    delete document.documentElement.dataset.opening
    if (this.hash !== location.hash) return part.stop?.()
    this.part?.stop?.()
    this.part = part
    this.main.replaceChildren(part.element)
    scrollTo(0, 0)
    if (!first) this.main.querySelector("h1")?.focus({preventScroll: true})
  }

  // The archive changed, here or in another window.
  changed() {
    if (this.element.hidden) return
    if (this.part?.live) this.part.refresh()
    else if (this.part?.lent) this.lookAgain()
  }

  // What others share may be shared no longer: then this says so.
  async lookAgain() {
    const {hash, part} = this
    const gone = await part.lent().then(() => false, () => true)
    if (gone && this.hash === hash) this.again()
  }

  // Shows it anew.
  again() {
    this.hash = null
    return this.show()
  }

  // -- the list --

  makeList() {
    this.search = make("input", {type: "search", "aria-label": "Search saved audits", placeholder: "Search names, notes, tags and data", autocomplete: "off", spellcheck: "false"})
    this.search.addEventListener("input", () => {
      clearTimeout(this.pause)
      this.pause = setTimeout(() => this.find(), PAUSE)
    })
    this.page = make("select", {"aria-label": "Page"}, make("option", {value: ""}, "All pages"),
      ...Object.entries(this.pages).filter(([name]) => !["start", "audits"].includes(name)).map(([value, {title}]) => make("option", {value}, title)))
    this.page.addEventListener("change", () => this.find())
    this.whose = make("select", {"aria-label": "Whose audits", hidden: ""}, make("option", {value: ""}, "My audits"), make("option", {value: "lent"}, "Shared with me"))
    this.whose.addEventListener("change", () => this.find())
    this.chips = make("div", {class: "wb-chips", role: "group", "aria-label": "Tags"})
    this.status = make("p", {class: "wb-quiet", role: "status"})
    this.body = make("div", {})
    this.selection = make("div", {class: "wb-selection", role: "group", "aria-label": "Selected audits", hidden: ""})
    this.where = make("p", {class: "wb-quiet"})
    this.problem = make("p", {class: "wb-problem", role: "alert", hidden: ""})
    this.filters = make("div", {class: "wb-filters"}, this.search, this.whose, this.page, this.chips)
    const element = make("div", {}, this.head("Saved audits"), this.problem,
      this.filters,
      this.status, this.body, this.selection, this.where)
    return {element, live: true, refresh: () => this.find()}
  }

  head(title) {
    const file = make("input", {type: "file", id: "wb-import-audit", class: "wb-said", accept: ".zip", "data-edits": ""})
    file.addEventListener("change", () => {
      if (file.files.length) this.import([...file.files])
      file.value = ""
    })
    return make("header", {class: "wb-audits-head"}, make("h1", {tabindex: "-1"}, title),
      make("nav", {"aria-label": "Saved audits"}, linkTo(addressOf("plans"), "Plans", {class: "wb-text-link"})), make("div", {class: "wb-actions"}, file,
        make("label", {for: file.id, class: "wb-plain-button", "data-edits": ""}, "Import a file …")))
  }

  get asked() {
    return {text: this.search.value, of: this.page.value, tags: [...this.tags], lent: this.whose.value === "lent"}
  }

  async find(offset = 0) {
    const asking = this.asking = {}
    let answer
    try {
      answer = await this.query("list", {...this.asked, offset})
    } catch (error) {
      if (this.asking === asking) this.fail(error.message)
      return
    }
    if (this.asking !== asking) return
    this.rows = offset ? [...this.rows, ...answer.audits] : answer.audits
    this.more = answer.more
    this.whose.hidden = !answer.lent && !this.whose.value
    this.where.textContent = answer.kept
    this.fail(answer.problem)
    this.draw()
    if (offset) this.body.querySelectorAll(".wb-audit-name")[offset]?.focus({preventScroll: true})
  }

  fail(words) {
    this.problem.replaceChildren(`${words} `, button("Try again", () => this.find()))
    this.problem.hidden = !words
  }

  draw() {
    const {text, of, tags, lent} = this.asked
    const filtered = Boolean(text.trim() || of || tags.length || lent)
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.focus
    this.drawChips()
    this.filters.hidden = !this.rows.length && !filtered && this.whose.hidden
    this.status.textContent = this.rows.length ? plural(this.rows.length, "audit") + (this.more ? " of more" : "") : filtered ? "Nothing found." : ""
    this.body.replaceChildren(...(this.rows.length ? this.drawRows() : filtered ? [] : [this.empty()]))
    this.drawSelection()
    if (focused) this.element.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus()
  }

  drawRows() {
    const rows = this.rows.map(row => this.row(row))
    const heads = [said("Select"), "Name", "Page and data", "First number", "Saved", said("Actions")]
    const more = this.more ? [button("Show more", () => this.find(this.rows.length), "wb-plain-button")] : []
    return [table(heads, rows, {"aria-label": "Saved audits"}), ...more]
  }

  row(audit) {
    const {key, name, title, data, tags, made, by, versions, series, position, owner, shared, imported} = audit
    const box = make("input", {type: "checkbox", "aria-label": `Select: ${short(name)}`, "data-focus": `select ${key}`})
    box.checked = this.chosen.has(key)
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.set(key, audit)
      else this.chosen.delete(key)
      this.drawSelection()
    })
    const marks = [
      ...(imported ? [make("span", {class: "wb-mark wb-imported", title: imported}, "imported")] : []),
      ...(versions > 1 ? [make("span", {class: "wb-mark"}, plural(versions, "version"))] : []),
      ...(shared ? [make("span", {class: "wb-mark wb-shared"}, "shared")] : []),
      ...(owner ? [make("span", {class: "wb-mark wb-shared"}, `shared by ${short(owner)}`)] : []),
      ...(series && !owner ? [linkTo(addressOf("series", series), `${short(series)} · ${position}`, {class: "wb-mark"})] : []),
      ...tags.map(tag => button(tag, () => this.toggle(tag), "wb-chip", {title: `Show audits with the tag ${tag}`})),
    ]
    const act = (text, what) => button(text, what, "wb-text-button", {"aria-label": `${text}: ${short(name)}`})
    return make("tr", {"data-key": key},
      make("td", {class: "wb-audit-select"}, box),
      make("th", {scope: "row", class: "wb-audit-what"}, nameLink(audit), ...(marks.length ? [make("div", {class: "wb-marks"}, ...marks)] : [])),
      make("td", {class: "wb-audit-of"}, make("div", {}, title), make("div", {class: "wb-quiet wb-clip", title: data.join(", ")}, data.join(", "))),
      make("td", {class: "wb-audit-value"}, numberShown(audit.number)),
      make("td", {class: "wb-audit-when"}, time(made), make("div", {class: "wb-quiet wb-clip"}, by ? `by ${by}` : "")),
      make("td", {class: "wb-audit-acts"}, act("Open", () => this.open(key)), act("Export", () => this.export(key)),
        ...(owner ? [act("Leave", () => this.leaveAudit(key))] : [
          ...(this.shares() ? [act("Share", () => this.share({of: "audit", key}))] : []),
          act("Delete", () => this.remove(audit))])))
  }

  drawChips() {
    const counts = new Map([...this.tags].map(tag => [tag, 0]))
    for (const {tags} of this.rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    const chips = [...counts].toSorted(([a, m], [b, n]) => Number(this.tags.has(b)) - Number(this.tags.has(a)) || n - m || a.localeCompare(b)).slice(0, 12)
    this.chips.replaceChildren(...chips.map(([tag]) =>
      button(tag, () => this.toggle(tag), "wb-chip", {"aria-pressed": String(this.tags.has(tag)), "data-focus": `tag ${tag}`})))
    this.chips.hidden = !chips.length
  }

  toggle(tag) {
    if (!this.tags.delete(tag)) this.tags.add(tag)
    this.find()
  }

  drawSelection() {
    const keys = [...this.chosen.keys()]
    this.selection.hidden = !keys.length
    const compare = button("Compare", () => this.go("audits", {}, true, new URL(addressOf("compare", ...keys), location.href).hash), "wb-filled-button")
    compare.disabled = keys.length < 2 || keys.length > MOST_COMPARED
    const clear = button("Clear", () => {
      this.chosen.clear()
      this.draw()
    })
    this.selection.replaceChildren(make("p", {}, keys.length < 2 ? "1 audit selected. Select another one to compare."
      : keys.length > MOST_COMPARED ? `${keys.length} audits selected; at most ${MOST_COMPARED} can be compared.` : `${keys.length} audits selected.`), clear, compare)
  }

  empty() {
    const page = this.present()
    const start = page
      ? button(`Save ${this.pages[page].title} as it is now …`, () => this.save(page), "wb-filled-button")
      : make("a", {href: "./scores", "data-page": "scores", class: "wb-filled-button"}, "Open Scores")
    return make("div", {class: "wb-empty"},
      make("h2", {}, "Nothing is saved yet"),
      make("p", {}, "A saved audit keeps what a page shows: every number with its guarantee, the charts, the settings, how the data were read, and the versions of the software. It is never changed afterwards. Later you can open it again, compare it with others, export it as one file, or write a report."),
      make("p", {}, page ? "" : "Press “Save” at the top of any page."),
      make("div", {class: "wb-actions"}, start))
  }

  // -- what can be done with an audit --

  async try(task) {
    try {
      return await task()
    } catch (error) {
      this.toast(error.message)
      return null
    }
  }

  open(key) {
    return this.try(async () => {
      const answer = await this.query("open", {key})
      if (answer.missing === undefined) {
        await this.go(answer.page)
        this.toast(`“${short(answer.name)}” is shown as it was saved. Undo brings back what was there.`)
        return
      }
      this.missing = {key, words: answer.missing}
      if (location.hash !== new URL(addressOf("audit", key), location.href).hash) this.go("audits", {}, true, new URL(addressOf("audit", key), location.href).hash)
      else this.part?.tellMissing?.(answer.missing)
    })
  }

  export(key) {
    location.assign(`./audits/${encodeURIComponent(key)}.audit.zip`)
  }

  report(key, kind, title, form) {
    return this.try(async () => {
      const {addressOf: fileOf, download} = await import("./share.js")
      this.toast(`Making: ${title} …`, null, true)
      this.toast(`${await download(fileOf(`audit/${encodeURIComponent(key)}`, kind, form))} was saved.`)
    })
  }

  restore(key, name) {
    return this.try(async () => {
      await this.query("restore", {key})
      this.toast(`“${short(name)}” is back.`)
    })
  }

  remove({key, name}) {
    return this.try(async () => {
      await this.query("remove", {key})
      this.chosen.delete(key)
      if (this.part !== this.list) this.go("audits")
      const undo = button("Undo", () => this.restore(key, name))
      this.toast(`“${short(name)}” was deleted.`, undo)
    })
  }

  // No longer shows what others share.
  async leaveAudit(key) {
    await this.leave(key)
    this.chosen.delete(key)
    if (this.part === this.list) this.find()
    else this.go("audits")
  }

  import(files) {
    return this.try(async () => {
      const [file] = files
      if (files.length > 1) this.toast("Several files: the first one is imported.")
      await this.upload(file)
      const {key, name, imported} = await this.query("import")
      this.toast(imported ? "Imported, and marked as such: " : "This audit was made here: ", linkTo(addressOf("audit", key), `“${short(name)}”`))
    })
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// What the hash of the address names.
const PARTS = {
  audit: (audits, [key]) => Record.of(audits, key),
  compare: (audits, keys) => Comparison.of(audits, keys),
  series: (audits, [name]) => Series.of(audits, name),
  plans: audits => plansOf(audits),
}
