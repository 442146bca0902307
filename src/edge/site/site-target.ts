import type { SiteFile, SiteFunction } from '#core/site/site.ts'

/** What can be at a path of a site. */
export type SiteTarget = SiteFile | SiteFunction

export const isFunction = (target: SiteTarget): target is SiteFunction => 'program' in target
