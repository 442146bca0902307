const ESC = '\u001b'
const BELL = '\u0007'
/** What is no text in a line of a terminal. The first finds what sets colours; the others what moves cursors, names windows or rings bells. */
export const SEQUENCE = new RegExp(
  [
    `${ESC}\\[([\\d;:]*)m`,
    `${ESC}\\[[\\d;:<=>?]*[ -/]*[@-~]`,
    `${ESC}\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)?`,
    `${ESC}[@-_]?`,
  ].join('|'),
  'g',
)
export const CONTROL = /(?!\t)\p{Cc}/gu

/** A line as a terminal would leave it: what was written over is gone. */
export const settled = (line: string): string => {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.slice(text.lastIndexOf('\r') + 1)
}

/** The text of such a line alone. */
export const terminalText = (line: string): string => settled(line).replace(SEQUENCE, '').replace(CONTROL, '')
