import type { Bus } from '#core/ports/bus.ts'
import type { Log } from '#core/ports/log.ts'
import { createListeners } from '../bus/listeners.ts'

/** For an installation that is one process, and for tests. */
export function createMemoryBus({ log }: { readonly log: Log }): Bus {
  const listeners = createListeners(log)
  return {
    // Later, as over a line: a publisher is never entered again from its own call.
    publish: (topic, message) => queueMicrotask(() => listeners.tell(topic, message)),
    subscribe: listeners.add,
    async close() {
      listeners.clear()
    },
  }
}
