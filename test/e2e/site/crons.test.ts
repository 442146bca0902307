import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { deployed, type Files } from '#test/support/deploying.ts'
import { type Installation, install } from '#test/support/installation.ts'

let aloft: Installation

before(async () => {
  aloft = await install()
})
after(() => aloft.remove())

interface Run {
  readonly state: string
  readonly trigger: string
  readonly status: number | null
  readonly message: string | null
  readonly requestId: string | null
}

async function call(on: string, body?: object) {
  const [method, path] = on.split(' ') as [string, string]
  const answer = await fetch(aloft.url + path, {
    method,
    headers: {
      authorization: `Bearer ${aloft.token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  assert.ok(answer.ok, `${on} ${answer.status}`)
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  return (await answer.json()) as any
}

/** Asks again until the runs of a schedule are as they should be. */
async function runs(path: string, wanted: (runs: readonly Run[]) => boolean): Promise<readonly Run[]> {
  for (;;) {
    const found = (await call(`GET ${path}/runs`)).runs as readonly Run[]
    if (wanted(found)) return found
    await wait(50)
  }
}

const CALLED = `module.exports = (req, res) => {
  console.log('called by', req.headers['user-agent'])
  res.status(req.headers.authorization === 'Bearer ' + process.env.CRON_SECRET ? 200 : 401).end()
}
`
const FILES: Files = {
  'index.html': 'a page',
  'api/called.js': CALLED,
  'api/hangs.js': 'module.exports = () => new Promise(() => {})\n',
  'vercel.json': JSON.stringify({ crons: [{ path: '/api/called', schedule: '0 0 1 1 *' }] }),
}

test('a function is called with the secret and the user agent that it looks for', async () => {
  const made = { name: 'called', target: 'production', files: FILES, env: { CRON_SECRET: 's3cret' } }
  await deployed(aloft, made)
  const [cron] = (await call('GET /v1/projects/called/crons')).crons
  const path = `/v1/projects/called/crons/${cron.id}`
  await call(`POST ${path}/runs`)
  const [run] = await runs(path, ([last]) => last !== undefined && last.state !== 'running')
  assert.deepEqual([run?.state, run?.status, run?.trigger], ['succeeded', 200, 'manual'], run?.message ?? '')
  const logs = `GET /v1/projects/called/logs?requestId=${encodeURIComponent(run?.requestId ?? '')}`
  for (;;) {
    const { entries } = await call(logs)
    if (entries.some(({ text }: { text: string }) => text === 'called by vercel-cron/1.0')) break
    await wait(50)
  }
})

test('the death of the working process in the middle of a run is shown, and made up for', async () => {
  await deployed(aloft, { name: 'killed', target: 'production', files: FILES })
  const cron = await call('POST /v1/projects/killed/crons', {
    path: '/api/hangs',
    schedule: '0 0 1 1 *',
    makeUp: true,
  })
  const path = `/v1/projects/killed/crons/${cron.id}`
  await call(`POST ${path}/runs`)
  await runs(path, ([last]) => last?.state === 'running')
  const [pid] = await aloft.children('work')
  process.kill(pid as number, 'SIGKILL')
  const found = await runs(path, (all) => all.some(({ trigger }) => trigger === 'make-up'))
  assert.deepEqual(found.map(({ state, trigger }) => [state, trigger]).sort(), [
    ['interrupted', 'manual'],
    ['running', 'make-up'],
  ])
})

test('crons of a build output count', async () => {
  const func = '.vercel/output/functions/api/task.func'
  await deployed(aloft, {
    name: 'output',
    target: 'production',
    files: {
      '.vercel/output/config.json': JSON.stringify({
        version: 3,
        crons: [{ path: '/api/task', schedule: '*/10 * * * *' }],
      }),
      [`${func}/.vc-config.json`]: JSON.stringify({
        runtime: 'nodejs22.x',
        handler: 'i.js',
        launcherType: 'Nodejs',
      }),
      [`${func}/i.js`]: 'module.exports = (req, res) => res.end("done")\n',
    },
  })
  const { crons } = await call('GET /v1/projects/output/crons')
  assert.deepEqual(
    crons.map((cron: { path: string; schedule: string; source: string }) => [
      cron.path,
      cron.schedule,
      cron.source,
    ]),
    [['/api/task', '*/10 * * * *', 'config']],
  )
})
