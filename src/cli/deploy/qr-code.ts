import { encode } from 'uqr'

/** Room around the code, without which it is not found. */
const BORDER = 2
/** Black on white, whatever the colours of the terminal are. */
const INK = '\u001b[30;107m'
const PLAIN = '\u001b[0m'

/**
 * A QR code in lines of half blocks, two rows each. Without colours the light parts are drawn, as on a dark
 * terminal they have to be: cameras read it the other way round as well.
 */
export function qrCode(text: string, colours: boolean): string {
  const { data } = encode(text, { ecc: 'M', border: BORDER })
  const drawn = (row: number, column: number): boolean => (data[row]?.[column] ?? false) === colours
  const lines: string[] = []
  for (let row = 0; row < data.length; row += 2) {
    const line = (data[row] ?? []).map((_, column) => {
      const [upper, lower] = [drawn(row, column), row + 1 < data.length && drawn(row + 1, column)]
      return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' '
    })
    lines.push(colours ? `${INK}${line.join('')}${PLAIN}` : line.join(''))
  }
  return lines.join('\n')
}
