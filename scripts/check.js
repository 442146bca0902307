// `npm run check`: format and lint, types, and the architecture's arrows, in one command for people and CI.
// `npm run check -- --fix` formats, and mends what can be mended without thinking, before it looks.
// `--no-tests` leaves out what `npm test` runs anyway.
import { spawnSync } from 'node:child_process'

const fix = process.argv.includes('--fix') ? ['--write'] : []
const steps = [
  ['biome', ['check', '--error-on-warnings', ...fix, '.']],
  ['tsc', ['--noEmit', ...remembered('server')]],
  ['tsc', ['--noEmit', '-p', 'src/dashboard', ...remembered('dashboard')]],
]
if (!process.argv.includes('--no-tests')) steps.push(['node', ['--test', 'test/architecture.test.ts']])

// The checker of types is written in Go, and spends a third of its time collecting garbage unless it is asked not to.
const env = { GOGC: '400', ...process.env }

for (const [command, args] of steps) {
  const { status } = spawnSync(command, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stderr.write(`check: ${command} failed\n`)
    process.exit(1)
  }
}

/**
 * What the last look at the types found is kept, so that the next one reads only what has changed. Each of several checkers
 * finds out again what most types are: four of them take twice the processor time and memory of one, and no less time on
 * two cores.
 */
function remembered(name) {
  return [
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/types/${name}.tsbuildinfo`,
    '--checkers',
    '1',
  ]
}
