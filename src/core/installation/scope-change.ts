import { SCOPES } from '#contract/scopes.ts'
import type { Application, Permission, Scopes } from '../application/application.ts'
import type { Installation, ScopeChange } from './installation.ts'

/** How many changes are remembered once they were agreed to. */
const KEPT = 20

const levelOf = (permission: Permission | undefined): number =>
  permission === undefined ? 0 : permission === 'read' ? 1 : 2

const only = (scopes: Scopes, keeps: (scope: (typeof SCOPES)[number]) => boolean): Scopes =>
  Object.fromEntries(
    SCOPES.flatMap((scope) => (scopes[scope] && keeps(scope) ? [[scope, scopes[scope]]] : [])),
  )

/** Of what was granted, as much as is still asked for. */
export const narrowed = (granted: Scopes, asked: Scopes): Scopes =>
  Object.fromEntries(
    SCOPES.flatMap((scope) => {
      const permission = levelOf(granted[scope]) < levelOf(asked[scope]) ? granted[scope] : asked[scope]
      return permission && granted[scope] ? [[scope, permission]] : []
    }),
  )

/** All that was granted by either of them. */
const joined = (a: Scopes, b: Scopes): Scopes => ({
  ...a,
  ...only(b, (scope) => levelOf(b[scope]) > levelOf(a[scope])),
})

const isEmpty = (scopes: Scopes): boolean => Object.keys(scopes).length === 0

/** What an entry of the queue still asks for, when this is asked for now. */
const stillAsked = (change: ScopeChange, asked: Scopes, granted: Scopes): ScopeChange => {
  const wanted = (scopes: Scopes) =>
    only(
      narrowed(scopes, asked),
      (scope) => levelOf(narrowed(scopes, asked)[scope]) > levelOf(granted[scope]),
    )
  return { ...change, added: wanted(change.added), upgraded: wanted(change.upgraded) }
}

interface FollowedChange {
  readonly change: Pick<Installation, 'scopes' | 'scopesQueue'>
  /** What people have to be asked for, if anything is new. */
  readonly news: ScopeChange | undefined
}

/**
 * What an installation becomes when its application asks for other scopes: less at once, more when somebody agrees.
 * Undefined when that is so already.
 */
export function followScopes(
  { scopes, scopesQueue }: Pick<Installation, 'scopes' | 'scopesQueue'>,
  { scopes: asked, note }: Pick<Application, 'scopes' | 'note'>,
  now: number,
): FollowedChange | undefined {
  const granted = narrowed(scopes, asked)
  const waiting = scopesQueue
    .filter(({ confirmedAt }) => confirmedAt === null)
    .map((change) => stillAsked(change, asked, granted))
    .filter(({ added, upgraded }) => !isEmpty(added) || !isEmpty(upgraded))
  const offered = waiting.reduce((sum, { added, upgraded }) => joined(joined(sum, added), upgraded), granted)
  const more = only(asked, (scope) => levelOf(asked[scope]) > levelOf(offered[scope]))
  const news: ScopeChange | undefined = isEmpty(more)
    ? undefined
    : {
        added: only(more, (scope) => granted[scope] === undefined),
        upgraded: only(more, (scope) => granted[scope] !== undefined),
        note,
        requestedAt: now,
        confirmedAt: null,
      }
  const confirmed = scopesQueue.filter(({ confirmedAt }) => confirmedAt !== null).slice(-KEPT)
  const change = { scopes: granted, scopesQueue: [...confirmed, ...waiting, ...(news ? [news] : [])] }
  const isSo = JSON.stringify(change) === JSON.stringify({ scopes, scopesQueue })
  return isSo ? undefined : { change, news }
}

/** Agrees to all that waits, as far as it is still asked for; undefined when nothing waits. */
export function confirmScopes(
  { scopes, scopesQueue }: Pick<Installation, 'scopes' | 'scopesQueue'>,
  asked: Scopes,
  now: number,
): Pick<Installation, 'scopes' | 'scopesQueue'> | undefined {
  const waiting = scopesQueue.filter(({ confirmedAt }) => confirmedAt === null)
  if (waiting.length === 0) return undefined
  const all = waiting.reduce((sum, { added, upgraded }) => joined(joined(sum, added), upgraded), scopes)
  return {
    scopes: narrowed(all, asked),
    scopesQueue: scopesQueue
      .map((change) => (change.confirmedAt === null ? { ...change, confirmedAt: now } : change))
      .slice(-KEPT),
  }
}

/**
 * What waits once somebody has agreed to these scopes at a page: whatever was asked for since that was shown goes on
 * waiting.
 */
export function queueAfterConsent(
  scopesQueue: Installation['scopesQueue'],
  { asked, granted }: { readonly asked: Scopes; readonly granted: Scopes },
  now: number,
): Installation['scopesQueue'] {
  const after = scopesQueue.map((change) => {
    if (change.confirmedAt !== null) return change
    const left = stillAsked(change, asked, granted)
    return isEmpty(left.added) && isEmpty(left.upgraded) ? { ...change, confirmedAt: now } : left
  })
  return [
    ...after.filter(({ confirmedAt }) => confirmedAt !== null).slice(-KEPT),
    ...after.filter(({ confirmedAt }) => confirmedAt === null),
  ]
}

/** As clients know scopes: `read:project`. */
export const scopeList = (scopes: Scopes): string[] =>
  SCOPES.flatMap((scope) => (scopes[scope] ? [`${scopes[scope]}:${scope}`] : []))
