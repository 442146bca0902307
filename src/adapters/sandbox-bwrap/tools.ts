import { constants } from 'node:fs'
import { access } from 'node:fs/promises'

/** Never the operator's PATH: what prepares a sandbox may run as root. */
const FOLDERS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin']

const TOOL_NAMES = [
  'bash',
  'bwrap',
  'chown',
  'env',
  'ip',
  'mkdir',
  'mount',
  'nft',
  'nsenter',
  'pivot_root',
  'prlimit',
  'rmdir',
  'setpriv',
  'sh',
  'umount',
  'unshare',
] as const
export type ToolName = (typeof TOOL_NAMES)[number]
export type Tools = Readonly<Partial<Record<ToolName, string>>>

/** What the programs that prepare a sandbox get, whatever the platform's own environment is. */
export const TOOL_ENV = { PATH: FOLDERS.join(':'), LC_ALL: 'C' }

export const absent = (tools: Tools, names: readonly ToolName[]): readonly ToolName[] =>
  names.filter((name) => tools[name] === undefined)

export async function findTools(): Promise<Tools> {
  const tools: Partial<Record<ToolName, string>> = {}
  for (const name of TOOL_NAMES)
    for (const folder of FOLDERS) {
      const file = `${folder}/${name}`
      const runs = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (!runs) continue
      tools[name] = file
      break
    }
  return tools
}
