import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: with it, later starts neither strip types nor compile.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/aloft', import.meta.url)))
const { start } = await import('./start.ts')

await start()
