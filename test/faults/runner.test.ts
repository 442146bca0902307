import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { processesWith, rootMissing } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { ask, openWorkbench } from '../ports/runner/workbench.ts'

describe('an instance that comes to grief', {
  skip: process.platform === 'win32' && 'needs unix sockets',
}, () => {
  const opened = new Map<string, Promise<Sandbox>>()
  const sandbox = (mode: 'required' | 'off') => {
    const known = opened.get(mode) ?? openSandbox({ mode, log: silentLog })
    opened.set(mode, known)
    return known
  }
  after(async () => {
    for (const each of opened.values()) await (await each).close()
  })

  it('is replaced where it was killed: no later request goes to it', async (t) => {
    const bench = await openWorkbench(t, await sandbox('off'))
    const ref = await bench.deploy({
      files: { 'index.js': 'module.exports = (req, res) => req.url === "/" && res.end(String(process.pid))' },
    })
    const lease = await bench.client.lease(ref)
    const pid = Number((await ask(lease)).body)
    const cut = assert.rejects(ask(lease, '/never'))
    process.kill(pid, 'SIGKILL')
    await cut
    lease.release('broken')
    // Not even before the working process has heard of it.
    const next = bench.client.lease(ref)
    assert.ok(next instanceof Promise)
    const other = await next
    assert.notEqual(other.instanceId, lease.instanceId)
    assert.notEqual((await ask(other)).body, String(pid))
    other.release()
    await bench.logged(/ended with exit code 137/)
  })

  it('takes all its processes with it', { skip: rootMissing }, async (t) => {
    const bench = await openWorkbench(t, await sandbox('required'))
    const seconds = `7${process.pid}.25`
    const ref = await bench.deploy({
      files: {
        'index.js': `require('child_process').spawn('setsid', ['sleep', '${seconds}'], { stdio: 'ignore', detached: true })
          module.exports = (req, res) => res.end('ok')`,
      },
    })
    await bench.get(ref)
    assert.notDeepEqual(processesWith(seconds), [])
    await bench.host.drain(0)
    assert.deepEqual(processesWith(seconds), [])
  })
})
