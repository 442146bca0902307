import { createSiteNames, type FindSiteNames } from '#core/deployment/env/site-names.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from './parts.ts'

export const siteNamesOf = (
  { domain }: Pick<Config, 'domain'>,
  { stores: { projects, projectDomains, hosts } }: Pick<Parts, 'stores'>,
): FindSiteNames => createSiteNames({ projects, projectDomains, hosts, domain })
