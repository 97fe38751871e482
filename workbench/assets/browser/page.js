// The document of the dashboard: the pages in it, one of which is shown, and the way from one to
// another. See workbench/dashboard/live_page.py and visitor/session.py for the messages.

import {elementOf, make, prepareCharts} from "./board.js"
import {Connection, dim} from "./connection.js"
import {DataMenu} from "./data.js"
import {notify} from "./notify.js"
import {takeRole} from "./role.js"
import {closeOverContent, closePanels, openDrawer, startShell} from "./shell.js"
import {PageView, PlainView} from "./view.js"

const KEPT = `workbench:lost:${document.body.dataset.person}`
const START = "start"
const AUDITS = "audits"
const SOON = 250 // ms after which a page that has not come is announced

const root = document.documentElement
const content = /** @type {HTMLElement} */ (document.querySelector("#content"))
const drawer = /** @type {HTMLElement} */ (document.querySelector(".wb-drawer"))
const first = JSON.parse((/** @type {HTMLElement} */ (document.getElementById("first"))).textContent ?? "")
const {pages, heading} = first // name -> {title, address}

const views = new Map()
let shown = null // the name of the page that is shown
let asked = null // that of the page that was asked for
let present = "" // that of the last page with numbers
const bench = {}

const connection = new Connection({take, keep})
const wire = connection.wire("")
const data = new DataMenu({bench, send: act, importing: more => dialogs.open("import", more), page: () => shown, share, leave})

// -- what the server sends -----------------------------------------------------------------------

function take(message) {
  if (message.page) takePage(message)
  else takeBench(message)
}

function takePage(message) {
  const name = message.page
  const before = views.get(name)
  if (!message.frame) {
    before?.update(message)
    return
  }
  before?.stop()
  const view = new PageView(name, message, connection.wire(name), dialogs.holds(name) ? null : toolsOf(name))
  views.set(name, view)
  if (dialogs.holds(name)) dialogs.put(view)
  else place(view)
}

function place(view) {
  view.show(view.name === shown || view.name === asked)
  content.append(view.element)
  drawer.append(view.side)
  view.start(document.body.dataset.plotly)
  if (glossary) view.link(glossary.linked)
  if (view.name === asked) reveal(view.name)
}

function takeBench({bench: news, goto, say, link, needs, imported, ask, audits: told, shares, away, refuted}) {
  if (away) { // nothing covers the notice that says so
    closePanels()
    dialogs.element?.close()
  }
  if (news) {
    Object.assign(bench, news)
    showBench()
  }
  if (goto && goto !== shown) go(goto)
  if (imported !== undefined) dialogs.accepted(goto)
  if (link) showLink(link, needs)
  if (ask) dialogs.ask(ask)
  if (told) takeAudits(told)
  if (shares) takeAnswer(shares)
  if (say !== undefined) toast(say)
  if (refuted) tellRefuted(refuted)
}

// The claim on the file that the server follows was refuted: once, and for good.
function tellRefuted({words}) {
  const elsewhere = pages.watch && shown !== "watch"
  toast(words, elsewhere ? make("a", {href: `.${pages.watch.address}`, "data-page": "watch"}, "Show") : null, true)
  notify("Claim refuted", words, "wb-refuted")
}

// A gesture that is not about one page; those that are under way on pages come first.
async function act(gesture) {
  await settled()
  return wire.send(gesture, ++acts)
}

async function settled() {
  while (connection.waits) await new Promise(resolve => setTimeout(resolve, 10))
}
let acts = 0

// -- from page to page -----------------------------------------------------------------------------

const nameOf = path => Object.keys(pages).find(name => path.endsWith(pages[name].address)) ?? first.shown
let target = {} // {control, item}: what to look at on the page that was asked for
let revealed = null // called when it is shown

// Resolves when the page is shown. at: {control, item}, names of what to look at there; hash: of its address.
function go(name, at = {}, entry = true, hash = "") {
  closePanels()
  closeOverContent()
  if (entry && (name !== (asked ?? shown) || hash !== location.hash)) {
    history.replaceState({scroll: scrollY}, "")
    history.pushState({}, "", `.${pages[name].address}${location.search}${hash}`)
  }
  asked = name
  target = at
  const done = new Promise(resolve => { revealed = resolve })
  if (views.has(name)) reveal(name)
  else {
    setTimeout(() => { if (asked === name && shown !== name) root.dataset.opening = pages[name].title }, SOON)
    if (name === AUDITS) startAudits()
    else wire.send({kind: "show", show: name}, "show")
  }
  return done
}

