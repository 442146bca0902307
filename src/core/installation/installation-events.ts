import type { NewEvent } from '../event/event.ts'
import type { Installation } from './installation.ts'
import { scopeList } from './scope-change.ts'

type Cause = Pick<NewEvent, 'userId' | 'at'>

const about = ({ id, ownerId }: Installation, cause: Cause) => ({
  ...cause,
  ownerId,
  projectId: null,
  configurationId: id,
})

export const removedEvent = (installation: Installation, cause: Cause): NewEvent => {
  const { id, projectSelection, projects } = installation
  return {
    ...about(installation, cause),
    type: 'integration-configuration.removed',
    payload: { configuration: { id, projectSelection, projects } },
  }
}

/** Tells which projects it may touch from now on, and what is different. */
export const projectsChangedEvent = (before: Installation, after: Installation, cause: Cause): NewEvent => ({
  ...about(after, cause),
  type: 'integration-configuration.permission-upgraded',
  payload: {
    configuration: {
      id: after.id,
      projectSelection: after.projectSelection,
      projects: after.projects,
    },
    projects: {
      added: after.projects.filter((id) => !before.projects.includes(id)),
      removed: before.projects.filter((id) => !after.projects.includes(id)),
    },
  },
})

export const scopesConfirmedEvent = (installation: Installation, cause: Cause): NewEvent => ({
  ...about(installation, cause),
  type: 'integration-configuration.scope-change-confirmed',
  payload: { configuration: { id: installation.id, scopes: scopeList(installation.scopes) } },
})
