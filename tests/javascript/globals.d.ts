// What the scripts find on the window.

interface Window {
  /** The chart library, where a document loads it itself. */
  Plotly?: any
  /** A notebook's chart library: since when it was asked for, and whether it came. */
  wbPlotly?: {here: boolean, at: number, library?: Promise<any>}
}
