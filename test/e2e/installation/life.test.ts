import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { socketFolder } from '#src/process/compose/runner-socket.ts'
import { freePort } from '#test/support/free-port.ts'
import {
  type Installation,
  install,
  makePlace,
  NOTHING_RUNS,
  TWO_SERVING,
  uninstall,
} from '#test/support/installation.ts'

const ROOT = join(import.meta.dirname, '../../..')

const api = (at: Installation, path: string, init: RequestInit = {}) =>
  fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${at.token}`, ...init.headers } })

const until = async (what: string, check: () => Promise<boolean> | boolean) => {
  for (let i = 0; i < 200; i++) {
    if (await Promise.resolve(check()).catch(() => false)) return
    await pause(100)
  }
  assert.fail(`it never happened: ${what}`)
}

const output = async (command: string, args: readonly string[]) => {
  const child = spawn(command, args)
  const [stdout] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')])
  return stdout.join('')
}

describe('one installation, from its start to its stop', () => {
  let at: Installation
  before(async () => {
    at = await install({ env: TWO_SERVING })
  })
  after(async () => {
    at.process.kill('SIGKILL')
    await uninstall(at)
  })

  test('one command starts it, and it serves on every protocol', async () => {
    assert.match(at.stdout(), new RegExp(`^aloft ready http://localhost:${at.port}$`, 'm'))
    assert.doesNotMatch(at.stdout(), /setup\?token/, 'there is an operator, so there is no set-up link')

    const me = (await (await api(at, '/v2/user')).json()) as { user: { operator: boolean } }
    assert.equal(me.user.operator, true)

    const ca = [
      '--cacert',
      join(at.folder, 'data/ca.pem'),
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_version} %{http_code}',
    ]
    const tls = `https://localhost:${at.tlsPort}/healthz`
    assert.equal(await output('curl', [...ca, '--http2', tls]), '2 200')
    assert.equal(await output('curl', [...ca, '--http1.1', tls]), '1.1 200')
    assert.equal(await output('curl', [...ca, '--http1.0', '--tls-max', '1.2', tls]), '1.1 200')
    const origin = [
      '--resolve',
      `api-sfo1.localhost:${at.tlsPort}:127.0.0.1`,
      `https://api-sfo1.localhost:${at.tlsPort}/healthz`,
    ]
    assert.equal(await output('curl', [...ca, ...origin]), '2 200')

    const other = await fetch(`${at.url}/`, { headers: { host: 'nobody.localhost' } }).catch(() => undefined)
    assert.ok(other, 'other hosts are answered too')

    const key = await stat(join(at.folder, 'data/master.key'))
    assert.equal(key.mode & 0o777, 0o600)
  })

  test('mails are jobs of the working process, and metrics cover all processes', async () => {
    await fetch(`${at.url}/platform/registration`, {
      method: 'POST',
      body: JSON.stringify({ email: 'new@aloft.test', tokenName: 'e2e' }),
    })
    const outbox = join(at.folder, 'data/outbox')
    await until('the mail is in the outbox', async () =>
      (await readdir(outbox)).some((name) => name.endsWith('.eml')),
    )
    const [name] = await readdir(outbox)
    assert.match(await readFile(join(outbox, name as string), 'utf8'), /To: new@aloft\.test/)

    const counted = async () => {
      const metrics = await (await fetch(`${at.url}/metrics`)).text()
      const line = /^aloft_http_requests_total\{route="\/healthz",method="GET",status="200"\} (\d+)$/m
      return Number(line.exec(metrics)?.[1])
    }
    const before = await counted()
    for (let i = 0; i < 20; i++) await fetch(`${at.url}/healthz`, { headers: { connection: 'close' } })
    assert.equal(await counted(), before + 20)
  })

  test('mistakes stop the start of another one, in a line each', async () => {
    const failure = async (options: Parameters<typeof install>[0]) => {
      const error = await install(options).then(
        () => assert.fail('it started'),
        (error: Error) => error,
      )
      return error.message
    }
    const message = await failure({ env: { ALOFT_ORIGIN: 'mars1', ALOFT_DEFAULT_PLAN: 'gold' } })
    assert.match(message, /^aloft: ALOFT_ORIGIN: "mars1" is not accepted; .*$/m)
    assert.match(message, /^aloft: ALOFT_DEFAULT_PLAN: "gold" is not accepted; .*$/m)

    assert.match(
      await failure({ env: { ALOFT_PORT: String(at.port) } }),
      /port \d+ on 127\.0\.0\.1 is in use/,
    )
    assert.match(await failure({ args: ['--role', 'dance'] }), /--role takes one of/)
    assert.match(
      await failure({ env: { ALOFT_DATA_DIR: join(import.meta.filename, 'data') } }),
      /^aloft: ALOFT_DATA_DIR: \S+ cannot be used: a part of this path is a file$/m,
    )
    assert.match(
      await failure({ env: { ALOFT_HOST: 'nowhere.invalid' } }),
      /^aloft: ALOFT_HOST: no IP address was found for "nowhere\.invalid"$/m,
    )
    assert.match(
      await failure({ env: { TMPDIR: '/nowhere' } }),
      /^aloft: TMPDIR: \/nowhere cannot be used: it does not exist$/m,
    )
    const withFewFiles = [
      'sh',
      '-c',
      `ulimit -n 200 && exec ${process.execPath} ${join(ROOT, 'src/main.ts')}`,
    ] as const
    assert.match(
      await failure({ program: withFewFiles }),
      /^aloft: the limit of open files is 200, and at least 256 are needed; .*$/m,
    )
    assert.match(
      await failure({ env: { ALOFT_DATA_DIR: join(at.folder, 'data') } }),
      /^aloft: ALOFT_DATA_DIR: another server is running with \S+; stop it, or choose another folder$/m,
    )
    assert.equal((await api(at, '/v2/user')).status, 200)
  })

  test('SIGTERM stops it cleanly, and a request in flight is answered', async () => {
    // A body that comes in two parts: the server is told to stop between them.
    const parts = new TransformStream<Uint8Array, Uint8Array>()
    const body = parts.writable.getWriter()
    const answer = api(at, '/v1/teams', {
      method: 'POST',
      body: parts.readable,
      duplex: 'half',
    } as RequestInit)
    await body.write(Buffer.from('{"slug":'))
    await pause(200)
    const stopped = at.stop()
    await until('it accepts no new connection', () =>
      fetch(`${at.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    await body.write(Buffer.from('"in-flight"}'))
    await body.close()
    assert.equal((await answer).status, 200)
    assert.equal(await stopped, 0)
    await assert.rejects(fetch(`${at.url}/healthz`))
  })
})

test('it makes no new master key in the place of one that is needed', async (t) => {
  const at = await install({ env: NOTHING_RUNS })
  t.after(() => uninstall(at))
  await at.stop()
  const key = join(at.folder, 'data/master.key')
  const aside = join(at.folder, 'aside.key')
  await rename(key, aside)
  await assert.rejects(
    at.restart(),
    /The master key \S+ is missing, and secrets .* cannot be read without it/,
  )
  await assert.rejects(stat(key), { code: 'ENOENT' })

  const other = Buffer.alloc(32, 7).toString('base64')
  await assert.rejects(
    at.restart({ env: { ...NOTHING_RUNS, ALOFT_MASTER_KEY: other } }),
    /The master key is not the one that the secrets of this installation were encrypted with/,
  )
  await rename(aside, key)
  const again = await at.restart()
  assert.equal(await again.stop(), 0)
})

test('it outlives whoever reads what it prints', async (t) => {
  const ports = { port: await freePort(), tlsPort: await freePort() }
  const { folder } = await makePlace({ ports })
  t.after(() => uninstall({ folder }))
  const child = spawn(process.execPath, [join(ROOT, 'bin/aloft.js'), 'server'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, ...NOTHING_RUNS },
      ...{ ALOFT_DATA_DIR: join(folder, 'data'), ALOFT_DNS_PORT: '0', ALOFT_WORKERS: '1' },
      ...{ ALOFT_PORT: String(ports.port), ALOFT_TLS_PORT: String(ports.tlsPort) },
    },
  })
  t.after(() => child.kill('SIGKILL'))
  child.stdout.destroy()
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const exited = once(child, 'exit')
  await until('it listens', async () => {
    const socket = connect(ports.port, '127.0.0.1')
    await once(socket, 'connect').finally(() => socket.destroy())
    return true
  })
  // Long before it is ready. It is only told apart from one that ends by what it does after it has said that it is.
  child.kill('SIGUSR2')
  await until('it serves', async () => (await fetch(`http://127.0.0.1:${ports.port}/healthz`)).ok)
  await until('others take over', () => log.includes('new processes have taken over'))
  await until('the old ones end', () => log.includes('the old processes have stopped'))
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null], log)
})

