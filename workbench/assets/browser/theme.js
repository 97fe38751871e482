// Before anything is drawn: the theme, and whether all is large, for a projector. This is part of the document, so that
// there is nothing to wait for.
//
// In a frame of another site, a browser may refuse to keep anything: then it is kept for as long as the page is open.
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    window[name].getItem("")
  } catch {
    const kept = new Map()
    const value = {
      getItem: key => kept.get(key) ?? null,
      setItem: (key, text) => kept.set(key, `${text}`),
      removeItem: key => kept.delete(key),
    }
    Object.defineProperty(window, name, {value, configurable: true})
  }
}
{
  const asked = new URLSearchParams(location.search)
  const theme = asked.get("theme") ?? localStorage.getItem("workbench:theme")
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme
  else document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  const projector = asked.get("projector") ?? localStorage.getItem("workbench:projector") ?? "off"
  document.documentElement.toggleAttribute("data-projector", projector !== "off")
}
