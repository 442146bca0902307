import { closeSync } from 'node:fs'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import type { Log } from '#core/ports/log.ts'
import { ADOPT, type Adopt } from './adopt.ts'
import { type InheritedSockets, ownSockets, type SocketNumbers } from './listen-sockets.ts'

/** A serving process's share of the sockets. */
interface SocketShare {
  readonly own: SocketNumbers
  /** Lets go of those that it does not listen on, so that it keeps nobody from being refused. */
  close(): void
  /** When another process is away, its sockets are for this one too, for good. */
  onAdopt(channel: Channel | undefined, adopt: (sockets: SocketNumbers) => Promise<unknown>, log: Log): void
}

export function takeSockets(inherited: InheritedSockets | undefined): SocketShare | undefined {
  if (!inherited) return undefined
  const { numbers, own, of } = inherited
  const taken = new Set<number>()
  const take = (which: number): SocketNumbers => {
    const one = (all: readonly number[]) => {
      const found = ownSockets(all, which, of).filter((fd) => !taken.has(fd))
      for (const fd of found) taken.add(fd)
      return found
    }
    // A supervisor of an earlier version has none for SSH.
    return {
      ...{ http: one(numbers.http), tls: one(numbers.tls) },
      dns: one(numbers.dns),
      ssh: one(numbers.ssh ?? []),
    }
  }
  return {
    own: take(own),
    close() {
      for (const fd of Object.values(numbers).flat()) {
        if (taken.has(fd)) continue
        taken.add(fd)
        closeSync(fd)
      }
    },
    onAdopt(channel, adopt, log) {
      channel?.onMessage((message) => {
        if (kindOf(message) !== ADOPT) return
        adopt(take((message as Adopt).own)).catch((err: unknown) =>
          log.error({ err }, 'the connections of another process could not be taken over'),
        )
      })
    },
  }
}
