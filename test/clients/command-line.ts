import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** The file that a command of a package is. */
export async function binOf(folder: string, name: string): Promise<string> {
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const file = typeof bin === 'string' ? bin : bin[name]
  if (file === undefined) throw new Error(`the package has no command ${name}`)
  return join(folder, file)
}

export const plain = (text: string): string => stripVTControlCharacters(text)
