import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import {
  finish,
  finished,
  runOf,
  sandboxMissing,
  scratch,
  WAYS,
  wrote,
} from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'

const MB = 2 ** 20

for (const { name, options } of WAYS)
  describe(`a folder of limited size in ${name}`, { skip: sandboxMissing }, () => {
    let opened: Promise<Sandbox> | undefined
    const sandbox = () => {
      opened ??= openSandbox({ mode: 'required', log: silentLog, ...options })
      return opened
    }
    after(async () => (await opened)?.close())

    it('is written and read by both sides, takes no more than its size, and is empty after the run', async (t) => {
      const folder = join(await scratch(t), 'a folder')
      await mkdir(folder)
      const script = `echo ours > /both/ours; echo ready
      until [ -e /both/theirs ]; do sleep 0.01; done; cat /both/theirs
      dd if=/dev/zero of=/both/large bs=1M count=5 2>&1 | grep -o 'No space left'`
      const process = (await sandbox()).spawn(
        runOf(['sh', '-c', script], {
          binds: [{ host: folder, inside: '/both', writable: true, maxBytes: 2 * MB }],
          limits: { wallMs: Number.POSITIVE_INFINITY },
        }),
      )
      const end = finished(process)
      await wrote(process, 'ready')
      assert.equal(await readFile(join(folder, 'ours'), 'utf8'), 'ours\n')
      await writeFile(join(folder, 'new'), 'theirs\n')
      await rename(join(folder, 'new'), join(folder, 'theirs'))
      const { stdout, code } = await end
      assert.deepEqual({ stdout, code }, { stdout: 'ready\ntheirs\nNo space left\n', code: 0 })
      assert.deepEqual(await readdir(folder), [])
    })

    it('/tmp and /dev/shm take no more than their size', async () => {
      const script = `for folder in /tmp /dev/shm; do
        dd if=/dev/zero of=$folder/large bs=1M count=5 2>&1 | grep -o 'No space left'; rm $folder/large
      done`
      const { stdout } = await finish(await sandbox(), ['sh', '-c', script], { limits: { tmpBytes: 2 * MB } })
      assert.equal(stdout, 'No space left\nNo space left\n')
    })

    it('/tmp and /dev/shm hold only so many files', async () => {
      const script = `for folder in /tmp /dev/shm; do
        i=0; while [ $i -lt 600 ] && true > $folder/$i; do i=$((i + 1)); done 2> /dev/null; echo $i
      done`
      const { stdout } = await finish(await sandbox(), ['sh', '-c', script], { limits: { tmpBytes: 2 * MB } })
      const counts = stdout.trim().split('\n').map(Number)
      assert.equal(counts.length, 2, stdout)
      for (const count of counts) assert.ok(count > 400 && count < 600, stdout)
    })

    it('must be writable', async () => {
      const bind = { host: '/tmp', inside: '/both', writable: false, maxBytes: MB }
      await assert.rejects(async () => finish(await sandbox(), ['true'], { binds: [bind] }), {
        kind: 'bad_run',
      })
    })
  })
