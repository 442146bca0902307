import type { Client } from '#client/client.ts'
import { connectSource } from '#contract/api/git.ts'
import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { createProject, deleteProject, updateProject } from '#contract/api/project.ts'
import type { BodyOf } from '#contract/endpoint.ts'

interface NewFromRepository {
  readonly name: string
  readonly settings: Omit<
    NonNullable<BodyOf<(typeof createProject)['body']>>,
    'name' | 'environmentVariables'
  >
  readonly variables: readonly { readonly key: string; readonly value: string }[]
  /** Empty for the repository's own. */
  readonly branch: string
  readonly source: NonNullable<BodyOf<(typeof connectSource)['body']>>
}

/** Creates a project and connects it with its repository, which is then deployed. */
export async function createFromRepository(
  client: Client,
  { name, settings, variables, branch, source }: NewFromRepository,
) {
  const environmentVariables = variables.map(({ key, value }) => ({
    ...{ key, value, type: 'encrypted' as const },
    target: ['production' as const, 'preview' as const],
  }))
  const project = await client.call(createProject, {
    body: { name, ...settings, ...(variables.length > 0 && { environmentVariables }) },
  })
  const params = { idOrName: project.id }
  try {
    await client.call(updateProject, {
      params,
      body: { nodeVersion: NEW_PROJECT_NODE_VERSION, ...(branch !== '' && { productionBranch: branch }) },
    })
    return await client.call(connectSource, { params, body: source })
  } catch (error) {
    // Nothing is left of a project that has nothing to deploy, and the same name can be tried again.
    await client.call(deleteProject, { params }).catch(() => undefined)
    throw error
  }
}
