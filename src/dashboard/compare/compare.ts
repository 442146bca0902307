import type { Static } from 'typebox'
import type { getDeployment } from '#contract/api/deployment.ts'
import { targetName } from '../deployment/target-name.ts'

export type Deployment = Static<typeof getDeployment.reply>

/** An entry of the tree of a deployment's files, as the API shows it. */
export interface TreeEntry {
  readonly name: string
  readonly type: string
  /** Of a file: the SHA-1 of what it holds. */
  readonly uid?: string
  readonly mode: number
  readonly children?: readonly TreeEntry[]
}

export type Change = 'added' | 'changed' | 'removed'

export interface FileChange {
  readonly path: string
  readonly change: Change
  /** What it held before, and what it holds after. */
  readonly from?: string
  readonly to?: string
}

function* filesOf(
  entries: readonly TreeEntry[],
  prefix = '',
): Generator<readonly [string, { readonly uid: string; readonly mode: number }]> {
  for (const { name, uid, mode, children } of entries)
    if (children !== undefined) yield* filesOf(children, `${prefix}${name}/`)
    else if (uid !== undefined) yield [prefix + name, { uid, mode }]
}

/** The files that are not the same in two deployments, by their paths. */
export function compareFiles(before: readonly TreeEntry[], after: readonly TreeEntry[]): FileChange[] {
  const old = new Map(filesOf(before))
  const changes: FileChange[] = []
  for (const [path, { uid, mode }] of filesOf(after)) {
    const was = old.get(path)
    old.delete(path)
    if (was === undefined) changes.push({ path, change: 'added', to: uid })
    else if (was.uid !== uid || was.mode !== mode)
      changes.push({ path, change: 'changed', from: was.uid, to: uid })
  }
  for (const [path, { uid }] of old) changes.push({ path, change: 'removed', from: uid })
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

export interface SettingChange {
  readonly name: string
  readonly from: string
  readonly to: string
}

const NOTHING = '–'
const list = (values: readonly string[]): string => values.toSorted().join(', ') || NOTHING
const value = (text: unknown): string =>
  text === undefined || text === null || text === '' ? NOTHING : String(text)

/** What was set otherwise for the one than for the other. Of variables, names are known and values are not. */
export function compareSettings(before: Deployment, after: Deployment): SettingChange[] {
  const rows: (readonly [string, (deployment: Deployment) => string])[] = [
    ['Target', targetName],
    ['Runtime variables', ({ env }) => list(env)],
    ['Build variables', ({ build }) => list(build.env)],
    ['Builds', ({ builds }) => list(builds.map((each) => JSON.stringify(each)))],
    ['Routes', ({ routes }) => (routes === null ? NOTHING : JSON.stringify(routes))],
    ['Regions', ({ regions }) => list(regions)],
    ['Public source', (deployment) => (deployment.public ? 'yes' : 'no')],
    ...[...new Set([...Object.keys(before.meta), ...Object.keys(after.meta)])]
      .sort()
      .map((key) => [key, ({ meta }: Deployment) => value(meta[key])] as const),
  ]
  return rows.flatMap(([name, read]) => {
    const [from, to] = [read(before), read(after)]
    return from === to ? [] : [{ name, from, to }]
  })
}

export const countChanges = (changes: readonly FileChange[]): Readonly<Record<Change, number>> => {
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const { change } of changes) counts[change]++
  return counts
}
