import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: with it, later starts neither strip types nor compile.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/aloft', import.meta.url)))
const { run } = await import('./run.ts')

const { argv, env, stdin, stdout, stderr } = process
// Whoever reads the result may stop early, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.exitCode = await run({ argv: argv.slice(2), env, cwd: process.cwd(), stdin, stdout, stderr })
