import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'

/** An address, or whatever else makes connections to one place. */
type BridgeTarget = { readonly host: string; readonly port: number } | (() => Socket)

export interface SocketBridge {
  /** Where it leads from now on; connections before that are closed. */
  lead(target: BridgeTarget): void
  /** Connections from now on wait until it leads somewhere again. Those that are open end where `isCut`. */
  hold(isCut: boolean): void
  close(): Promise<void>
}

const OPENING_MS = 10_000

/** A unix socket whose connections go on to an address, byte by byte. */
export async function openSocketBridge(path: string): Promise<SocketBridge> {
  const open = new Set<Socket>()
  const held = new Set<Socket>()
  let target: (() => Socket) | undefined
  let isHolding = false

  function join(near: Socket, far: Socket): void {
    open.add(far)
    far.setNoDelay(true)
    // A machine that is gone answers nothing at all.
    const late = setTimeout(() => far.destroy(), OPENING_MS)
    far.once('connect', () => clearTimeout(late))
    near.on('error', () => near.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => {
      open.delete(near)
      far.destroy()
    })
    far.on('close', () => {
      clearTimeout(late)
      open.delete(far)
      // What has come from there to its end is still on its way.
      if (!near.writableEnded) near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (target === undefined && !isHolding) {
      near.destroy()
      return
    }
    open.add(near)
    if (target !== undefined) return join(near, target())
    held.add(near)
    near.on('error', () => near.destroy())
    near.once('close', () => {
      held.delete(near)
      open.delete(near)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    lead(next) {
      target =
        typeof next === 'function' ? next : () => connect({ ...next, allowHalfOpen: true, noDelay: true })
      isHolding = false
      const waiting = [...held]
      held.clear()
      for (const near of waiting) join(near, target())
    },
    hold(isCut) {
      target = undefined
      isHolding = true
      if (isCut) for (const socket of open) if (!held.has(socket)) socket.destroy()
    },
    async close() {
      target = undefined
      isHolding = false
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
      await rm(path, { force: true })
    },
  }
}
