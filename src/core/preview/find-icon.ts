import { iconLinks } from './icon-links.ts'
import { imageTypeOf } from './image-type.ts'
import { LARGEST_IMAGE, type PreviewImage } from './preview.ts'

/** What a site answered to a visitor. */
interface Visited {
  readonly status: number
  readonly type: string
  readonly location: string | undefined
  readonly body: Buffer
}

/** Visits one site, and no other. Undefined where it does not answer, or with more than this. */
export type VisitSite = (path: string, maxBytes: number, signal: AbortSignal) => Promise<Visited | undefined>

const LARGEST_PAGE = 1024 * 1024
/** How many of the icons that a page names are tried. */
const TRIED = 4
const REDIRECTS = 3

/** The icon of a site: what its page names, or else the usual place. Nothing is fetched from anywhere else. */
export async function findIcon(
  host: string,
  visit: VisitSite,
  signal: AbortSignal,
): Promise<PreviewImage | undefined> {
  const origin = `http://${host}`

  /** The answer behind redirects within the site, and where it was found. */
  async function arrive(from: URL, maxBytes: number): Promise<(Visited & { readonly at: URL }) | undefined> {
    let at = from
    for (let hops = 0; hops <= REDIRECTS && at.host === host; hops++) {
      signal.throwIfAborted()
      const answer = await visit(`${at.pathname}${at.search}`, maxBytes, signal)
      if (!answer) return undefined
      if (answer.status === 200) return { ...answer, at }
      const next =
        answer.status >= 300 && answer.status < 400 && answer.location !== undefined
          ? URL.parse(answer.location, at.href)
          : null
      if (!next) return undefined
      at = next
    }
    return undefined
  }

  async function fetchIcon(href: string, base: URL): Promise<PreviewImage | undefined> {
    const inline = readDataUrl(href)
    if (inline) return iconOf(inline.bytes, inline.type)
    const url = URL.parse(href, base.href)
    if (url?.host !== host || !/^https?:$/.test(url.protocol)) return undefined
    const answer = await arrive(url, LARGEST_IMAGE)
    return answer && iconOf(answer.body, answer.type)
  }

  const page = await arrive(new URL(origin), LARGEST_PAGE)
  const isPage = page !== undefined && /^text\/html\b/i.test(page.type)
  const named = isPage ? iconLinks(page.body.toString('utf8')).slice(0, TRIED) : []
  for (const href of [...named, `${origin}/favicon.ico`]) {
    const icon = await fetchIcon(href, page?.at ?? new URL(origin))
    if (icon) return icon
  }
  return undefined
}

function iconOf(bytes: Buffer, said: string): PreviewImage | undefined {
  const type = bytes.length <= LARGEST_IMAGE ? imageTypeOf(bytes, said) : undefined
  return type && { kind: 'icon', type, bytes }
}

const DATA_URL = /^data:([^,;]{1,100})((?:;[^,;]{1,100}){0,4}),/i

function readDataUrl(href: string): { readonly type: string; readonly bytes: Buffer } | undefined {
  const match = DATA_URL.exec(href)
  if (!match || href.length > 2 * LARGEST_IMAGE) return undefined
  const [all, type = '', options = ''] = match
  const content = href.slice(all.length)
  if (/;base64$/i.test(options)) return { type, bytes: Buffer.from(content, 'base64') }
  try {
    return { type, bytes: Buffer.from(decodeURIComponent(content)) }
  } catch {
    return undefined
  }
}
