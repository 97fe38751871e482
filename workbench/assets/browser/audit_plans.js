// The registered plans: what was fixed before any score was seen, when, and what it was used for.

import {make} from "./board.js"
import {backToList, facts, failed, nameLink, plural, time} from "./audit_parts.js"

export async function plansOf(audits) {
  try {
    const {plans, kept} = await audits.query("plans")
    return {element: make("article", {class: "wb-record"}, backToList(), make("h1", {tabindex: "-1"}, "Registered plans"),
      make("p", {class: "wb-quiet"}, "A plan fixes the choices of an audit before any score is seen, so that bounds at one threshold keep their guarantee. It is stored with its time and its hash, and never changed."),
      ...(plans.length ? plans.map(plan => shown(plan)) : [make("div", {class: "wb-empty"}, make("h2", {}, "No plan yet"),
        make("p", {}, "Register one on the page Plan before the scores are there, or in Python with wb.plan(…).")),
      ]), make("p", {class: "wb-quiet"}, kept))}
  } catch (error) {
    return failed("Registered plans", error.message)
  }
}

function shown({name, created, sha256, choices, uses, audits}) {
  const used = uses.map(({sha256: content, used: at}) => make("li", {}, "for data with SHA-256 ", make("code", {}, `${content.slice(0, 12)}…`), ", first at ", time(at)))
  return make("section", {class: "wb-card wb-registered"}, make("h2", {}, name), make("p", {class: "wb-quiet"}, "Stored at ", time(created), ", SHA-256 ", make("code", {title: sha256}, `${sha256.slice(0, 8)}…`)),
    facts(choices),
    ...(audits.length ? [make("p", {}, "Saved audits under this plan:"), make("ul", {}, ...audits.map(audit => make("li", {}, nameLink(audit))))] : []),
    ...(used.length ? [make("p", {}, `Used ${plural(used.length, "time")}:`), make("ul", {}, ...used)] : []),
    ...(used.length || audits.length ? [] : [make("p", {}, "Not used yet.")]))
}
