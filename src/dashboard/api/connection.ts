import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

/** Whether the server is heard of. What fails to reach it says so, and what reaches it takes that back. */
let isLost = false
const { tell, subscribe } = createListeners()

function set(lost: boolean): void {
  if (lost === isLost) return
  isLost = lost
  tell()
}

export const connection = {
  lost: () => set(true),
  regained: () => set(false),
}

export const useIsConnectionLost = (): boolean => useSyncExternalStore(subscribe, () => isLost)

/** Growing pauses, up to ten seconds; over as soon as the browser says that it is online again. */
export function pauseBefore(attempt: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(1000 * 2 ** attempt, 10_000))
  addEventListener('online', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}

/** Whether the server answers at all. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}
