import { registeredPart } from '../../domain/registered-part.ts'
import type { NewJob } from '../../job/job-queue.ts'

/** One kind for all that an authority is asked for, so that few are asked for at once. */
export const ISSUE_KIND = 'certificates.issue'

/** The domain that somebody registered, under which a name is. */
export const registrable = (name: string): string =>
  registeredPart(name.replace(/^\*\./, ''), { allowPrivateDomains: false }) ?? name.replace(/^\*\./, '')

/** A certificate for a host that is served and has none. */
export const hostJob = (host: string): NewJob => ({
  kind: ISSUE_KIND,
  payload: { host },
  key: `certificate for ${host}`,
  share: registrable(host),
})

/** A new one in the place of one that will end. */
export const renewJob = (ownerId: string, id: string): NewJob => ({
  kind: ISSUE_KIND,
  payload: { ownerId, id },
  key: `certificate ${id}`,
  share: ownerId,
})

/** One that somebody waits for. */
export const orderJob = (ownerId: string, names: readonly string[], key: string): NewJob => ({
  kind: ISSUE_KIND,
  payload: { ownerId, names, order: key },
  key,
  share: ownerId,
})
