import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DevEvent, DevReady } from '#contract/dev.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')
const home = realpathSync(mkdtempSync(join(tmpdir(), 'aloft-dev-test-')))
/** What it leaves for the time that it runs goes here, and nothing may be left in it. */
const temporary = join(home, 'tmp')
mkdirSync(temporary)
after(() => rmSync(home, { recursive: true, force: true }))

type Files = Readonly<Record<string, string>>

function write(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

function start(folder: string, ...line: readonly string[]): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: temporary }
  return spawn(process.execPath, [MAIN, 'dev', ...line], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The real command line in a folder, read by a program. */
class Running {
  readonly child: ChildProcess
  readonly events: DevEvent[] = []
  readonly #stderr: Promise<string>
  #heard = Promise.withResolvers<void>()

  constructor(folder: string, ...line: readonly string[]) {
    this.child = start(folder, '--json', '--port', '0', ...line)
    this.#stderr = text(this.child.stderr as NodeJS.ReadableStream)
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })
    lines.on('line', (event) => {
      this.events.push(JSON.parse(event))
      this.#heard.resolve()
      this.#heard = Promise.withResolvers()
    })
    lines.on('close', () => {
      this.#heard.promise.catch(() => {})
      this.#heard.reject(new Error('it ended'))
    })
  }

  /** The next event that is like this, from those that were not looked at yet. */
  async event<T extends DevEvent['type']>(
    type: T,
    isIt: (event: Extract<DevEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<DevEvent, { type: T }>> {
    for (;;) {
      const at = this.events.findIndex((event) => event.type === type && isIt(event as never))
      if (at !== -1) return this.events.splice(0, at + 1).at(-1) as never
      await this.#heard.promise.catch(async () => assert.fail(`no ${type}: ${await this.#stderr}`))
    }
  }

  /** As Ctrl-C does. Answers the exit code, and what of all it started still runs. */
  async interrupt(): Promise<{ readonly code: number; readonly left: readonly number[] }> {
    const family = descendants(this.child.pid as number)
    assert.ok(family.length > 0)
    this.child.kill('SIGINT')
    const [code] = await once(this.child, 'exit')
    return { code, left: await leftOf(family) }
  }
}

const STAT = /^(\d+) \(.*\) (\S) (\d+) /s

/** All processes of the machine, with their parents. */
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, pid, state, parent] = STAT.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(pid), state, parent: Number(parent) }]
      } catch {
        return []
      }
    })

function descendants(pid: number): number[] {
  const all = processes()
  const below = (parent: number): number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)])
  return below(pid)
}

/** Who of these still runs, once those that were killed had a moment to be gone: nothing tells of that. */
async function leftOf(pids: readonly number[]): Promise<readonly number[]> {
  for (let tries = 0; tries < 1500 && pids.some(runs); tries++) await pause(20)
  return pids.filter(runs)
}

const runs = (pid: number): boolean => processes().some((each) => each.pid === pid && each.state !== 'Z')

