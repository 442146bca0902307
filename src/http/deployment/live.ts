import type { Deployment } from '#core/deployment/deployment.ts'
import { liveSince } from '#core/deployment/live.ts'

/** Present only where production shows the deployment, or has shown it. */
export function live(deployment: Deployment): { readonly liveAt?: number } {
  const liveAt = liveSince(deployment)
  return liveAt === null ? {} : { liveAt }
}
