// The dialog that saves the page that is shown: name, note, tags, with or without the scores.

import {make} from "./board.js"
import {styled} from "./audit_parts.js"

const DRAFT = `workbench:draft:${document.body.dataset.person}` // what was typed and not saved, in case the page is reloaded
const FIELDS = ["name", "note", "tags"]

let count = 0

export class SaveDialog {
  // query(what, more) asks the archive; saved({key, name}) is told when it is done.
  constructor({query, saved}) {
    this.query = query
    this.saved = saved
    const id = `wb-save-${++count}`
    const field = (name, title, element, help) => {
      element.id = `${id}-${name}`
      const quiet = help ? [make("p", {class: "wb-quiet", id: `${element.id}-help`}, help)] : []
      if (help) element.setAttribute("aria-describedby", `${element.id}-help`)
      return make("div", {class: "wb-field"}, make("label", {for: element.id}, title), element, ...quiet)
    }
    this.name = make("input", {type: "text", required: "", autocomplete: "off"})
    this.note = make("textarea", {rows: "3"})
    this.tags = make("input", {type: "text", autocomplete: "off", placeholder: "release, loss attack"})
    this.scores = make("input", {type: "checkbox", id: `${id}-scores`})
    this.size = make("span", {class: "wb-quiet"})
    this.withScores = make("div", {class: "wb-check"}, this.scores,
      make("label", {for: `${id}-scores`}, "With the scores ", this.size),
      make("p", {class: "wb-quiet"}, "With them, the audit opens again on any computer. Without them, only where the data set is open."))
    this.version = this.radio(id, "version")
    this.fresh = this.radio(id, "new", "As an audit of its own")
    this.versions = make("fieldset", {class: "wb-versions"}, make("legend", {class: "wb-said"}, "New version or new audit"),
      this.version.element, this.fresh.element)
    this.versions.addEventListener("change", () => this.adopt())
    this.where = make("p", {class: "wb-quiet"})
    this.changed = make("p", {class: "wb-quiet", hidden: ""})
    this.problem = make("p", {class: "wb-problem", role: "alert", hidden: ""})
    this.button = make("button", {type: "submit", class: "wb-filled-button"}, "Save")
    const cancel = make("button", {type: "button", class: "wb-plain-button"}, "Cancel")
    const forget = () => sessionStorage.removeItem(DRAFT)
    cancel.addEventListener("click", () => {
      forget()
      this.element.close()
    })
    this.form = make("form", {method: "dialog"},
      make("h2", {id}, "Save this audit"),
      make("p", {class: "wb-quiet"}, "Its numbers with their guarantees, its charts and its settings are kept as they are now. A saved audit is never changed."),
      this.changed, this.problem, this.versions,
      field("name", "Name", this.name), field("note", "Note", this.note),
      field("tags", "Tags", this.tags, "Separated by commas."),
      this.withScores, this.where,
      make("div", {class: "wb-actions"}, this.button, cancel))
    this.form.addEventListener("submit", event => {
      event.preventDefault()
      this.save()
    })
    this.form.addEventListener("input", () => this.keepDraft())
    this.element = make("dialog", {class: "wb-save-dialog", "aria-labelledby": id}, this.form)
    this.element.addEventListener("cancel", forget)
    document.body.append(this.element)
  }

  radio(id, value, text = "") {
    const input = make("input", {type: "radio", name: `${id}-as`, value, id: `${id}-${value}`})
    const label = make("label", {for: input.id}, text)
    return {input, label, element: make("div", {class: "wb-check"}, input, label)}
  }

  // kept: {key, name} of the audit that the page was saved as before it changed, to save a new version of it.
  async open(page, /** @type {any} */ kept = null) {
    if (this.element.open) return
    this.page = page
    this.changed.textContent = kept ? `The page has changed since “${short(kept.name)}” was saved. What is shared is saved first, as a new version of it.` : ""
    this.changed.hidden = !kept
    this.proposed = null
    this.fail("")
    for (const field of FIELDS) this[field].value = ""
    this.scores.checked = false
    this.withScores.hidden = this.versions.hidden = true
    this.where.textContent = ""
    this.busy(true)
    await styled
    this.element.showModal()
    try {
      const proposed = await this.query("propose", {of: page, ...kept && {version: kept.key}})
      if (this.page === page) this.propose(proposed)
    } catch (error) {
      this.fail(error.message)
    }
    this.busy(false)
    this.name.focus()
    this.name.select()
  }

  propose(proposed) {
    this.proposed = proposed
    const {previous, scores, kept, problem} = proposed
    this.versions.hidden = !previous
    this.version.label.textContent = previous ? `As a new version of “${short(previous.name)}”` : ""
    this.version.input.checked = Boolean(previous)
    this.fresh.input.checked = !previous
    this.adopt()
    this.withScores.hidden = !scores
    this.size.textContent = `(${scores})`
    this.where.textContent = kept
    this.fail(problem)
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null")
    if (draft?.page === this.page) for (const field of FIELDS) this[field].value = draft[field]
  }

  // What is proposed depends on whether it is a new version.
  adopt() {
    const {name, note, tags} = this.version.input.checked ? this.proposed.previous : this.proposed
    this.name.value = name
    this.note.value = note
    this.tags.value = tags.join(", ")
  }

  async save() {
    this.busy(true)
    this.fail("")
    const previous = this.version.input.checked ? this.proposed?.previous?.key ?? "" : ""
    try {
      const saved = await this.query("save", {of: this.page, name: this.name.value.trim(), note: this.note.value,
        tags: tagsOf(this.tags.value), scores: this.scores.checked, previous})
      sessionStorage.removeItem(DRAFT)
      this.element.close()
      this.saved(saved)
    } catch (error) {
      this.fail(error.message)
    }
    this.busy(false)
  }

  keepDraft() {
    const typed = Object.fromEntries(FIELDS.map(field => [field, this[field].value]))
    sessionStorage.setItem(DRAFT, JSON.stringify({page: this.page, ...typed}))
  }

  busy(on) {
    this.button.disabled = on
    this.form.toggleAttribute("aria-busy", on)
  }

  fail(words) {
    this.problem.textContent = words
    this.problem.hidden = !words
  }
}

const tagsOf = text => [...new Set(text.split(",").map(tag => tag.trim()).filter(Boolean))]

// A name in a sentence; in full it stands in the details.
export const short = name => (name.length > 80 ? `${[...name].slice(0, 80).join("")}…` : name)
