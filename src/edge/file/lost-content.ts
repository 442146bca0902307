import type { SiteFile } from '#core/site/site.ts'

/** A deployment that is served has all of its contents; if one is gone, that is our fault and nobody else's. */
export class LostContentError extends Error {
  override readonly name = 'LostContentError'

  constructor({ sha256 }: SiteFile) {
    super(`the content ${sha256} of a site is not in the blob store`)
  }
}
