import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { dockerMissing } from '#test/support/docker/docker.ts'
import { freePort } from '#test/support/free-port.ts'
import { TOKEN } from '#test/support/installation.ts'
import type { Opened, Place } from './place.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const BOOT = join(import.meta.dirname, 'boot-systemd.sh')

const missing =
  dockerMissing ||
  (!existsSync('/lib/systemd/systemd') && 'systemd is not installed') ||
  (/^\/(root|home)\//.test(root) && 'services do not see this folder')

/** The unit of `deploy`, under a systemd that is booted for it in namespaces of its own. */
export const systemdPlace: Place = {
  ...{ name: 'a service of systemd, as root', isolatedBy: 'bubblewrap', missing },
  async open(): Promise<Opened> {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-systemd-'))
    const port = await freePort()
    await mkdir(join(folder, 'tree'))
    await writeFile(join(folder, 'aloft'), `#!/bin/sh\nexec ${process.execPath} ${root}/bin/aloft.js "$@"\n`)
    const settings = {
      ...{ ALOFT_PORT: port, ALOFT_TLS_PORT: 0, ALOFT_DNS_PORT: 0, ALOFT_WORKERS: 1, ALOFT_CHROMIUM: 'off' },
      ...{ ALOFT_SANDBOX: 'required', ALOFT_BOOTSTRAP_EMAIL: 'operator@aloft.test' },
      ALOFT_BOOTSTRAP_TOKEN: TOKEN,
    }
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`)
    await writeFile(join(folder, 'aloft.env'), lines.join(''))
    const cgroup = `aloft-test-${randomBytes(6).toString('hex')}`
    const joining = `for each in /sys/fs/cgroup /sys/fs/cgroup/*; do
  [ -f "$each/cgroup.procs" ] && mkdir "$each/${cgroup}" && echo $$ > "$each/${cgroup}/cgroup.procs"
done 2>/dev/null
exec "$@"`
    const machine = spawn(
      'sh',
      [
        ...[
          '-c',
          joining,
          'sh',
          'unshare',
          '--mount',
          '--pid',
          '--uts',
          '--ipc',
          '--cgroup',
          '--fork',
          '--kill-child',
        ],
        ...['sh', BOOT, join(folder, 'tree'), root],
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const ended = once(machine, 'exit')
    const inside = async (...argv: readonly string[]): Promise<string> => {
      const children = await readFile(`/proc/${machine.pid}/task/${machine.pid}/children`, 'utf8')
      const target = ['--target', children.trim(), '--mount', '--pid', '--uts', '--ipc', '--cgroup']
      return (await run('nsenter', [...target, '--', ...argv], { maxBuffer: 2 ** 26 })).stdout
    }
    const close = async () => {
      machine.kill('SIGKILL')
      await ended
      for (const each of globSync(`/sys/fs/cgroup/{,*/}${cgroup}{,/**/}`).sort((a, b) => b.length - a.length))
        await rmdir(each).catch(() => {})
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
    const log = () => inside('journalctl', '--no-pager', '--output', 'cat', '--unit', 'aloft')
    try {
      // It takes a moment until it can be asked for anything.
      for (let tries = 1; ; tries++)
        try {
          await inside('systemctl', 'start', 'aloft')
          break
        } catch (error) {
          if (tries >= 100 || machine.exitCode !== null) throw error
          await setTimeout(200)
        }
      while (!/^aloft ready /m.test(await log())) {
        if ((await inside('systemctl', 'show', '--property=NRestarts', 'aloft')).trim() !== 'NRestarts=0')
          throw new Error(`it ended before it was ready:\n${await log()}`)
        await setTimeout(200)
      }
    } catch (error) {
      await close()
      throw error
    }
    return {
      aloft: { url: `http://127.0.0.1:${port}`, port, token: TOKEN },
      printed: log,
      command: (...args) =>
        inside(
          'env',
          `ALOFT_BASE_URL=http://127.0.0.1:${port}`,
          `ALOFT_TOKEN=${TOKEN}`,
          'aloft',
          ...args,
        ).catch((error: { stdout: string }) => error.stdout),
      async close() {
        await inside('systemctl', 'stop', 'aloft')
        const result = await inside('systemctl', 'show', '--property=Result', 'aloft')
        await close()
        if (result.trim() !== 'Result=success') throw new Error(`it did not stop well: ${result}`)
      },
    }
  },
}
