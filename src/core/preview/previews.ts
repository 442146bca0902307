import { AloftError } from '#contract/errors.ts'
import { HOUR } from '#contract/time.ts'
import type { Context } from '../access/context.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Preview, PreviewStore } from './preview.ts'
import { queuePreview } from './preview-job.ts'

/** What had no preview is looked at again, when somebody asks, after this time. */
const AGAIN = HOUR

export interface Previews {
  /** Has it made where that was not tried yet; it is not there then, but soon. */
  get(ctx: Context, idOrHost: string): Promise<NonNullable<Preview['image']>>
  /** The content of one. */
  read(image: NonNullable<Preview['image']>): Promise<Buffer>
}

interface PreviewParts {
  readonly store: PreviewStore
  readonly jobs: JobQueue
  readonly blobs: Pick<BlobStore, 'read'>
  readonly clock: Clock
  /** Refuses what the caller may not read. */
  readonly findDeployment: (ctx: Context, idOrHost: string) => Promise<Deployment>
}

export const createPreviews = ({ store, jobs, blobs, clock, findDeployment }: PreviewParts): Previews => ({
  async get(ctx, idOrHost) {
    const deployment = await findDeployment(ctx, idOrHost).catch((error: unknown) => {
      throw error instanceof AloftError && error.kind === 'forbidden' ? none() : error
    })
    const preview = await store.find(deployment.id)
    if (preview?.image) return preview.image
    const isDue = preview === undefined || preview.madeAt < clock.now() - AGAIN
    if (deployment.state !== 'READY' || !isDue) throw none()
    await queuePreview(jobs, deployment)
    throw new AloftError(
      'not_found',
      'The preview of this deployment is being created. Try again in a moment.',
      {
        making: true,
      },
    )
  },

  async read({ sha256 }) {
    const bytes = await blobs.read(sha256)
    if (!bytes) throw none()
    return bytes
  },
})

const none = () => new AloftError('not_found', 'There is no preview of this deployment.')
