import { readFileSync } from 'node:fs'

const SCRIPT = readFileSync(new URL('install-python.py', import.meta.url), 'utf8')

/** Where the packages of Python code are installed, relative to the folder of their list; in every archive. */
const VENDOR = '_vendor'

/** Installs what a list of the folder asks for. Run by the machine's Python, which has pip. */
export const installPython = (list: string, python = 'python3'): readonly string[] => [
  ...[python, '-I', '-c', SCRIPT],
  ...[list, VENDOR],
]

/** Why it failed, by the code that it ended with; what pip says of it is in the log. */
export function pythonFault(code: number, list: string): string {
  switch (code) {
    case 75:
      return `The index of Python packages could not be reached, so what ${list} lists was not installed. Where another index is to be used, name it with PIP_INDEX_URL among the variables of the build.`
    case 76:
      return `The Python of this machine has no pip, so what ${list} lists cannot be installed. The operator can install it: apt install python3-pip.`
    case 77:
      return `${list} cannot be installed from: the log says why. A requirements.txt goes before it, as \`pip freeze\` or your tool's export writes one.`
    default:
      return `Command "pip install -r ${list}" exited with ${code}`
  }
}
