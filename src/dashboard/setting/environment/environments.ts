import { type getEnvironment, listEnvironments } from '#contract/api/custom-environment.ts'
import type { ListedTarget } from '#contract/api/deployment.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { useLater } from '../../api/query.ts'

export type Environment = ReplyOf<(typeof getEnvironment)['reply']>

/** The environments that a project has beside those of every project; none while they are not known yet. */
export function useEnvironments(projectId: string | undefined): readonly Environment[] {
  const { data } = useLater(
    'project',
    listEnvironments,
    { params: { idOrName: projectId ?? '' } },
    { enabled: projectId !== undefined && projectId !== '' },
  )
  return data?.environments ?? []
}

/** Whether a choice among targets is an environment of one project. */
export const isEnvironment = (chosen: string): boolean => chosen.startsWith('env_')

/** A choice among targets, as a list of deployments is asked for it. */
export const targetQuery = (chosen: string) =>
  chosen === ''
    ? {}
    : isEnvironment(chosen)
      ? { customEnvironmentId: chosen }
      : { target: chosen as ListedTarget }
