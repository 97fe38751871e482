// Before anything is drawn: the theme, and whether all is large, for a projector. This is part of the document, so that
// there is nothing to wait for.
{
  const asked = new URLSearchParams(location.search)
  const theme = asked.get("theme") ?? localStorage.getItem("workbench:theme")
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme
  else document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  const projector = asked.get("projector") ?? localStorage.getItem("workbench:projector") ?? "off"
  document.documentElement.toggleAttribute("data-projector", projector !== "off")
}
