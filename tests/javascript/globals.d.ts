// What the scripts find on the window.

interface Window {
  /** The chart library, where a document loads it itself. */
  Plotly?: any
  /** A notebook's chart library: since when it was asked for, and whether it came. */
  wbPlotly?: {here: boolean, at: number, library?: Promise<any>}
  /** What draws views in a document of Panel, and its style sheet. */
  wbFront?: Promise<{show: Function, sheet: CSSStyleSheet}>
}
