import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { SandboxReport } from '#core/ports/sandbox.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { rootMissing, runOf } from '#test/support/sandbox.ts'
import { openSandbox } from './open-sandbox.ts'

const HELPER = new URL('../../../test/support/sandbox-process.ts', import.meta.url).pathname

/** What a platform says that is started behind these programs. */
async function platform(
  before: readonly string[],
  order: object,
): Promise<readonly Record<string, unknown>[]> {
  const [program = '', ...args] = [...before, process.execPath, HELPER, JSON.stringify(order)]
  const { stdout } = await promisify(execFile)(program, args, { timeout: 60_000 })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const WITHOUT_BWRAP = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount --bind /dev/null /usr/bin/bwrap && exec "$@"',
  'sh',
]

it('warns where the operator switched it off', async () => {
  const log = createRecordingLog()
  const sandbox = await openSandbox({ mode: 'off', log })
  assert.equal(sandbox.kind, 'none')
  assert.equal(log.entries[0]?.level, 'warn')
  await sandbox.close()
})

it('refuses to open where one is required and the machine has none', { skip: rootMissing }, async () => {
  const [said] = await platform(WITHOUT_BWRAP, { mode: 'required', runs: [] })
  assert.equal(said?.fault, 'no_sandbox')
  assert.match(String(said?.message), /required.*not installed: bwrap/)
})

it('goes on without where the machine has none, and says loudly what is open', {
  skip: rootMissing,
}, async () => {
  const [opened, run, warning] = await platform(WITHOUT_BWRAP, { mode: 'auto', runs: [runOf(['true'])] })
  assert.equal(opened?.kind, 'none')
  assert.match(String(opened?.missing), /can read and write whatever/)
  assert.equal(run?.code, 0)
  assert.match(String(warning?.warned), /WITHOUT A SANDBOX/)
})

const others = () => process.cwd().startsWith('/root') && 'another user cannot reach this folder'

it('works for a platform that is not root, but for what it then lacks', {
  skip: rootMissing || others(),
}, async () => {
  const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const [opened, run, outbound] = await platform(nobody, {
    mode: 'required',
    runs: [runOf(['sh', '-c', 'exit $(($(id -u) - 993))']), runOf(['true'], { network: 'outbound' })],
  })
  assert.equal(opened?.kind, 'bubblewrap')
  const missing = String(opened?.missing)
  assert.match(missing, /run as the user of the platform/)
  assert.doesNotMatch(missing, /network/)
  const { network, notTaken } = (opened ?? assert.fail()).report as SandboxReport
  assert.equal(network, 'gateway')
  assert.deepEqual(
    notTaken.map(({ what }) => what),
    ['fenced'],
  )
  assert.equal(run?.code, 7)
  assert.equal(outbound?.code, 0)
})
