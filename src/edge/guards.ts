import type { Site } from '#core/site/site.ts'
import type { EdgeErrorCode } from './error-answer.ts'

/** Why a visitor does not get to the routes of a site, if so. */
type Guard = (site: Site) => EdgeErrorCode | undefined

const isDeleted: Guard = (site) => (site.status === 'deleted' ? 'DEPLOYMENT_DELETED' : undefined)
const isBlocked: Guard = (site) => (site.status === 'blocked' ? 'DEPLOYMENT_DISABLED' : undefined)
const isPaused: Guard = (site) => (site.status === 'paused' ? 'DEPLOYMENT_PAUSED' : undefined)
const isFailed: Guard = (site) => (site.status === 'failed' ? 'DEPLOYMENT_FAILED' : undefined)
const isBuilding: Guard = (site) => (site.status === 'building' ? 'DEPLOYMENT_NOT_READY' : undefined)

/** Everything that stands before the routes, in the order in which visitors meet it. */
const GUARDS: readonly Guard[] = [isDeleted, isBlocked, isPaused, isFailed, isBuilding]

/** The first guard's refusal; undefined when all of them let the visitor pass. */
export function stop(site: Site): EdgeErrorCode | undefined {
  for (const guard of GUARDS) {
    const code = guard(site)
    if (code !== undefined) return code
  }
  return undefined
}

/** Whether all visitors pass, whoever they are: only then may an answer be given without asking the guards. */
export const servesEveryone = (site: Site): boolean => stop(site) === undefined
