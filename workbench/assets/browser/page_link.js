// The dialog with a link to the page that is shown: it says that a link carries no data, what whoever opens
// it is asked for, and what opens without that. Names are people's own texts, so they are never read as HTML.

import {wanted} from "./asked.js"
import {make} from "./board.js"
import {ONLY_HERE, onlyHere} from "./share.js"
import {CopyRow, styled} from "./sharing.js"

let count = 0

export class PageLinkDialog {
  // saved() shares the page as a saved audit, null where nothing is shared; file() has the page as a file made.
  constructor({saved, file}) {
    const id = `wb-page-link-${++count}`
    this.needs = make("div", {})
    this.row = new CopyRow(`${id}-address`, "Link to this page")
    const act = (text, does, style) => {
      const button = make("button", {type: "button", class: style}, text)
      button.addEventListener("click", () => {
        this.element.close()
        does?.()
      })
      return button
    }
    this.saved = act("Share as a saved audit …", () => saved(), "wb-plain-button")
    this.canSave = () => Boolean(saved)
    this.element = make("dialog", {class: "wb-share-dialog", "aria-labelledby": id},
      make("h2", {id, tabindex: "-1"}, "Link to this page"),
      ...(onlyHere() ? [make("p", {class: "wb-problem"}, ONLY_HERE)] : []),
      make("p", {}, "The link opens this page with its settings. It carries no data."),
      this.needs, this.row.element, this.row.status,
      make("div", {class: "wb-actions"}, this.saved, act("One page (PDF)", () => file(), "wb-plain-button"), act("Close", null, "wb-filled-button")))
    document.body.append(this.element)
  }

  // address: the link; needs: name, files and SHA-256 of the data that it does not carry.
  async open(address, needs) {
    await styled
    const {saved} = this
    saved.hidden = !this.canSave()
    this.needs.replaceChildren(...(needs.length ? [
      make("p", {}, "Whoever opens it needs the data, and is asked for:"),
      make("ul", {class: "wb-share-needs"}, ...needs.map(one => make("li", {}, ...wanted(one)))),
      make("p", {}, saved.hidden ? "Who has no data needs a report: send a file." : "Who has no data needs a saved audit: it opens as a report, and asks for nothing."),
    ] : [make("p", {class: "wb-quiet"}, "It needs no data of yours, so it opens wherever this server is reached.")]))
    if (!this.element.open) this.element.showModal()
    this.row.show(address)
  }
}
