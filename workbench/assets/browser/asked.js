// What is said about data that a link names and does not carry, to who makes it and to who opens it.

import {make} from "./board.js"

// A data set that somebody is asked for: its file, and its hash.
export function wanted({name, files = [], sha256}) {
  const file = files.length ? `${files.length > 1 ? "the files" : "the file"} ${files.map(one => `“${one}”`).join(" and ")}` : ""
  return [make("strong", {}, file || `the data set “${name}”`), ...(file && !files.some(one => one === name || one.startsWith(`${name}.`)) ? [` (data set “${name}”)`] : []),
    make("span", {class: "wb-quiet"}, "SHA-256 of its content ", make("code", {}, sha256))]
}

// The note in the dialog that asks for the file of a link that was opened.
export function noteOf(words, wants) {
  return make("div", {class: "wb-asked", role: "note", "aria-label": "What the link needs"},
    make("p", {}, words), make("p", {}, "Open ", ...wanted(wants)), make("p", {}, "Then the page says whether it is the same one. "
      + "If you do not have it, ask whoever sent you the link to share the saved audit instead: Share, then “Link to a saved audit”. It opens as a report and needs no data."))
}
