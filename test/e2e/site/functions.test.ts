import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { deployed, type Files, follow, visit } from '#test/support/deploying.ts'
import { type Installation, install, TWO_SERVING } from '#test/support/installation.ts'

let aloft: Installation

before(async () => {
  aloft = await install({ env: TWO_SERVING })
})
after(() => aloft.remove())

const HELLO: Files = {
  'api/hello.js': `module.exports = (req, res) => res.json({ pid: process.pid, greeting: process.env.GREETING })\n`,
  'api/log.js': `module.exports = (req, res) => { console.log('said in a request'); res.end('logged') }\n`,
  'api/slow.js': `module.exports = async (req, res) => { await new Promise(() => {}) }\n`,
  'api/greedy.js': `module.exports = (req, res) => {
  const kept = []
  for (;;) kept.push(Buffer.alloc(8 << 20, kept.length))
}
`,
  'api/stream.js': `module.exports = async (req, res) => {
  let size = 0
  for await (const chunk of req) size += chunk.length
  for (let i = 0; i < 64; i++) res.write(Buffer.alloc(64 << 10, i))
  res.end(String(size))
}
`,
  'index.html': 'a page',
  'api/die.js': `module.exports = (req, res) => process.exit(9)\n`,
  'api/throw.js': `module.exports = (req, res) => void setImmediate(() => { throw new Error('uncaught') })\n`,
  'vercel.json': JSON.stringify({
    functions: { 'api/slow.js': { maxDuration: 1 }, 'api/greedy.js': { memory: 128 } },
  }),
}