test('a fresh server without a bootstrap account prints a one-time link', async (t) => {
  const at = await install({ operator: false })
  t.after(() => at.process.kill('SIGKILL'))
  t.after(() => uninstall(at))
  const link = /http:\/\/localhost:\d+(\/setup\?token=\w+)/.exec(at.stdout())?.[1] as string
  assert.ok(link)
  assert.equal((await fetch(`${at.url}${link}`)).status, 200)
  const token = link.split('=')[1] as string
  const done = await fetch(`${at.url}/setup`, {
    method: 'POST',
    body: new URLSearchParams({ token, email: 'me@aloft.test' }),
  })
  assert.equal(done.status, 200)
  assert.equal((await fetch(`${at.url}${link}`)).status, 404)
  await at.stop()

  const again = await at.restart()
  t.after(() => again.process.kill('SIGKILL'))
  assert.doesNotMatch(again.stdout(), /setup\?token/)
  await again.stop()
})

test('every process can be killed: what was acknowledged is there, and the process comes back', async (t) => {
  const at = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS } })
  t.after(() => at.process.kill('SIGKILL'))
  t.after(() => uninstall(at))
  const acknowledged: string[] = []
  let writing = true
  t.after(() => {
    writing = false
  })
  const writer = async (name: string) => {
    for (let i = 0; writing; i++) {
      const slug = `${name}${i}`
      const answer = await api(at, '/v1/teams', { method: 'POST', body: JSON.stringify({ slug }) }).catch(
        () => undefined,
      )
      if (answer?.status === 200) acknowledged.push(slug)
      // What takes the place of the killed needs the processor too.
      await pause(20)
    }
  }
  const writers = ['a', 'b', 'c', 'd'].map(writer)

  for (const role of ['serve', 'serve', 'work'] as const) {
    await until(
      'the process is there',
      async () => (await at.children(role)).length === (role === 'serve' ? 2 : 1),
    )
    const before = acknowledged.length
    const [pid] = await at.children(role)
    process.kill(pid as number, 'SIGKILL')
    await until('writes go on', () => acknowledged.length > before + 5)
    await until('a new process took its place', async () => {
      const now = await at.children(role)
      return now.length === (role === 'serve' ? 2 : 1) && !now.includes(pid as number)
    })
  }

  // The supervisor itself, without any warning: its processes notice and end.
  at.process.kill('SIGKILL')
  writing = false
  await Promise.all(writers)
  await until(
    'the ports are free',
    async () =>
      !(await fetch(`${at.url}/healthz`).then(
        () => true,
        () => false,
      )),
  )

  const again = await at.restart()
  t.after(() => again.process.kill('SIGKILL'))
  const kept = new Set<string>()
  let query = ''
  for (;;) {
    const page = (await (await api(again, `/v1/teams?limit=100${query}`)).json()) as {
      teams: { slug: string }[]
      pagination: { next: number | null }
    }
    for (const { slug } of page.teams) kept.add(slug)
    if (page.pagination.next === null) break
    query = `&until=${page.pagination.next}`
  }
  assert.ok(acknowledged.length > 20)
  assert.deepEqual(
    acknowledged.filter((slug) => !kept.has(slug)),
    [],
  )
  assert.equal(await again.stop(), 0)
})

