import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#test/support/free-port.ts'
import { launch, start } from '#test/support/sandbox/launched.ts'
import { canHaveOwnNamespaces, inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'

// Programs ask for fixed ports here, which somebody else may have on the network of the machine.
if (canHaveOwnNamespaces()) await inOwnNamespaces(import.meta.filename)

const command = (file: string) => ({
  shape: 'command' as const,
  command: [process.execPath, file],
  entry: '',
})

const SERVER = `
  const server = require('http').createServer((req, res) => {
    if (req.url === '/exit') process.exit(3)
    console.log(req.method, req.url)
    req.pipe(res)
  })
  server.on('upgrade', (req, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
    socket.pipe(socket)
  })
  server.listen(process.env.PORT, '127.0.0.1')
  process.on('SIGTERM', () => { console.log('told to end'); process.exit() })`

for (const [launcher, waits] of [
  ['a launcher of its own', false],
  ['a launcher that has waited', true],
] as const)
  test(`a command in ${launcher} takes requests on its port, and is told to end`, async (t) => {
    const launched = await start(t, {
      files: { 'server.js': SERVER },
      ...command('server.js'),
      waits,
      env: { PORT: String(await freePort()) },
    })
    const body = 'x'.repeat(2_000_000)
    for (let i = 0; i < 3; i += 1)
      assert.equal((await launched.fetch('/echo', { method: 'POST', body })).body.length, body.length)
    const req = launched.open('/', { headers: { connection: 'Upgrade', upgrade: 'echo' } })
    req.end()
    const [, socket] = await once(req, 'upgrade')
    socket.write('ping')
    assert.equal(String((await once(socket, 'data'))[0]), 'ping')
    socket.destroy()
    launched.say({ type: 'stop', graceMs: 60_000 })
    assert.equal(await launched.exit, 0)
    assert.equal(await launched.stdout, `${'POST /echo\n'.repeat(3)}told to end\n`)
    assert.ok(!launched.messages.some(({ type }) => type === 'finished'))
  })

test('a command that ignores the end is ended', async (t) => {
  const launched = await start(t, {
    files: { 'server.js': SERVER.replace('process.exit()', 'null') },
    ...command('server.js'),
    env: { PORT: String(await freePort()) },
  })
  launched.say({ type: 'stop', graceMs: 20 })
  assert.equal(await launched.exit, 0)
  // A child that lived on would hold the pipe open.
  await launched.stdout
})

test('a command that exits is finished, with its code', async (t) => {
  const atOnce = await launch(t, { files: { 'job.js': `console.log('worked')` }, ...command('job.js') })
  assert.equal((await atOnce.heardOf('finished')).code, 0)
  assert.equal(await atOnce.exit, 0)
  assert.equal(await atOnce.stdout, 'worked\n')
  const later = await start(t, {
    files: { 'server.js': SERVER },
    ...command('server.js'),
    env: { PORT: String(await freePort()) },
  })
  await assert.rejects(later.fetch('/exit'))
  assert.equal((await later.heardOf('finished')).code, 3)
  assert.equal(await later.exit, 3)
})

test('a command that cannot be run fails', async (t) => {
  const launched = await launch(t, { files: {}, shape: 'command', command: ['no-such-program'], entry: '' })
  assert.match(String((await launched.heardOf('failed')).message), /ENOENT/)
  assert.equal(await launched.exit, 1)
})

const FIXED = (name: string) => `
  const http = require('http')
  const server = http.createServer((req, res) => {
    if (req.url === '/itself') http.get('http://localhost:3000/', (answer) => answer.pipe(res))
    else if (req.url === '/leave') res.end('left', () => { server.close(); server.closeAllConnections() })
    else if (req.url === '/port') res.end(process.env.PORT)
    else res.end('${name}')
  })
  server.listen(3000)
  setInterval(() => {}, 1000)`

test('programs that share a network answer as themselves, whatever port they ask for', async (t) => {
  const started = (name: string) =>
    start(t, { files: { 'server.js': FIXED(name) }, ...command('server.js'), hostNetwork: {} })
  const [first, second] = await Promise.all([started('first'), started('second')])
  assert.equal((await first.fetch('/')).body, 'first')
  assert.equal((await second.fetch('/')).body, 'second')
  assert.equal((await second.fetch('/itself')).body, 'second')
})

const PYTHON_SERVER = (name: string) => `
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'${name}')
http.server.HTTPServer(('127.0.0.1', 3000), Handler).serve_forever()
`

for (const runtime of ['node', 'python'] as const)
  test(`so do programs of Python, started by the launcher of ${runtime}`, async (t) => {
    const started = (name: string) =>
      start(
        t,
        {
          files: { 'server.py': PYTHON_SERVER(name) },
          ...{ shape: 'command', command: ['python3', 'server.py'], entry: '', hostNetwork: {} },
        },
        runtime,
      )
    const [first, second] = await Promise.all([started('first'), started('second')])
    assert.equal((await first.fetch('/')).body, 'first')
    assert.equal((await second.fetch('/')).body, 'second')
  })

/** Writes down its port, and listens on it as soon as there is a file `free`. */
const LATE = `
  const { PORT } = process.env
  const { existsSync, writeFileSync } = require('fs')
  writeFileSync('port', PORT + '\\n')
  const server = require('http').createServer((req, res) => res.end('the program'))
  const waiting = setInterval(() => {
    if (!existsSync('free')) return
    clearInterval(waiting)
    server.listen(PORT, '127.0.0.1')
  }, 20)`

async function portWritten(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.endsWith('\n')) return Number(text)
    await delay(5)
  }
}

