import type { Client } from '#client/client.ts'
import { getProject } from '#contract/api/project.ts'
import { createWebhook, listWebhooks } from '#contract/api/webhook.ts'
import { EVENT_TYPES } from '#contract/event-types.ts'
import { alreadyThere, cannot, fresh, type Item } from './item.ts'
import type { Source, SourceProject, SourceWebhook } from './source.ts'

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

export async function planWebhooks(
  source: Source,
  api: Client,
  projects: readonly SourceProject[],
): Promise<readonly Item[]> {
  const here = await api.call(listWebhooks, {})
  return (await source.webhooks()).map((webhook) => {
    const { url } = webhook
    const events = webhook.events.filter((event) => KNOWN.has(event))
    const others = webhook.events.filter((event) => !KNOWN.has(event))
    if (here.some((each) => each.url === url)) return alreadyThere('webhook', url)
    if (events.length === 0) return cannot('webhook', url, `Unsupported events: ${others.join(', ')}.`)
    const notes = ['gets a new secret', ...(others.length > 0 ? [`without ${others.join(', ')}`] : [])]
    return fresh('webhook', `${url} (${notes.join('; ')})`, () => makeWebhook(api, webhook, events, projects))
  })
}

/** Projects have other ids here, and the same names. */
async function makeWebhook(
  api: Client,
  { url, projectIds = [] }: SourceWebhook,
  events: string[],
  projects: readonly SourceProject[],
): Promise<void> {
  const names = projects.filter(({ id }) => projectIds?.includes(id)).map(({ name }) => name)
  const ids: string[] = []
  for (const idOrName of names) ids.push((await api.call(getProject, { params: { idOrName } })).id)
  if (projectIds !== null && projectIds.length > 0 && ids.length === 0)
    throw new Error('None of its projects were imported.')
  await api.call(createWebhook, { body: { url, events, ...(ids.length > 0 ? { projectIds: ids } : {}) } })
}
