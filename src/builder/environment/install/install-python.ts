import { readFileSync } from 'node:fs'
import { folderOf, joined } from '#core/detection/source-tree.ts'

const SCRIPT = readFileSync(new URL('install-python.py', import.meta.url), 'utf8')

/**
 * Where the packages of a list are installed, relative to the folder of the code; the launcher finds them from there. Beside
 * the list, since another one may ask for other versions.
 */
export const pythonPackages = (list: string): string => joined(folderOf(list), '_vendor')

/** Installs what a list, in the folder or below it, asks for. Run by the machine's Python, which has pip. */
export const installPython = (list: string, python = 'python3'): readonly string[] => [
  ...[python, '-I', '-c', SCRIPT],
  ...[list, pythonPackages(list)],
]

/** Why it failed, by the code that it ended with; what pip says of it is in the log. */
export function pythonFault(code: number, list: string): string {
  switch (code) {
    case 75:
      return `The Python package index could not be reached, so the packages in ${list} were not installed. To use another index, set PIP_INDEX_URL as a build variable.`
    case 76:
      return `Python on this machine has no pip, so the packages in ${list} cannot be installed. Your operator can install it: apt install python3-pip.`
    case 77:
      return `The packages in ${list} could not be installed; the log says why. A requirements.txt takes precedence: create one with \`pip freeze\` or the export of your tool.`
    default:
      return `Command "pip install -r ${list}" exited with ${code}`
  }
}
