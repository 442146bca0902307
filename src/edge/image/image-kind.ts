import type { ImageConfig } from '#core/output/image-config.ts'
import { IMAGE_TYPES, type ImageType } from '#core/ports/images.ts'

const isKnown = (type: string): type is ImageType => (IMAGE_TYPES as readonly string[]).includes(type)

/** The type in which a visitor gets an image that has this one. */
export function negotiated(accept: string, { formats }: ImageConfig, source: string): ImageType {
  const wanted = formats.find((format) => accept.includes(format))
  if (wanted !== undefined && isKnown(wanted)) return wanted
  const isNew = source === 'image/webp' || source === 'image/avif'
  return isKnown(source) && (!isNew || accept.includes(source)) ? source : 'image/jpeg'
}

/** What moves, and what no browser would see a difference in, goes out as it is. */
const AS_IS: ReadonlySet<string> = new Set([
  'image/gif',
  'image/apng',
  'image/x-icon',
  'image/bmp',
  'image/svg+xml',
])

export interface ImageKind {
  readonly type: string
  /** Whether it goes out as it is. */
  readonly isAsIs: boolean
}

const kind = (type: string, isAsIs = AS_IS.has(type)): ImageKind => ({ type, isAsIs })

const SVG = /^\s*(?:<\?xml[^>]*>\s*|<!--[^>]*-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i

/** By its first bytes, whatever it is called; undefined where it is no image. */
export function imageKind(bytes: Buffer): ImageKind | undefined {
  const head = bytes.toString('latin1', 0, 16)
  if (head.startsWith('\x89PNG')) return kind(isAnimatedPng(bytes) ? 'image/apng' : 'image/png')
  if (head.startsWith('\xff\xd8\xff')) return kind('image/jpeg')
  if (head.startsWith('GIF8')) return kind('image/gif')
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP')
    return kind('image/webp', bytes.subarray(0, 64).includes('ANIM'))
  if (/^....ftypavi[fs]/s.test(head)) return kind('image/avif')
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return kind('image/tiff')
  if (head.startsWith('BM')) return kind('image/bmp')
  if (head.startsWith('\0\0\x01\0')) return kind('image/x-icon')
  return SVG.test(bytes.toString('latin1', 0, 4096)) ? kind('image/svg+xml') : undefined
}

function isAnimatedPng(bytes: Buffer): boolean {
  const control = bytes.indexOf('acTL')
  const data = bytes.indexOf('IDAT')
  return control > 0 && (data < 0 || control < data)
}
