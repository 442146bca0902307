import { getProject, updateProject } from '#contract/api/project.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useParam } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'

/** The project that the address names. */
export const useProject = () => useRead('project', getProject, { params: { idOrName: useParam('project') } })

export type Project = ReturnType<typeof useProject>

export type ProjectChange = NonNullable<BodyOf<(typeof updateProject)['body']>>

/** Changes settings of a project. What goes wrong is for the form to show when it says `quiet`. */
export const useSaveProject = (
  { id }: Pick<Project, 'id'>,
  options: { readonly done?: string; readonly quiet?: boolean } = {},
) =>
  useAction(
    (change: ProjectChange, { client }) =>
      client.call(updateProject, { params: { idOrName: id }, body: change }),
    { changes: ['project'], done: 'Saved.', ...options },
  )