test('where the path of the data folder is too long for sockets, processes come back although their folder was removed', async (t) => {
  const place = await makePlace({ env: NOTHING_RUNS })
  t.after(() => uninstall(place))
  const dataDir = join(place.folder, 'd'.repeat(100))
  const sockets = socketFolder(dataDir)
  t.after(() => rm(sockets, { recursive: true, force: true }))
  const at = await place.start({ env: { ...NOTHING_RUNS, ALOFT_DATA_DIR: dataDir } })
  t.after(() => at.process.kill('SIGKILL'))
  assert.ok((await readdir(sockets)).includes('runner.sock.0'))
  await rm(sockets, { recursive: true })
  for (const pid of await at.children('work')) process.kill(pid, 'SIGKILL')
  await until('the working process listens again', async () =>
    (await readdir(sockets)).includes('runner.sock.0'),
  )
  assert.equal(await at.stop(), 0)
})

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`npm start leaves nothing behind when npm gets ${signal}`, async (t) => {
    const at = await install({ byNpm: true })
    t.after(() => uninstall(at))
    const code = await at.stop(signal)
    if (signal === 'SIGTERM') assert.equal(code, 0)
    await until('the ports are free', () =>
      fetch(`${at.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
  })

test('limits are exact over all serving processes', async (t) => {
  const at = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS, ALOFT_RATE_LIMIT: '50' } })
  t.after(() => at.process.kill('SIGKILL'))
  t.after(() => uninstall(at))
  const answers = await Promise.all(
    Array.from({ length: 90 }, () => api(at, '/v1/teams', { headers: { connection: 'close' } })),
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 50)
  assert.equal(statuses.filter((status) => status === 429).length, 40)
  const left = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  assert.deepEqual(
    left.sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i),
  )
  await at.stop()
})
