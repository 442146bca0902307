import { CHANGE_KINDS, type Change, type ChangeKind } from '#contract/api/change.ts'

/** That something of an account is not what it was. */
export interface OwnedChange extends Change {
  /** A team, or a person with an account of their own. */
  readonly ownerId: string
}

/** Told once what they are about is durable. */
export type AnnounceChanges = (changes: readonly OwnedChange[]) => void

export const CHANGES_TOPIC = 'changes'

/** What may end somebody's right to follow what they follow, or change what they are told. */
export const CASTS_DOUBT: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'team',
  'member',
  'integration',
  'application',
  'user',
  'token',
  'session',
])

export const writeChanges = (changes: readonly OwnedChange[]): string => JSON.stringify(changes)

const KINDS: ReadonlySet<string> = new Set<ChangeKind>(CHANGE_KINDS)

/** Without what another version of this program says and this one does not know. */
export function readChanges(text: string): readonly OwnedChange[] {
  try {
    const said: unknown = JSON.parse(text)
    return Array.isArray(said) ? said.filter(isChange) : []
  } catch {
    return []
  }
}

const isChange = (value: Partial<OwnedChange> | null): value is OwnedChange =>
  typeof value?.ownerId === 'string' && KINDS.has(String(value.kind))
