/** `1 file`, `12,000 files`. */
export const count = (amount: number, noun: string): string =>
  `${amount.toLocaleString('en')} ${amount === 1 ? noun : `${noun}s`}`

/** Text with one full stop at its end, also where it ends in a name or a unit that has one: `Acme Inc.`, `24 hr.` */
export const sentence = (text: string): string =>
  /[.!?…]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`

/** A moment for somebody whose clock nobody knows, so it names its zone: `November 16, 2026 at 17:05 UTC`. */
export const utcTime = (at: number): string =>
  `${new Date(at).toLocaleString('en-US', {
    ...{ timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })} UTC`
