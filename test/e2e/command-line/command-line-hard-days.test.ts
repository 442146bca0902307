import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Desk, openDesk } from '#test/support/program/command-line.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'
import { type Account, startServer, type TestServer } from '#test/support/server.ts'
import { startFlakyProxy } from '#test/support/storage/flaky-proxy.ts'

const builder = new ScriptedBuilder()
let server: TestServer
let operator: Account
let desk: Desk
before(async () => {
  server = await startServer({ workers: { builder } })
  operator = await server.operator()
  desk = openDesk(server.url, operator.token)
})
after(async () => {
  desk.clear()
  await server.close()
})

test('rate limits and cut connections are waited out, while uploading and while following the build', async (t) => {
  builder.next(async () => outputOf({ 'index.html': 'built' }))
  const fates = new Map([
    ['POST /v2/platform/files', ['limit', 'cut'] as const],
    ['POST /v8/platform/deployments', ['pass', 'cut'] as const],
    ['GET events', ['cut', 'cut'] as const],
    ['GET deployment', ['cut'] as const],
  ])
  const left = new Map([...fates].map(([on, list]) => [on, [...list]]))
  const nameOf = (on: string) =>
    on.endsWith('/events') ? 'GET events' : on.startsWith('GET /v8/') ? 'GET deployment' : on
  let asked = false
  const proxy = await startFlakyProxy(server.url, (on) => {
    const fate = left.get(nameOf(on))?.shift() ?? 'pass'
    // The build is taken only after the first look at it went wrong.
    if (!asked && fate === 'pass' && nameOf(on) === 'GET events') {
      asked = true
      void server.runJobs()
    }
    return fate
  })
  t.after(() => proxy.close())
  const far = openDesk(proxy.url, operator.token)
  t.after(() => far.clear())
  const folder = far.site('unlucky', { 'api/hello.js': 'module.exports = 3', 'package.json': '{}' })
  const { code, stdout, stderr } = await far.aloft(folder, '--json')
  assert.equal(code, 0, stderr)
  const { readyState, files } = JSON.parse(stdout)
  assert.deepEqual([readyState, files], ['READY', { total: 2, uploaded: 2 }])
  assert.deepEqual([...left.values()].flat(), [], 'every misfortune happened')
  // Each content arrived once; the two that failed were sent again.
  assert.equal(proxy.seen.filter((on) => on === 'POST /v2/platform/files').length, 4)
})

test('a deployment for a team is linked for it, and later commands act for it', async () => {
  const folder = desk.site('team-site', { 'index.html': 'of the team' })
  const made = await desk.run(folder, 'teams', 'create', 'acme')
  assert.equal(made.code, 0, made.stderr)
  const deployed = await desk.aloft(folder, '--team', 'acme', '--json')
  assert.equal(deployed.code, 0, deployed.stderr)
  const { teamId } = JSON.parse(readFileSync(join(folder, '.aloft/project.json'), 'utf8'))
  assert.equal(teamId, made.stdout.trim())
  const { id } = JSON.parse(deployed.stdout)
  assert.equal((await desk.run(folder, 'inspect', id)).code, 0)
  assert.equal((await desk.run(folder, 'inspect', id, '--personal')).code, 3)

  const { stdout } = await desk.run(folder, 'audit', 'ls', '--team', 'acme', '--json')
  assert.ok(JSON.parse(stdout).entries.length > 0)
  assert.match((await desk.run(folder, 'files', 'ls', id)).stdout, /^index\.html$/m)
  assert.equal((await desk.run(folder, 'files', 'get', 'index.html', id)).stdout, 'of the team')
  assert.match((await desk.run(folder, 'unlink')).stdout, /^Unlinked /)
})

const isFollowing = (talk: string): boolean => /\/events\?[\s\S]*< 200 /.test(talk)

test('logs -f prints visits as they come, a line of JSON each', async () => {
  const folder = desk.site('watched', { 'index.html': 'watched' })
  const { id, url } = JSON.parse((await desk.run(folder, '--json')).stdout)
  const child = desk.start(folder, ['logs', id, '-f', '--type', 'response', '--json', '--debug'])
  const exit = once(child, 'exit')
  let talk = ''
  child.stderr.setEncoding('utf8').on('data', async (part: string) => {
    const before = isFollowing(talk)
    talk += part
    if (before || !isFollowing(talk)) return
    await server.visit(new URL(url).hostname, '/now')
    await server.flushLogs()
  })
  const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  child.kill('SIGINT')
  await exit
  const entry = JSON.parse(first.split('\n')[0] ?? '')
  assert.equal(entry.type, 'response')
  assert.match(entry.payload.text, /\/now/)
})

test('a static site has no instances, and nothing to scale', async () => {
  const folder = desk.site('scaled', { 'index.html': 'scaled' })
  const { id } = JSON.parse((await desk.run(folder, '--json')).stdout)
  const listed = await desk.run(folder, 'instances', id, '--json')
  assert.deepEqual(JSON.parse(listed.stdout), { instances: [] })
  assert.match((await desk.run(folder, 'instances', id)).stderr, /No running instances/)
  const scaled = await desk.run(folder, 'scale', id, '0', '3', '--json')
  assert.equal(scaled.code, 1)
  assert.equal(JSON.parse(scaled.stderr).error.code, 'deployment_type_unsupported')
})

test('on a terminal the address is copied; a QR code is drawn where it is asked for', async (t) => {
  const bin = mkdtempSync(join(tmpdir(), 'aloft-bin-'))
  t.after(() => rmSync(bin, { recursive: true }))
  writeFileSync(join(bin, 'xclip'), `#!/bin/sh\ncat > '${bin}/copied'\n`, { mode: 0o755 })
  const seat = openDesk(server.url, operator.token, { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' })
  t.after(() => seat.clear())
  const folder = seat.site('phone', { 'index.html': 'phone' })

  const piped = await seat.aloft(folder, '--qr')
  assert.match(piped.stdout, /^http:\/\/\S+\n$/)
  assert.match(piped.stderr, /^█{20,}$/m)
  assert.ok(!piped.stderr.includes('\u001b'))
  assert.throws(() => readFileSync(join(bin, 'copied')), /ENOENT/)

  const kept = await seat.onTerminal(folder, 'deploy', '--no-clipboard')
  assert.ok(!kept.screen.includes('copied'))
  const { code, screen } = await seat.onTerminal(folder, 'deploy', '--qr')
  assert.equal(code, 0, screen)
  assert.ok(screen.includes('\u001b[30;107m'))
  assert.match(screen, /Copied to the clipboard/)
  assert.equal(readFileSync(join(bin, 'copied'), 'utf8'), piped.stdout.trim())
})
