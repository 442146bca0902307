import { readTarget, type Target } from '../request/request-path.ts'

/** Where the image component of frameworks asks for images in the size that it wants. */
export const IMAGE_PATH = '/_vercel/image'

const MAX_WIDTH = 16_384

/**
 * The image of the site itself that is asked for; it is served as it is. Undefined if the request is not as it should
 * be, or for an image from elsewhere.
 */
export function imageTarget(query: string): Target | undefined {
  const parameters = new URLSearchParams(query)
  const url = parameters.get('url') ?? ''
  if (!isCount(parameters.get('w'), MAX_WIDTH) || !isCount(parameters.get('q') ?? '75', 100)) return undefined
  if (!url.startsWith('/') || url.startsWith('//') || url.includes('\\')) return undefined
  const target = readTarget(encodeURI(url.replace(/#.*$/s, '')).replace(/%25(?=[\da-f]{2})/gi, '%'))
  return target?.path === IMAGE_PATH ? undefined : target
}

const isCount = (text: string | null, max: number): boolean =>
  text !== null && /^[1-9]\d{0,4}$/.test(text) && Number(text) <= max
