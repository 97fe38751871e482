// The bottom sheet of phones, and of projectors: the one or two main controls of a page, in reach of the
// thumb while a chart is in view. They are the controls themselves, moved from the drawer and back; so nothing is
// kept twice. A chart in the whole window borrows them too.

import {make} from "./board.js"

const NARROW = "(max-width: 899px)"

export class Sheet {
  // names of the main controls; element(name) is the element of a control, if the page has it.
  constructor(names, element) {
    this.controls = names.map(element).filter(Boolean)
    // Where each of them belongs.
    this.homes = this.controls.map(control => {
      const home = make("span", {hidden: ""})
      control.before(home)
      return home
    })
    this.element = make("div", {class: "wb-sheet", role: "group", "aria-label": "Main controls", hidden: ""})
    this.dock = null
    this.narrow = matchMedia(NARROW)
    this.placing = () => this.place()
    this.narrow.addEventListener("change", this.placing)
    this.projector = new MutationObserver(this.placing)
    this.projector.observe(document.documentElement, {attributeFilter: ["data-projector"]})
    // What is at the end of the page stays above the sheet.
    this.sizes = new ResizeObserver(() => {
      document.documentElement.style.setProperty("--wb-sheet", `${this.element.offsetHeight}px`)
      window.dispatchEvent(new Event("resize")) // the charts have another room
    })
    this.sizes.observe(this.element)
    this.place()
  }

  // Into an element over the page, such as the dock of an enlarged chart, or back (null).
  lend(dock) {
    this.dock = dock
    this.place()
  }

  place() {
    const below = this.narrow.matches || document.documentElement.dataset.projector !== undefined
    const to = this.dock ?? (below ? this.element : null)
    const focused = this.controls.map(control => control.contains(document.activeElement) && document.activeElement)
    this.controls.forEach((control, k) => (to ? to.append(control) : this.homes[k].after(control)))
    focused.forEach(one => one && one.focus())
    this.element.hidden = to !== this.element || !this.controls.length
  }

  // Leaves the page: the controls go home, for it may be shown again.
  stop() {
    this.narrow.removeEventListener("change", this.placing)
    this.projector.disconnect()
    this.sizes.disconnect()
    this.controls.forEach((control, k) => this.homes[k].replaceWith(control))
    this.element.remove()
    document.documentElement.style.removeProperty("--wb-sheet")
  }
}
