import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

interface System {
  listeners(host: string, port: number, files?: readonly string[], comeFirst?: boolean): Promise<string[]>
  ownedBy(sockets: string[]): Promise<boolean>
}
type Owns = (host: string) => Promise<string | undefined>
const owner: { createOwnership(port: number, system?: System): Owns; linux: System; bsd: System } =
  createRequire(import.meta.url)('./port-owner.cjs')

const SYSTEMS = {
  linux: spawnSync('test', ['-e', '/proc/net/tcp']).status === 0 ? false : 'there is no /proc',
  bsd: spawnSync('lsof', ['-v']).error ? 'lsof is not installed' : false,
} as const

const LISTEN = `
  const server = require('net').createServer()
  server.listen(0, process.argv[1], () => console.log(process.pid, server.address().port))`

const numbersOf = async (child: { readonly stdout: NodeJS.ReadableStream }) =>
  String((await once(child.stdout, 'data'))[0])
    .split(' ')
    .map(Number) as [number, number]

for (const [name, skip] of Object.entries(SYSTEMS))
  for (const host of ['127.0.0.1', '::1', '::'])
    test(`${name}: a port on ${host} is known to be ours, or not to be`, { skip }, async (t) => {
      const ours = spawn(process.execPath, ['-e', LISTEN, host], { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(() => ours.kill())
      const [, port] = await numbersOf(ours)
      const asked = host === '::' ? '127.0.0.1' : host
      const owns = owner.createOwnership(port, owner[name as keyof typeof SYSTEMS])
      assert.ok(await owns(asked))
      assert.equal(await owns(asked), await owns(asked))
      ours.kill()
      await once(ours, 'exit')
      assert.equal(await owns(asked), undefined)

      // Its parent ends at once: it belongs to nobody, and to no group of ours.
      const theirs = spawn('setsid', ['--fork', process.execPath, '-e', LISTEN, host], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [pid, other] = await numbersOf(theirs)
      t.after(() => process.kill(pid))
      assert.equal(await owner.createOwnership(other, owner[name as keyof typeof SYSTEMS])(asked), undefined)
    })

test('a port that somebody shares with us is not ours', { skip: SYSTEMS.linux }, async (t) => {
  // Theirs first: of IPv4 any number may be taken by somebody's connection, of ::1 hardly one is.
  const theirs = spawn(
    'setsid',
    [
      '--fork',
      'python3',
      '-c',
      `
import socket, time, os
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
s.bind(('127.0.0.1', 0)); s.listen(); print(f'{os.getpid()} {s.getsockname()[1]}', flush=True); time.sleep(60)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [pid, port] = await numbersOf(theirs)
  t.after(() => process.kill(pid))
  const server = createServer().listen(port, '::1')
  t.after(() => server.close())
  await once(server, 'listening')
  const owns = owner.createOwnership(port)
  assert.ok(await owns('::1'))
  assert.equal(await owns('127.0.0.1'), undefined)
})

const row = (port: string, state: string, inode: number) =>
  `   0: 0100007F:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0\n`
/** In Python, the same question to the launcher for Python. */
const ASK = `
import sys; sys.path.insert(0, sys.argv[1])
from aloft_launcher.port_owner import Linux
print(','.join(Linux.listeners('127.0.0.1', 8080, sys.argv[2:3], sys.argv[3] == 'true')))`
const python = join(import.meta.dirname, '../../python')

test('of the sockets of the machine only those are read that listen, where they come first', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-port-owner-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tcp')
  const others = Array.from({ length: 2000 }, (_, at) => row('1F91', '0A', 100_000 + at)).join('')
  const listen = [row('1F90', '0A', 11), row('1F90', '03', 0), row('1F91', '0A', 12), others]
  const connections = [row('1F90', '01', 13), row('1F91', '06', 0)]
  const header =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
  writeFileSync(
    file,
    [header, ...listen, row('1F90', '0A', 14), ...connections, row('1F90', '0A', 15)].join(''),
  )
  for (const [comeFirst, found] of [
    [true, ['11', '14']],
    [false, ['11', '14', '15']],
  ] as const) {
    assert.deepEqual(await owner.linux.listeners('127.0.0.1', 8080, [file], comeFirst), found)
    const { stdout, stderr } = spawnSync('python3', ['-c', ASK, python, file, `${comeFirst}`], {
      encoding: 'utf8',
    })
    assert.equal(stdout.trim(), found.join(), stderr)
  }
})
