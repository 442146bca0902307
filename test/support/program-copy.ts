import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The program in a folder of its own, where it can be replaced by another version while it runs. */
export async function copyProgram(folder: string): Promise<{
  readonly main: string
  upgrade(version: string): Promise<void>
}> {
  const file = join(folder, 'package.json')
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(root, 'package.json'), file)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    main: join(folder, 'src/main.ts'),
    async upgrade(version) {
      const stated = JSON.parse(await readFile(file, 'utf8')) as object
      await writeFile(file, JSON.stringify({ ...stated, version }))
    },
  }
}