suite('a folder of files and functions', { skip: process.platform !== 'linux' }, () => {
  const folder = join(home, 'site')
  let dev: Running
  let ready: DevReady
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${ready.url}${path}`, { redirect: 'manual', headers })
  const save = (files: Files) => write(folder, files)
  const environment = async () => (await (await get('/people/7')).json()) as Record<string, string>

  before(async () => {
    save({
      'index.html': '<h1>one</h1>',
      'about.html': '<h1>about</h1>',
      '404.html': '<h1>nowhere</h1>',
      'vercel.json': JSON.stringify({
        cleanUrls: true,
        redirects: [{ source: '/old', destination: '/about' }],
        rewrites: [{ source: '/people/:id', destination: '/api/person?id=:id' }],
        headers: [{ source: '/(.*)', headers: [{ key: 'x-site', value: 'mine' }] }],
      }),
      'lib/word.ts': "export const word: string = 'first'\n",
      'api/word.ts': "import { word } from '../lib/word.ts'\nexport const GET = () => new Response(word)\n",
      'api/person.js':
        'module.exports = (req, res) => { console.log("asked", req.query.id); res.json(process.env) }\n',
      '.env': 'SHADE=blue\nSIZE=small\n',
      '.env.local': 'SHADE=red\n',
    })
    dev = new Running(folder, '--env', 'GIVEN=by hand')
    ready = await dev.event('ready')
  })
  after(() => dev.child.kill('SIGKILL'))

  test('says where it is, and what it found', () => {
    assert.match(ready.url, /^http:\/\/localhost:\d+$/)
    assert.deepEqual([ready.functions, ready.envFiles], [2, ['.env', '.env.local']])
  })

  test('files are served by the rules of a deployment', async () => {
    const page = await get('/')
    assert.equal(await page.text(), '<h1>one</h1>')
    assert.equal(page.headers.get('x-site'), 'mine')
    assert.equal(await (await get('/about')).text(), '<h1>about</h1>')
    assert.equal((await get('/about.html')).headers.get('location'), '/about')
    assert.equal((await get('/old')).headers.get('location'), '/about')
    const absent = await get('/nothing')
    assert.deepEqual([absent.status, await absent.text()], [404, '<h1>nowhere</h1>'])
    for (const secret of ['/.env', '/.env.local', '/vercel.json'])
      assert.equal((await get(secret)).status, 404)
    assert.deepEqual(
      await dev.event('request', ({ path }) => path === '/old').then(({ status }) => status),
      308,
    )
  })

  test('an edit, a new file and a removed one show in the next answer', async () => {
    const etag = (await get('/')).headers.get('etag') as string
    assert.equal((await get('/', { 'if-none-match': etag })).status, 304)
    save({ 'index.html': '<h1>two</h1>' })
    assert.equal(await (await get('/', { 'if-none-match': etag })).text(), '<h1>two</h1>')
    save({ 'deep/er/page.html': 'new' })
    assert.equal(await (await get('/deep/er/page')).text(), 'new')
    rmSync(join(folder, 'deep'), { recursive: true })
    assert.equal((await get('/deep/er/page')).status, 404)
  })

  test('a function finds the variables of the files, of the call and of the platform, and no others', async () => {
    const env = await environment()
    assert.deepEqual(
      [env.SHADE, env.SIZE, env.GIVEN, env.VERCEL_ENV],
      ['red', 'small', 'by hand', 'development'],
    )
    assert.equal(env.HOME, '/tmp')
    assert.deepEqual(await dev.event('log').then(({ from, text }) => [from, text]), ['api/person', 'asked 7'])
    save({ '.env.local': 'SHADE=green\n' })
    assert.equal((await environment()).SHADE, 'green')
  })

  test('an edit of what a function imports is what answers next', async () => {
    assert.equal(await (await get('/api/word')).text(), 'first')
    save({ 'lib/word.ts': "export const word: string = 'second'\n" })
    assert.equal(await (await get('/api/word')).text(), 'second')
  })

  test('what cannot be compiled says so to whoever asks and in the terminal, until it is mended', async () => {
    save({ 'api/word.ts': 'export const GET = () => new Response("third"\n' })
    const broken = await get('/api/word', { accept: 'text/html' })
    assert.equal(broken.status, 500)
    assert.match(await broken.text(), /cannot be compiled[\s\S]*api\/word\.ts:/)
    assert.equal(await dev.event('fault').then(({ about }) => about), 'api/word.ts')
    assert.equal((await get('/people/1')).status, 200)
    save({ 'api/word.ts': 'export const GET = () => new Response("third")\n' })
    assert.equal(await (await get('/api/word')).text(), 'third')
    save({ 'api/word.ts': 'throw new Error("not today")\n' })
    assert.match(await (await get('/api/word')).text(), /does not start[\s\S]*not today/)
  })

  test('a configuration that is no JSON is told of, and good again when it is', async () => {
    const good = readFileSync(join(folder, 'vercel.json'), 'utf8')
    save({ 'vercel.json': `${good},` })
    const answer = await get('/')
    assert.deepEqual([answer.status, /vercel\.json is not valid JSON/.test(await answer.text())], [500, true])
    save({ 'vercel.json': good })
    assert.equal((await get('/')).status, 200)
  })

  test('it answers by names of this machine only', async () => {
    const status = await new Promise((resolve, reject) => {
      const asked = request(ready.url, { headers: { host: 'stranger.example' } }, (res) => {
        res.resume()
        resolve(res.statusCode)
      })
      asked.on('error', reject).end()
    })
    assert.equal(status, 403)
  })

  test('a port that is taken is not taken twice', async () => {
    const second = start(folder, '--port', String(ready.port))
    const [said, [code]] = await Promise.all([
      text(second.stderr as NodeJS.ReadableStream),
      once(second, 'exit'),
    ])
    assert.equal(code, 1)
    assert.match(said, new RegExp(`Port ${ready.port} is used by another program`))
  })

  test('Ctrl-C ends it, and nothing of it is left', async () => {
    await get('/people/1')
    assert.deepEqual(await dev.interrupt(), { code: 0, left: [] })
    assert.deepEqual(readdirSync(temporary), [])
  })
})

/** A development server as frameworks have one: pages, and a socket that tells of changes. */
const FRAMEWORK = `
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
console.log('starting on ' + process.env.PORT)
createServer((req, res) => res.end(req.url === '/greeting' ? process.env.GREETING || 'none' : 'page ' + req.url))
  .on('upgrade', (req, socket) => {
    const key = req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\n')
    socket.write('sec-websocket-accept: ' + accept + '\\r\\n\\r\\n')
    socket.write(Buffer.concat([Buffer.from([0x81, 7]), Buffer.from('changed')]))
  })
  .listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => {})
`

test('a development server runs behind the routes and functions of the project', {
  skip: process.platform !== 'linux',
}, async () => {
  const folder = join(home, 'app')
  write(folder, {
    'package.json': JSON.stringify({
      type: 'module',
      scripts: { build: 'true', dev: 'node tools/serve.js' },
    }),
    'tools/serve.js': FRAMEWORK,
    'aloft.json': JSON.stringify({ redirects: [{ source: '/old', destination: '/new' }] }),
    'api/hello.js': 'export const GET = () => new Response("function")\n',
  })
  const dev = new Running(folder)
  try {
    const { url, command } = await dev.event('ready')
    assert.equal(command, 'npm run dev')
    assert.equal(await (await fetch(`${url}/some/page?x=1`)).text(), 'page /some/page?x=1')
    assert.equal(await (await fetch(`${url}/api/hello`)).text(), 'function')
    assert.equal((await fetch(`${url}/old`, { redirect: 'manual' })).headers.get('location'), '/new')
    const socket = new WebSocket(url.replace('http', 'ws'))
    const [{ data }] = (await once(socket, 'message')) as [{ data: string }]
    assert.equal(data, 'changed')
    const statusFor = async (headers: Record<string, string>) => {
      const handshake = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13' }
      const asked = request(url, {
        headers: { ...handshake, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', ...headers },
      })
      const opened = once(asked, 'upgrade')
      const [answer, socket] = await Promise.race([once(asked.end(), 'response'), opened])
      if (socket) socket.destroy()
      else answer.resume()
      return answer.statusCode
    }
    assert.equal(await statusFor({ origin: url }), 101)
    assert.equal(await statusFor({ origin: 'https://elsewhere.example' }), 403)
    assert.equal(await statusFor({ host: 'elsewhere.example' }), 403)
    // What it was started with is what it has: it starts again with what a file says now.
    const greeting = async () => (await fetch(`${url}/greeting`)).text()
    assert.equal(await greeting(), 'none')
    write(folder, { '.env.local': 'GREETING=hello' })
    while ((await greeting()) !== 'hello') await pause(50)
    // It does not end by itself when it is asked to.
    assert.deepEqual(await dev.interrupt(), { code: 0, left: [] })
    assert.deepEqual(readdirSync(temporary), [])
  } finally {
    dev.child.kill('SIGKILL')
  }
})

test('a development server that writes a .env file at each start is not restarted without end', {
  skip: process.platform !== 'linux',
}, async () => {
  const folder = join(home, 'writes-env')
  const script = 'echo start >> ../starts; echo STARTED=$(date +%s%N) > .env.local; exec node tools/serve.js'
  write(folder, {
    'package.json': JSON.stringify({ type: 'module', scripts: { build: 'true', dev: script } }),
    'tools/serve.js': FRAMEWORK,
  })
  const dev = new Running(folder)
  try {
    await dev.event('note', ({ text }) => text.includes('restarting'))
    await dev.event('note', ({ text }) => text.includes('seems to write .env files'))
    assert.equal(readFileSync(join(home, 'starts'), 'utf8'), 'start\nstart\n')
    assert.deepEqual(await dev.interrupt(), { code: 0, left: [] })
    assert.deepEqual(readdirSync(temporary), [])
  } finally {
    dev.child.kill('SIGKILL')
  }
})

test('a package of a workspace finds what is installed for all, and packages beside it as they are now', {
  skip: process.platform !== 'linux',
}, async () => {
  const top = join(home, 'monorepo')
  const greeting = (text: string) => ({ 'packages/greet/index.js': `exports.greet = () => '${text}'\n` })
  write(top, {
    'package.json': JSON.stringify({ workspaces: ['apps/*', 'packages/*'] }),
    'node_modules/dep/package.json': JSON.stringify({ name: 'dep', main: 'index.js' }),
    'node_modules/dep/index.js': "module.exports = 'installed'\n",
    'packages/greet/package.json': JSON.stringify({ name: 'greet', main: 'index.js' }),
    ...greeting('hello'),
    'apps/api/package.json': JSON.stringify({ name: 'api' }),
    'apps/api/lib/end.js': "module.exports = '.'\n",
    'apps/api/api/hello.js': `const end = require('../lib/end.js')
module.exports = (_req, res) => res.end(require('greet').greet() + ' ' + require('dep') + end)\n`,
  })
  symlinkSync('../packages/greet', join(top, 'node_modules/greet'))
  const dev = new Running(join(top, 'apps/api'))
  try {
    const { url } = await dev.event('ready')
    const get = async () => (await fetch(`${url}/api/hello`)).text()
    assert.equal(await get(), 'hello installed.')
    write(top, greeting('good morning'))
    assert.equal(await get(), 'good morning installed.')
    write(top, { 'apps/api/lib/end.js': "module.exports = '!'\n" })
    assert.equal(await get(), 'good morning installed!')
    write(top, { 'packages/greet/index.js': 'exports.greet = (' })
    assert.match(await get(), /cannot be compiled|does not start|crashed/)
    write(top, greeting('hello again'))
    assert.equal(await get(), 'hello again installed!')
    assert.equal((await dev.interrupt()).code, 0)
  } finally {
    dev.child.kill('SIGKILL')
  }
})

test('a middleware stands before files and functions, as it is written at the moment', {
  skip: process.platform !== 'linux',
}, async () => {
  const folder = join(home, 'guarded')
  const guarding = (path: string) => ({
    'middleware.ts': `export default (): Response => new Response('guarded', { status: 401 })
export const config = { matcher: '${path}' }`,
  })
  write(folder, { 'a.html': 'a', 'b.html': 'b', ...guarding('/a.html') })
  const dev = new Running(folder)
  try {
    const { url } = await dev.event('ready')
    const get = async (path: string) => (await fetch(`${url}${path}`)).text()
    assert.deepEqual([await get('/a.html'), await get('/b.html')], ['guarded', 'b'])
    assert.equal((await fetch(`${url}/middleware.ts`)).status, 404)
    write(folder, guarding('/b.html'))
    assert.deepEqual([await get('/a.html'), await get('/b.html')], ['a', 'guarded'])
    assert.equal((await dev.interrupt()).code, 0)
  } finally {
    dev.child.kill('SIGKILL')
  }
})

test('where its program is killed, what that had started ends all the same', {
  skip: process.platform !== 'linux',
}, async () => {
  const dev = new Running(join(home, 'app'))
  await dev.event('ready')
  const family = descendants(dev.child.pid as number)
  const [program] = processes().filter(({ parent }) => parent === dev.child.pid)
  process.kill(program?.pid as number, 'SIGKILL')
  const [code] = await once(dev.child, 'exit')
  assert.deepEqual([code, await leftOf(family), readdirSync(temporary)], [1, [], []])
})
