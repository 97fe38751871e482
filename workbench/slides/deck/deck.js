// Starts the slides. What needs the size of a slide is done when it is shown: plotly's figures are drawn, and
// what is too high is made smaller.

const deck = window.Reveal
const HEIGHT = 720
const SMALLEST = 0.6 // a slide that is higher still can be scrolled

function show() {
  draw()
  const slide = deck.getCurrentSlide()
  if (!slide || slide.dataset.fitted !== undefined) return
  slide.dataset.fitted = ""
  if (slide.scrollHeight > HEIGHT) slide.style.setProperty("--fit", String(Math.max(SMALLEST, HEIGHT / slide.scrollHeight)))
}

function draw() {
  for (const chart of deck.getCurrentSlide()?.querySelectorAll(".deck-chart:not([data-drawn])") ?? []) {
    const {data, layout} = JSON.parse(chart.querySelector("script").textContent)
    chart.dataset.drawn = ""
    const place = chart.appendChild(document.createElement("div"))
    window.Plotly.newPlot(place, data, {...layout, width: 1180, height: Math.min(layout.height ?? 520, 520)}, {displayModeBar: false})
      .catch(error => { place.textContent = `This chart cannot be drawn: ${error.message}` })
  }
}

deck.initialize({width: 1280, height: HEIGHT, margin: 0.04, center: false, hash: true, slideNumber: "c/t", transition: "none"}).then(show)
deck.on("slidechanged", show)
