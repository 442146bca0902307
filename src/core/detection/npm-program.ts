import { BuildFailure } from '../build/build-failure.ts'
import { invalidConfig } from './config/json.ts'
import { type PackageJson, readPackageJson } from './config/package-json.ts'
import { EMPTY_STAGE, type Stage } from './plan.ts'
import type { SourceTree } from './source-tree.ts'

/** Older clients looked for these, and ran one that is named for them first. */
const SCRIPTS = ['now-build', 'build'] as const

/** A package whose `start` script is the program: everything it has is kept and run as it is. */
export async function planProgram(run: string, folder: string, tree: SourceTree): Promise<Stage> {
  const pkg = await readPackageJson(tree)
  if (pkg === undefined) throw invalidConfig('There is no package.json.')
  const script = SCRIPTS.find((name) => (pkg.scripts[name] ?? '').trim() !== '')
  return {
    ...EMPTY_STAGE,
    run,
    folder,
    installs: [{ folder, command: null }],
    build: script === undefined ? undefined : { kind: 'script', script },
    takes: [{ kind: 'command', root: folder, command: startCommand(pkg, tree) }],
  }
}

/** As npm would run it, without an npm that stays. The shell is inside the sandbox, and the line is the owner's own. */
export function startCommand(pkg: PackageJson, tree: SourceTree): readonly string[] {
  const { prestart = '', start = '' } = pkg.scripts
  if (start.trim() === '') {
    if (tree.has('server.js')) return ['node', 'server.js']
    throw new BuildFailure('missing_script', 'package.json has no `start` script, and there is no server.js.')
  }
  const lines = [
    'export PATH="$PWD/node_modules/.bin:$PATH"',
    ...(prestart.trim() === '' ? [] : [`${prestart} || exit`]),
    start,
  ]
  return ['/bin/sh', '-c', lines.join('\n')]
}
