// The wire to the session. The page draws itself from the document; here it gets its connection.

export function render({model}) {
  window.workbench.connected(model)
}
