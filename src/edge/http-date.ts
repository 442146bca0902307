/** Formats the Date header once a second. */
export function createHttpDate(): (now: number) => string {
  let second = Number.NaN
  let text = ''
  return (now) => {
    const current = Math.floor(now / 1000)
    if (current !== second) {
      second = current
      text = new Date(current * 1000).toUTCString()
    }
    return text
  }
}
