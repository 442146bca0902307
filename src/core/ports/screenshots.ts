import type { PreviewImage } from '../preview/preview.ts'

/** Takes pictures of sites. What it looks at is code of strangers, and it reaches nothing but the one site. */
export interface Screenshots {
  /**
   * A picture of the front page of the site that answers on this unix socket under this name. Undefined where there is
   * nothing to see: the page does not come in time, or is not a page.
   */
  photograph(
    site: { readonly host: string; readonly socket: string },
    signal: AbortSignal,
  ): Promise<PreviewImage | undefined>
}
