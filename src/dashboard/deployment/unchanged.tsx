import { getProject } from '#contract/api/project.ts'
import { useLater } from '../api/query.ts'

/** What a deployment that failed means for visitors; nothing to say where there is no production yet. */
export function Unchanged({ projectId }: { projectId: string }) {
  const { data: project } = useLater('project', getProject, { params: { idOrName: projectId } })
  return project?.targets.production === undefined ? null : (
    <p className="mt-1 text-sm text-soft">Production is not affected.</p>
  )
}
