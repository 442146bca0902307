import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'

test('the server goes on where what it prints goes to a disk that is full', {
  skip: process.platform !== 'linux' && 'there is no /dev/full',
}, () => {
  const script = `
    import { run } from ${JSON.stringify(import.meta.resolve('./start.ts'))}
    await run(['--role', 'none'])
    for (const stream of [process.stdout, process.stderr]) stream.write('more')
    setImmediate(() => process.exit(7))`
  const full = openSync('/dev/full', 'w')
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: tmpdir(),
    stdio: ['ignore', full, full],
  })
  closeSync(full)
  assert.equal(status, 7)
})
