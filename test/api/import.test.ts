import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from '#cli/run.ts'
import { startServer, type TestServer } from '#test/support/server.ts'
import { startHosted } from './import/hosted.ts'

interface Imported {
  readonly code: number
  readonly items: readonly string[]
  readonly progress: string
  readonly table: string
}

interface Place {
  readonly url: string
  readonly token: string
}

/** `aloft import vercel`, as somebody types it. */
const importFrom = (source: Place, to: Place, ...more: string[]) => importSeen(false, source, to, ...more)

async function importSeen(isTTY: boolean, source: Place, to: Place, ...more: string[]): Promise<Imported> {
  const cwd = mkdtempSync(join(tmpdir(), 'aloft-import-'))
  const env = { HOME: cwd, ALOFT_BASE_URL: to.url, ALOFT_TOKEN: to.token, VERCEL_TOKEN: source.token }
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const written = Promise.all([text(stdout), text(stderr)])
  stdin.end()
  const argv = ['import', 'vercel', '--from', source.url, ...more]
  const terminal = Object.assign(stderr, { isTTY, columns: 200 })
  const code = await run({ argv, env, cwd, stdin, stdout, stderr: terminal })
  stdout.end()
  stderr.end()
  const [table, progress] = await written
  const items = table
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/\s{2,}/g, ' | ').trim())
    .filter((line) => line !== '')
  return { code, items, progress, table }
}

const buy = async (server: TestServer, token: string, name: string) => {
  const { body } = await server.call(`GET /v4/domains/price?name=${name}`, { token })
  await server.call('POST /v4/domains/buy', { token, body: { name, expectedPrice: body.price } })
}

const RECORDS = 105

test('an account of another Aloft will be imported by the command, once, whatever is asked how often', async (t) => {
  const [from, to] = [await startServer(), await startServer()]
  t.after(() => Promise.all([from.close(), to.close()]))
  const [theirs, mine] = [await from.signUp(), await to.signUp()]
  const { token } = theirs
  const put = async (on: string, body: unknown) => {
    const made = await from.call(on, { token, body })
    assert.ok(made.status < 300, `${on}: ${JSON.stringify(made.body)}`)
    return made.body
  }
  const project = await put('POST /v10/projects', { name: 'shop', buildCommand: '' })
  for (const [key, type] of [
    ['OPEN', 'encrypted'],
    ['CLOSED', 'sensitive'],
  ])
    await put('POST /v10/projects/shop/env', { key, value: `${key} value`, type, target: ['production'] })
  await buy(from, token, 'shop.com')
  for (let i = 0; i < RECORDS; i++)
    await put('POST /v2/domains/shop.com/records', { name: `host-${i}`, type: 'A', value: '192.0.2.4' })
  const deployment = await put('POST /v8/platform/deployments', {
    name: 'shop',
    version: 2,
    target: 'production',
    files: [
      { file: 'index.html', data: 'welcome' },
      { file: 'deep/er/page.html', data: 'deep' },
    ],
  })
  await put('POST /v10/projects/shop/domains', { name: 'shop.com' })
  await put('POST /v10/projects/shop/domains', { name: 'www.shop.com', redirect: 'shop.com' })
  await put(`POST /v2/platform/deployments/${deployment.id}/aliases`, { alias: 'sale.shop.com' })
  await put('POST /v1/webhooks', {
    url: 'https://example.com/hook',
    events: ['deployment.created'],
    projectIds: [project.id],
  })
  // Here it is proven already that this domain is theirs.
  await buy(to, mine.token, 'shop.com')
  const [source, goal] = [
    { url: from.url, token },
    { url: to.url, token: mine.token },
  ]

  const shown = await importFrom(source, goal)
  assert.equal(shown.code, 0, shown.progress)
  assert.ok(shown.items.includes('project | shop | will be imported'), shown.table)
  assert.match(shown.table, /variable +shop: CLOSED \(production\) +skipped: Its value cannot be read/)
  assert.match(shown.progress, /Nothing was changed. Add --yes to run the import./)
  const before = await to.call('GET /v9/projects', { token: mine.token })
  assert.equal(before.body.projects.length, 0, 'showing it changes nothing')

  const brought = await importFrom(source, goal, '--yes')
  assert.equal(brought.code, 0, brought.progress + brought.table)
  assert.match(brought.progress, /^1 of \d+: project shop$/m)
  const { body: made } = await to.call('GET /v9/projects/shop/env?decrypt=true', { token: mine.token })
  assert.deepEqual(
    made.envs.map(({ key, value }: { key: string; value: string }) => [key, value]),
    [['OPEN', 'OPEN value']],
  )
  assert.equal((await to.visit('shop.com', '/deep/er/page.html')).body, 'deep')
  assert.equal((await to.visit('sale.shop.com', '/')).body, 'welcome')
  assert.match((await to.visit('www.shop.com', '/')).headers.get('location') ?? '', /shop\.com/)
  const { body: hooks } = await to.call('GET /v1/webhooks', { token: mine.token })
  const { body: ours } = await to.call('GET /v9/projects/shop', { token: mine.token })
  assert.deepEqual(hooks[0].projectIds, [ours.id])

  const again = await importFrom(source, goal, '--yes')
  assert.equal(again.code, 0)
  assert.deepEqual(
    again.items.filter((line) => !/already here|skipped/.test(line)),
    [],
    'all of it is found again, beyond the first page of each list',
  )
  assert.ok(again.items.filter((line) => line.startsWith('record |')).length >= RECORDS)
  const { body: list } = await to.call('GET /v3/platform/deployments', { token: mine.token })
  assert.equal(list.deployments.length, 1)
})

