import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type Desk, openDesk } from '#test/support/program/command-line.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

let server: TestServer
let desk: Desk
before(async () => {
  server = await startServer()
  desk = openDesk(server.url, (await server.operator()).token)
})
after(async () => {
  desk.clear()
  await server.close()
})

const visit = async (address: string) => (await server.visit(new URL(address).hostname, '/')).body

test('a folder goes online: the address alone on stdout, and the folder is linked', async () => {
  const folder = desk.site('my Site', {
    'index.html': 'first',
    '.gitignore': 'secret.txt',
    'secret.txt': 'x',
  })
  const first = await desk.aloft(folder)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /^http:\/\/my-site-\w+\.[\w.]+:\d+\n$/)
  assert.match(first.stderr, /^Uploading 1 of 1 file, 5 B…$/m)
  assert.match(first.stderr, /^Linked .*my Site to the project my-site \(\.aloft\/project\.json\)\.$/m)
  assert.equal(await visit(first.stdout.trim()), 'first')

  const linkFile = join(folder, '.aloft/project.json')
  assert.equal(statSync(linkFile).mode & 0o777, 0o600)
  const { projectId, teamId, baseUrl } = JSON.parse(readFileSync(linkFile, 'utf8'))
  assert.match(projectId, /^prj_/)
  assert.deepEqual([teamId, baseUrl], [null, server.url])

  const again = await desk.aloft(folder, '--json')
  const same = JSON.parse(again.stdout)
  assert.equal(again.stderr, '')
  assert.deepEqual(
    [same.url, same.projectId, same.readyState, same.files, same.bytes],
    [first.stdout.trim(), projectId, 'READY', { total: 1, uploaded: 0 }, { total: 5, uploaded: 0 }],
  )
})

test('of ten thousand files one that changed is uploaded', async () => {
  // Few contents, so that the first upload is not what takes the time; every file is still hashed and named.
  const files = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`${i % 100}/${i}.txt`, `text ${i % 50}`]),
  )
  const folder = desk.site('many', files)
  const first = await desk.run(folder, '--json')
  assert.deepEqual(JSON.parse(first.stdout).files, { total: 10_000, uploaded: 50 })
  writeFileSync(join(folder, '7/1207.txt'), 'changed')
  const second = await desk.run(folder, '--json')
  const { files: counted, bytes, url } = JSON.parse(second.stdout)
  assert.deepEqual([counted, bytes.uploaded], [{ total: 10_000, uploaded: 1 }, 7])
  const { body } = await server.visit(new URL(url).hostname, '/7/1207.txt')
  assert.equal(body, 'changed')
})

test('on a terminal there is colour and a line that is redrawn', async () => {
  const folder = desk.site('shown', { 'index.html': 'shown' })
  const { code, screen } = await desk.onTerminal(folder, 'deploy', '--name', 'shown')
  assert.equal(code, 0, screen)
  assert.ok(screen.includes('\r\u001b[2K'))
  assert.ok(screen.includes('\u001b[32mReady'))
  assert.match(screen, /http:\/\/shown-\w+\.[\w.]+:\d+\r?\n$/)
})

const WAITING = 'Waiting for a builder'

// Before any test lets jobs be done: this one is about a build that nobody has taken yet.
test('stopped while it is built it says so, and exits with 130', async () => {
  const folder = desk.site('stopped', { 'api/hello.js': 'module.exports = 2' })
  const child = desk.start(folder, [])
  const exit = once(child, 'exit')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    const before = stderr
    stderr += part
    // Once: whoever interrupts twice does not want to wait for an answer.
    if (!before.includes(WAITING) && stderr.includes(WAITING)) child.kill('SIGINT')
  })
  assert.deepEqual(await exit, [130, null])
  assert.match(
    stderr,
    /^Detached; the build continues\.\n {2}hint: Watch it with `aloft logs dpl_\w+ --build -f`, or cancel it with `aloft cancel dpl_\w+`\.$/m,
  )
})

test('a build that fails exits with 1, and tells programs what it was', async () => {
  const folder = desk.site('broken', { 'api/hello.js': 'module.exports = 1' })
  const child = desk.start(folder, ['--json', '--debug'])
  const exit = once(child, 'exit')
  const stdout = text(child.stdout)
  let stderr = ''
  let asked = false
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part
    if (asked || !stderr.includes('/events?')) return
    asked = true
    void server.runJobs()
  })
  assert.deepEqual(await exit, [1, null], stderr)
  const result = JSON.parse(await stdout)
  assert.deepEqual([result.readyState, result.error.code], ['ERROR', 'no_builder'])
  assert.equal(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code, 'no_builder')
})

