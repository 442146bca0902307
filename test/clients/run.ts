// `npm run test:clients`: drives published clients through their steps on a real installation, and writes docs/clients.md.
import { install } from '#test/support/installation.ts'
import { CLIENTS } from './clients.ts'
import { installNode } from './packages.ts'
import { openPlace } from './place.ts'
import { createStepRecorder, type Step } from './report.ts'
import { writeTable } from './table.ts'

const wanted = process.argv.slice(2)
const chosen = CLIENTS.filter(
  ({ name, version }) => wanted.length === 0 || wanted.some((word) => `${name}@${version}`.startsWith(word)),
)
const steps: Step[] = []
// The command lines take no token with other characters than letters and digits.
const token = 'operator0token0of0clients'
const aloft = await install({
  env: {
    ALOFT_RATE_LIMIT: '100000',
    ALOFT_BOOTSTRAP_TOKEN: token,
    // Logs are sent to an address that nobody answers at.
    ALOFT_VERIFY_LOG_DRAINS: 'off',
  },
})
try {
  const place = await openPlace({ ...aloft, token })
  for (const { name, version, node, install: fetched, run } of chosen) {
    const own: Step[] = []
    const recorder = createStepRecorder(name, version, own)
    const folder = await recorder.step('install', fetched)
    if (folder !== undefined)
      await run(place, folder, recorder, node === undefined ? process.execPath : await installNode(node))
    steps.push(...own)
    // After each, so that what was found is not lost when the run is ended.
    writeTable(own)
  }
} finally {
  await aloft.remove()
}
const failed = steps.filter(({ problem, expected }) => problem !== undefined && !expected)
process.stdout.write(`${steps.length} steps, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
