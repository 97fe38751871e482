// A document without a browser, for the scripts under test.

import {Window} from "happy-dom"

const NAMES = ["window", "document", "location", "Node", "Element", "HTMLElement", "Event", "CustomEvent",
  "KeyboardEvent", "MouseEvent", "PointerEvent", "MutationObserver", "ResizeObserver", "localStorage", "sessionStorage",
  "getComputedStyle", "getSelection", "requestAnimationFrame", "cancelAnimationFrame", "Notification"]

export const window = new Window({url: "http://localhost/scores", width: 1200, height: 900})
for (const name of NAMES) {
  Object.defineProperty(globalThis, name, {value: name === "window" ? window : window[name], configurable: true, writable: true})
}
globalThis.matchMedia = query => window.matchMedia(query)

// What a person does with an element.
export const press = element => element.dispatchEvent(new window.MouseEvent("click", {bubbles: true}))

export function choose(field, value) {
  if (typeof value === "boolean") field.checked = value
  else field.value = value
  for (const kind of ["input", "change"]) field.dispatchEvent(new window.Event(kind, {bubbles: true}))
}

export const key = (element, name) =>
  element.dispatchEvent(new window.KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}))