function reveal(name) {
  const before = shown
  shown = asked = name
  if (name !== START && name !== AUDITS) present = name
  root.dataset.page = name
  delete root.dataset.opening
  for (const view of views.values()) if (!dialogs.holds(view.name)) view.show(view.name === name)
  document.title = name === START ? heading : `${pages[name].title} · ${heading}`
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".wb-nav a, a.wb-name"))) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
  }
  if (search) search.page = name
  showBench()
  if (before && before !== name) {
    scrollTo(0, history.state?.scroll ?? 0)
    wire.send({kind: "look", look: name}, "look")
  }
  if (before && (before !== name || target.control || target.item)) lookAt(views.get(name))
  revealed?.()
}

function lookAt({element, side}) {
  const {control, item} = target
  if (control === "data") {
    data.open()
    return
  }
  if (control) openDrawer(true)
  const found = control ? side.querySelector(`[data-control="${control}"]`) ?? document.querySelector(`.wb-sheet [data-control="${control}"]`)
    : item ? element.querySelector(`[data-item="${item}"]`) : element.querySelector("h1")
  if (!found) return
  if (control || item) found.scrollIntoView({block: "center"})
  const taken = control ? found.querySelector("input, select, button") ?? found : found
  if (taken === found) found.tabIndex = -1
  taken.focus({preventScroll: true})
}

document.addEventListener("click", event => {
  const link = /** @type {HTMLAnchorElement | null | undefined} */ (elementOf(event)?.closest("a[data-page]"))
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  go(link.dataset.page, {}, true, link.hash)
})
window.addEventListener("popstate", () => go(nameOf(location.pathname), {}, false))

// -- the bench: undo, links, jobs of other pages ----------------------------------------------------

const undoButton = document.querySelector(".wb-undo")
const redoButton = document.querySelector(".wb-redo")
const jobs = /** @type {HTMLElement} */ (document.querySelector(".wb-jobs"))

function showBench() {
  if (bench.may) takeRole(bench.may, toast)
  if (!undoButton) return
  for (const [button, word, what] of [[undoButton, "Undo", bench.undo], [redoButton, "Redo", bench.redo]]) {
    button.disabled = !what
    button.title = what ? `${word}: ${what}` : `Nothing to ${word.toLowerCase()}`
    button.setAttribute("aria-label", button.title)
  }
  if (search) search.datasets = (bench.sets ?? []).map(({key, name, size}) => ({kind: "data set", key, title: name, where: size}))
  views.get(START)?.update?.()
  const elsewhere = (bench.jobs ?? []).filter(job => job.page !== shown)
  jobs.replaceChildren(...elsewhere.map(job => {
    const part = job.fraction === null ? "" : ` ${Math.round(100 * job.fraction)}%`
    return make("a", {href: `.${pages[job.page].address}`, "data-page": job.page}, `${job.title}${part}`)
  }))
  data.show()
}

undoButton?.addEventListener("click", () => act({kind: "undo"}))
redoButton?.addEventListener("click", () => act({kind: "redo"}))
document.querySelector(".wb-reset")?.addEventListener("click", () => act({kind: "reset", reset: shown}))
document.addEventListener("keydown", event => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return
  const key = event.key.toLowerCase()
  const redo = key === "y" || (key === "z" && event.shiftKey)
  if (key !== "z" && !redo) return
  // Text that is being typed has an undo of its own.
  if (elementOf(event)?.closest("[data-typing]")) return
  event.preventDefault()
  act({kind: redo ? "redo" : "undo"})
})

// Marks a field while it holds text that was not yet sent.
document.addEventListener("input", event => {
  const field = elementOf(event)
  if (field?.matches("input[type=text], textarea")) field.dataset.typing = ""
})
for (const end of ["change", "focusout"]) {
  document.addEventListener(end, event => elementOf(event)?.removeAttribute("data-typing"))
}

let linkDialog = null

async function showLink(text, needs) {
  const address = new URL(`.${pages[shown].address}#link=${text}`, location.href).href
  const [{PageLinkDialog}, menu] = await Promise.all([import("./page_link.js"), shareMenu()])
  linkDialog ??= new PageLinkDialog({saved: bench.shares && saveButton ? () => shareAudit("link") : null, file: () => menu.choose("pdf", "One page (PDF)", "one-page")})
  linkDialog.open(address, needs)
}

