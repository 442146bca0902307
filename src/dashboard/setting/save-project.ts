import { updateProject } from '#contract/api/project.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useAction } from '../api/query.ts'
import type { Project } from '../project/project.ts'

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
