import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Stands before a server that listens on a unix socket, which can then be away, or silent. */
export interface CuttableSocket {
  readonly folder: string
  readonly path: string
  /** Cuts all connections and takes no new ones, until `mend`. */
  cut(): Promise<void>
  /** Keeps all connections and says nothing on them, until `mend`. */
  silence(): void
  mend(): Promise<void>
  close(): Promise<void>
}

export async function standBefore(target: string, name: string): Promise<CuttableSocket> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-cut-'))
  const path = join(folder, name)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isSilent = false
  const hush = ([near, far]: readonly [Socket, Socket]) => {
    near.unpipe().pause()
    far.unpipe().pause()
  }
  const connectPair = ([near, far]: readonly [Socket, Socket]) => {
    near.pipe(far)
    far.pipe(near)
  }
  const server = createServer((near) => {
    const pair = [near, connect(target)] as const
    pairs.add(pair)
    for (const one of pair)
      one
        .on('error', () => {})
        .once('close', () => {
          pairs.delete(pair)
          for (const other of pair) other.destroy()
        })
    if (!isSilent) connectPair(pair)
  })
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve))
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const pair of pairs) for (const one of pair) one.destroy()
    await closed
  }
  await listen()
  return {
    folder,
    path,
    cut,
    silence() {
      isSilent = true
      for (const pair of pairs) hush(pair)
    },
    async mend() {
      if (!server.listening) await listen()
      if (!isSilent) return
      isSilent = false
      for (const pair of pairs) connectPair(pair)
    },
    async close() {
      if (server.listening) await cut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
