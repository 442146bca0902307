import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '#contract/time.ts'
import { markUnshared, pour } from '#core/chunks.ts'

/** A connection by way of somebody else, who tells whether it has come to its end. */
export interface Reaching {
  readonly socket: Socket
  /** False, or never, where it has not. */
  readonly made: Promise<boolean>
}

/** An address, or whatever else makes connections to one place. */
type BridgeTarget = { readonly host: string; readonly port: number } | (() => Socket | Reaching)

export interface SocketBridge {
  /** False from when no connection could be made until one can. */
  readonly isReached: boolean
  /** Where it leads from now on; connections before that are closed. */
  lead(target: BridgeTarget): void
  /** Connections from now on wait until it leads somewhere again. Those that are open end where `isCut`. */
  hold(isCut: boolean): void
  close(): Promise<void>
}

interface BridgeLimits {
  /** For which a connection is tried that could not be made. */
  readonly reachMs: number
  /** For which one attempt may take. A machine that is gone answers nothing at all. */
  readonly openingMs: number
}

/**
 * Who takes no connections is about to be seen to have ended, or to be lost with its node. Until then requests are tried
 * again and again rather than closed at once: of a program that closes connections it is believed that it lives. After
 * this time they go back unread to whoever sent them, who asks another instance, and this one again where there is no
 * other.
 */
const LIMITS: BridgeLimits = { reachMs: 3 * SECOND, openingMs: 3 * SECOND }
const AGAIN_MS = 100

/**
 * A unix socket whose connections go on to an address, byte by byte. Nothing is read from one before it can be passed on,
 * so that whoever wrote to a connection that led nowhere is told that nobody has read it, and may ask somebody else.
 */
export async function openSocketBridge(path: string, limits = LIMITS): Promise<SocketBridge> {
  const open = new Set<Socket>()
  const held = new Set<Socket>()
  /** Those that are being connected, and what they are to be connected with. */
  const reaching = new Map<Socket, Socket | undefined>()
  let target: (() => Socket | Reaching) | undefined
  let isHolding = false
  let isReached = true

  /** Undefined where it could not be made. */
  function opened(near: Socket, begun: Socket | Reaching): Promise<Socket | undefined> {
    const far = 'made' in begun ? begun.socket : begun
    reaching.set(near, far)
    far.setNoDelay(true)
    return new Promise((resolve) => {
      const late = setTimeout(() => far.destroy(), limits.openingMs)
      const settle = (made: Socket | undefined) => {
        clearTimeout(late)
        resolve(made)
      }
      if ('made' in begun) void begun.made.then((isMade) => (isMade ? settle(far) : far.destroy()))
      else far.once('encrypted' in far ? 'secureConnect' : 'connect', () => settle(far))
      far.on('error', () => far.destroy())
      far.once('close', () => settle(undefined))
    })
  }

  async function reach(near: Socket): Promise<void> {
    const since = performance.now()
    for (;;) {
      if (near.destroyed) break
      if (isHolding) {
        held.add(near)
        break
      }
      if (target === undefined) {
        near.destroy()
        break
      }
      const far = await opened(near, target())
      if (far && !far.destroyed && !near.destroyed) {
        isReached = true
        join(near, far)
        break
      }
      far?.destroy()
      reaching.set(near, undefined)
      if (isHolding || near.destroyed) continue
      isReached = false
      if (performance.now() - since >= limits.reachMs) {
        near.destroy()
        break
      }
      await pause(AGAIN_MS)
    }
    reaching.delete(near)
  }

  function join(near: Socket, far: Socket): void {
    open.add(far)
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => {
      open.delete(far)
      // What has come from there to its end is still on its way.
      if (!near.writableEnded) near.destroy()
    })
    pour(markUnshared(near), far)
    pour(markUnshared(far), near)
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    open.add(near)
    near.on('error', () => near.destroy())
    near.once('close', () => {
      held.delete(near)
      open.delete(near)
      reaching.get(near)?.destroy()
    })
    void reach(near)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    get isReached() {
      return isReached
    },
    lead(next) {
      target =
        typeof next === 'function' ? next : () => connect({ ...next, allowHalfOpen: true, noDelay: true })
      isHolding = false
      isReached = true
      const waiting = [...held]
      held.clear()
      for (const near of waiting) void reach(near)
    },
    hold(isCut) {
      target = undefined
      isHolding = true
      // They have reached nobody yet, and wait with the others.
      for (const far of reaching.values()) far?.destroy()
      if (isCut) for (const socket of open) if (!held.has(socket) && !reaching.has(socket)) socket.destroy()
    },
    async close() {
      target = undefined
      isHolding = false
      const closed = new Promise((resolve) => server.close(resolve))
      for (const far of reaching.values()) far?.destroy()
      for (const socket of open) socket.destroy()
      await closed
      await rm(path, { force: true })
    },
  }
}
