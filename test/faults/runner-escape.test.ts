import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { ProgramRef } from '#core/ports/runner.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { sandboxMissing, WAYS } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { openWorkbench, USUAL_KIND, type Workbench } from '../ports/runner/workbench.ts'

/** A hostile function: does what the path of the request says and answers what came of it. */
const HOSTILE = `
const fs = require('node:fs'), net = require('node:net'), path = require('node:path')
const { spawnSync } = require('node:child_process')
const tried = (act) => { try { return [true, act()] } catch (error) { return [false, error.code || error.message] } }
const connect = (target) => new Promise((resolve) => {
  const socket = net.connect(target)
  const is = (what) => { socket.destroy(); resolve(what) }
  socket.setTimeout(3000, () => is('silence'))
  socket.on('connect', () => is('connected')).on('error', (error) => is(error.code))
})
const ACTS = {
  read: (files) => Object.fromEntries(files.map((file) => [file, tried(() => fs.readFileSync(file, 'latin1').length)[0]])),
  list: (folders) => Object.fromEntries(folders.map((folder) => [folder, tried(() => fs.readdirSync(folder))[1]])),
  write: (files) => Object.fromEntries(files.map((file) => [file, tried(() => fs.writeFileSync(file, 'x'))[0]])),
  replace: (folder) => [
    tried(() => fs.symlinkSync('/etc/passwd', path.join(folder, 'http.sock'))),
    tried(() => fs.mkdirSync(path.join(folder, 'deep'))),
    fs.readdirSync(folder),
  ],
  connect: async (targets) => Promise.all(targets.map(connect)),
  processes: () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
    .map((pid) => tried(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'))[1]),
  run: ([program, ...args]) => {
    const { status, stderr, stdout, error } = spawnSync(program, args, { encoding: 'utf8' })
    return { status, stderr, stdout, error: error && error.code }
  },
  environment: () => process.env,
  bytes: (file) => tried(() => fs.writeFileSync(file, Buffer.alloc(64 * 2 ** 20)))[1],
}
module.exports = async (req, res) => {
  const [act, argument] = JSON.parse(decodeURIComponent(req.url.slice(1)))
  res.end(JSON.stringify((await ACTS[act](argument)) ?? null))
}`

for (const { name, kind, options } of WAYS)
  describe(`a hostile function in ${name}`, { skip: sandboxMissing }, () => {
    let opened: Promise<Sandbox> | undefined
    let bench: Workbench | undefined
    let ref: ProgramRef | undefined
    const ends: (() => unknown)[] = []
    after(async () => {
      for (const end of ends) await end()
      await (await opened)?.close()
    })
    const workbench = async (): Promise<Workbench> => {
      opened ??= openSandbox({ mode: 'required', log: silentLog, ...options })
      // A warm runtime, as its folders are shared with the platform for longer.
      bench ??= await openWorkbench({ after: (end) => void ends.push(end as () => unknown) }, await opened, {
        limits: { warm: 1 },
      })
      return bench
    }
    const make = async (act: string, argument?: unknown): Promise<unknown> => {
      const used = await workbench()
      if (ref === undefined) {
        await used.host.prewarm([USUAL_KIND])
        ref = await used.deploy({ files: { 'index.js': HOSTILE }, env: { OWN: 'own' } })
      }
      const { status, body } = await used.get(ref, `/${encodeURIComponent(JSON.stringify([act, argument]))}`)
      assert.equal(status, 200, body)
      return JSON.parse(body)
    }

    it('reads nothing of the platform: its data, its keys, its sources, its other programs', async () => {
      const { folder, runFolder } = await workbench()
      const key = join(folder, 'master.key')
      await writeFile(key, 'secret')
      const files = [key, '/etc/shadow', process.execPath, `${process.cwd()}/package.json`]
      assert.deepEqual(
        await make('read', files),
        Object.fromEntries(files.map((file) => [file, file.startsWith('/usr/')])),
      )
      const folders = [folder, runFolder, '/root', '/home', '/run', '/sys']
      assert.deepEqual(
        await make('list', folders),
        Object.fromEntries(folders.map((each) => [each, 'ENOENT'])),
      )
    })

    it('writes nowhere but to /tmp, not even to its own code or where its sockets were', async () => {
      const files = [
        '/x',
        '/usr/x',
        '/etc/x',
        '/var/task/x',
        '/var/task/index.js',
        '/aloft/launcher/x',
        '/aloft/run/x',
      ]
      assert.deepEqual(await make('write', files), Object.fromEntries(files.map((file) => [file, false])))
      assert.deepEqual(await make('write', ['/tmp/x']), { '/tmp/x': true })
      assert.deepEqual(await make('replace', '/aloft/run'), [[false, 'ENOENT'], [false, 'ENOENT'], []])
    })

    it('fills no disk through what it shares with the platform', async () => {
      assert.equal(await make('bytes', '/aloft/cache/x'), 'ENOSPC')
    })

    it('reaches no listener of this machine, by port or by socket', async (t) => {
      const { folder, runFolder } = await workbench()
      const seen: unknown[] = []
      const listener = createServer((socket) => seen.push(socket.remoteAddress))
      t.after(() => listener.close())
      await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
      const { port } = listener.address() as { port: number }
      const own = Object.values(networkInterfaces()).flatMap((all) =>
        (all ?? []).map(({ address }) => address),
      )
      const targets = [
        ...['127.0.0.1', '::1', '169.254.1.1', ...own].map((host) => ({ host, port })),
        { path: join(folder, 'runner.sock') },
        { path: join(runFolder, 'h') },
      ]
      for (const outcome of (await make('connect', targets)) as readonly string[]) assert.match(outcome, /^E/)
      assert.deepEqual(seen, [])
    })

    it('sees no process but its own, and no variable but its own', async () => {
      const commands = (await make('processes')) as readonly string[]
      assert.ok(commands.length >= 1 && commands.length <= 3, JSON.stringify(commands))
      assert.ok(!commands.join().includes(process.cwd()))
      const environment = (await make('environment')) as Record<string, string>
      assert.equal(environment.OWN, 'own')
      for (const [name, value] of Object.entries(environment))
        assert.ok(!name.startsWith('ALOFT') && !value.includes(process.cwd()), name)
    })

    it('mounts nothing, makes no namespace, traces nobody, and becomes nobody else', async () => {
      const attempts: readonly (readonly string[])[] = [
        ['mount', '-t', 'tmpfs', 'none', '/tmp'],
        ['unshare', '-r', 'true'],
        ['unshare', '-m', 'true'],
        ['chroot', '/', 'true'],
        ['setpriv', '--reuid', '0', 'true'],
      ]
      for (const attempt of attempts) {
        const { status } = (await make('run', attempt)) as { status: number }
        assert.notEqual(status, 0, attempt.join(' '))
      }
      const script =
        'import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.ptrace(16, 1, 0, 0), ctypes.get_errno())'
      const traced = (await make('run', ['python3', '-c', script])) as { stdout: string; error?: string }
      if (traced.error === undefined) assert.equal(traced.stdout, '-1 1\n', kind)
    })
  })
