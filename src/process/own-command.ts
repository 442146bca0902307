import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const isThere = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** How the command line is called on this machine: by its name where that is found, else by where it is. */
export function ownCommand(
  path: string | undefined = process.env.PATH,
  own: string = fileURLToPath(new URL('../../bin/aloft.js', import.meta.url)),
): string {
  const isCommand = (path ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && isThere(join(folder, 'aloft')))
  if (isCommand || !isThere(own)) return 'aloft'
  return /^[\w./-]+$/.test(own) ? own : `'${own.replaceAll("'", "'\\''")}'`
}
