import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder in which a shell would find a program. */
export const folderOnPath = (
  program: string,
  path: string | undefined = process.env.PATH,
): string | undefined =>
  (path ?? '').split(delimiter).find((folder) => folder !== '' && isProgram(join(folder, program)))
