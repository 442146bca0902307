import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { assignAlias, listAliases } from '#contract/api/alias.ts'
import { alreadyThere, cannot, fresh, type Item } from './item.ts'
import { findImported } from './make-deployment.ts'
import { isOfPlatform, NAME_OF_PLATFORM } from './platform-name.ts'
import type { Source, SourceDeployment } from './source.ts'

/**
 * Names that lead to what is in production of a project, beside its domains: `production` has those of the projects that
 * come along, and `domains` the names that came with them.
 */
export async function planAliases(
  source: Source,
  api: Client,
  production: ReadonlyMap<string, SourceDeployment | undefined>,
  domains: ReadonlySet<string>,
): Promise<readonly Item[]> {
  const here = new Set(
    await everyPage(
      (query) => api.call(listAliases, { query }),
      (page) => page.aliases.map(({ alias }) => alias),
    ),
  )
  const wanted = (await source.aliases()).filter(
    ({ alias, projectId }) => !domains.has(alias) && production.has(projectId ?? ''),
  )
  return wanted.map(({ alias, projectId, deploymentId }) => {
    const current = production.get(projectId ?? '')
    if (here.has(alias)) return alreadyThere('alias', alias)
    if (isOfPlatform(alias, current)) return cannot('alias', alias, NAME_OF_PLATFORM)
    if (current === undefined || current.uid !== deploymentId)
      return cannot('alias', alias, 'It points at a deployment that is not imported.')
    return fresh('alias', alias, async () => {
      const id = await findImported(api, current.uid)
      if (id === undefined) throw new Error('Its deployment is not imported yet.')
      return api.call(assignAlias, { params: { id }, body: { alias } })
    })
  })
}
