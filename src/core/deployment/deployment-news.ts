import type { Scale } from './deployment.ts'

/** What working processes have to know of a deployment at once, told over the bus. */
export type DeploymentNews =
  | { readonly what: 'deleted'; readonly id: string }
  | { readonly what: 'canceled'; readonly id: string }
  | { readonly what: 'scaled'; readonly id: string; readonly scale: Scale }

export const DEPLOYMENTS_TOPIC = 'deployments'

export const writeDeploymentNews = (news: DeploymentNews): string => JSON.stringify(news)

const WHAT: ReadonlySet<unknown> = new Set([
  'deleted',
  'canceled',
  'scaled',
] satisfies DeploymentNews['what'][])

/** Undefined for what another version of this program says. */
export function readDeploymentNews(text: string): DeploymentNews | undefined {
  try {
    const news = JSON.parse(text) as DeploymentNews
    return WHAT.has(news.what) ? news : undefined
  } catch {
    return undefined
  }
}
