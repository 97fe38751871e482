// What the role of a person does not allow: controls with data-edits are shown, and say why they cannot be used.

import {elementOf} from "./board.js"

const root = document.documentElement
let why = "" // "" for who may use everything

// may: {edit, why}; toast(words) says why when such a control is pressed.
export function takeRole(may, toast) {
  if (!observer) start(toast)
  why = may.edit ? "" : may.why
  root.toggleAttribute("data-viewer", Boolean(why))
  mark(document)
}

let observer = null
function start(toast) {
  observer = new MutationObserver(changes => {
    if (why) for (const {target} of changes) mark(target)
  })
  observer.observe(document.body, {childList: true, subtree: true, attributeFilter: ["data-edits"]})
  document.addEventListener("click", event => {
    if (!why || !elementOf(event)?.closest("[data-edits]")) return
    event.preventDefault()
    event.stopPropagation()
    toast(why)
  }, true)
}

function mark(within) {
  const all = [...within.querySelectorAll("[data-edits], [data-refused]")]
  if (within.matches?.("[data-edits], [data-refused]")) all.push(within)
  for (const one of all) {
    const refused = Boolean(why) && one.hasAttribute("data-edits")
    if (refused === one.hasAttribute("data-refused")) continue
    one.toggleAttribute("data-refused", refused)
    if (one.matches("input")) one.disabled = refused
    if (refused) {
      one.dataset.title = one.title
      one.title = why
      one.setAttribute("aria-disabled", "true")
    } else {
      one.title = one.dataset.title
      one.removeAttribute("aria-disabled")
    }
  }
}
