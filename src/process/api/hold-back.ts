/** Who asks again at once does so four times a second over each of their connections, and no longer hundreds of times. */
const HELD_MS = 250
/** More answers than this are not held back: each keeps a request and its connection. */
const MOST = 1000

/**
 * Sends later what is refused again to somebody who does not wait. They have nothing to do until then, and neither has the
 * process, in which visitors would wait for each of the refusals.
 */
export function holdBack(
  start: (work: () => void, ms: number) => NodeJS.Timeout = setTimeout,
): (send: () => void) => () => void {
  let held = 0
  return (send) => {
    if (held >= MOST) {
      send()
      return () => {}
    }
    held++
    let isHeld = true
    const release = (): boolean => {
      if (!isHeld) return false
      isHeld = false
      held--
      return true
    }
    const timer = start(() => {
      if (release()) send()
    }, HELD_MS)
    return () => {
      if (release()) clearTimeout(timer)
    }
  }
}
