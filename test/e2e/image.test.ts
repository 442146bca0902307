import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { baseMissing, importBase } from '#test/support/base-image.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { dockerMissing, inOwnNamespaces, startEngine, type TestEngine } from '#test/support/docker.ts'
import { freePort, TOKEN } from '#test/support/installation.ts'

/** Its build ends at `npm ci`, so that nothing after it has been seen to work. To be taken away with the reason. */
const UNTRIED = 'npm ci refuses package-lock.json: it lacks the versions of packages for other platforms'
const skip = dockerMissing || baseMissing || UNTRIED
if (!skip) await inOwnNamespaces(import.meta.filename, 'machine')

const root = resolve(import.meta.dirname, '../..')

describe('the image', { skip }, () => {
  let engine: TestEngine

  async function docker(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: '/nowhere', DOCKER_HOST: engine.host, DOCKER_BUILDKIT: '0' }
    const { stdout } = await promisify(execFile)('/usr/bin/docker', args, { env, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }

  /** Resolves when the health check says so for the first time, and rejects when the container ends instead. */
  async function untilHealthy(name: string): Promise<void> {
    const filters = ['event=health_status', 'event=die'].flatMap((filter) => ['--filter', filter])
    const events = spawn(
      '/usr/bin/docker',
      ['events', '--since', '10m', '--format', '{{.Status}}', ...filters],
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

  before(async () => {
    engine = await startEngine('machine')
    const base = await importBase(docker)
    await docker('build', '--network', 'host', '--build-arg', `BASE=${base}`, '-t', 'aloft', root)
  })
  after(() => engine.stop())

  it('runs, is healthy, and serves a site and a sandboxed function', async () => {
    const [port, tlsPort] = [await freePort(), await freePort()]
    const settings = {
      ...{
        ALOFT_HOST: '127.0.0.1',
        ALOFT_PORT: port,
        ALOFT_TLS_PORT: tlsPort,
        ALOFT_DNS_PORT: 0,
        ALOFT_WORKERS: 1,
      },
      ...{ ALOFT_BOOTSTRAP_EMAIL: 'operator@aloft.test', ALOFT_BOOTSTRAP_TOKEN: TOKEN },
    }
    await docker(
      ...['run', '--detach', '--name', 'one', '--network', 'host', '--privileged', '--user', 'root'],
      ...['--health-interval', '1s', '--volume', 'aloft-data:/var/lib/aloft'],
      ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      'aloft',
    )
    await untilHealthy('one')
    const at = { url: `http://127.0.0.1:${port}`, port, token: TOKEN } as Parameters<typeof deployed>[0]
    const files = {
      'index.html': 'hello from a container',
      'api/who.js': 'module.exports = (req, res) => res.end(String(process.getuid()))',
    }
    const { url } = await deployed(at, { name: 'site', files })
    assert.equal((await visit(at, url, { path: '/' })).text, 'hello from a container')
    assert.notEqual((await visit(at, url, { path: '/api/who' })).text, '0')
    await docker('stop', 'one')
    assert.equal(await docker('inspect', '--format', '{{.State.ExitCode}}', 'one'), '0')
  })

  it('runs as nobody in particular unless told otherwise, and refuses to run code that it cannot sandbox', async () => {
    assert.equal(await docker('inspect', '--format', '{{.Config.User}}', 'aloft'), '10001:10001')
    const ended = docker('run', '--rm', '--network', 'none', '--env', 'ALOFT_WORKERS=1', 'aloft')
    await assert.rejects(ended, ({ stderr, stdout }) => /sandbox/i.test(`${stdout}${stderr}`))
  })

  it('is the command line as well', async () => {
    assert.match(await docker('run', '--rm', '--network', 'none', 'aloft', '--version'), /^\d+\.\d+\.\d+$/)
  })
})