const logOf = async (id: string) => {
  const answer = await fetch(`${aloft.url}/v2/platform/deployments/${id}/events`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  return (await answer.json()) as {
    type: string
    payload: { text: string; info: { type: string }; requestId?: string }
  }[]
}

/** The log is written a moment after what it tells of. */
async function logged(id: string, line: RegExp) {
  for (;;) {
    const found = (await logOf(id)).find(({ payload }) => line.test(payload.text))
    if (found) return found
    // Seldom enough for what the endpoint allows, however slow the machine is.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test('functions: answers, limits and what is logged', async (t) => {
  const { url, id } = await deployed(aloft, { name: 'hello', files: HELLO, env: { GREETING: 'hi' } })

  await t.test('variables and helpers are there', async () => {
    const { status, text } = await visit(aloft, url, { path: '/api/hello' })
    assert.deepEqual([status, JSON.parse(text).greeting], [200, 'hi'])
  })

  await t.test('console output comes into the log', async () => {
    assert.equal((await visit(aloft, url, { path: '/api/log' })).text, 'logged')
    const { type, payload } = await logged(id, /^said in a request$/)
    assert.deepEqual([type, payload.info.type], ['stdout', 'lambda'])
    const visited = await logged(id, /^GET \/api\/log 200 \d+ms$/)
    assert.ok(payload.requestId !== undefined)
    assert.equal(payload.requestId, visited.payload.requestId)
  })

  await t.test('large bodies go both ways: there is no limit of 4.5 MB', async () => {
    const body = randomBytes(6 << 20)
    const { text } = await visit(aloft, url, { path: '/api/stream', method: 'POST', body })
    assert.equal(text.length, (64 << 16) + String(body.length).length)
    assert.ok(text.endsWith(String(body.length)))
  })

  await t.test('too long is 504, too much memory is 500 with the reason in the log', async () => {
    const late = await visit(aloft, url, { path: '/api/slow' })
    assert.deepEqual([late.status, late.headers['x-platform-error']], [504, 'FUNCTION_INVOCATION_TIMEOUT'])
    const killed = await visit(aloft, url, { path: '/api/greedy' })
    assert.deepEqual([killed.status, killed.headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
    await logged(id, /memory/)
    assert.equal((await visit(aloft, url, { path: '/api/hello' })).status, 200)
  })

  await t.test('whoever brings a function down takes nothing else with it', async () => {
    for (const path of ['/api/die', '/api/throw'])
      for (let n = 0; n < 7; n++) {
        const { status, headers } = await visit(aloft, url, { path })
        assert.deepEqual([status, headers['x-platform-error']], [500, 'FUNCTION_INVOCATION_FAILED'])
      }
    await logged(id, /ended with exit code 9/)
    assert.equal((await visit(aloft, url, { path: '/' })).text, 'a page')
    assert.equal((await visit(aloft, url, { path: '/api/hello' })).status, 200)
    const answer = await fetch(`${aloft.url}/v8/platform/deployments/${id}`, {
      headers: { authorization: `Bearer ${aloft.token}` },
    })
    assert.equal(((await answer.json()) as { readyState: string }).readyState, 'READY')
  })

  await t.test('the death of the working process costs no visitor his answer', async () => {
    const statuses: number[] = []
    let killed = false
    const visitor = async () => {
      for (let after = 0; after < 20; after += killed ? 1 : 0)
        statuses.push((await visit(aloft, url, { path: '/api/hello' })).status)
    }
    const visitors = Promise.all([visitor(), visitor(), visitor(), visitor()])
    const [worker] = await aloft.children('work')
    process.kill(worker as number, 'SIGKILL')
    killed = true
    await visitors
    assert.deepEqual([...new Set(statuses)], [200])
  })
})

const COURTEOUS: Files = {
  'api/files.js': `const { readFileSync } = require('node:fs')
module.exports = (req, res) => {
  const read = (name) => { try { return readFileSync(require('node:path').join(process.cwd(), 'data', name), 'utf8') } catch (error) { return error.code } }
  res.json({ wanted: read('wanted.txt'), unwanted: read('unwanted.txt') })
}
`,
  'data/wanted.txt': 'comes along',
  'data/unwanted.txt': 'stays behind',
  'api/leaving.ts': `export function GET({ signal }: Request): Promise<Response> {
  signal.addEventListener('abort', () => console.log('the visitor left'))
  console.log('a visitor came')
  return new Promise(() => {})
}
`,
  'api/parts.ts': `let release: () => void
const released = new Promise<void>((resolve) => { release = resolve })
export const POST = () => { release(); return new Response('released') }
export const GET = () => new Response(new ReadableStream({
  async start(parts) {
    parts.enqueue(new TextEncoder().encode('first'))
    await released
    parts.enqueue(new TextEncoder().encode('second'))
    parts.close()
  },
}))
`,
  'api/later.ts': `export const GET = (_: Request, { waitUntil }: { waitUntil(work: Promise<unknown>): void }) => {
  waitUntil(new Promise((resolve) => setTimeout(resolve, 20)).then(() => console.log('done after the answer')))
  return new Response('answered')
}
`,
  'api/broken.ts': `interface Visitor {
  readonly name: string
}

export default (req: { query: { visitor?: Visitor } }, res: { end(text: string): void }) => {
  res.end((req.query.visitor as Visitor).name)
}
`,
  'vercel.json': JSON.stringify({
    functions: { 'api/files.js': { includeFiles: 'data/**', excludeFiles: 'data/unwanted.txt' } },
  }),
}

test('functions: their files, visitors who leave, parts, work afterwards, and where they failed', async (t) => {
  const { url, id } = await deployed(aloft, { name: 'courteous', files: COURTEOUS })

  await t.test('includeFiles come along, excludeFiles do not', async () => {
    const { text } = await visit(aloft, url, { path: '/api/files' })
    assert.deepEqual(JSON.parse(text), { wanted: 'comes along', unwanted: 'ENOENT' })
  })

  await t.test('the signal of a request is aborted when its visitor leaves', async () => {
    const asked = request({
      host: '127.0.0.1',
      port: aloft.port,
      path: '/api/leaving',
      headers: { host: url },
    })
    asked.on('error', () => {}).end()
    await logged(id, /^a visitor came$/)
    asked.destroy()
    await logged(id, /^the visitor left$/)
  })

  await t.test('a part of an answer arrives before the next one is made', async () => {
    const asked = request({ host: '127.0.0.1', port: aloft.port, path: '/api/parts', headers: { host: url } })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(String((await once(answer, 'data'))[0]), 'first')
    const rest = textOf(answer)
    assert.equal((await visit(aloft, url, { path: '/api/parts', method: 'POST' })).text, 'released')
    assert.equal(await rest, 'second')
  })

  await t.test('waitUntil goes on after the answer, and its lines carry the request', async () => {
    assert.equal((await visit(aloft, url, { path: '/api/later' })).text, 'answered')
    const said = await logged(id, /^done after the answer$/)
    const visited = await logged(id, /^GET \/api\/later 200 \d+ms$/)
    assert.equal(said.payload.requestId, visited.payload.requestId)
  })

  await t.test('an error names the line of the TypeScript that was written', async () => {
    assert.equal((await visit(aloft, url, { path: '/api/broken' })).status, 500)
    await logged(id, /api\/broken\.ts:6:\d+/)
  })
})

test('with a `bunVersion` functions run on Bun', async () => {
  const files = {
    'vercel.json': '{ "bunVersion": "1.x" }',
    'api/node.ts': 'export default (req, res) => res.status(201).json({ on: typeof Bun, body: req.body })',
    'api/web.ts': `export const GET = (request: Request, { waitUntil }) => {
      waitUntil(Bun.sleep(20).then(() => console.log('said after the answer')))
      return Response.json({ bun: Bun.version })
    }`,
  }
  const { url, id } = await deployed(aloft, { name: 'on-bun', files })
  const json = { path: '/api/node', method: 'POST', body: '{"a":1}' }
  const { status, text } = await visit(aloft, url, json)
  assert.deepEqual([status, JSON.parse(text)], [201, { on: 'object', body: { a: 1 } }])
  assert.match((await visit(aloft, url, { path: '/api/web' })).text, /^{"bun":"1\.\d+\.\d+"}$/)
  const said = await logged(id, /^said after the answer$/)
  const visited = await logged(id, /^GET \/api\/web 200 \d+ms$/)
  assert.ok(said.payload.requestId !== undefined)
  assert.equal(said.payload.requestId, visited.payload.requestId)
})

test('a server that listens speaks WebSocket', async () => {
  const files = {
    'package.json': JSON.stringify({ main: 'index.js', dependencies: { express: '5.3.0' } }),
    'index.js': `const { createHash } = require('node:crypto')
const server = require('node:http').createServer(require('express')().get('/', (req, res) => res.send('plain')))
server.on('upgrade', (req, socket) => {
  const accept = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n')
  socket.on('data', (data) => socket.write(data))
})
server.listen(process.env.PORT || 3000)
`,
  }
  const { url } = await deployed(aloft, { name: 'socket', files })
  const key = randomBytes(16).toString('base64')
  const socket = connect(aloft.port, '127.0.0.1')
  socket.write(
    `GET /chat HTTP/1.1\r\nHost: ${url}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  assert.match(head.toString(), /^HTTP\/1\.1 101 /)
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  assert.ok(head.toString().includes(accept))
  socket.write('across')
  const [echoed] = (await once(socket, 'data')) as [Buffer]
  assert.equal(echoed.toString(), 'across')
  socket.destroy()
})

test('a build goes on after its process was killed, and hides secrets', async () => {
  const call = (path: string, body: object) =>
    fetch(`${aloft.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.json() as Promise<{ id: string; url: string }>)
  await call('/v2/platform/secrets', { name: 'hush', value: 'very-secret-value' })
  const made = await call('/v8/platform/deployments', {
    version: 2,
    name: 'resumed',
    build: { env: { HUSH: '@hush' } },
    files: [
      { file: 'package.json', data: JSON.stringify({ scripts: { build: 'sh build.sh' } }) },
      {
        file: 'build.sh',
        data: 'echo "token $HUSH"; sleep 3; mkdir -p public; echo "built anew" > public/index.html\n',
      },
    ],
  })
  await logged(made.id, /^token \[redacted\]$/)
  const [worker] = await aloft.children('work')
  process.kill(worker as number, 'SIGKILL')
  const text = await follow(aloft, made.id)
  assert.ok(!text.includes('very-secret-value'))
  assert.equal((await visit(aloft, made.url, { path: '/' })).text.trim(), 'built anew')
})

const legacy = async (name: string, files: Files) => {
  const answer = await fetch(`${aloft.url}/v3/platform/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name,
      deploymentType: 'NPM',
      public: true,
      sessionAffinity: 'ip',
      engines: { node: '16.x' },
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
    }),
  })
  const { deploymentId, url } = (await answer.json()) as { deploymentId: string; url: string }
  await follow(aloft, deploymentId)
  const read = await fetch(`${aloft.url}/v2/platform/deployments/${deploymentId}`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  return { id: deploymentId, url, state: ((await read.json()) as { state: string }).state }
}

test('older deployments start with npm start on the Node they ask for, and are scaled', async () => {
  const { id, url, state } = await legacy('old-server', {
    'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
    'server.js': `require('http').createServer((req, res) => res.end(process.version + ' ' + process.pid)).listen(process.env.PORT)\n`,
  })
  assert.equal(state, 'READY')
  assert.match((await visit(aloft, url, { path: '/any/path' })).text, /^v16\./)
  const scaled = await fetch(`${aloft.url}/v1/platform/deployments/${id}/instances`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ min: 2, max: 3 }),
  })
  assert.equal(scaled.status, 200)
  for (;;) {
    const listed = await fetch(`${aloft.url}/v1/platform/deployments/${id}/instances`, {
      headers: { authorization: `Bearer ${aloft.token}` },
    })
    const { instances } = (await listed.json()) as { instances: object[] }
    if (instances.length >= 2) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})

test('an older deployment that runs a task and exits tells its output and its code', async () => {
  const task = (code: number): Files => ({
    'package.json': JSON.stringify({ scripts: { start: 'node task.js' } }),
    'task.js': `console.log('task done'); process.exit(${code})\n`,
  })
  const well = await legacy('task-well', task(0))
  assert.ok(['READY', 'FROZEN'].includes(well.state), well.state)
  await logged(well.id, /^task done$/)
  await logged(well.id, /exited with code 0/)
  const badly = await legacy('task-badly', task(4))
  assert.equal(badly.state, 'DEPLOYMENT_ERROR')
  await logged(badly.id, /exited with code 4/)
})

test('at the end functions are told by SIGTERM; after a restart all sites are back, functions included', async () => {
  const { url, id } = await deployed(aloft, {
    name: 'again',
    files: {
      'api/hello.js': `process.on('SIGTERM', () => {
  console.log('told to end')
  setTimeout(() => { console.log('ended in order'); process.exit() }, 50)
})
${HELLO['api/hello.js']}`,
    },
  })
  assert.equal((await visit(aloft, url, { path: '/api/hello' })).status, 200)
  assert.equal(await aloft.stop(), 0)
  aloft = await aloft.restart()
  assert.equal((await visit(aloft, url, { path: '/api/hello' })).status, 200)
  await logged(id, /^told to end$/)
  await logged(id, /^ended in order$/)
})
