import type { Selection } from './selection.ts'

let waiting: (() => Promise<Selection>) | undefined

/** Takes what was dropped on one page along to the page that deploys. */
export const handedOver = {
  put(read: () => Promise<Selection>): void {
    waiting = read
  },
  take(): (() => Promise<Selection>) | undefined {
    const taken = waiting
    waiting = undefined
    return taken
  },
}
