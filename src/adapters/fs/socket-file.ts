import { once } from 'node:events'
import { chmod, lstat, rename, rm } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { dirname, join } from 'node:path'

export interface SocketFile {
  /**
   * Takes the path away, unless another process has made it its own meanwhile. Where the disk has become read-only it stays, for
   * the next one to replace: whoever stops has more to do than this.
   */
  remove(): Promise<void>
}

let made = 0

/**
 * Has a server listen at a path of the file system, for the platform alone, in the place of whatever is there.
 *
 * A server that closes removes the path that it was bound to, whose ever it is by then: one that takes its time to stop
 * would take away the socket of the one that came after it, which nobody could reach any more. So it is bound to a name of
 * its own, and moved to the path once it listens.
 */
export async function listenAt(server: Server, path: string): Promise<SocketFile> {
  // Short: the address of a unix socket holds little more than the path itself.
  const own = join(dirname(path), `.${process.pid.toString(36)}${(made++).toString(36)}`)
  await rm(own, { force: true })
  server.listen(own)
  await once(server, 'listening')
  await chmod(own, 0o600)
  const { dev, ino } = await lstat(own)
  await rename(own, path)
  return {
    async remove() {
      const found = await lstat(path).catch(() => undefined)
      if (found?.dev === dev && found.ino === ino) await rm(path, { force: true }).catch(() => {})
    },
  }
}

/** Whether somebody listens there; what a process that was killed has left does not. */
export const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
