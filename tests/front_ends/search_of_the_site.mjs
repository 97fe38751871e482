// Prints what the search of a built site finds: node search_of_the_site.mjs SITE QUESTION ...

import {readFileSync} from "node:fs"
import {join} from "node:path"
import vm from "node:vm"

const [site, ...questions] = process.argv.slice(2)
const nothing = () => ({children: [], remove() {}})
const context = vm.createContext({
  document: {getElementById: nothing, addEventListener() {}, documentElement: {dataset: {}}},
  localStorage: {setItem() {}},
  location: {search: ""},
  console,
  URLSearchParams,
  SPHINX_HIGHLIGHT_ENABLED: false,
  DOCUMENTATION_OPTIONS: {},
  _: text => text,
  _ready() {},
})
context.window = context
for (const script of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
  vm.runInContext(readFileSync(join(site, script), "utf8"), context, {filename: script})
}
const found = questions.map(question => {
  context.question = question
  // The last result is shown first.
  return vm.runInContext("Search._performSearch(...Search._parseQuery(question)).map(([page]) => page).reverse()", context)
})
process.stdout.write(JSON.stringify(found))
