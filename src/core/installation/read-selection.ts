import { invalidRequest } from '#contract/errors.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { Installation } from './installation.ts'

/** The projects that an application may touch, by id or name. */
export interface Selection {
  readonly projectSelection: Installation['projectSelection']
  readonly projects?: readonly string[]
}

/** How many can be chosen one by one. */
const MOST_PROJECTS = 100

/** A selection of projects that the account has. */
export async function readSelection(
  projects: Pick<ProjectStore, 'byIdOrName'>,
  ownerId: string,
  { projectSelection, projects: chosen = [] }: Selection,
): Promise<Pick<Installation, 'projectSelection' | 'projects'>> {
  if (projectSelection === 'all') return { projectSelection, projects: [] }
  if (chosen.length === 0) throw invalidRequest('`projects` should name at least one project')
  if (chosen.length > MOST_PROJECTS)
    throw invalidRequest(`\`projects\` should have at most ${MOST_PROJECTS} items`)
  const ids = new Set<string>()
  for (const idOrName of chosen) {
    const project = await projects.byIdOrName(ownerId, idOrName)
    if (!project) throw invalidRequest(`there is no project \`${idOrName.slice(0, 100)}\``)
    ids.add(project.id)
  }
  return { projectSelection, projects: [...ids] }
}
