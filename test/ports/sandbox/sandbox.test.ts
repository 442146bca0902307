import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox, SandboxedProcess } from '#core/ports/sandbox.ts'
import {
  finish,
  finished,
  marker,
  processesWith,
  runOf,
  sandboxMissing,
  WAYS,
  wrote,
} from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'

const ADAPTERS = [
  ...WAYS.map(({ name, options }) => ({
    name,
    options: { mode: 'required', log: silentLog, ...options } as const,
    skip: sandboxMissing,
  })),
  {
    name: 'no sandbox',
    options: { mode: 'off', log: silentLog } as const,
    skip: process.platform === 'win32' && 'needs process groups',
  },
]

for (const { name, options, skip } of ADAPTERS)
  describe(`a run in ${name}`, { skip }, () => {
    let opened: Promise<Sandbox> | undefined
    const sandbox = () => {
      opened ??= openSandbox(options)
      return opened
    }
    after(async () => (await opened)?.close())

    it('has the given environment and PWD, and nothing of this process', async () => {
      const env = { PATH: '/usr/bin:/bin', A: 'b', EMPTY: '', ODD: "it's $HOME\n--args" }
      const { stdout } = await finish(await sandbox(), ['env', '-0'], { env })
      assert.deepEqual(
        stdout.split('\0').filter(Boolean).sort(),
        ['A=b', 'EMPTY=', "ODD=it's $HOME\n--args", 'PATH=/usr/bin:/bin', 'PWD=/tmp'].sort(),
      )
    })

    it('gets its arguments as they are', async () => {
      const args = ['$(id)', '; id', '*', '--', '-c', 'a\'b"c', '']
      const { stdout } = await finish(await sandbox(), ['printf', '%s\\n', ...args])
      assert.deepEqual(stdout.split('\n').slice(0, -1), args)
    })

    it('tells the exit code, 128 + n for a signal', async () => {
      const told = async (script: string) => {
        const { code, reason } = await finish(await sandbox(), ['sh', '-c', script])
        return { code, reason }
      }
      assert.deepEqual(await told('exit 0'), { code: 0, reason: 'exited' })
      assert.deepEqual(await told('exit 7'), { code: 7, reason: 'exited' })
      assert.deepEqual(await told('kill -9 $$'), { code: 137, reason: 'exited' })
    })

    it('passes all output on, however late it is read', async () => {
      const process = (await sandbox()).spawn(
        runOf(['sh', '-c', 'head -c 3000000 /dev/zero; echo end >&2; exit 3']),
      )
      const { stdout, stderr, code } = await finished(process)
      assert.equal(stdout.length, 3_000_000)
      assert.equal(stderr, 'end\n')
      assert.equal(code, 3)
    })

    it('rejects where the program is not there', async () => {
      const process = (await sandbox()).spawn(runOf(['no-such-program']))
      await assert.rejects(process.exit, { kind: 'not_started', message: /no-such-program/ })
    })

    it('is refused where it is not acceptable', async () => {
      const opened = await sandbox()
      const bind = (host: string, inside: string) => ({ binds: [{ host, inside, writable: false }] })
      for (const run of [
        runOf([]),
        runOf(['a\0b']),
        runOf(['true'], { cwd: 'relative' }),
        runOf(['true'], { cwd: '/tmp/../etc' }),
        runOf(['true'], { env: { 'A=B': 'c' } }),
        runOf(['true'], { env: { A: 'b\0--bind' } }),
        runOf(['true'], bind('relative', '/a')),
        runOf(['true'], bind('/tmp', '/a/../../b')),
        runOf(['true'], bind('/tmp', '/')),
        runOf(['true'], bind('/tmp', '/proc/1')),
        runOf(['true'], { limits: { wallMs: 0 } }),
        runOf(['true'], { limits: { processes: 1.5 } }),
        runOf(['true'], { limits: { cpus: Number.NaN } }),
        runOf(['true'], { limits: { share: 0 } }),
        runOf(['true'], { limits: { wallMs: 2 ** 31 } }),
      ])
        assert.throws(() => opened.spawn(run), { kind: 'bad_run' })
    })

    it('ends with all its processes when its time is up', async () => {
      const sleep = marker()
      const { reason, code } = await finish(
        await sandbox(),
        ['sh', '-c', `sleep ${sleep} & sleep ${sleep}`],
        { limits: { wallMs: 500 } },
      )
      assert.deepEqual({ reason, code }, { reason: 'timeout', code: null })
      assert.deepEqual(processesWith(sleep), [])
    })

    it('ends when its signal aborts, also before it began', async () => {
      const sleep = marker()
      const stop = new AbortController()
      const process = (await sandbox()).spawn(
        runOf(['sh', '-c', `echo ready; sleep ${sleep}`], { signal: stop.signal }),
      )
      await wrote(process, 'ready')
      stop.abort()
      assert.equal((await process.exit).reason, 'aborted')
      assert.deepEqual(processesWith(sleep), [])
      assert.equal((await finish(await sandbox(), ['true'], { signal: stop.signal })).reason, 'aborted')
    })

    it('is killed with children that ignore signals, and may be killed at any moment', async () => {
      const sleep = marker()
      const process = (await sandbox()).spawn(
        runOf(['sh', '-c', `trap '' TERM HUP INT; sh -c 'sleep ${sleep}' & echo ready; wait`]),
      )
      await wrote(process, 'ready')
      process.kill()
      assert.deepEqual(await process.exit, { code: null, reason: 'killed' })
      assert.deepEqual(processesWith(sleep), [])
      process.kill()

      const early = (await sandbox()).spawn(runOf(['sleep', sleep]))
      early.kill()
      assert.equal((await finished(early)).reason, 'killed')
      assert.deepEqual(processesWith(sleep), [])
    })

    it('tells what it has of the processor where that is limited', async (t) => {
      const { report } = await sandbox()
      if (report.limits.cpu === 'none') return t.skip('no cgroups')
      const begun = async (command: string) => {
        const run = (await sandbox()).spawn(runOf(['sh', '-c', `echo ready; ${command}`]))
        await wrote(run, 'ready')
        return run
      }
      const spinning = await begun('while :; do :; done')
      const sleeping = await begun('sleep 1000')
      const had = async (run: SandboxedProcess) => {
        const ms = await run.processorMs?.()
        assert.ok(ms !== undefined)
        return ms
      }
      // One that has just been started may not sleep yet.
      for (let slept = Number.POSITIVE_INFINITY; slept > 20; ) {
        const [spunBefore, sleptBefore] = [await had(spinning), await had(sleeping)]
        while ((await had(spinning)) < spunBefore + 200);
        slept = (await had(sleeping)) - sleptBefore
      }
      for (const run of [spinning, sleeping]) run.kill()
      await Promise.all([spinning.exit, sleeping.exit])
    })

    it('ends when it writes more than it may, which is cut off', async () => {
      const { reason, stdout, stderr } = await finish(await sandbox(), ['sh', '-c', 'yes & yes >&2'], {
        limits: { outputBytes: 100_000 },
      })
      assert.equal(reason, 'output')
      assert.equal(stdout.length + stderr.length, 100_000)
    })

    it('ends when the sandbox closes, and there are no more', async () => {
      const own = await openSandbox(options)
      const sleep = marker()
      const process = own.spawn(runOf(['sh', '-c', `echo ready; sleep ${sleep}`]))
      await wrote(process, 'ready')
      await own.close()
      assert.equal((await process.exit).reason, 'killed')
      assert.deepEqual(processesWith(sleep), [])
      assert.throws(() => own.spawn(runOf(['true'])), { kind: 'closed' })
    })
  })
