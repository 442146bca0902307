/**
 * Runs inside the sandbox, at the source's root: builds a project with the CLI whose folder is given, and leaves
 * `.vercel/output`. The only argument is JSON.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { cli, settings, functions, production, without } = JSON.parse(process.argv[2] ?? '{}')

// It takes the project's settings from here, and asks nobody.
rmSync('.vercel/output', { recursive: true, force: true })
mkdirSync('.vercel', { recursive: true })
writeFileSync('.vercel/project.json', JSON.stringify({ projectId: 'prj_here', orgId: 'team_here', settings }))

for (const file of without) rmSync(file, { force: true })

// The rules of a configuration file are added afterwards, as for every other framework.
const config = join(mkdtempSync(join(tmpdir(), 'cli-')), 'config.json')
writeFileSync(config, JSON.stringify({ functions }))

const main = join(cli, 'node_modules/vercel/dist/index.js')

// Which versions of Node are too old is this platform's decision, and it is made already.
for (const version of createRequire(main)('@vercel/build-utils').NODE_VERSIONS) delete version.discontinueDate

process.argv = [
  process.execPath,
  main,
  'build',
  '--yes',
  '--local-config',
  config,
  ...(production ? ['--prod'] : []),
]
await import(pathToFileURL(main).href)
