// Where the bundle of the command line begins. It is CommonJS, unlike the sources.
import { dirname, join } from 'node:path'
import { loadCompiled } from './supervisor/compiled.ts'

const [first = ''] = process.argv.slice(2)
// Each command runs code of its own. What is no command ends with a failure, and nothing is kept of it.
const cli = loadCompiled(join(dirname(__filename), 'cli.cjs'), /^[a-z]+$/.test(first) ? first : 'none')
void (cli.exports as { start(): Promise<void> }).start().then(() => {
  if (process.exitCode === 0) cli.keep()
})
