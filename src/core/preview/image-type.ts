import type { ImageType } from './preview.ts'

const starts = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/**
 * What an image is, by its own bytes. What a site says of it counts only for SVG, which has no mark of its own:
 * something that is not an image is never passed on as one.
 */
export function imageTypeOf(bytes: Buffer, said: string): ImageType | undefined {
  if (starts(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (starts(bytes, 'RIFF') && starts(bytes, 'WEBP', 8)) return 'image/webp'
  if (starts(bytes, '\xff\xd8\xff')) return 'image/jpeg'
  if (starts(bytes, 'GIF8')) return 'image/gif'
  if (starts(bytes, '\0\0\x01\0')) return 'image/x-icon'
  const isSvg = /^image\/svg\+xml\b/i.test(said) && /<svg[\s>]/i.test(bytes.toString('utf8', 0, 4096))
  return isSvg ? 'image/svg+xml' : undefined
}