// What happened, in a line; it goes after a while, unless it stays until it is closed.
const said = /** @type {HTMLElement} */ (document.querySelector(".wb-toast"))
let closing = 0 // the timer that closes it
function toast(words, more = null, stays = Boolean(more)) {
  clearTimeout(closing)
  said.replaceChildren(make("p", {}, words), ...(more ? [more] : []))
  said.hidden = !words
  const close = make("button", {type: "button", class: "wb-text-button"}, "Close")
  close.addEventListener("click", () => { said.hidden = true })
  said.append(close)
  if (!stays) closing = setTimeout(() => { said.hidden = true }, 12_000)
}

// -- what people take along ---------------------------------------------------------------------------

const shareButton = document.querySelector(".wb-share-button")
const sharePanel = /** @type {HTMLElement} */ (document.getElementById("share"))

// Its script comes when it is first opened.
let menuOfShare = null
sharePanel.addEventListener("wb-opened", () => {
  if (!said.querySelector(".wb-making")) said.hidden = true // it would cover the last items on a phone
})
sharePanel.addEventListener("wb-opened", async () => (await shareMenu()).items[0].focus(), {once: true})

async function shareMenu() {
  const {ShareMenu} = await import("./share.js")
  const link = () => act({kind: "link", link: shown})
  // What is the visitor's own, to be shared: the data set in view, and the page once it is saved.
  const own = () => (data.current?.group === "own" ? data.current : null)
  const withPeople = {own, data: () => share({of: "data", key: own().key}), audit: shareAudit, get accounts() { return bench.people }}
  menuOfShare ??= new ShareMenu({panel: sharePanel, button: shareButton, page: () => shown, link, settled, toast, files: Boolean(pages[START]),
    withPeople: () => (bench.shares && pages[START] ? withPeople : null)})
  return menuOfShare
}

// For the charts and numbers of a page; see Board.
function toolsOf(page) {
  return {
    risk: Boolean(pages.risk),
    module: name => import(`./${name}`),
    async file(item, kind, options = {}) {
      const [{download}] = await Promise.all([import("./share.js"), settled()])
      return download(`./figure/${page}/${item}.${kind}?${new URLSearchParams(options)}`)
    },
    async offered(control) {
      const [{download}] = await Promise.all([import("./share.js"), settled()])
      return download(`./offered/${page}/${control}`)
    },
    async texts(item) {
      const [{made}] = await Promise.all([import("./share.js"), settled()])
      return (await made(`./texts/${page}/${item}.json`)).json()
    },
  }
}

// -- the import step, in a dialog ---------------------------------------------------------------------

const dialogs = {
  element: /** @type {HTMLDialogElement} */ (document.querySelector(".wb-dialog")),
  asked: /** @type {HTMLElement | null} */ (null), // what a link needs
  holds(name) {
    return name === "import"
  },
  open(name, more = {}) {
    views.get(name)?.stop()
    views.delete(name)
    act({kind: "import", ...more})
  },
  // The data of a link are not here: what is wanted is said in the dialog for as long as it is open.
  async ask({words, ...wants}) {
    const {noteOf} = await import("./asked.js")
    this.open("import")
    this.asked = noteOf(words, wants)
  },
  put(view) {
    view.show(true)
    const close = make("button", {type: "button", class: "wb-text-button wb-close"}, "Cancel")
    close.addEventListener("click", () => this.close())
    this.element.replaceChildren(close, ...(this.asked ? [this.asked] : []), view.side, view.element)
    if (!this.element.open) this.element.showModal()
    view.start(document.body.dataset.plotly)
    if (this.files) view.wire.upload("upload", this.files, part => view.controls.progress("upload", part))
    this.files = null
  },
  close() {
    this.element.close()
  },
  // The data set is shown where it was asked for, or on Scores if that page shows none.
  accepted(goto) {
    if (!this.element.open) return
    this.close()
    if (!goto && !bench.first?.[asked]) go("scores")
  },
  take(files) {
    this.files = [...files]
    this.open("import")
  },
}
dialogs.element?.addEventListener("close", () => {
  dialogs.asked = null
  connection.wire("import").stopUpload()
  views.get("import")?.stop()
  views.delete("import")
  act({kind: "close import"})
})

