import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { type Postgres, startPostgres } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { type Installation, install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'

const missing = process.env.ALOFT_TEST_MISSING ?? ''
const skip = /postgresql|redis/.test(missing) && 'postgresql or redis is not installed'

/** Two machines of one installation: data folders of their own, one database, one Redis, one master key. */
let postgres: Postgres
let redis: TestRedis
let machines: Installation[] = []

before(async () => {
  if (skip) return
  postgres = await startPostgres()
  redis = await startRedis()
  const env = {
    ...NOTHING_RUNS,
    ALOFT_DATABASE_URL: await createDatabase(postgres.folder, { migrated: false }),
    ALOFT_REDIS_URL: `unix://${redis.socket}`,
    ALOFT_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    ALOFT_RATE_LIMIT: '60',
  }
  machines = await Promise.all([install({ env }), install({ env, args: ['--role', 'all'] })])
})

after(async () => {
  for (const machine of machines) {
    await machine.stop('SIGTERM')
    await uninstall(machine)
  }
  await redis?.stop()
  await postgres?.stop()
})

const call = (at: Installation, path: string, init: RequestInit = {}) =>
  fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${at.token}` } })

test('what one machine writes, the other reads', { skip }, async () => {
  const [a, b] = machines as [Installation, Installation]
  const made = await call(a, '/v1/teams', { method: 'POST', body: JSON.stringify({ slug: 'shared' }) })
  assert.equal(made.status, 200)
  const seen = (await (await call(b, '/v1/teams?slug=shared')).json()) as { slug: string }
  assert.equal(seen.slug, 'shared')
})

test('rate limits are exact over both machines', { skip }, async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => call(machines[i % 2] as Installation, '/v3/user/tokens')),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 60)
})

test('a job is done by one of them', { skip }, async () => {
  const body = JSON.stringify({ email: 'once@aloft.test', tokenName: 'x' })
  for (const machine of machines)
    await fetch(`${machine.url}/platform/registration`, { method: 'POST', body })
  const mails = async () =>
    (
      await Promise.all(
        machines.map(({ folder }) => readdir(join(folder, 'data/outbox')).catch((): string[] => [])),
      )
    )
      .flat()
      .filter((name) => name.endsWith('.eml'))
  while ((await mails()).length < 2) await pause(50)
  await pause(300)
  assert.equal((await mails()).length, 2, 'two requests, two mails')
})

test('mail goes out by SMTP where a server is configured', async (t) => {
  const received = Promise.withResolvers<string>()
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, _session, done) {
      const chunks = await stream.toArray()
      received.resolve(Buffer.concat(chunks).toString('utf8'))
      done()
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  t.after(() => smtp.close())
  const { port } = smtp.server.address() as { port: number }
  const at = await install({ env: { ...NOTHING_RUNS, ALOFT_SMTP_URL: `smtp://127.0.0.1:${port}` } })
  t.after(() => uninstall(at))
  await fetch(`${at.url}/platform/registration`, {
    method: 'POST',
    body: JSON.stringify({ email: 'smtp@aloft.test', tokenName: 'x' }),
  })
  const mail = await PostalMime.parse(await received.promise)
  assert.equal(mail.to?.[0]?.address, 'smtp@aloft.test')
  assert.match(mail.text ?? '', new RegExp(`http://localhost:${at.port}/login/accept\\?token=`))
})
