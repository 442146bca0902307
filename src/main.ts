import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: with it, later starts neither strip types nor compile, which saves each
// process time and memory. Children inherit the folder.
const { directory } = enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/aloft', import.meta.url)),
)
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const { run } = await import('./process/start.ts')
process.exit(await run())
