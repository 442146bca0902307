import type { Client } from '#client/client.ts'
import type { Item } from './item.ts'
import { planAliases } from './plan-aliases.ts'
import { planDomains } from './plan-domains.ts'
import { planProject } from './plan-project.ts'
import { planWebhooks } from './plan-webhooks.ts'
import type { Source, SourceDeployment } from './source.ts'

/** Compares the two accounts. Asked again, it finds what is still to be done: so it goes on where it was stopped. */
export async function planImport(
  source: Source,
  api: Client,
  { only, onRead }: { readonly only: string | undefined; readonly onRead: (what: string) => void },
): Promise<readonly Item[]> {
  onRead('projects')
  const projects = (await source.projects()).filter(({ name }) => only === undefined || name === only)
  const items: Item[] = []
  const production = new Map<string, SourceDeployment | undefined>()
  for (const project of projects) {
    onRead(`project ${project.name}`)
    const current = await source.production(project.id)
    production.set(project.id, current)
    items.push(...(await planProject(source, api, project, current)))
  }
  if (only !== undefined) return items
  const domains = new Set(items.filter(({ kind }) => kind === 'project domain').map(({ name }) => name))
  onRead('domains')
  items.push(...(await planDomains(source, api)))
  onRead('aliases')
  items.push(...(await planAliases(source, api, production, domains)))
  onRead('webhooks')
  items.push(...(await planWebhooks(source, api, projects)))
  return items
}
