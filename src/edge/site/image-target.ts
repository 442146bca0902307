import { readTarget, type Target } from '../request/request-path.ts'
import type { SiteEntry } from './site-entry.ts'

/** Where the image component of frameworks asks for images in the size that it wants. */
export const IMAGE_PATH = '/_vercel/image'

/** Whether images are asked for at a path: unless the site has something of its own there. */
export const isImagePath = ({ targets }: Pick<SiteEntry, 'targets'>, path: string): boolean =>
  (path === IMAGE_PATH || NEXT_PATH.test(path)) && targets.find(path) === undefined

const NEXT_PATH = /^(?:\/[^/]+)*\/_next\/image\/?$/

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
