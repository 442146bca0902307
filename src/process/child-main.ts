// Where the bundle begins. It is CommonJS, unlike the sources.
import { dirname, join } from 'node:path'
import type { run as runServer } from './start.ts'
import { loadCompiled } from './supervisor/compiled.ts'

/** The server, as `start.ts` of the sources has it. */
export function run(args: readonly string[]): Promise<number> {
  const [first, role = ''] = args
  const folder = dirname(__filename)
  const server =
    first === '--child'
      ? loadCompiled(join(folder, 'child.cjs'), role)
      : loadCompiled(join(folder, 'supervisor.cjs'), 'all')
  const { run } = server.exports as { readonly run: typeof runServer }
  return run(args, { program: __filename, onReady: server.keep })
}

if (require.main === module) void run(process.argv.slice(2)).then((code) => process.exit(code))
