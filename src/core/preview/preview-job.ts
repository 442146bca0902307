import { MINUTE } from '#contract/time.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { FileStore } from '../file/file-store.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { SiteSource } from '../site/site.ts'
import type { PreviewImage, PreviewStore } from './preview.ts'

const PREVIEW_JOB = 'previews.make'

/** Has a preview made, once, in the turn of the account. */
export const queuePreview = (
  jobs: JobQueue,
  { id, ownerId }: Pick<Deployment, 'id' | 'ownerId'>,
): Promise<string> =>
  jobs.enqueue({ kind: PREVIEW_JOB, payload: { deploymentId: id }, key: `preview:${id}`, share: ownerId })

/** Looks at a site as a visitor does. Undefined when there is nothing to make a preview of. */
export type MakePreview = (host: string, signal: AbortSignal) => Promise<PreviewImage | undefined>

interface PreviewJobParts {
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly sites: SiteSource
  readonly transact: Transact<{
    readonly deployments: DeploymentStore
    readonly files: FileStore
    readonly previews: PreviewStore
  }>
  readonly make: MakePreview
  readonly blobs: BlobStore
  readonly clock: Clock
}

export const createPreviewJob = (parts: PreviewJobParts): JobHandler => ({
  kind: PREVIEW_JOB,
  summary: 'Take the screenshot of a deployment',
  timeLimit: MINUTE,
  maxAttempts: 2,
  atOnce: 1,
  async run({ deploymentId }, { signal }) {
    const deployment = await parts.deployments.find(String(deploymentId))
    if (deployment?.state !== 'READY' || deployment.host === null) return
    const site = await parts.sites.find(deployment.host)
    // What is not for every visitor is not for us either.
    const isOpen = site?.status === 'ready' && site.protection === undefined
    const made = isOpen ? await parts.make(deployment.host, signal) : undefined
    const image = made && {
      kind: made.kind,
      type: made.type,
      ...(await parts.blobs.putBytes(made.bytes)),
    }
    await parts.transact(async ({ deployments, files, previews }) => {
      const now = parts.clock.now()
      // It may be gone by now, or be another account's, whose file it is to be then.
      const current = await deployments.find(deployment.id)
      if (!current) return
      if (image) await files.add(current.ownerId, [image], now)
      await previews.save({ deploymentId: current.id, madeAt: now, image: image ?? null })
    })
  },
})
