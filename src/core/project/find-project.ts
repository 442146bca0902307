import { type AloftError, noSuch } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import { checkReach } from '../access/reach.ts'
import type { Project } from './project.ts'
import type { ProjectStore } from './project-store.ts'

export const unknownProject = (idOrName: string): AloftError => noSuch('project', idOrName)

type Find = 'byIdOrName' | 'lock'

/** A project of the account that the caller may see; locked, inside a transaction that changes it. */
export async function findProject<How extends Find>(
  projects: Pick<ProjectStore, How>,
  ctx: Context,
  idOrName: string,
  how: How,
): Promise<Project> {
  const project = await (projects as Pick<ProjectStore, Find>)[how](ctx.owner.id, idOrName)
  if (!project) throw unknownProject(idOrName)
  checkReach(ctx, project.id)
  return project
}