const holdsFiles = event => [...(event.dataTransfer?.types ?? [])].includes("Files")
document.addEventListener("dragover", event => { if (holdsFiles(event)) event.preventDefault() })
document.addEventListener("drop", event => {
  if (!holdsFiles(event) || !dialogs.element) return
  event.preventDefault()
  const files = [...event.dataTransfer?.files ?? []]
  const taker = dialogs.element.open ? undefined : views.get(shown)?.controls?.taker()
  if (shown === AUDITS) audits.import(files)
  else if (taker && files.length) taker.give(files)
  else dialogs.take(files)
})
document.addEventListener("paste", event => {
  const text = event.clipboardData?.getData("text/plain") ?? ""
  if (!dialogs.element || elementOf(event)?.closest("input, textarea") || !/\d[\s\S]*\n[\s\S]*\d/.test(text)) return
  dialogs.take([new File([text], text.includes("\t") ? "pasted.tsv" : "pasted.csv")])
})
data.files = files => dialogs.take(files)

// The browser's own dialog; what is chosen there is shown in the import step, and nothing if nothing is.
function chooseFiles() {
  const input = make("input", {type: "file", multiple: "", hidden: ""})
  input.addEventListener("change", () => {
    input.remove()
    if (input.files.length) dialogs.take(input.files)
  })
  input.addEventListener("cancel", () => input.remove())
  document.body.append(input)
  input.click()
}

// -- what a reload brings back -----------------------------------------------------------------------

// What the server had not answered is kept apart: it is later than what the server knows.
function keep() {
  const kept = [...views].filter(([name, view]) => name !== "import" && view.kept)
  const settings = Object.fromEntries(kept.map(([name, view]) => [name, view.kept]))
  const unsent = Object.fromEntries(kept.map(([name, view]) => [name, view.controls.unsent()]).filter(([, values]) => Object.keys(values).length))
  const drags = kept.flatMap(([name]) => connection.wire(name).drags.map(gesture => [name, gesture]))
  sessionStorage.setItem(KEPT, JSON.stringify({settings, unsent, drags}))
}

function takeKept() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null")
  sessionStorage.removeItem(KEPT)
  // The controls stand at once where they were left.
  for (const [name, value] of Object.entries(kept?.unsent?.[first.shown] ?? {})) {
    const state = first.page?.controls?.[name]
    if (state && "value" in state) state.value = value
  }
  return kept
}

async function bringBack(kept) {
  if (!kept) return
  const settings = first.kept ? kept.unsent : kept.settings
  if (!Object.keys(settings).length && !kept.drags.length) return
  dim(true)
  connection.tell("The connection is back. Restoring your settings …")
  if (Object.keys(settings).length) await wire.answer(await act({kind: "restore", settings}))
  for (const [name, gesture] of kept.drags) await connection.wire(name).answer(connection.wire(name).send(gesture))
  await settled()
  dim(false)
  connection.tell("")
}

