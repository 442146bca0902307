import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import {
  finish,
  isRoot,
  leftBy,
  marker,
  node,
  processesWith,
  runOf,
  sandboxMissing,
  scratch,
  WAYS,
  wrote,
} from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'

const own = process.getuid?.()

for (const { name, kind, options } of WAYS)
  describe(`a sandbox of ${name} closes off`, { skip: sandboxMissing }, () => {
    let opened: Promise<Sandbox> | undefined
    const sandbox = () => {
      opened ??= openSandbox({ mode: 'required', log: silentLog, ...options })
      return opened
    }
    after(async () => (await opened)?.close())

    it('what it should, made as it should be', async () => {
      assert.equal((await sandbox()).report.way, kind)
    })

    it('files that were not given', async (t) => {
      const folder = await scratch(t)
      await writeFile(join(folder, 'secret'), 'secret')
      const places = ['/etc/shadow', '/root', '/home', '/run', '/sys', '/var/lib', folder, process.cwd()]
      const { stdout } = await finish(await sandbox(), [
        'sh',
        '-c',
        'for f; do [ -e "$f" ] && echo "$f"; done; ls -A /tmp',
        'sh',
        ...places,
      ])
      assert.equal(stdout, '')
    })

    it('other processes, also in what it sees of its own start', async (t) => {
      const folder = await scratch(t)
      await writeFile(join(folder, 'a'), 'a')
      const { stdout, stderr } = await finish(
        await sandbox(),
        [
          'sh',
          '-c',
          'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; echo; done; cat /proc/[0-9]*/environ >&2',
        ],
        { binds: [{ host: folder, inside: '/given', writable: false }], env: { TOKEN: 'hush' } },
      )
      const commands = stdout.split('\n').filter(Boolean)
      assert.ok(commands.length >= 2 && commands.length <= 4, stdout)
      assert.doesNotMatch(stdout, /hush/)
      assert.ok(!stdout.includes(folder))
      for (const [, name = ''] of stderr.matchAll(/(?:^|[\0\n])(\w+)=/g))
        assert.ok(['LC_ALL', 'PATH', 'PWD', 'TOKEN'].includes(name), name)
    })

    it('privileges, and open files of the platform', async () => {
      const { stdout } = await finish(await sandbox(), [
        'sh',
        '-c',
        'id -u; grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; readlink /proc/$$/fd/*; ulimit -c',
      ])
      const lines = stdout.replaceAll('\t', ' ').split('\n')
      assert.match(lines[0] ?? '', options.userNamespaces === false ? /^[1-9]\d{4,}$/ : /^1000$/)
      assert.deepEqual(lines.slice(1, 6), [
        'CapPrm: 0000000000000000',
        'CapEff: 0000000000000000',
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        `Seccomp: ${(await sandbox()).report.limits.systemCalls ? 2 : 0}`,
      ])
      for (const file of lines.slice(6, -2)) assert.match(file, /^(\/dev\/null|socket:.*)$/)
      assert.equal(lines.at(-2), '0')
    })

    it('root: each run is a user of its own outside', { skip: !isRoot && 'not root' }, async () => {
      const sleeps = [marker(), marker()]
      const opened = await sandbox()
      // The shell stays: a process that is just becoming another program shows no arguments to be found by.
      const running = sleeps.map((sleep) =>
        opened.spawn(runOf(['sh', '-c', `echo ready; sleep ${sleep}; :`])),
      )
      await Promise.all(running.map((process) => wrote(process, 'ready')))
      const told = (pid: number, name: string) =>
        new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      const users = sleeps.map((sleep) => {
        // With user namespaces not even bubblewrap itself, whose arguments name it too, is root.
        const pids = processesWith(sleep).filter(
          (pid) => options.userNamespaces !== false || told(pid, 'Name') !== 'bwrap',
        )
        const uids = [...new Set(pids.map((pid) => told(pid, 'Uid')))]
        assert.equal(uids.length, 1)
        return Number(uids[0])
      })
      assert.ok(users.every((uid) => uid > 60_000))
      assert.notEqual(users[0], users[1])
      for (const process of running) process.kill()
      await Promise.all(running.map((process) => process.exit))
    })

    it('writing, but for writable binds, which may lie where only root can go, whatever it is called', async (t) => {
      const folder = join(await scratch(t), `it's #1 \\040 "two"  $HOME * ä`)
      await mkdir(folder)
      for (const name of ['in', 'out']) await mkdir(join(folder, name))
      await writeFile(join(folder, 'in', 'file'), 'content')
      await writeFile(join(folder, 'out', 'old'), 'old')
      await chmod(folder, 0o700)
      const script =
        'cat /in/file; for f in /x /usr/x /etc/x /dev/x /in/x /in/file; do (echo x > $f) 2>/dev/null && echo "wrote $f"; done; echo new > /out/new; echo newer > /out/old; echo t > /tmp/t'
      const { stdout, stderr, code } = await finish(await sandbox(), ['sh', '-c', script], {
        cwd: '/out',
        binds: [
          { host: join(folder, 'in'), inside: '/in', writable: false },
          { host: join(folder, 'out'), inside: '/out', writable: true },
        ],
      })
      assert.deepEqual({ stdout, stderr, code }, { stdout: 'content', stderr: '', code: 0 })
      assert.equal(await readFile(join(folder, 'out', 'new'), 'utf8'), 'new\n')
      assert.equal(await readFile(join(folder, 'out', 'old'), 'utf8'), 'newer\n')
      assert.equal((await stat(join(folder, 'in', 'file'))).uid, own)
    })

    it('new namespaces and mounts', async () => {
      const { stdout, stderr } = await finish(await sandbox(), [
        'sh',
        '-c',
        'for o in -r -m -n -p -i -u -C; do unshare $o true && echo "$o"; done; mount -t tmpfs none /tmp && echo mount; chroot / true && echo chroot',
      ])
      assert.equal(stdout, '')
      assert.match(stderr, /Operation not permitted|must be superuser/)
    })

    it('more processes than allowed', async (t) => {
      if ((await sandbox()).report.limits.processes !== 'run') return t.skip('no cgroup of its own')
      const sleep = marker()
      const { stderr, code } = await finish(
        await sandbox(),
        ['sh', '-c', `i=0; while [ $i -lt 60 ]; do sleep ${sleep} & i=$((i + 1)); done`],
        { limits: { processes: 30 } },
      )
      assert.notEqual(code, 0)
      assert.match(stderr, /fork/i)
      assert.deepEqual(processesWith(sleep), [])
    })

    it('a fork bomb', async (t) => {
      if ((await sandbox()).report.limits.processes !== 'run') return t.skip('no cgroup of its own')
      const name = `bomb${marker()}`
      const bomb = '(b() { b | b & }; b) & while :; do :; done'
      const { reason } = await finish(await sandbox(), ['sh', '-c', bomb, name], {
        limits: { processes: 50, wallMs: 1500, cpus: 0.5 },
      })
      assert.equal(reason, 'timeout')
      assert.deepEqual(processesWith(name), [])
    })

    it('more memory than allowed, for all processes together', async (t) => {
      if ((await sandbox()).report.limits.memory !== 'run') return t.skip('no cgroup of its own')
      const hog = 'const held = []; for (;;) held.push(Buffer.alloc(1e6, 1))'
      const { reason, code } = await finish(await sandbox(), ['/opt/node', '-e', hog], {
        binds: [node],
        limits: { memoryBytes: 150 * 2 ** 20 },
      })
      assert.deepEqual({ reason, code }, { reason: 'memory', code: 137 })
      const byChild = await finish(await sandbox(), ['sh', '-c', '/opt/node -e "$1"; exit 1', 'sh', hog], {
        binds: [node],
        limits: { memoryBytes: 150 * 2 ** 20 },
      })
      assert.deepEqual({ reason: byChild.reason, code: byChild.code }, { reason: 'memory', code: 1 })
    })

    it('a larger file than allowed, not even for a moment', async () => {
      const { code, stdout } = await finish(
        await sandbox(),
        [
          'sh',
          '-c',
          'truncate -s 5M /tmp/file; echo $?; stat -c %s /tmp/file; head -c 1M /dev/zero > /tmp/small',
        ],
        { limits: { fileBytes: 4 * 2 ** 20, tmpBytes: 16 * 2 ** 20 } },
      )
      assert.equal(code, 0)
      const [failed, size] = stdout.trim().split('\n')
      assert.notEqual(failed, '0')
      assert.equal(size, '0')
    })

    it('space on a disk without writing to it', async (t) => {
      if (!(await sandbox()).report.limits.systemCalls) return t.skip('no filter for system calls')
      const folder = await scratch(t)
      const { stdout } = await finish(
        await sandbox(),
        ['sh', '-c', 'cd /own; fallocate -l 2M a; fallocate -n -l 2M b; fallocate -z -l 2M c; du -sk .'],
        { binds: [{ host: folder, inside: '/own', writable: true }] },
      )
      assert.ok(Number.parseInt(stdout, 10) < 1024, stdout)
    })

    it('more of /tmp and /dev/shm than allowed', async () => {
      for (const place of ['/tmp', '/dev/shm', '/var/tmp']) {
        const { stderr, code } = await finish(
          await sandbox(),
          ['dd', 'if=/dev/zero', `of=${place}/file`, 'bs=1M', 'count=9'],
          { limits: { tmpBytes: 8 * 2 ** 20 } },
        )
        assert.equal(code, 1)
        assert.match(stderr, /No space left/)
      }
    })

    it('a life after the run, for those in other sessions', async () => {
      const sleep = marker()
      const daemons = `setsid sleep ${sleep} & setsid sh -c 'trap "" TERM HUP INT; sleep ${sleep}; :' & (sleep ${sleep} &) ; echo ready`
      const process = (await sandbox()).spawn(runOf(['sh', '-c', `${daemons}; wait`]))
      await wrote(process, 'ready')
      process.kill()
      await process.exit
      assert.deepEqual(processesWith(sleep), [])
      const { reason, code } = await finish(await sandbox(), ['sh', '-c', `exec >/dev/null 2>&1; ${daemons}`])
      assert.deepEqual({ reason, code }, { reason: 'exited', code: 0 })
      assert.deepEqual(processesWith(sleep), [])
    })

    it('a life after the death of the platform, whose leavings the next one clears', async (t) => {
      const folder = await scratch(t)
      const listener = createServer()
      t.after(() => listener.close())
      await new Promise<void>((resolve) => listener.listen(join(folder, 'socket'), resolve))
      await chmod(folder, 0o755)
      await chmod(join(folder, 'socket'), 0o777)
      const connected = once(listener, 'connection')
      const run = runOf(['/opt/node', '-e', 'require("net").connect("/given/socket")'], {
        binds: [node, { host: folder, inside: '/given', writable: false }],
      })
      const helper = new URL('../../support/sandbox/sandbox-process.ts', import.meta.url).pathname
      const order = JSON.stringify({ mode: 'required', runs: [run], options })
      const platform = spawn(process.execPath, [helper, order], { stdio: 'ignore' })
      const gone = once(platform, 'exit')
      const early = gone.then(() => assert.fail('the platform ended by itself'))
      early.catch(() => {})
      const [socket] = await Promise.race([connected, early])
      const closed = once(socket.resume(), 'close')
      platform.kill('SIGKILL')
      await Promise.all([closed, gone])
      while (processesWith(`aloft-gateway-${platform.pid}`).length > 0) await setTimeout(10)
      await (await openSandbox({ mode: 'required', log: silentLog })).close()
      assert.deepEqual(leftBy(platform.pid as number), [])
    })
  })
