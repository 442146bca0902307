import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { joinSockets } from './join-sockets.ts'

/** Both ends of two connections that are joined; nothing is read at the far end before somebody asks for it. */
async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-join-'))
  const path = join(folder, 'socket')
  const server = createServer({ pauseOnConnect: true }).listen(path)
  await once(server, 'listening')
  const pair = async (): Promise<readonly [Socket, Socket]> => {
    const made = connect(path)
    made.on('error', () => {})
    const [taken] = (await once(server, 'connection')) as [Socket]
    taken.on('error', () => {})
    return [made, taken]
  }
  const [visitor, near] = await pair()
  const [far, instance] = await pair()
  t.after(async () => {
    for (const socket of [visitor, near, far, instance]) socket.destroy()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })
  let unread = 0
  joinSockets(near, far, () => {
    unread++
    near.destroy()
  })
  /** Resolves when it lies where the instance would read it. */
  const send = async (text: string) => {
    const before = far.bytesWritten
    visitor.write(text)
    while (far.bytesWritten < before + text.length || far.writableLength > 0)
      await new Promise((resolve) => setImmediate(resolve))
  }
  const ended = once(visitor, 'close')
  visitor.resume()
  return { visitor, instance, send, ended, unread: () => unread }
}

test('what an instance has not read when it ends is told', async (t) => {
  const { instance, send, ended, unread } = await open(t)
  await send('first')
  instance.destroy()
  await ended
  assert.equal(unread(), 1)
})

test('what it has read is not, and neither is the rest of what it has begun to read', async (t) => {
  for (const rest of ['', 'second']) {
    const { instance, send, ended, unread } = await open(t)
    await send('first')
    instance.resume()
    await once(instance, 'data')
    instance.pause()
    if (rest) await send(rest)
    instance.destroy()
    await ended
    assert.equal(unread(), 0, rest)
  }
})

test('after an answer, what comes next is something new', async (t) => {
  const { visitor, instance, send, ended, unread } = await open(t)
  await send('first')
  instance.resume()
  await once(instance, 'data')
  instance.pause()
  const answered = once(visitor, 'data')
  instance.write('answer')
  await answered
  await send('second')
  instance.destroy()
  await ended
  assert.equal(unread(), 1)
})
