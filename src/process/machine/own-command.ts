import { fileURLToPath } from 'node:url'
import { folderOnPath, isProgram } from './on-path.ts'

/** How the command line is called on this machine: by its name where that is found, else by where it is. */
export function ownCommand(
  path: string | undefined = process.env.PATH,
  own: string = fileURLToPath(new URL('../../../bin/aloft.js', import.meta.url)),
): string {
  if (folderOnPath('aloft', path) !== undefined || !isProgram(own)) return 'aloft'
  return /^[\w./-]+$/.test(own) ? own : `'${own.replaceAll("'", "'\\''")}'`
}
