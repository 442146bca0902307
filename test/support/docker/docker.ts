import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, realpathSync, rmdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { pack } from 'tar-stream'
import { connectEngine } from '#adapters/docker/engine/engine.ts'
import { readEngineAddress } from '#adapters/docker/engine/engine-address.ts'

const lacking = ['dockerd', 'containerd', 'runc', 'iptables', 'nft', 'unshare', 'setpriv', 'ip'].filter(
  (name) => !['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((folder) => existsSync(`${folder}/${name}`)),
)

/** For the `skip` of tests that need a Docker Engine. */
export const dockerMissing: string | false =
  (process.platform !== 'linux' && 'containers need Linux') ||
  (process.getuid?.() !== 0 && 'not root: no engine can be started') ||
  (lacking.length > 0 && `not installed: ${lacking.join(', ')}`)

/** An engine has a network to itself, or uses the machine's as it is, where images are built of what is fetched. */
type Network = 'own' | 'machine'

export interface TestEngine {
  /** For `DOCKER_HOST`. */
  readonly host: string
  stop(): Promise<void>
}

/**
 * For each container an engine runs itself and runc many times over. A third of such a run was to collect the garbage of
 * its own start.
 */
const SELDOM_COLLECTED = { GOGC: '1000' }

/** An engine in the namespaces of this process, or wherever the words before its command put it. */
export async function startEngine(
  network: Network = 'own',
  before: readonly string[] = [],
): Promise<TestEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-docker-'))
  const cgroup = `aloft-test-${randomBytes(6).toString('hex')}`
  const host = `unix://${folder}/docker.sock`
  const settings = join(folder, 'settings.json')
  // Not the machine's own.
  await writeFile(settings, '{}')
  const [command = '', ...words] = [...before, 'dockerd']
  const server = spawn(
    command,
    [
      ...words,
      ...['--host', host, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      ...['--pidfile', join(folder, 'pid'), '--config-file', settings],
      ...(network === 'own'
        ? ['--bip', '172.30.0.1/24']
        : ['--bridge', 'none', '--iptables=false', '--ip-forward=false', '--ip-masq=false']),
      ...['--cgroup-parent', `/${cgroup}`, '--exec-opt', 'native.cgroupdriver=cgroupfs'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...SELDOM_COLLECTED } },
  )
  await untilListening(server)
  return {
    host,
    async stop() {
      // A test may have killed it.
      const runs = server.exitCode === null && server.signalCode === null
      const ended = runs ? once(server, 'exit') : undefined
      server.kill('SIGTERM')
      await ended
      unmountBelow(folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      await removeGroups(cgroup)
    },
  }
}

/** The inner ones first. Containers outlive an engine that was killed, and a group its last process for a moment. */
async function removeGroups(name: string): Promise<void> {
  for (;;) {
    const left = globSync(`/sys/fs/cgroup/{,*/}${name}/{,*/}`).toSorted((a, b) => b.length - a.length)
    if (left.length === 0) return
    for (const group of left)
      try {
        for (const pid of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
          process.kill(Number(pid), 'SIGKILL')
        rmdirSync(group)
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (!['EBUSY', 'ENOENT', 'ESRCH', 'ENODEV', 'EOPNOTSUPP'].includes(code)) throw error
      }
    await pause(50)
  }
}

/** What an engine left mounted, much if it was killed; the last first, as some are inside of others. */
function unmountBelow(folder: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  for (const [, path = ''] of mounts.map((line) => line.split(' ')).reverse())
    if (path.startsWith(`${folder}/`)) execFileSync('umount', ['--lazy', path])
}

/** An engine that is the only node of a swarm. */
export async function startSwarm(): Promise<TestEngine> {
  const engine = await startEngine()
  const { http } = await connectEngine(readEngineAddress(engine.host))
  const json = { ListenAddr: '127.0.0.1:2377', AdvertiseAddr: '127.0.0.1' }
  await http.json({ method: 'POST', path: ['swarm', 'init'], json })
  return engine
}

async function untilListening(server: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      if (output.includes('API listen on')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`dockerd ended:\n${output}`)))
  })
}

export interface TestRegistry {
  /** What a Dockerfile says after `FROM`: an image with a shell, a few programs and Node. */
  readonly base: string
  stop(): Promise<void>
}

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** A registry with one image. Engines take those on the loopback without encryption. */
export async function startRegistry(): Promise<TestRegistry> {
  const layer = await baseLayer()
  const image = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Env: ['PATH=/usr/bin:/bin'], Cmd: ['/bin/sh'] },
      history: [{ created_by: 'a test' }],
      rootfs: { type: 'layers', diff_ids: [sha256(layer)] },
    }),
  )
  const kind = (name: string) => `application/vnd.docker.${name}`
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: kind('distribution.manifest.v2+json'),
      config: { mediaType: kind('container.image.v1+json'), size: image.length, digest: sha256(image) },
      layers: [{ mediaType: kind('image.rootfs.diff.tar.gzip'), size: layer.length, digest: sha256(layer) }],
    }),
  )
  const contents = new Map([layer, image].map((bytes) => [`/v2/base/blobs/${sha256(bytes)}`, bytes]))
  const server = createServer(({ url = '', method }, response) => {
    const isManifest = url === '/v2/base/manifests/latest' || url === `/v2/base/manifests/${sha256(manifest)}`
    const bytes = url === '/v2/' ? Buffer.from('{}') : isManifest ? manifest : contents.get(url)
    if (bytes === undefined) {
      response.writeHead(404).end('{"errors":[{"code":"NAME_UNKNOWN","message":"there is none"}]}')
      return
    }
    response.writeHead(200, {
      'Content-Type': isManifest ? kind('distribution.manifest.v2+json') : 'application/octet-stream',
      'Content-Length': bytes.length,
      'Docker-Content-Digest': sha256(bytes),
    })
    response.end(method === 'HEAD' ? undefined : bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Of programs of this machine, with the libraries that they need. */
async function baseLayer(): Promise<Buffer> {
  const programs = new Map([
    ['/bin/sh', realpathSync('/bin/sh')],
    ['/usr/bin/node', realpathSync(process.execPath)],
    ...['cat', 'id', 'ls', 'sleep', 'touch'].map((name): [string, string] => [
      `/usr/bin/${name}`,
      `/usr/bin/${name}`,
    ]),
  ])
  const libraries = execFileSync('ldd', [...programs.values()], { encoding: 'utf8' })
  const files = new Map(programs)
  for (const [, path = ''] of libraries.matchAll(/(\/\S+) \(0x/g)) files.set(path, realpathSync(path))
  const archive = pack()
  const bytes = buffer(archive as unknown as AsyncIterable<Buffer>)
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777 })
  for (const [name, path] of files) archive.entry({ name: name.slice(1), mode: 0o755 }, await readFile(path))
  archive.entry({ name: 'etc/passwd' }, readFileSync('/etc/passwd'))
  archive.finalize()
  return bytes
}
