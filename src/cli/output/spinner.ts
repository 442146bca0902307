import { showDuration } from '#contract/amounts.ts'
import { SECOND } from '#contract/time.ts'
import type { Output } from './output.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** How often a line is drawn anew at most, in milliseconds. */
export const REDRAW = 80

interface Spinner {
  /** Says what is being done from now on, and for how long; a plain line, once, where nothing can be drawn over. */
  spin(text: string): void
  stop(): void
}

/** Shows that something goes on of which nobody can say how far it is. */
export function createSpinner(out: Output, now: () => number): Spinner {
  let timer: NodeJS.Timeout | undefined
  function stop(): void {
    clearInterval(timer)
    timer = undefined
    out.status()
  }
  return {
    stop,
    spin(text) {
      stop()
      if (!out.live) {
        if (!out.json) out.say(`${text}…`)
        return
      }
      const began = now()
      const turn = () => {
        const seconds = Math.floor((now() - began) / SECOND)
        const frame = FRAMES[Math.floor(now() / REDRAW) % FRAMES.length]
        out.status(
          `${frame} ${text}…${seconds > 0 ? ` ${seconds < 60 ? `${seconds} s` : showDuration(seconds * SECOND)}` : ''}`,
        )
      }
      turn()
      timer = setInterval(turn, REDRAW)
      timer.unref()
    },
  }
}

/** Shows what is waited for until it is there, or has failed. */
export async function whileSpinning<T>(
  { out, now }: { readonly out: Output; readonly now: () => number },
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const spinner = createSpinner(out, now)
  spinner.spin(text)
  try {
    return await work()
  } finally {
    spinner.stop()
  }
}
