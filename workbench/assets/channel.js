// The connection to the session; the page itself is drawn by page.js.

export function render({model}) {
  window.workbench.connected(model)
}
