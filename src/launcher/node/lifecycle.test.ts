import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { launch, start } from '#test/support/sandbox/launched.ts'

const inCommonJs = (body: string) => ({ files: { 'api/hello.js': `module.exports = ${body}` } })
const inRequest = (id: string) => ({ headers: { 'x-aloft-request-id': id } })

test('lines of a request carry its id, others go to the pipes', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `
        console.log('while loading')
        setTimeout(() => console.error('on its own'))
        module.exports = async (req, res) => {
          process.stdout.write('be')
          await null
          process.stdout.write('gun\\nrest')
          console.error('two\\nlines')
          req.on('end', () => { console.log(' ended'); res.end() }).resume()
        }`,
    },
  })
  await launched.fetch('/', inRequest('r1'))
  await launched.heard(({ text }) => text === 'rest ended')
  assert.deepEqual(
    launched.messages.filter(({ type }) => type === 'log'),
    [
      { type: 'log', stream: 'stdout', text: 'begun', requestId: 'r1' },
      { type: 'log', stream: 'stderr', text: 'two', requestId: 'r1' },
      { type: 'log', stream: 'stderr', text: 'lines', requestId: 'r1' },
      { type: 'log', stream: 'stdout', text: 'rest ended', requestId: 'r1' },
    ],
  )
  launched.say({ type: 'stop', graceMs: 1000 })
  assert.deepEqual([await launched.stdout, await launched.stderr], ['while loading\n', 'on its own\n'])
})

test('requests at the same time keep their lines apart', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`async (req, res) => {
      for (let i = 0; i < 5; i += 1) {
        await new Promise(setImmediate)
        console.log(req.url)
      }
      res.end()
    }`),
  )
  const ids = Array.from({ length: 8 }, (_, i) => `/${i}`)
  await Promise.all(ids.map((id) => launched.fetch(id, inRequest(id))))
  launched.say({ type: 'stop', graceMs: 1000 })
  await launched.exit
  const logged = launched.messages.filter(({ type }) => type === 'log')
  assert.equal(logged.length, 40)
  for (const { text, requestId } of logged) assert.equal(text, requestId)
})

test('visitors who come while the program computes wait for it, however many they are', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      const fs = require('fs')
      const [began, goOn] = req.headers['x-files'].split(' ')
      fs.writeFileSync(began, '')
      while (!fs.existsSync(goOn));
      res.end('done')
    }`),
  )
  const [began, goOn] = [join(launched.folder, 'began'), join(launched.folder, 'go-on')]
  const computing = launched.fetch('/', { headers: { 'x-files': `${began} ${goOn}` } })
  while (!existsSync(began)) await new Promise(setImmediate)
  const visitors = Array.from({ length: 1500 }, () => connect(launched.http))
  await Promise.all(visitors.map((visitor) => once(visitor, 'connect')))
  // They ask for nothing.
  for (const visitor of visitors) visitor.on('error', () => {}).destroy()
  await writeFile(goOn, '')
  assert.equal((await computing).body, 'done')
})

test('long lines are cut and a flood of them is dropped, never waited for', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      if (req.url === '/long') console.log('é'.repeat(100000))
      else for (let i = 0; i < 100000; i += 1) console.log('line of a flood, with some text to fill it up')
      res.end('done')
    }`),
  )
  await launched.fetch('/long', inRequest('long'))
  const long = await launched.heard(({ requestId }) => requestId === 'long')
  assert.equal(Buffer.byteLength(String(long.text)), 8192)
  assert.equal((await launched.fetch('/flood', inRequest('flood'))).body, 'done')
  await launched.heard(({ text }) => /^… \d+ lines dropped$/.test(String(text)))
})

