import type { Bus } from '../ports/bus.ts'
import { type AnnounceChanges, CHANGES_TOPIC, type OwnedChange, writeChanges } from './change.ts'

interface ChangeAnnouncer {
  readonly tell: AnnounceChanges
  /** Says at once what waits to be said. */
  flush(): void
}

/** What happens within this time is said together. */
const GATHER_MS = 100

/** The most that one message holds. */
const TOGETHER = 200

/** Says on the bus what has changed: what changes again and again within a moment, once. */
export function createChangeAnnouncer({ bus }: { readonly bus: Pick<Bus, 'publish'> }): ChangeAnnouncer {
  let gathered = new Map<string, OwnedChange>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const changes = [...gathered.values()]
    gathered = new Map()
    for (let from = 0; from < changes.length; from += TOGETHER)
      bus.publish(CHANGES_TOPIC, writeChanges(changes.slice(from, from + TOGETHER)))
  }

  return {
    tell(changes) {
      for (const change of changes) {
        const key = JSON.stringify([change.ownerId, change.kind, change.projectId])
        const before = gathered.get(key)
        gathered.set(key, before && before.id !== change.id ? withoutId(change) : change)
      }
      if (gathered.size > 0) timer ??= setTimeout(flush, GATHER_MS)
    },
    flush,
  }
}

const withoutId = ({ id: _several, ...change }: OwnedChange): OwnedChange => change
