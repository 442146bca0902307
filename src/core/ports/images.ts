export const IMAGE_TYPES = ['image/avif', 'image/webp', 'image/png', 'image/jpeg'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

export interface ImageRequest {
  /** Pixels; an image that is narrower stays as it is. */
  readonly width: number
  /** From 1 to 100. */
  readonly quality: number
  readonly type: ImageType
}

type ImageFault =
  /** It is no image that can be read, or a broken one. */
  | 'unreadable'
  /** It has more pixels than are looked at. */
  | 'too_large'
  /** Too many images are waiting already, or this one took too long. */
  | 'busy'
  /** This machine has no program that converts images. */
  | 'unavailable'

export class ImageFailure extends Error {
  override readonly name = 'ImageFailure'
  readonly kind: ImageFault

  constructor(kind: ImageFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/**
 * Makes images smaller. The bytes are those of strangers: they are read by a process of their own, with limits of time,
 * pixels and memory, which holds nothing worth having. Rejects with an `ImageFailure`.
 */
export interface Images {
  convert(source: Buffer, request: ImageRequest): Promise<Buffer>
  close(): Promise<void>
}
