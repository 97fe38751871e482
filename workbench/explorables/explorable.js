// An explorable: charts that answer to sliders, and questions that check their answers.

import {drawStates, jsonOf} from "../assets/browser/stored_states.js"

const OPEN = {status: "open", words: "Not answered yet."}
const STATUS_MARKS = {open: "…", right: "✓", wrong: "✗"}

// What is said of an answer, as workbench.teaching.check says it; see CheckedQuestion.content().
function feedbackOf({said, near, right, above, below, ...rest}, text) {
  if (said) return said[Number(text)]
  const answer = Number(text.replace(",", ".").replace("−", "-"))
  if (Number.isNaN(answer)) return rest["no number"]
  const known = near.find(({value, within}) => answer === value || Math.abs(answer - value) <= within + 1e-12)
  return known ?? (answer > right ? above : below)
}

function checkAnswer(form, content) {
  const text = String(new FormData(form).values().next().value ?? "").trim()
  const {status, words} = text ? feedbackOf(content, text) : OPEN
  const place = form.querySelector(".feedback")
  place.dataset.status = status
  place.textContent = `${STATUS_MARKS[status]} ${words}`
}

function clearFeedback(form) {
  form.querySelector(".feedback").textContent = ""
}

const answers = jsonOf("answers")
document.querySelectorAll(".question").forEach((form, k) => {
  form.addEventListener("submit", event => {
    event.preventDefault() // the policy lets no form go anywhere
    checkAnswer(form, answers[k])
  })
  form.addEventListener("input", () => clearFeedback(form))
})

drawStates()
