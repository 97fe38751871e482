// Before anything is drawn: the theme. This is part of the document, so that there is nothing to wait for.
{
  const named = new URLSearchParams(location.search).get("theme")
  const theme = named ?? localStorage.getItem("workbench:theme")
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme
  else document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
}
