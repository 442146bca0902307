import type { Client } from '#client/client.ts'
import { listFiles } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import type { Colors } from '../output/output.ts'
import { plainText } from '../output/plain-text.ts'

interface Entry {
  readonly name: string
  readonly type: 'file' | 'directory'
  readonly uid?: string
  readonly children?: readonly Entry[]
}

interface FileChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** More would push the question off the screen. */
const SHOWN = 15

/** What differs between the files of two deployments. */
export async function fileChanges(api: Client, from: string, to: string): Promise<FileChanges> {
  const [before, after] = await Promise.all([filesOf(api, from), filesOf(api, to)])
  const paths = [...after.keys()].sort()
  return {
    added: paths.filter((path) => !before.has(path)),
    changed: paths.filter((path) => before.has(path) && before.get(path) !== after.get(path)),
    removed: [...before.keys()].filter((path) => !after.has(path)).sort(),
  }
}

async function filesOf(api: Client, id: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const walk = (entries: readonly Entry[], folder: string): void => {
    for (const { name, type, uid, children } of entries)
      if (type === 'directory') walk(children ?? [], `${folder}${name}/`)
      else files.set(`${folder}${name}`, uid ?? '')
  }
  walk((await api.call(listFiles, { params: { id } })) as readonly Entry[], '')
  return files
}

export function showChanges({ added, changed, removed }: FileChanges, colors: Colors, shown = SHOWN): string {
  const total = added.length + changed.length + removed.length
  if (total === 0) return 'The files are the same.'
  const lines = [
    ...added.map((path) => colors.green(`  + ${plainText(path)}`)),
    ...changed.map((path) => colors.yellow(`  ~ ${plainText(path)}`)),
    ...removed.map((path) => colors.red(`  - ${plainText(path)}`)),
  ]
  const rest = total > shown ? [colors.dim(`  … and ${total - shown} more`)] : []
  return [
    `${count(total, 'file')} ${total === 1 ? 'differs' : 'differ'}:`,
    ...lines.slice(0, shown),
    ...rest,
  ].join('\n')
}
