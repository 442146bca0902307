// `npm test`: checks, then every test, on servers and tools it installs itself where it may.
import { spawnSync } from 'node:child_process'
import { ensureTools, TOOLS } from './debian.js'

const missing = ensureTools(['postgresql', 'redis', 'chromium', 'bubblewrap', 'python', 'pebble', 'bind'])
for (const name of missing)
  process.stderr.write(`left out: ${TOOLS[name].suite} (${name} is not installed and could not be)\n`)
if (missing.length > 0 && process.env.CI === 'true') {
  process.stderr.write('with CI=true every suite must run: failing\n')
  process.exit(1)
}

const run = (command, args) => {
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ALOFT_TEST_MISSING: missing.join(',') },
  })
  if (status !== 0) process.exit(1)
}

const only = process.argv.slice(2)
if (only.length === 0) run('node', ['scripts/check.js'])
run('node', ['scripts/build-dashboard.js'])
run('node', [
  '--test',
  // Applications are installed and built in some of them.
  '--test-timeout=600000',
  // Many wait for a network or a disk: two files at a time keep the machine busy.
  '--test-concurrency=2',
  ...(only.length > 0 ? only : ['src/**/*.test.ts', 'test/**/*.test.ts']),
])
