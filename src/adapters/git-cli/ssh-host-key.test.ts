import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '#test/support/free-port.ts'
import { createGitRemotes } from './git-remotes.ts'

const SSHD = '/usr/sbin/sshd'
/** As root it wants a folder that only Debian's own start of it makes. */
const AS_ROOT = [
  'bwrap',
  '--die-with-parent',
  '--dev-bind',
  '/',
  '/',
  '--tmpfs',
  '/run',
  '--dir',
  '/run/sshd',
]
const [PROGRAM = SSHD, ...FLAGS]: readonly string[] = [...(process.getuid?.() === 0 ? AS_ROOT : []), SSHD]
const without =
  spawnSync(PROGRAM, [...FLAGS, '-V']).status === 0 ? false : 'needs sshd, and as root bubblewrap'

const newKey = (file: string) => execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])

/** A host that shows this key and answers with one repository. */
async function startHost(t: TestContext, folder: string, hostKey: string): Promise<number> {
  const port = await freePort()
  const config = join(folder, `${hostKey}.conf`)
  const lines = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: join(folder, hostKey),
    AuthorizedKeysFile: join(folder, 'authorized'),
    ForceCommand: `git-upload-pack '${join(folder, 'source.git')}'`,
    ...{ PidFile: 'none', StrictModes: 'no', UsePAM: 'no', PasswordAuthentication: 'no' },
  }
  await writeFile(
    config,
    Object.entries(lines)
      .map((line) => `${line.join(' ')}\n`)
      .join(''),
  )
  const child = spawn(PROGRAM, [...FLAGS, '-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  for await (const text of child.stderr.iterator({ destroyOnReturn: false })) {
    said += String(text)
    if (said.includes('listening')) break
  }
  assert.match(said, /listening/)
  child.stderr.resume()
  return port
}

test('the first key of a host is kept, and another one is refused', { skip: without }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-ssh-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  execFileSync('git', ['init', '-q', '--bare', join(folder, 'source.git')])
  for (const name of ['first', 'second']) newKey(join(folder, name))
  const remotes = createGitRemotes({
    folder: join(folder, 'git'),
    confine: async () => (argv) => argv,
    allows: () => true,
    maxBytes: 1 << 20,
    maxRefs: 100,
  })
  const { privateKey, publicKey } = await remotes.newKey('test')
  await writeFile(join(folder, 'authorized'), `${publicKey}\n`)
  const ask = (port: number, knownHosts?: string) => {
    const url = `ssh://${userInfo().username}@127.0.0.1:${port}/source.git`
    return remotes.refs({ url, key: privateKey, knownHosts }, AbortSignal.timeout(20_000))
  }

  const first = await startHost(t, folder, 'first')
  const { knownHosts } = await ask(first)
  assert.match(knownHosts ?? '', /^127\.0\.0\.1 ssh-ed25519 /)
  assert.equal((await ask(first, knownHosts)).knownHosts, knownHosts)
  const second = await startHost(t, folder, 'second')
  await assert.rejects(ask(second, knownHosts), /Host key verification failed/)
  assert.notEqual((await ask(second)).knownHosts, knownHosts)
})