test('promises that outlive their response are told of, and waited for before it stops', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      const { waitUntil, headers } = globalThis[Symbol.for('@vercel/request-context')].get()
      if (req.url === '/go') { setTimeout(globalThis.go, 100); return res.end() }
      waitUntil(new Promise((resolve) => { globalThis.go = resolve }).then(() => console.log('after', headers.host)))
      res.end('early')
    }`),
  )
  assert.equal((await launched.fetch('/', inRequest('r1'))).body, 'early')
  await launched.heard(({ type, pending }) => type === 'background' && pending === 1)
  launched.messages.length = 0
  await launched.fetch('/go')
  launched.say({ type: 'stop', graceMs: 60_000 })
  assert.equal(await launched.exit, 0)
  const told = launched.messages.map(({ type, text, pending, requestId }) => [
    type,
    text ?? pending,
    requestId,
  ])
  assert.deepEqual(told.sort(), [
    ['background', 0, undefined],
    ['log', 'after site.test', 'r1'],
  ])
})

test('web functions get waitUntil as well, and rejections there are logged', async (t) => {
  const launched = await start(t, {
    files: {
      'index.mjs': `export function GET(request, { waitUntil }) {
        waitUntil(Promise.reject(new Error('behind')))
        return new Response('early')
      }`,
    },
  })
  assert.equal((await launched.fetch('/', inRequest('r1'))).body, 'early')
  await launched.heard(({ text, requestId }) => text === 'Error: behind' && requestId === 'r1')
})

test('stop lets responses end, and only for as long as it may', async (t) => {
  const source = `(req, res) => {
    res.write('begun ')
    console.log('begun')
    process.on('SIGTERM', () => console.log('told'))
    if (req.url === '/slow') setTimeout(() => res.end('ended'), 50)
  }`
  const kind = await start(t, inCommonJs(source))
  const slow = kind.fetch('/slow', inRequest('r1'))
  await kind.heard(({ text }) => text === 'begun')
  kind.say({ type: 'stop', graceMs: 60_000 })
  assert.equal((await slow).body, 'begun ended')
  assert.equal(await kind.exit, 0)
  assert.equal(await kind.stdout, 'told\n')
  const endless = await start(t, inCommonJs(source))
  const never = endless.fetch('/never', inRequest('r1'))
  await endless.heard(({ text }) => text === 'begun')
  endless.say({ type: 'stop', graceMs: 20 })
  await assert.rejects(never)
  assert.equal(await endless.exit, 0)
})

test('an error that nobody catches fails the requests under way and ends the process', async (t) => {
  for (const failure of ['throw new Error("lost")', 'Promise.reject(new Error("lost"))']) {
    const launched = await start(t, inCommonJs(`(req, res) => { setImmediate(() => { ${failure} }) }`))
    assert.equal((await launched.fetch('/', inRequest('r1'))).status, 500)
    assert.equal(await launched.exit, 1)
    await launched.heard(({ text, requestId }) => text === 'Error: lost' && requestId === 'r1')
  }
})

test('stacks in the log name the source where a map lies beside the code or in it', async (t) => {
  // Of the second line of code, which is line 41 of the source: `AAwCA` is 40 lines on from the one before.
  const map = JSON.stringify({ version: 3, sources: ['../src/hello.ts'], names: [], mappings: ';AAwCA' })
  const inline = `data:application/json;base64,${Buffer.from(map).toString('base64')}`
  const failing = (body: string, url: string) => `${body}\n//# sourceMappingURL=${url}`
  const programs = [
    {
      'api/hello.js': failing("module.exports = () => {\nthrow new Error('lost') }", 'hello.js.map'),
      'api/hello.js.map': map,
    },
    { 'api/hello.mjs': failing("export function GET() {\nthrow new Error('lost') }", inline) },
    { 'api/hello.js': failing("module.exports = () => {\nthrow new Error('lost') }", 'absent.js.map') },
  ]
  const where: string[] = []
  for (const files of programs) {
    const launched = await start(t, { files })
    assert.equal((await launched.fetch('/', inRequest('r1'))).status, 500)
    const { text } = await launched.heard(({ text }) => /^ +at /.test(String(text)))
    where.push(String(text).replace(/^.*\/task\/([^:]*:\d+).*$/, '$1'))
  }
  assert.deepEqual(where, ['src/hello.ts:41', 'src/hello.ts:41', 'api/hello.js:2'])
})

test('a program that catches everything itself goes on', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      process.once('uncaughtException', ({ message }) => res.end(message))
      setImmediate(() => { throw new Error('caught') })
    }`),
  )
  assert.equal((await launched.fetch('/')).body, 'caught')
})

test('what a program wrote before it exits is not lost', async (t) => {
  const launched = await start(t, inCommonJs(`() => { console.log('last words'); process.exit(7) }`))
  await assert.rejects(launched.fetch('/', inRequest('r1')))
  assert.equal(await launched.exit, 7)
  await launched.heard(({ text }) => text === 'last words')
})

test('it ends when the runner is gone', async (t) => {
  const launched = await start(t, inCommonJs(`() => {}`))
  launched.hangUp()
  assert.equal(await launched.exit, 1)
})

for (const waits of [true, false]) {
  const which = waits ? 'that waited' : 'that was started for it'

  test(`a program of a launcher ${which} sees itself and its variables, nothing of the launcher`, async (t) => {
    const launched = await start(t, {
      files: {
        'api/hello.js': `module.exports = (req, res) => res.json({
        main: require.main === module && process.mainModule === module,
        argv: process.argv.slice(1),
        cwd: process.cwd(),
        cache: Object.keys(require.cache),
        env: [process.env.NAME, process.env.ALOFT_LAUNCH, process.env.ALOFT_RUN_DIR],
      })`,
      },
      env: { NAME: 'value' },
      waits,
    })
    const root = join(launched.folder, 'task')
    const entry = join(root, 'api/hello.js')
    assert.deepEqual(JSON.parse((await launched.fetch('/')).body), {
      ...{ main: true, argv: [entry], cwd: root, cache: [entry], env: ['value', null, null] },
    })
  })

  test(`a module of a launcher ${which} sees nothing of it either, and its lines carry the ids of requests`, async (t) => {
    const launched = await start(t, {
      files: {
        'api/hello.mjs': `import { createRequire } from 'node:module'
      export const GET = (request) => {
        console.log(new URL(request.url).search)
        return Response.json(Object.keys(createRequire(import.meta.url).cache))
      }`,
      },
      waits,
    })
    for (const id of ['r1', 'r2']) {
      assert.deepEqual(JSON.parse((await launched.fetch(`/?${id}`, inRequest(id))).body), [])
      await launched.heard(({ text, requestId }) => text === `?${id}` && requestId === id)
    }
  })
}

test('compiled code is kept after the first answer', async (t) => {
  const compileCache = await mkdtemp(join(tmpdir(), 'aloft-compiled-'))
  t.after(() => rm(compileCache, { recursive: true }))
  const launched = await start(t, { ...inCommonJs(`(req, res) => res.end()`), compileCache })
  await launched.fetch('/')
  launched.say({ type: 'stop', graceMs: 1000 })
  await launched.exit
  const kept = await readdir(compileCache, { recursive: true })
  assert.ok(kept.length > 1, String(kept))
})

test('loading twice is ignored', async (t) => {
  const launched = await launch(t, inCommonJs(`(req, res) => res.end('one')`))
  launched.say({ type: 'load', shape: 'handler', entry: 'nothing.js', root: '/', env: {} })
  await launched.heardOf('ready')
  assert.equal((await launched.fetch('/')).body, 'one')
})
