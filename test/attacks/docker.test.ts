import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { onlyShort, tried } from '#test/support/attacked.ts'
import {
  dockerMissing,
  startEngine,
  startRegistry,
  type TestEngine,
  type TestRegistry,
} from '#test/support/docker/docker.ts'
import { type DockerPrograms, openPrograms } from '#test/support/docker/docker-programs.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'

const skip = dockerMissing || onlyShort
if (!skip) await inOwnNamespaces(import.meta.filename)

/** Tries to leave its container, and tells what it was able to do. */
const HOSTILE = `
const fs = require('node:fs')
const { createServer } = require('node:http')
const { spawn, spawnSync } = require('node:child_process')
const attempts = {
  'reads the socket of the engine': () => ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'].some((path) => fs.existsSync(path)),
  'mounts': () => spawnSync('mount', ['-t', 'tmpfs', 'none', '/mnt']).status === 0,
  'mounts the host by proc': () => spawnSync('mount', ['-t', 'proc', 'proc', '/mnt']).status === 0,
  'makes a device': () => spawnSync('mknod', ['/tmp/sda', 'b', '8', '0']).status === 0 && fs.openSync('/tmp/sda', 'r') > 0,
  'makes a namespace': () => spawnSync('unshare', ['-m', 'true']).status === 0,
  'makes a user namespace': () => spawnSync('unshare', ['-U', 'true']).status === 0,
  'writes to the kernel by sysrq': () => { fs.writeFileSync('/proc/sysrq-trigger', 'h'); return true },
  'writes settings of the kernel': () => { fs.writeFileSync('/proc/sys/kernel/core_pattern', '|/tmp/x'); return true },
  'writes cgroups': () => { fs.mkdirSync('/sys/fs/cgroup/memory/out'); return true },
  'writes a release agent': () => ['.', ...fs.readdirSync('/sys/fs/cgroup')].map((name) => '/sys/fs/cgroup/' + name + '/release_agent').filter((path) => fs.existsSync(path)).some((path) => { try { fs.writeFileSync(path, '/x'); return true } catch { return false } }),
  'reads the memory of the machine': () => { fs.readFileSync('/dev/mem'); return true },
  'reads kernel symbols': () => /^(?!0+ )\\w+/.test(fs.readFileSync('/proc/kallsyms', 'utf8')),
  'sees other processes': () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).some((pid) => { try { return /dockerd|containerd/.test(fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')) } catch { return false } }),
  'changes the clock': () => spawnSync('date', ['-s', '2000-01-01']).status === 0,
  'changes the host name': () => spawnSync('hostname', ['evil']).status === 0,
  'changes the network': () => spawnSync('ip', ['link', 'add', 'evil0', 'type', 'dummy']).status === 0,
  'traces its parent': () => { fs.readFileSync('/proc/1/mem'); return true },
}
const can = () => Object.keys(attempts).filter((name) => { try { return attempts[name]() } catch { return false } })
createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, 'http://x')
  if (pathname === '/can') return res.end(JSON.stringify([Object.keys(attempts).length, can()]))
  if (pathname === '/forks') {
    let made = 0
    let refused = false
    for (let i = 0; i < 3000 && !refused; i++) {
      const child = spawn('sleep', ['30'])
      child.on('error', () => { refused = true })
      if (child.pid === undefined) refused = true
      else made++
    }
    return res.end(JSON.stringify({ made, refused }))
  }
  if (pathname === '/reach') {
    const socket = require('node:net').connect({ host: searchParams.get('host'), port: Number(searchParams.get('port')), timeout: 2000 })
    const end = (word) => { socket.destroy(); res.end(word) }
    return void socket.on('connect', () => end('reached')).on('timeout', () => end('silence')).on('error', (error) => end(error.code))
  }
  res.end('hello')
}).listen(Number(process.env.PORT))
`

describe('a hostile container', { skip }, () => {
  let server: TestEngine
  let registry: TestRegistry
  let programs: DockerPrograms
  before(async () => {
    server = await startEngine()
    registry = await startRegistry()
    programs = await openPrograms(server.host)
  })
  after(async () => {
    await programs?.close()
    await registry?.stop()
    await server?.stop()
  })
  const files = (...lines: readonly string[]) => ({
    Dockerfile: [
      `FROM ${registry.base}`,
      'COPY server.js /app/',
      ...lines,
      'CMD ["node", "/app/server.js"]',
    ].join('\n'),
    'server.js': HOSTILE,
  })

  test('has no powers beyond itself, as root too', async (t) => {
    let count = 0
    for (const lines of [
      [],
      ['USER 0:0'],
      ['VOLUME /var/run', 'USER root'],
      ['STOPSIGNAL SIGKILL', 'EXPOSE 22'],
    ]) {
      const { program } = await programs.build(files(...lines), { deploymentId: `dpl_${count}` })
      const running = await programs.run(program, {}, `dpl_${count}`)
      await running.first()
      const [attempts, could] = JSON.parse(await running.get('/can'))
      assert.deepEqual(could, [], lines.join(', '))
      count += attempts
      await running.end()
    }
    tried(t, count)
  })

  test('makes no more processes than it may', async () => {
    const { program } = await programs.build(files(), { deploymentId: 'dpl_forks' })
    const running = await programs.run(program, {}, 'dpl_forks')
    await running.first()
    const { made, refused } = JSON.parse(await running.get('/forks'))
    assert.ok(refused && made < 3000, `${made} processes`)
    await running.end()
  })

  test('reaches neither this machine, nor private networks, nor metadata', async (t) => {
    const machine = createServer((socket) => socket.destroy()).listen(0, '0.0.0.0')
    t.after(() => machine.close())
    await once(machine, 'listening')
    const { port } = machine.address() as { port: number }
    const { program } = await programs.build(files(), { deploymentId: 'dpl_reach' })
    const running = await programs.run(program, {}, 'dpl_reach')
    await running.first()
    const hosts = [
      '172.30.0.1',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.0.1',
      '100.64.0.1',
      '::ffff:172.30.0.1',
    ]
    for (const host of hosts)
      assert.notEqual(
        await running.get(`/reach?host=${encodeURIComponent(host)}&port=${port}`),
        'reached',
        host,
      )
    await running.end()
    tried(t, hosts.length)
  })

  test('builds nothing with powers, nor from files that are not its own', async (t) => {
    const hostile = [
      'RUN --security=insecure true',
      'RUN --network=host true',
      'RUN --mount=type=bind,source=/,target=/host true',
      'ADD file:///etc/passwd /x',
      'ADD http://169.254.169.254/latest/meta-data /x',
      'COPY ../../../etc/passwd /x',
      'COPY /etc/shadow /x',
      'ADD git@127.0.0.1:x/y.git /x',
      'RUN mount -t tmpfs none /mnt',
      'RUN mknod /sda b 8 0 && cat /sda',
    ]
    for (const line of hostile)
      await assert.rejects(
        programs.build({ Dockerfile: `FROM ${registry.base}\n${line}` }),
        { name: 'BuildFailure' },
        line,
      )
    tried(t, hostile.length)
  })
})
