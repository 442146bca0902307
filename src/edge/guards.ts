import type { Site, SiteStatus } from '#core/site/site.ts'
import { andThen, firstOf } from './and-then.ts'
import type { EdgeErrorCode } from './error/error-answer.ts'
import { refuse } from './error/refusal.ts'
import type { Exchange, Result } from './exchange.ts'
import { withoutOwnParameters } from './protection/own-parameters.ts'
import type { Protection } from './protection/protections.ts'
import { type GuardedVisit, LET_IN, type ProtectionResult, type Visit } from './protection/visit.ts'
import { domainRedirect } from './site/domain-redirect.ts'

/** Stands before the routes of a site: nothing to say, or the answer that visitors get instead. */
type Guard = (visit: Visit) => ProtectionResult | Promise<ProtectionResult>

type SaidByGuard = NonNullable<ProtectionResult>

const stopIf =
  (status: SiteStatus, code: EdgeErrorCode): Guard =>
  ({ site }) =>
    site.status === status ? refuse(code) : undefined

/** The protections of a site; who is let in by one of them does not come to the next. */
const throughProtections =
  (protections: readonly Protection[]): Guard =>
  (visit) => {
    const { protection } = visit.site
    if (protection === undefined) return undefined
    return andThen(firstOf<GuardedVisit, SaidByGuard>(protections, { ...visit, protection }), (verdict) => {
      if (verdict !== undefined && verdict !== LET_IN) return verdict
      visit.exchange.url = withoutOwnParameters(visit.exchange.url)
      return undefined
    })
  }

/** The answer to a visitor who has to stay outside; or else what goes out with whatever the site answers. */
export type Admission = Result | { readonly cookies: readonly string[] }

/** Everything that stands before the routes, in the order in which visitors meet it. */
export function createGuards(
  protections: readonly Protection[],
): (site: Site, exchange: Exchange) => Admission | Promise<Admission> {
  const guards: readonly Guard[] = [
    stopIf('deleted', 'DEPLOYMENT_DELETED'),
    stopIf('blocked', 'DEPLOYMENT_DISABLED'),
    stopIf('paused', 'DEPLOYMENT_PAUSED'),
    domainRedirect,
    throughProtections(protections),
    stopIf('failed', 'DEPLOYMENT_FAILED'),
    stopIf('building', 'DEPLOYMENT_NOT_READY'),
  ]
  return (site, exchange) => {
    const visit: Visit = { site, exchange, cookies: [] }
    return andThen(firstOf<Visit, SaidByGuard>(guards, visit), (verdict) =>
      verdict === undefined || verdict === LET_IN ? { cookies: visit.cookies } : verdict,
    )
  }
}

/** Whether all visitors get the same, whoever they are: only then may an answer be given without asking the guards. */
export const servesEveryone = ({ status, redirect, protection, skew, canary }: Site): boolean =>
  status === 'ready' &&
  redirect === undefined &&
  protection === undefined &&
  skew === undefined &&
  canary === undefined