function openLink() {
  const token = location.hash.match(/^#shared=([\w-]+)$/)?.[1]
  if (token) {
    history.replaceState(history.state, "", location.pathname + location.search)
    acceptShared(token)
    return
  }
  const text = location.hash.match(/^#link=(.*)$/)?.[1]
  if (!text) return
  history.replaceState(history.state, "", location.pathname + location.search)
  act({kind: "open link", text: decodeURIComponent(text)})
}
window.addEventListener("hashchange", openLink)

// -- saved audits: their page and the dialog that saves one, loaded when they are needed ------------------

const questions = new Map() // number of a question to the archive -> how its promise ends
let asks = 0
let audits = null
let saveDialog = null

function query(what, more = {}, kind = "audit") {
  return new Promise((resolve, reject) => {
    const request = ++asks
    questions.set(request, {resolve, reject})
    act({...more, kind, do: what, request})
  })
}

function takeAudits(message) {
  if (message.changed) {
    audits?.changed()
    shareDialog?.refresh()
    recent.asked = false
    views.get(START)?.update?.()
  }
  takeAnswer(message)
}

function takeAnswer({request, answer, problem}) {
  const question = questions.get(request)
  questions.delete(request)
  if (problem) question?.reject(new Error(problem))
  else question?.resolve(answer)
}

// Those on the start page; who has none yet opens no archive by a visit.
const recent = {asked: false, audits: []}
async function recentAudits(view) {
  if (recent.asked || !bench.audits) return
  recent.asked = true
  recent.audits = (await query("list", {most: 4}).catch(() => recent)).audits
  view.update()
}

async function startAudits() {
  const {Audits, styled} = await import("./audits.js")
  await styled
  if (views.has(AUDITS)) return
  audits = new Audits({query, go, toast, pages, present: () => present, save, shares: () => Boolean(bench.shares), share, leave,
    upload: file => wire.upload("audit", [file], () => {})})
  const view = new PlainView(AUDITS, audits.element)
  view.show = on => {
    audits.element.hidden = !on
    if (on) audits.show()
  }
  views.set(AUDITS, view)
  place(view)
}

let afterSaving = null // is called with {key, name}

/** @param {((saved: any) => void) | null} then */
async function save(page = shown, then = null, kept = null) {
  if (page === START || page === AUDITS) return
  const {SaveDialog} = await import("./save.js")
  saveDialog ??= new SaveDialog({query, saved: ({key, name}) => {
    toast("Saved as ", make("a", {href: `./audits#audit=${encodeURIComponent(key)}`, "data-page": AUDITS}, `“${name.slice(0, 80)}”`))
    afterSaving?.({key, name})
  }})
  afterSaving = then
  saveDialog.open(page, kept)
}

// -- sharing: who may read a data set or an audit, and what others share ---------------------------------

let shareDialog = null

// of: "data" or "audit"; its script comes when it is first used.
async function share({of, key, way = "person"}) {
  const {ShareDialog} = await import("./sharing.js")
  shareDialog ??= new ShareDialog({query: (what, more) => query(what, more, "share")})
  shareDialog.open({of, key, way})
}

// The page as a saved audit: the one that it was saved as, unless it has changed since.
async function shareAudit(way) {
  const page = shown
  const {kept} = await query("kept", {of: page}).catch(() => ({kept: null}))
  if (kept?.same) share({of: "audit", key: kept.key, way})
  else save(page, ({key}) => share({of: "audit", key, way}), kept)
}

// No longer reads something of others.
async function leave(key) {
  try {
    const {name} = await query("leave", {key}, "share")
    toast(`“${name.slice(0, 80)}” is no longer shown to you.`)
  } catch (error) {
    toast(error.message)
  }
}

// Takes the data set of a link among one's own, and into view.
async function acceptShared(token) {
  try {
    const {key, name, owner} = await query("accept", {token}, "share")
    await choose(key)
    toast(name ? `${owner} shares “${name.slice(0, 80)}” with you: it is in the Data menu for as long as it is shared with you.` : "This is your own data set.")
  } catch (error) {
    toast(error.message)
  }
}

const saveButton = document.querySelector(".wb-save")
saveButton?.addEventListener("click", () => save())
document.addEventListener("keydown", event => {
  if (!saveButton || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return
  event.preventDefault()
  save()
})

// -- words: the glossary, the search, the tour and the start page --------------------------------------

let glossary = null
let search = null
const choose = key => act({kind: "choose", data: key}).then(serial => wire.answer(serial))
const fetched = name => fetch(`./${name}.json`).then(answer => answer.json())

// Their scripts come after the page.
async function startWords(words) {
  const [{Glossary}, {Search}, {Tour}, {Start}] = await Promise.all([
    import("./glossary.js"), import("./search.js"), import("./tour.js"), import("./start.js"),
  ])
  glossary = new Glossary(words.glossary, {go})
  const tour = new Tour(words.tour, {go, choose, linked: glossary.linked})
  search = new Search({load: () => fetched("search"), go, choose, define: key => glossary.open(key)})
  search.page = shown ?? ""
  document.querySelector(".wb-search-place")?.append(search.button)
  for (const view of views.values()) view.link(glossary.linked)
  const start = new Start(words, {
    go, choose, seen: tour.seen, tour: () => tour.start({chosen: Boolean(bench.current)}), load: chooseFiles,
    linked: glossary.linked, glossary: () => glossary.open(),
  })
  const view = new PlainView(START, start.element)
  view.update = () => {
    start.show({datasets: (bench.sets ?? []).filter(({group}) => group === "own").reverse().slice(0, 6), audits: recent.audits})
    if (shown === START) recentAudits(view)
  }
  views.set(START, view)
  place(view)
  showBench()
}

// -- the first drawing -------------------------------------------------------------------------------

startShell()
Object.assign(bench, first.bench)
const kept = takeKept()
asked = first.shown
if (first.page) takePage({...first.page, page: first.shown})
if (first.shown === AUDITS) startAudits()
if (first.words) startWords(first.words)
else if (pages[START]) requestIdleCallback(() => fetched("words").then(startWords), {timeout: 3000})
showBench()
bringBack(kept)
openLink()
prepareCharts(document.body.dataset.plotly)
