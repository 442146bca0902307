import type { Log } from '#core/ports/log.ts'

type Listener = (message: string) => void

interface Listeners {
  add(topic: string, listener: Listener): () => void
  /** Calls every listener of the topic. One that throws is logged and stops no other. */
  tell(topic: string, message: string): void
  clear(): void
}

export function createListeners(log: Log): Listeners {
  // Wrapped, so that a function that subscribes twice is two listeners.
  const byTopic = new Map<string, Set<{ readonly call: Listener }>>()

  return {
    add(topic, listener) {
      const entry = { call: listener }
      const entries = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, entries.add(entry))
      return () => {
        entries.delete(entry)
        if (entries.size === 0 && byTopic.get(topic) === entries) byTopic.delete(topic)
      }
    },

    tell(topic, message) {
      const entries = byTopic.get(topic)
      if (entries === undefined) return
      // A copy: who subscribes while being told waits for the next message.
      for (const entry of [...entries]) {
        if (!entries.has(entry)) continue
        try {
          entry.call(message)
        } catch (err) {
          log.error({ err, topic }, 'a listener on the bus failed')
        }
      }
    },

    clear() {
      for (const entries of byTopic.values()) entries.clear()
      byTopic.clear()
    },
  }
}
