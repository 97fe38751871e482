// A report: its charts answer to sliders, with states that were computed in advance.

import {drawStates} from "../assets/browser/stored_states.js"

// What is folded is not printed, so it is opened.
const unfold = on => document.querySelectorAll("details").forEach(one => { one.open = on || one.dataset.own === "open" })
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach(one => { one.dataset.own = one.open ? "open" : "" })
  unfold(true)
})
window.addEventListener("afterprint", () => unfold(false))

drawStates()
