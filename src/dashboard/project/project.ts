import type { Static } from 'typebox'
import { siteAddress } from '#client/site-address.ts'
import { getProject } from '#contract/api/project.ts'
import { useParam } from '../api/account.tsx'
import { useRead } from '../api/query.ts'

export type Project = Static<typeof getProject.reply>
/** A deployment as a project speaks of it. */
export type ShownDeployment = Project['latestDeployments'][number]

/** The project that the address names. */
export const useProject = (): Project =>
  useRead('project', getProject, { params: { idOrName: useParam('project') } })

/** Whether a rollback holds production where it is: new deployments do not go live. */
export const isRolledBack = ({ lastRollbackTarget }: Pick<Project, 'lastRollbackTarget'>): boolean =>
  lastRollbackTarget !== null

export const addressOf = (host: string): string => siteAddress(location.origin, host)

/** Where visitors find the project, if anything is there. */
export const productionHost = ({ targets }: Pick<Project, 'targets'>): string | undefined =>
  targets.production === undefined ? undefined : hostsOf(targets.production)[0]

/** Where a deployment is found: first at domains of people's own, then at the shortest name that it was given. */
export function hostsOf({
  alias,
  url,
}: {
  readonly alias: readonly string[]
  readonly url: string | null
}): readonly string[] {
  const platform = url?.slice(url.indexOf('.')) ?? ''
  const isOurs = (host: string) => platform !== '' && host.endsWith(platform)
  const given = alias.toSorted(
    (a, b) => Number(isOurs(a)) - Number(isOurs(b)) || a.length - b.length || (a < b ? -1 : 1),
  )
  return given.length > 0 || url === null ? given : [url]
}

const FRAMEWORKS: Readonly<Record<string, string>> = {
  nextjs: 'Next.js',
  nuxtjs: 'Nuxt',
  'create-react-app': 'Create React App',
  'docusaurus-2': 'Docusaurus',
  sveltekit: 'SvelteKit',
  'sveltekit-1': 'SvelteKit',
  'solidstart-1': 'SolidStart',
  solidstart: 'SolidStart',
  umijs: 'UmiJS',
  redwoodjs: 'RedwoodJS',
  blitzjs: 'Blitz.js',
  vitepress: 'VitePress',
  vuepress: 'VuePress',
  'ionic-react': 'Ionic React',
  'ionic-angular': 'Ionic Angular',
}

/** A framework as its people write it. */
export const frameworkName = (slug: string): string =>
  FRAMEWORKS[slug] ?? slug.charAt(0).toUpperCase() + slug.slice(1)