/** Ends the command as a machine does that loses its power, once it has begun with its n-th item; else its exit code. */
async function importKilled(source: Place, to: Place, atItem: number): Promise<number | null> {
  const cwd = mkdtempSync(join(tmpdir(), 'aloft-import-'))
  const program = fileURLToPath(new URL('../../bin/aloft.js', import.meta.url))
  const child = spawn(process.execPath, [program, 'import', 'vercel', '--from', source.url, '--yes'], {
    cwd,
    env: { HOME: cwd, ALOFT_BASE_URL: to.url, ALOFT_TOKEN: to.token, VERCEL_TOKEN: source.token },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  for await (const line of createInterface({ input: child.stderr }))
    if (line.startsWith(`${atItem} of `)) child.kill('SIGKILL')
  const [code] = (await ended) as [number | null]
  return code
}

test('a command that is killed goes on where it was, and makes nothing twice', async (t) => {
  const [hosted, to] = [await startHosted(), await startServer()]
  t.after(() => Promise.all([hosted.close(), to.close()]))
  const [whole, killed] = [await to.signUp(), await to.signUp()]
  /** How much of each kind there is. */
  const held = async ({ token }: { token: string }) => {
    const list = async (on: string) => (await to.call(on, { token })).body
    const { projects } = await list('GET /v9/projects')
    const variables = await Promise.all(
      projects.map(({ name }: { name: string }) => list(`GET /v9/projects/${name}/env`)),
    )
    return {
      projects: projects.map(({ name }: { name: string }) => name).sort(),
      variables: variables.map(({ envs }) => envs.length),
      domains: (await list('GET /v5/domains')).domains.length,
      records: (await list('GET /v4/domains/example.org/records')).records.length,
      webhooks: (await list('GET /v1/webhooks')).length,
      deployments: (await list('GET /v3/platform/deployments')).deployments.length,
    }
  }
  // Whoever comes first has the domain, so that the one that is killed does.
  const goal = { url: to.url, token: killed.token }
  // The second run gets further than the first, and dies as well while it makes something.
  for (const atItem of [2, 4]) assert.equal(await importKilled(hosted, goal, atItem), null)
  const next = await importFrom(hosted, goal, '--yes')
  assert.equal(next.code, 0, next.progress + next.table)
  assert.ok(
    next.items.some((line) => line.endsWith('imported')),
    'something was left to do',
  )
  const after = await importFrom(hosted, goal, '--yes')
  assert.equal(after.code, 0, after.progress + after.table)
  assert.deepEqual(
    after.items.filter((line) => !/already here|skipped/.test(line)),
    [],
  )
  const found = await held(killed)
  await to.call('DELETE /v6/domains/example.org', { token: killed.token })
  await importFrom(hosted, { url: to.url, token: whole.token }, '--yes')
  assert.deepEqual(found, await held(whole))
})

test('an account of the hosted platform comes along, and what failed is brought by the next run', async (t) => {
  const [hosted, to] = [await startHosted(), await startServer()]
  t.after(() => Promise.all([hosted.close(), to.close()]))
  const { token } = await to.signUp()
  const goal = { url: to.url, token }

  hosted.breakFiles(true)
  const first = await importFrom(hosted, goal, '--yes')
  assert.equal(first.code, 1)
  assert.match(first.table, /deployment +site-1a2b3c\.vercel\.app +failed: /)
  assert.match(first.progress, /1 of \d+ could not be imported/)
  const lines = new Set(first.items.filter((line) => !line.startsWith('deployment |')))
  for (const line of [
    'project | site | imported',
    'project | site-2 | imported',
    'variable | site: API_URL (production, preview) | imported',
    'variable | site: API_KEY (production) | skipped: Its value cannot be read. Set it with `aloft env add`.',
    'variable | site: STAGED () | skipped: It belongs to none of production, preview and development.',
    'project domain | site.vercel.app | skipped: It is a domain of the other platform. The project gets a new one here.',
    'symlink | site: latest.html | skipped: Symlinks are skipped. Replace it with a file, then deploy again.',
    'domain | example.org | imported',
    'record | @ MX 10 mail.example.org (example.org) | imported',
    'record | www HTTPS 1 . alpn=h2 (example.org) | skipped: HTTPS records are not supported.',
    'alias | site-git-main.vercel.app | skipped: It is a domain of the other platform. The project gets a new one here.',
    'webhook | https://example.org/hook (gets a new secret; without budget.reached) | imported',
  ])
    assert.ok(lines.has(line), `${line}\n${first.table}`)
  for (const made of ['ns1.vercel-dns.com', 'made.html'])
    assert.ok(![...lines].some((line) => line.includes(made)), 'what the platform makes itself')

  hosted.breakFiles(false)
  const next = await importSeen(true, hosted, goal, '--yes')
  assert.equal(next.code, 0, next.progress + next.table)
  // On a terminal, the one long step says how far it is.
  for (const far of [/1 of 1: deployment \S+ {2}downloading file 1 of \d+/, / {2}uploading \d+ files?/])
    assert.match(next.progress, far)
  assert.deepEqual(
    next.items.filter((line) => line.endsWith('imported')),
    ['deployment | site-1a2b3c.vercel.app | imported'],
  )
  const { body: list } = await to.call('GET /v3/platform/deployments', { token })
  assert.equal((await to.visit(list.deployments[0].url, '/index.html')).body, '<h1>hosted</h1>')
  assert.equal(
    (await to.visit(list.deployments[0].url, '/app.js')).status,
    404,
    'what was built is built here',
  )
  const { body: project } = await to.call('GET /v9/projects/site', { token })
  assert.deepEqual([project.framework, project.nodeVersion], [null, '22.x'])

  const one = await importFrom(hosted, goal, '--project', 'site-2')
  assert.ok(
    one.items.every((line) => line.includes('site-2')),
    one.table,
  )
  const refused = await importFrom({ ...hosted, token: 'wrong' }, goal)
  assert.deepEqual([refused.code, /Check the token of the source/.test(refused.progress)], [1, true])
})
