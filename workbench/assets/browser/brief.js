// What a view shows first where little fits: the answer, one chart and its controls. A button shows
// the rest, and hides it again.

import {make} from "./board.js"

const WORDS = {true: "Show everything", false: "Show less"}

export class Brief {
  // names: the items and the controls that are shown first.
  constructor({items, controls}, board, fields, element) {
    this.element = element
    const rest = [
      ...[...board.views].filter(([name]) => !items.includes(name)),
      ...[...fields.all].filter(([name]) => !controls.includes(name)),
    ]
    for (const [, view] of rest) view.element.classList.add("wb-later")
    this.button = make("button", {class: "wb-everything", type: "button"})
    this.button.addEventListener("click", () => {
      this.show(!this.element.hasAttribute("data-brief"))
      board.panels.close(".wb-panel:not([hidden])") // of a number that may be hidden now
    })
    this.show(true)
  }

  show(brief) {
    this.element.toggleAttribute("data-brief", brief)
    this.button.textContent = WORDS[brief]
    this.button.setAttribute("aria-expanded", String(!brief))
  }
}
