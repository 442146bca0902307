import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { until } from '#test/support/until.ts'
import type { Config } from '../../config/config.ts'
import { supervise } from './supervisor.ts'

const CONFIG = {
  ...{ host: '127.0.0.1', port: 0, tlsPort: 0, dnsPort: 0, sshPort: 0, workers: 1, hangSeconds: 0 },
  baseUrl: 'http://localhost',
} as Config

/** A server whose processes do what a program says, which is called with its role and how often that was started before. */
async function start(t: TestContext, program: string, options: Parameters<typeof supervise>[3] = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-supervised-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'program.mjs')
  await writeFile(
    path,
    `import { appendFileSync, readFileSync } from 'node:fs'
     const starts = ${JSON.stringify(join(folder, 'starts'))}
     const role = process.argv[3]
     appendFileSync(starts, role + '\\n')
     const before = readFileSync(starts, 'utf8').split('\\n').filter((line) => line === role).length - 1
     const say = (kind, more) => process.send({ kind, ...more })
     let drain = () => process.exit(0)
     process.on('message', ({ kind }) => kind === 'child.drain' && drain())
     process.on('disconnect', () => process.exit(0))
     ${program}`,
  )
  await writeFile(join(folder, 'starts'), '')
  const log = createRecordingLog()
  const ended = supervise(CONFIG, 'all', log, { ...options, program: path })
  let code: number | undefined
  void ended.then((found) => {
    code = found
  })
  return {
    log,
    code: () => code,
    starts: async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n'),
    async stop() {
      process.emit('SIGTERM')
      return ended
    },
  }
}

test('serving goes on where the database, just back, is away again before anybody works', async (t) => {
  const server = await start(
    t,
    `if (role === 'serve') {
       say('prepared', { isAway: true })
       say('child.ready')
       setTimeout(() => say('prepared'), 100)
     } else if (before < 2) process.exit(1)
     else say('child.ready')`,
  )
  await until(async () => (await server.starts()).length === 4 || server.code() !== undefined)
  assert.equal(server.code(), undefined, 'the server is still there')
  assert.deepEqual(await server.starts(), ['serve', 'work', 'work', 'work'])
  assert.equal(await server.stop(), 0)
})

test('a server that is stopped while it starts begins no more processes', async (t) => {
  const server = await start(
    t,
    `drain = () => {
       say('prepared')
       say('child.ready')
       setTimeout(() => process.exit(0), 500)
     }`,
  )
  await until(async () => (await server.starts()).includes('serve'))
  assert.equal(await server.stop(), 0)
  assert.deepEqual(await server.starts(), ['serve'])
})

/** What all processes do in a server that has nothing to do. */
const IDLE = `
  const { prepares } = JSON.parse(process.argv[5])
  if (prepares) appendFileSync(starts, 'prepares ' + process.pid + '\\n')
  say('prepared')
  say('child.ready')`

test('a process that is started once another version is installed brings the data up to date for it', async (t) => {
  let version = '1.0.0'
  const server = await start(t, IDLE, { installed: () => version })
  const [first = ''] = await until(async () => {
    const lines = await server.starts()
    return lines.includes('work') && lines.filter((line) => line.startsWith('prepares'))
  })
  version = '2.0.0'
  process.kill(Number(first.split(' ')[1]), 'SIGKILL')
  await until(async () => (await server.starts()).filter((line) => line.startsWith('prepares')).length === 2)
  assert.equal(await server.stop(), 0)
})

test('a restart with another data folder is refused', async (t) => {
  const reread = () => ({ ...CONFIG, dataDir: '/elsewhere' })
  const ready = Promise.withResolvers<void>()
  const server = await start(t, IDLE, { reread, onReady: ready.resolve })
  await ready.promise
  // Not by the signal: the runner of tests writes a report of the process for it, into the folder where it is.
  process.listeners('SIGUSR2').at(-1)?.('SIGUSR2')
  const { fields } = await server.log.saw(/nothing was restarted/)
  assert.match(String((fields as { readonly err: unknown }).err), /dataDir was changed/)
  assert.equal(await server.stop(), 0)
})

test('a process that is no longer needed finishes what it has begun before the server ends', async (t) => {
  const decisions = [1, -1] as const
  let made = 0
  const server = await start(
    t,
    `drain = () => {
       appendFileSync(starts, 'drains\\n')
       setTimeout(() => {
         appendFileSync(starts, 'ends\\n')
         process.exit(0)
       }, before > 0 ? 500 : 0)
     }
     ${IDLE}`,
    { scaling: { decide: () => decisions[made++] ?? 0, started() {}, failed() {} } },
  )
  await until(async () => (await server.starts()).includes('drains'))
  assert.equal(await server.stop(), 0)
  const lines = await server.starts()
  assert.equal(lines.filter((line) => line === 'serve').length, 2)
  assert.equal(lines.filter((line) => line === 'ends').length, 3)
})
