// The dialog that shares a data set or a saved audit: who may read it, people, everyone, links. Names are
// people's own texts, so they are never read as HTML.

import {make} from "./board.js"
import {ONLY_HERE, onlyHere} from "./share.js"

const STYLE = "./sharing.css"
const PAUSE = 150 // ms without a key press until names are asked for
const DAYS = [[1, "1 day"], [7, "7 days"], [30, "30 days"], [90, "90 days"], [365, "1 year"]]
const TITLES = {data: "data set", audit: "audit"}
const NAMED = 5 // names in a sentence

export const styled = new Promise(resolve => {
  const link = make("link", {rel: "stylesheet", href: new URL(STYLE, import.meta.url).href})
  link.addEventListener("load", resolve)
  link.addEventListener("error", resolve)
  document.head.append(link)
})

let count = 0

// A field with a link, and the button that copies it.
export class CopyRow {
  constructor(id, label) {
    this.field = make("input", {type: "text", readonly: "", id, "aria-label": label})
    this.button = make("button", {type: "button", class: "wb-filled-button"}, "Copy")
    this.button.addEventListener("click", () => this.copy())
    this.status = make("p", {class: "wb-said", role: "status"})
    this.element = make("div", {class: "wb-share-row"}, this.field, this.button)
  }

  show(address) {
    this.field.value = address
    this.status.textContent = ""
    this.button.focus()
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.field.value)
      this.status.textContent = "The link is in the clipboard."
      this.button.textContent = "Copied"
      setTimeout(() => { this.button.textContent = "Copy" }, 2000)
    } catch {
      this.field.focus()
      this.field.select()
      this.status.textContent = "Press Ctrl+C to copy the link."
    }
  }
}

export class ShareDialog {
  /** @type {any} */
  what // {of, key} of what is shared
  /** @type {any} */
  linked // the row of the link that was made

  // query(what, more) asks the server.
  constructor({query}) {
    this.query = query
    const id = `wb-sharing-${++count}`
    this.title = make("h2", {id, tabindex: "-1"})
    this.about = make("p", {class: "wb-quiet"})
    this.problem = make("p", {class: "wb-problem", role: "alert", hidden: ""})
    this.status = make("p", {class: "wb-said", role: "status"})
    this.element = make("dialog", {class: "wb-share-dialog", "aria-labelledby": id},
      this.title, this.about, this.problem, this.makePeople(id), this.makeLink(id), this.makeList(id), this.status,
      make("div", {class: "wb-actions"}, this.button("Close", () => this.element.close(), "wb-filled-button")))
    document.body.append(this.element)
  }

  button(text, act, style = "wb-plain-button", more = {}) {
    const made = make("button", {type: "button", class: style, ...more}, text)
    made.addEventListener("click", act)
    return made
  }

  makePeople(id) {
    this.name = make("input", {type: "text", id: `${id}-name`, list: `${id}-names`, autocomplete: "off", spellcheck: "false", maxlength: "200", placeholder: "Name"})
    this.names = make("datalist", {id: `${id}-names`})
    this.name.addEventListener("input", () => {
      clearTimeout(this.pause)
      this.pause = setTimeout(() => this.propose(), PAUSE)
    })
    this.add = make("button", {type: "submit", class: "wb-plain-button"}, "Add")
    this.everyone = make("input", {type: "checkbox", id: `${id}-everyone`})
    this.everyone.addEventListener("change", () => this.setEveryone())
    this.why = make("p", {class: "wb-quiet"})
    this.form = make("form", {},
      make("label", {for: this.name.id}, "Add a person"),
      make("div", {class: "wb-share-row"}, this.name, this.names, this.add),
      make("div", {class: "wb-share-everyone"}, this.everyone, make("label", {for: this.everyone.id}, "Everyone who is signed in")))
    this.form.addEventListener("submit", event => {
      event.preventDefault()
      this.addPerson()
    })
    return make("section", {"aria-label": "People"}, make("h3", {}, "A person here"), this.form, this.why)
  }

  makeLink(id) {
    this.days = make("select", {id: `${id}-days`})
    this.create = this.button("Create a link", () => this.createLink())
    this.linked = new CopyRow(`${id}-link`, "Link")
    this.made = make("div", {hidden: ""}, this.linked.element, this.linked.status,
      make("p", {class: "wb-quiet"}, "The link is shown only now: the server keeps no copy of it."))
    this.note = make("p", {class: "wb-quiet"})
    const reach = onlyHere() ? make("p", {class: "wb-problem"}, ONLY_HERE)
      : make("p", {class: "wb-quiet"}, "Whoever has the link can read it, without signing in.")
    return make("section", {"aria-label": "Link"}, make("h3", {}, "Whoever has a link"), reach,
      make("div", {class: "wb-share-row"}, make("label", {for: this.days.id}, "Ends after"), this.days, this.create), this.made, this.note)
  }

  makeList(id) {
    this.list = make("ul", {class: "wb-share-list", "aria-labelledby": `${id}-who`})
    return make("section", {}, make("h3", {id: `${id}-who`}, "Who has access"), this.list)
  }

  // way: "link" begins at the link, "person" at the names.
  async open({of, key, way = "person"}) {
    if (this.element.open) return
    this.what = {of, key}
    this.fail("")
    this.name.value = ""
    this.names.replaceChildren()
    this.made.hidden = true
    this.linked.field.value = ""
    this.title.textContent = `Share this ${TITLES[of]}`
    this.about.textContent = ""
    this.list.replaceChildren()
    this.enable(false)
    await styled
    this.element.showModal()
    this.title.focus()
    await this.ask("list")
    const first = (way === "link" ? [this.days, this.name] : [this.name, this.days]).find(one => !one.disabled && one.offsetParent)
    first?.focus()
  }

