import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

interface SshClient {
  readonly publicKey: string
  /** For `GIT_SSH_COMMAND`. */
  readonly command: string
  /** What the real ssh says to this command, or to none. */
  run(port: number, ...args: string[]): Promise<{ readonly code: number; readonly said: string }>
}

/** Somebody with a key of their own and the ssh of the machine. */
export async function sshClient(t: Pick<TestContext, 'after'>, ...kind: string[]): Promise<SshClient> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-ssh-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const key = join(folder, 'key')
  execFileSync('ssh-keygen', [
    '-q',
    '-N',
    '',
    '-C',
    'ada@laptop',
    '-f',
    key,
    ...(kind.length > 0 ? kind : ['-t', 'ed25519']),
  ])
  const options = [
    ...['-F', '/dev/null', '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-i', key],
    ...['-o', 'StrictHostKeyChecking=accept-new', '-o', `UserKnownHostsFile=${join(folder, 'known')}`],
  ]
  return {
    publicKey: (await readFile(`${key}.pub`, 'utf8')).trim(),
    command: ['ssh', ...options].join(' '),
    run: (port, ...args) =>
      new Promise((resolve) => {
        const child = execFile(
          'ssh',
          [...options, '-p', String(port), 'git@127.0.0.1', ...args],
          (error, stdout, stderr) =>
            resolve({
              code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
              said: `${stdout}${stderr}`,
            }),
        )
        child.stdin?.end()
      }),
  }
}
