import type { Static } from 'typebox'
import { hostsOf } from '#client/hosts.ts'
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
export const productionHost = (
  { targets }: Pick<Project, 'targets'>,
  isProven: (host: string) => boolean,
): string | undefined =>
  targets.production === undefined ? undefined : hostsOf(targets.production, isProven)[0]

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
