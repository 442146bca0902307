import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { deployed, visit } from '#test/support/deploying.ts'
import { baseMissing, importBase } from '#test/support/docker/base-image.ts'
import { dockerMissing, startEngine, type TestEngine } from '#test/support/docker/docker.ts'
import { freePort } from '#test/support/free-port.ts'
import { TOKEN } from '#test/support/installation.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'

/** It installs every package twice over and writes a gigabyte: minutes, for what seldom changes. */
const unasked = process.env.ALOFT_TEST_IMAGE !== '1' && 'takes minutes: run it with ALOFT_TEST_IMAGE=1'
const skip = unasked || dockerMissing || baseMissing
if (!skip) await inOwnNamespaces(import.meta.filename, 'machine')

const root = resolve(import.meta.dirname, '../../..')

/** What docs/installing.md gives a container besides, so that it can sandbox. */
const UNCONFINED = ['seccomp', 'apparmor', 'systempaths'].flatMap((part) => [
  '--security-opt',
  `${part}=unconfined`,
])
const AS_ROOT = ['--user', 'root', '--cap-add', 'SYS_ADMIN', '--cap-add', 'NET_ADMIN']

type Server = Parameters<typeof deployed>[0]

describe('the image', { skip }, () => {
  let engine: TestEngine

  async function docker(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: '/nowhere', DOCKER_HOST: engine.host, DOCKER_BUILDKIT: '0' }
    const { stdout } = await promisify(execFile)('/usr/bin/docker', args, { env, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }

  /** Resolves when the health check says so for the first time, and rejects when the container ends instead. */
  async function untilHealthy(name: string): Promise<void> {
    const filters = [`container=${name}`, 'event=health_status', 'event=die']
    const events = spawn(
      '/usr/bin/docker',
      [
        ...['events', '--since', await docker('inspect', '--format', '{{.State.StartedAt}}', name)],
        ...['--format', '{{.Status}}', ...filters.flatMap((filter) => ['--filter', filter])],
      ],
      {
        env: { PATH: process.env.PATH, DOCKER_HOST: engine.host },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    try {
      for await (const line of createInterface({ input: events.stdout })) {
        if (line === 'health_status: healthy') return
        if (line === 'die') throw new Error(`it ended:\n${await docker('logs', name)}`)
      }
    } finally {
      events.kill()
    }
  }

  /** A container on free ports of this machine, with a volume of its name. */
  async function started(name: string, ...options: readonly string[]): Promise<Server> {
    const [port, tlsPort] = [await freePort(), await freePort()]
    const settings = {
      ...{ ALOFT_HOST: '127.0.0.1', ALOFT_PORT: port, ALOFT_TLS_PORT: tlsPort },
      ...{ ALOFT_DNS_PORT: 0, ALOFT_WORKERS: 1, ALOFT_CHROMIUM: 'off' },
      ...{ ALOFT_BOOTSTRAP_EMAIL: 'operator@aloft.test', ALOFT_BOOTSTRAP_TOKEN: TOKEN },
    }
    await docker(
      ...['run', '--detach', '--name', name, '--init', '--network', 'host', '--stop-timeout', '75'],
      ...['--health-interval', '1s', '--volume', `${name}:/var/lib/aloft`, ...UNCONFINED, ...options],
      ...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      'aloft',
    )
    await untilHealthy(name)
    return { url: `http://127.0.0.1:${port}`, port, token: TOKEN } as Server
  }

  async function stopped(name: string): Promise<void> {
    await docker('stop', name)
    assert.equal(await docker('inspect', '--format', '{{.State.ExitCode}}', name), '0')
  }

  const FILES = {
    'index.html': 'hello from a container',
    'api/who.js': 'module.exports = (req, res) => res.end(String(process.getuid()))',
  }

  before(async () => {
    engine = await startEngine('machine')
    const base = await importBase(docker)
    await docker('build', '--network', 'host', '--build-arg', `BASE=${base}`, '-t', 'aloft', root)
  })
  after(() => engine?.stop())

  it('runs as root: healthy, with the dashboard, a site, and a function as somebody else', async () => {
    const at = await started('mighty', ...AS_ROOT)
    assert.match(await (await fetch(`${at.url}/`)).text(), /<title>Aloft<\/title>.*\/assets\/index-/s)
    const { url } = await deployed(at, { name: 'site', files: FILES })
    assert.equal((await visit(at, url, { path: '/' })).text, 'hello from a container')
    assert.match((await visit(at, url, { path: '/api/who' })).text, /^[1-9]\d*$/)
    await stopped('mighty')
  })

  it('runs as a user of its own, ends well when told to stop, and keeps its data', async () => {
    const at = await started('humble')
    const { url } = await deployed(at, { name: 'site', files: FILES })
    assert.match((await visit(at, url, { path: '/api/who' })).text, /^[1-9]\d*$/)
    await stopped('humble')
    await docker('start', 'humble')
    await untilHealthy('humble')
    assert.equal((await visit(at, url, { path: '/' })).text, 'hello from a container')
    await stopped('humble')
  })

  it('refuses to run code that it cannot sandbox, and says so', async () => {
    const ended = docker('run', '--rm', '--network', 'none', '--env', 'ALOFT_WORKERS=1', 'aloft')
    await assert.rejects(ended, ({ stderr, stdout }) =>
      /A sandbox is required and this machine has none/.test(`${stdout}${stderr}`),
    )
  })

  it('is the command line as well', async () => {
    assert.match(await docker('run', '--rm', '--network', 'none', 'aloft', '--version'), /^\d+\.\d+\.\d+$/)
  })
})
