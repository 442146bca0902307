/** An image of what a deployment shows. */
export interface PreviewImage {
  readonly kind: 'screenshot' | 'icon'
  readonly type: ImageType
  readonly bytes: Buffer
}

export type ImageType =
  | 'image/png'
  | 'image/webp'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/x-icon'
  | 'image/svg+xml'

/** What is kept of the attempt to make one. */
export interface Preview {
  readonly deploymentId: string
  readonly madeAt: number
  /** Null where there was nothing to make it of. */
  readonly image: {
    readonly kind: PreviewImage['kind']
    readonly type: ImageType
    readonly sha1: string
    readonly sha256: string
    readonly size: number
  } | null
}

/** The largest image that is kept. */
export const LARGEST_IMAGE = 256 * 1024

export interface PreviewStore {
  find(deploymentId: string): Promise<Preview | undefined>
  /** In the place of what was there. */
  save(preview: Preview): Promise<void>
}