for (const runtime of ['node', 'python'] as const)
  test(`whoever else sits on a program's port is sent nothing by the launcher of ${runtime}`, async (t) => {
    const launched = await launch(
      t,
      { files: { 'late.js': LATE }, ...command('late.js'), hostNetwork: {} },
      runtime,
    )
    const task = join(launched.folder, 'task')
    const port = await portWritten(join(task, 'port'))
    const visits: string[] = []
    const squatter = createServer((socket) => void socket.on('data', (data) => visits.push(String(data))))
    squatter.listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    const refused = launched.fetch('/').catch((error: NodeJS.ErrnoException) => error.code)
    await delay(200)
    squatter.close()
    await writeFile(join(task, 'free'), '')
    await launched.heardOf('ready')
    assert.equal((await launched.fetch('/')).body, 'the program')
    assert.deepEqual(visits, [])
    await refused
  })

test('a program that gives its port up is not confused with whoever takes it', async (t) => {
  const launched = await start(t, {
    files: { 'server.js': FIXED('first') },
    ...command('server.js'),
    hostNetwork: {},
  })
  const port = Number((await launched.fetch('/port')).body)
  assert.equal((await launched.fetch('/leave')).body, 'left')
  const visits: string[] = []
  const squatter = createServer((socket) => void socket.on('data', (data) => visits.push(String(data))))
  // The program says that it leaves a moment before it has left.
  squatter.on('error', () => setTimeout(() => squatter.listen(port), 20))
  squatter.listen(port)
  t.after(() => squatter.close())
  await new Promise<void>((resolve) => squatter.once('listening', resolve))
  // It may be turned away before it has sent its request.
  await assert.rejects(launched.fetch('/secret'), { code: /^(ECONNRESET|EPIPE)$/ })
  assert.deepEqual(visits, [])
})

const ASKS_NODE = `
  const http = require('http')
  http.createServer((req, res) => {
    http.get('http://a.sites.test/page', (answer) => answer.pipe(res))
  }).listen(process.env.PORT)`
const ASKS_PYTHON = `
import http.server, os, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(urllib.request.urlopen('http://a.sites.test/page').read())
http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()`

for (const [file, source, program] of [
  ['asks.js', ASKS_NODE, process.execPath],
  ['asks.py', ASKS_PYTHON, 'python3'],
] as const)
  test(`${file}: a command finds the sites of this installation, whatever their port`, async (t) => {
    const edge = createHttpServer((req, res) => res.end(`${req.headers.host} ${req.url}`)).listen(
      0,
      '127.0.0.1',
    )
    t.after(() => edge.close())
    await once(edge, 'listening')
    const { port } = edge.address() as { port: number }
    const launched = await start(t, {
      ...{ files: { [file]: source }, shape: 'command', command: [program, file], entry: '' },
      hostNetwork: { sites: { domain: 'sites.test', address: '127.0.0.1', ports: { 80: port } } },
    })
    assert.equal((await launched.fetch('/')).body, 'a.sites.test /page')
  })
