import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { Bus } from '#core/ports/bus.ts'
import { silentLog } from './silent-log.ts'

/** A bus that can tell that messages may have been lost, and does so when a test says so. */
export function createGapBus(): { readonly bus: Bus; announceGap(): void } {
  const listeners = new Set<() => void>()
  return {
    bus: {
      ...createMemoryBus({ log: silentLog }),
      onGap(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    announceGap() {
      for (const listener of listeners) listener()
    },
  }
}