test('deployments are listed, shown, moved, paused and removed', async () => {
  const folder = desk.site('shop', { 'index.html': 'one' })
  const run = async (...line: string[]) => {
    const { code, stdout, stderr } = await desk.run(folder, ...line)
    assert.equal(code, 0, `${line.join(' ')}: ${stderr}`)
    return stdout
  }
  const one = JSON.parse(await run('--prod', '--json'))
  desk.site('shop', { 'index.html': 'two' })
  server.clock.advance(1000)
  const two = JSON.parse(await run('--prod', '--json', '--meta', 'commit=abc'))
  const production = two.aliases.find((address: string) => new URL(address).hostname.startsWith('shop.'))
  assert.equal(await visit(production), 'two')

  const table = (await run('ls')).split('\n')
  assert.match(table[0] ?? '', /^PROJECT +URL +STATUS +TARGET +AGE +ID$/)
  assert.deepEqual([table[1]?.includes(two.id), table[2]?.includes(one.id)], [true, true])
  const shown = await run('inspect', two.url)
  assert.match(shown, /^meta commit +abc$/m)
  assert.match(shown, /^status +READY, live in production$/m)
  assert.equal(await run('open'), `${production}\n`)

  assert.match(await run('rollback'), new RegExp(`^Production now serves ${one.url}\\.$`, 'm'))
  assert.equal(await visit(production), 'one')
  await run('promote', two.id, '--yes')
  assert.equal(await visit(production), 'two')

  assert.equal((await desk.run(folder, 'pause')).code, 2)
  await run('pause', '--yes')
  assert.equal((await server.visit(new URL(production).hostname, '/')).status, 503)
  await run('unpause')
  assert.equal(await visit(production), 'two')

  await server.flushLogs()
  const entries = JSON.parse(await run('logs', two.id, '--type', 'response', '--status', '2xx', '--json'))
  assert.ok(entries.length > 0)
  assert.ok(entries.every((entry: { type: string }) => entry.type === 'response'))

  assert.match(await run('rm', one.id, '--yes'), /^Removed /)
  const gone = await desk.run(folder, 'inspect', one.id)
  assert.equal(gone.code, 4)
})

test('a package of a workspace goes online from its own folder, with the rest of the workspace', async () => {
  const root = desk.site('mono', {
    'package.json': '{"workspaces":["apps/*","packages/*"]}',
    'apps/web/package.json': '{"dependencies":{"@acme/ui":"*"}}',
    'apps/web/index.html': 'the app',
    'packages/ui/package.json': '{"name":"@acme/ui"}',
  })
  const web = join(root, 'apps/web')
  const first = await desk.run(web, '--json')
  assert.equal(first.code, 0, first.stderr)
  const { projectId, url, files } = JSON.parse(first.stdout)
  assert.equal(files.total, 4)
  assert.equal(await visit(url), 'the app')
  assert.equal(JSON.parse(readFileSync(join(web, '.aloft/project.json'), 'utf8')).projectId, projectId)
  const project = await desk.run(web, 'projects', 'inspect', '--json')
  assert.deepEqual(
    [JSON.parse(project.stdout).name, JSON.parse(project.stdout).rootDirectory],
    ['web', 'apps/web'],
  )

  writeFileSync(join(web, 'index.html'), 'the next')
  const second = await desk.run(web)
  assert.match(second.stderr, /^Deploying apps\/web with all of .*mono\.$/m)
  assert.match(second.stderr, /^Uploading 1 of 4 files, /m)
  assert.equal(await visit(second.stdout.trim()), 'the next')
  // By its name, as in a pipeline that has no link.
  const named = await desk.run(root, 'deploy', 'apps/web', '--name', 'web', '--json')
  assert.equal(JSON.parse(named.stdout).url, second.stdout.trim())

  const alone = await desk.run(web, '--no-workspace', '--no-link', '--name', 'alone', '--json')
  assert.equal(JSON.parse(alone.stdout).files.total, 2)
  const still = await desk.run(web, '--name', 'alone', '--json')
  assert.equal(JSON.parse(still.stdout).files.total, 2, 'that project has no root directory')
})

test('link chooses the project of a folder', async () => {
  const folder = desk.site('other-name', { 'index.html': 'linked' })
  const unknown = await desk.run(folder, 'link')
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /aloft projects ls/)
  const linked = await desk.run(folder, 'link', 'shop')
  assert.match(linked.stdout, /to shop\.$/m)
  const { stdout } = await desk.run(folder, '--json')
  assert.equal(JSON.parse(stdout).name, 'shop')
})
