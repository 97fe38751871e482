// A series of audits with one error budget: its chart, and its audits with their levels.

import {make} from "./board.js"
import {backToList, boardOf, failed, nameLink, numberShown, table, time} from "./audit_parts.js"

const HEADS = ["No.", "Audit", "Bound on ε", "Refuted claims", "Confidence", "Error spent", "Error left", "Reserved"]

export class Series {
  static async of(audits, name) {
    try {
      return new Series(await audits.query("series", {name}))
    } catch (error) {
      return failed("Series", error.message)
    }
  }

  constructor({name, words, charts, audits}) {
    this.board = boardOf(charts)
    const rows = audits.toReversed().map(({position, when, confidence, spent, left, audit, number, refuted}) => make("tr", {},
      ...[String(position), audit ? nameLink(audit) : make("span", {class: "wb-quiet"}, "not saved, or deleted"), numberShown(number),
        refuted.join(", ") || make("span", {class: "wb-quiet"}, "none"), confidence, spent, left, time(when)]
        .map((cell, k) => make("td", {"data-head": HEADS[k]}, cell))))
    this.element = make("article", {class: "wb-record wb-series"}, backToList(),
      make("h1", {tabindex: "-1"}, `Series: ${name}`), make("p", {}, words), this.board.element,
      make("div", {class: "wb-scroll", tabindex: "0", role: "region", "aria-label": "Audits of the series"}, table(HEADS, rows)))
  }

  stop() {
    this.board.stop()
  }
}
