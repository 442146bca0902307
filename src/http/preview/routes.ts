import * as api from '#contract/api/preview.ts'
import { isInHand } from '#core/negotiation/entity-tag.ts'
import type { Previews } from '#core/preview/previews.ts'
import { type Route, route } from '../route.ts'

/**
 * An image that somebody else has made. Whatever it holds, a browser that opens it by itself runs nothing of it, asks
 * nobody for more, and takes it for nothing but an image.
 */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

export const previewRoutes = (previews: Previews): readonly Route[] => [
  route(api.getPreview, async (ctx, { params: { id }, headers }) => {
    const image = await previews.get(ctx, id)
    const etag = `"${image.sha256}"`
    const about = {
      ...HARMLESS,
      etag,
      'cache-control': 'private, max-age=300',
      'x-aloft-preview': image.kind,
    }
    const sent = headers['if-none-match']
    if (sent !== undefined && isInHand(sent, etag))
      return { status: 304, type: image.type, headers: about, body: '' }
    return { type: image.type, headers: about, body: await previews.read(image) }
  }),
]
