import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Lease } from '#core/ports/runner.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { speakJsonLines } from '../json-lines.ts'
import type { ToHost } from '../messages.ts'
import { MachineLost } from '../peer/cluster-runner.ts'
import { createRunnerClient } from './runner-client.ts'

const REF = { deploymentId: 'dpl_1', program: 'api' }
const OTHER = { deploymentId: 'dpl_2', program: 'api' }

/** Another machine with one instance, which reads what it is sent and says nothing. */
async function openMachine(t: TestContext, { doubtMs }: { readonly doubtMs: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-client-'))
  const [runner, instance] = [join(folder, 'runner'), join(folder, 'instance')]
  const open = new Set<Socket>()
  let isCutOff = false
  const host = createServer((socket) => {
    const line = speakJsonLines(socket, {
      maxBytes: 2 ** 20,
      onClose() {},
      onMessage(message) {
        const heard = message as unknown as ToHost
        if (isCutOff) return
        if (heard.type === 'end') line.send({ type: 'heard', end: heard.end })
        if (heard.type === 'want' && heard.deployment === REF.deploymentId)
          line.send({
            ...{ type: 'list', deployment: heard.deployment, program: heard.program, list: 1 },
            ...{ instances: [['ins_1', instance, 10, 0]], grows: false, end: 0 },
          })
      },
    })
  })
  const program = createServer((socket) => void socket.resume().on('error', () => {}))
  for (const [server, path] of [
    [host, runner],
    [program, instance],
  ] as const) {
    server.on('connection', (socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
    server.listen(path)
    await once(server, 'listening')
  }
  const log = createRecordingLog()
  const client = createRunnerClient({
    peer: {
      name: 'other',
      connect(to) {
        const socket = connect(to === 'runner' ? runner : to.instance)
        return socket.once('connect', () => socket.emit('secureConnect'))
      },
    },
    logger: log,
    doubtMs,
  })
  t.after(async () => {
    client.close()
    for (const server of [host, program]) server.close()
    for (const socket of open) socket.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    client,
    log,
    /** As a machine that is started anew. */
    cut() {
      for (const socket of open) socket.destroy()
    },
    /** What it is sent goes nowhere from now on; no connection tells of that. */
    cutOff() {
      isCutOff = true
    },
  }
}

/** Something is under way there. */
async function begin(lease: Lease): Promise<Socket> {
  const socket = lease.connect?.() as Socket
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'connect')
  return socket
}

test('what is under way on a machine that is cut off ends as that of one that is lost', async (t) => {
  const { client, cutOff } = await openMachine(t, { doubtMs: 20 })
  const lease = await client.lease(REF)
  const socket = await begin(lease)
  const waiting = assert.rejects(async () => client.lease(OTHER), MachineLost)
  cutOff()
  const closed = once(socket, 'close')
  client.leave()
  await waiting
  await closed
  lease.release('broken')
  assert.equal(await lease.isHostLost?.(), true)
})

test('what is under way on a machine of which nothing was heard goes on while it answers', async (t) => {
  const { client } = await openMachine(t, { doubtMs: 60_000 })
  const lease = await client.lease(REF)
  const socket = await begin(lease)
  client.leave()
  assert.equal(await lease.isHostLost?.(), false)
  assert.equal(socket.destroyed, false)
  assert.equal(socket.writable, true)
  socket.destroy()
  await once(socket, 'close')
})

test('of another machine that goes away, the log does not say that this one runs no programs', async (t) => {
  const { client, cut, log } = await openMachine(t, { doubtMs: 20 })
  const lease = await client.lease(REF)
  lease.release()
  cut()
  const gone = await log.saw(/another machine does not answer/)
  assert.deepEqual([gone.level, gone.fields], ['warn', { machine: 'other' }])
  const back = await log.saw(/another machine runs programs for this one again/)
  assert.deepEqual([back.level, back.fields], ['info', { machine: 'other' }])
  assert.equal(log.entries.length, 2)
})
