import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'

export interface SocketBridge {
  /** Where it leads from now on; connections before that are closed. */
  lead(target: { readonly host: string; readonly port: number }): void
  close(): Promise<void>
}

/** A unix socket whose connections go on to an address, byte by byte. */
export async function openSocketBridge(path: string): Promise<SocketBridge> {
  const open = new Set<Socket>()
  let target: { readonly host: string; readonly port: number } | undefined
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (target === undefined) {
      near.destroy()
      return
    }
    const far = connect({ ...target, allowHalfOpen: true, noDelay: true })
    open.add(near)
    open.add(far)
    near.on('error', () => near.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => {
      open.delete(near)
      far.destroy()
    })
    far.on('close', () => {
      open.delete(far)
      // What has come from there to its end is still on its way.
      if (!near.writableEnded) near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    lead(next) {
      target = next
    },
    async close() {
      target = undefined
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
      await rm(path, { force: true })
    },
  }
}
