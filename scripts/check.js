// `npm run check`: format and lint, types, and the architecture's arrows, in one command for people and CI.
// `npm run check -- --fix` formats, and mends what can be mended without thinking, before it looks.
import { spawnSync } from 'node:child_process'

const fix = process.argv.includes('--fix') ? ['--write'] : []
const steps = [
  ['biome', ['check', '--error-on-warnings', ...fix, '.']],
  ['tsc', ['--noEmit']],
  ['tsc', ['--noEmit', '-p', 'src/dashboard']],
  ['node', ['--test', 'test/architecture.test.ts']],
]

for (const [command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stderr.write(`check: ${command} failed\n`)
    process.exit(1)
  }
}
