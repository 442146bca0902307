import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { BUNDLES, findBundle, stateOfSources } from '../../../src/process/supervisor/bundle.ts'

const root = resolve(import.meta.dirname, '../../..')

/** The program in a folder of its own, where it can be replaced by another version while it runs. */
export async function copyProgram(folder: string): Promise<{
  readonly main: string
  upgrade(version: string): Promise<void>
}> {
  const file = join(folder, 'package.json')
  for (const part of ['src', 'scripts/build-server.ts', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await linkPackages(folder)
  // As `npm start` does: processes that compile every source by themselves take the machine for half a minute.
  const build = () => promisify(execFile)(process.execPath, [join(folder, 'scripts/build-server.ts')])
  const bundle = findBundle()
  // One finds everything by its place, so that of the clone serves its copy.
  if (bundle === undefined) await build()
  else
    await cp(dirname(bundle), join(folder, relative(root, BUNDLES), stateOfSources(folder)), {
      recursive: true,
    })
  return {
    main: join(folder, 'src/main.ts'),
    async upgrade(version) {
      const stated = JSON.parse(await readFile(file, 'utf8')) as object
      await writeFile(file, JSON.stringify({ ...stated, version }))
      await build()
    },
  }
}

/** All packages, but none of what the clone has compiled and built of its own sources. */
async function linkPackages(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '.cache') await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
}