  // Somebody accepted a link, or another window changed something.
  async refresh() {
    if (!this.element.open) return
    const {key} = this.what
    const answer = await this.query("list", this.what).catch(() => null)
    if (answer && this.what.key === key) this.show(answer)
  }

  // Asks the server, and shows who has access then; what went wrong is said in the dialog.
  async ask(what, more = {}) {
    const {key} = this.what
    try {
      const answer = await this.query(what, {...this.what, ...more})
      if (this.what.key !== key) return null
      this.fail("")
      this.show(answer)
      return answer
    } catch (error) {
      this.fail(error.message)
      return null
    }
  }

  show(answer) {
    const {kind, name, who, people, why, refused, days, note} = answer
    this.who = who
    this.title.textContent = `Share “${name.length > 80 ? `${[...name].slice(0, 80).join("")}…` : name}”`
    this.about.textContent = kind === "data"
      ? "Others can look at it and download its scores. They cannot change it. What they download, copy or save stays theirs when sharing ends."
      : "Others can look at it, open it, compare it and download it, with the scores that were saved with it. They cannot change it. What they open, download or save stays theirs when sharing ends."
    this.form.hidden = !people
    this.why.textContent = why
    this.why.hidden = !why
    this.note.textContent = note
    this.note.hidden = !note
    this.everyone.checked = who.some(({to}) => to === "everyone")
    if (!this.days.options.length) {
      this.days.replaceChildren(...DAYS.filter(([number]) => number <= days.most).map(([value, text]) => make("option", {value}, text)))
      this.days.value = days.usual
    }
    if (refused) this.fail(`${refused[0].toUpperCase()}${refused.slice(1)}.`)
    this.enable(!refused)
    const focused = /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest(".wb-share-list li"))?.dataset.id
    this.list.replaceChildren(...(who.length ? who.map(one => this.row(one, people)) : [make("li", {class: "wb-quiet"}, "Only you.")]))
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"] button`)?.focus()
  }

  row(one, people) {
    const {id, to, name, expires, opened, link, accepted} = one
    const date = text => new Date(text).toLocaleString("en", {dateStyle: "medium", timeStyle: "short"})
    const [title, ...words] = {
      person: [name, ...(link ? [`accepted the link, until ${date(expires)}`] : [])],
      everyone: ["Everyone who is signed in"],
      link: ["A link", `until ${expires ? date(expires) : "revoked"} · ${["not opened yet", "opened once"][opened] ?? `opened ${opened} times`}`,
        ...(accepted.length ? [`Revoke also ends it for the ${acceptors(accepted, people)}.`] : [])],
    }[to]
    const label = to === "link" ? `Revoke the link that ends ${expires ? date(expires) : ""}` : `Stop sharing with ${title}`
    const end = this.button(to === "link" ? "Revoke" : "Remove", () => this.revoke(one, title), "wb-text-button", {"aria-label": label})
    return make("li", {"data-to": to, "data-id": id, ...(link ? {"data-link": link} : {})},
      make("span", {}, make("strong", {}, title), ...words.map(text => make("span", {class: "wb-quiet"}, text))), end)
  }

  async propose() {
    const text = this.name.value
    const {people} = await this.query("people", {text}).catch(() => ({people: []}))
    if (text === this.name.value) this.names.replaceChildren(...people.map(value => make("option", {value})))
  }

  async addPerson() {
    const name = this.name.value.trim()
    if (!name) return
    if (await this.ask("add", {name})) {
      this.name.value = ""
      this.names.replaceChildren()
      this.say(`${name} can read it now.`)
    }
    this.name.focus()
  }

  async setEveryone() {
    const known = this.who.find(({to}) => to === "everyone")
    const answer = this.everyone.checked ? await this.ask("add everyone") : known ? await this.ask("revoke", {id: known.id}) : null
    if (answer) this.say(this.everyone.checked ? "Everyone who is signed in can read it now." : "It is no longer shared with everyone.")
    else this.everyone.checked = Boolean(known)
  }

  async revoke({id, to, link, accepted}, title) {
    const answer = await this.ask("revoke", {id})
    if (!answer) return
    this.say(to !== "link" ? `It is no longer shared with ${title}.${link ? " Who has the link can accept it again." : ""}`
      : accepted.length ? `The link was revoked, also for the ${acceptors(accepted, answer.people)}.` : "The link was revoked.")
    if (to === "link") this.made.hidden = true
    const next = this.list.querySelector("button") ?? this.title
    next.focus()
  }

  async createLink() {
    const answer = await this.ask("link", {days: Number(this.days.value)})
    if (!answer) return
    this.made.hidden = false
    this.linked.show(new URL(`./${answer.link}`, location.href).href)
    this.say("The link was created.")
  }

  enable(on) {
    for (const one of [this.name, this.add, this.everyone, this.days, this.create]) one.disabled = !on
  }

  say(words) {
    this.status.textContent = words
  }

  fail(words) {
    this.problem.textContent = words
    this.problem.hidden = !words
  }
}

// Such as "2 people who accepted it: ada, ben"; where nobody signs in, people have no names.
function acceptors(names, people) {
  const others = names.length - NAMED
  const shown = others > 0 ? `${names.slice(0, NAMED).join(", ")} and ${others} more` : names.join(", ")
  return `${names.length === 1 ? "person" : `${names.length} people`} who accepted it${people ? `: ${shown}` : ""}`
}
