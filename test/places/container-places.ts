import { execFile, execFileSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { baseMissing, importBase } from '#test/support/docker/base-image.ts'
import { dockerMissing, type TestEngine } from '#test/support/docker/docker.ts'
import { freePort } from '#test/support/free-port.ts'
import { TOKEN } from '#test/support/installation.ts'
import type { Opened, Place } from './place.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const CLONE = '/srv/aloft'

/** What docs/installing.md gives a container so that it can sandbox. */
const UNCONFINED = ['seccomp', 'apparmor', 'systempaths'].flatMap((part) => [
  '--security-opt',
  `${part}=unconfined`,
])

const SITUATIONS: readonly [name: string, Place['isolatedBy'], uid: number, options: readonly string[]][] = [
  ['a plain container, as root', 'none', 0, []],
  ['a plain container, as an ordinary user', 'none', 1000, []],
  [
    ...(['a container with what docs/installing.md names, as root', 'bubblewrap', 0] as const),
    [...UNCONFINED, '--cap-add', 'SYS_ADMIN', '--cap-add', 'NET_ADMIN'],
  ],
  [
    ...(['a container with what docs/installing.md names, as an ordinary user', 'bubblewrap', 1000] as const),
    UNCONFINED,
  ],
]

/** Containers of an engine of this process, which `started` gives once it is there. */
export function containerPlaces(started: () => Promise<TestEngine>): readonly Place[] {
  let base: Promise<string> | undefined

  async function docker(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: '/nowhere', DOCKER_HOST: (await started()).host }
    const { stdout, stderr } = await run('/usr/bin/docker', args, { env, maxBuffer: 2 ** 26 })
    return args[0] === 'logs' ? stdout + stderr : stdout.trim()
  }

  /** What is committed here, and nothing that was installed. */
  async function clone(uid: number): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-clone-'))
    await run('git', ['clone', '--quiet', '--depth=1', `file://${root}`, folder])
    await mkdir(join(folder, '.home'))
    execFileSync('chown', ['-R', `${uid}:${uid}`, folder])
    await chown(folder, uid, uid)
    return folder
  }

  return SITUATIONS.map(([name, isolatedBy, uid, options], number) => ({
    ...{ name, isolatedBy, missing: dockerMissing || baseMissing },
    async open(): Promise<Opened> {
      base ??= importBase(docker)
      const image = await base
      const folder = await clone(uid)
      const container = `place-${number}`
      const port = await freePort()
      const settings = {
        ...{
          ALOFT_HOST: '0.0.0.0',
          ALOFT_PORT: port,
          ALOFT_DNS_PORT: 0,
          ALOFT_TLS_PORT: 0,
          ALOFT_WORKERS: 1,
        },
        ...{ ALOFT_CHROMIUM: 'off', HOME: `${CLONE}/.home` },
        ...{ ALOFT_BOOTSTRAP_EMAIL: 'operator@aloft.test', ALOFT_BOOTSTRAP_TOKEN: TOKEN },
      }
      await docker(
        ...['run', '--detach', '--name', container, '--publish', `127.0.0.1:${port}:${port}`],
        ...['--volume', `${folder}:${CLONE}`, '--workdir', CLONE, '--user', `${uid}:${uid}`, ...options],
        ...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...[image, 'npm', 'start'],
      )
      for (;;) {
        const said = await docker('logs', container)
        if (/^aloft ready /m.test(said)) break
        if ((await docker('inspect', '--format', '{{.State.Running}}', container)) !== 'true')
          throw new Error(`it ended before it was ready:\n${said}`)
        await setTimeout(200)
      }
      return {
        aloft: { url: `http://127.0.0.1:${port}`, port, token: TOKEN },
        printed: () => docker('logs', container),
        command: (...args) =>
          docker(
            ...['exec', '--env', `ALOFT_BASE_URL=http://127.0.0.1:${port}`, '--env', `ALOFT_TOKEN=${TOKEN}`],
            ...[container, 'node', 'bin/aloft.js', ...args],
          ).catch((error: { stdout: string }) => error.stdout),
        async close() {
          await docker('stop', '--time', '60', container)
          await docker('rm', '--volumes', container)
          await rm(folder, { recursive: true, force: true })
        },
      }
    },
  }))
}
