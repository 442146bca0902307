import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: with it, later starts neither strip types nor compile, which saves each
// process time and memory. Children are told the folder. `npm start` says it before this file is read, which would else be
// stripped each time, by a program that takes 0.1 s and stays in memory with 12 MB.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/aloft', import.meta.url)))

const { runServer } = await import('./process/run-server.ts')
process.exit(await runServer(process.argv.slice(2)))
