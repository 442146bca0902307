import { AloftError } from '#contract/errors.ts'
import { grants, type Installation, reaches } from '../installation/installation.ts'
import type { Actor, Context } from './context.ts'

/** Refuses an application the projects that it was not given. */
export function checkReach({ actor: { installation } }: Context, projectId: string): void {
  if (installation && !reaches(installation, projectId)) throw outOfReach()
}

/** Refuses to make projects for an application that was given some and no others. */
export function checkMayAdd({ actor: { installation } }: Context): void {
  if (installation?.projectSelection === 'selected') throw outOfReach()
}

/** The ids of the projects that lists are limited to; undefined for those who see all of them. */
export function reachOf({ actor: { installation } }: Context): readonly string[] | undefined {
  if (!installation || installation.projectSelection === 'all') return undefined
  return installation.projects.length > 0 ? installation.projects : NOTHING
}

/** As an empty list is no limit to those who read it. */
const NOTHING = ['none']

const outOfReach = () => new AloftError('forbidden', 'The integration has no access to this project.')

/** Whether a caller is told of a variable, or may change it: an application that lacks the wider scope has its own. */
export const mayTouch = (
  { installation }: Actor,
  permission: 'read' | 'read-write',
  { configurationId }: { readonly configurationId: string | null },
): boolean =>
  installation === undefined ||
  configurationId === installation.id ||
  grants(installation.scopes, 'global-project-env-vars', permission)

/** Whether an application may set variables at all. */
export const maySetVariables = (installation: Installation | undefined): boolean =>
  installation === undefined ||
  grants(installation.scopes, 'project-env-vars', 'read-write') ||
  grants(installation.scopes, 'global-project-env-vars', 'read-write')
