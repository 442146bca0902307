import * as api from '#contract/api/env-variable.ts'
import { environmentsOf } from '#core/env-variable/env-variable.ts'
import type { EnvVariables } from '#core/env-variable/env-variables.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as first from './first.ts'

export const envVariableRoutes = (variables: EnvVariables): readonly Route[] => [
  route(api.listVariablesFirst, async (ctx, { params }) =>
    (await variables.secrets(ctx, params.idOrName)).map(first.variable),
  ),
  route(api.setVariableFirst, async (ctx, { params, body }) =>
    (await variables.setSecrets(ctx, params.idOrName, { [body.key]: body.value }, false)).map(first.variable),
  ),
  route(api.replaceVariablesFirst, async (ctx, { params, body }) =>
    (await variables.setSecrets(ctx, params.idOrName, body.env, true)).map(first.variable),
  ),
  route(api.removeVariableFirst, async (ctx, { params }) =>
    (await variables.removeSecret(ctx, params.idOrName, params.key)).map(first.variable),
  ),

  route(api.createVariables, async (ctx, { params, query: { upsert = false }, body }) => {
    if (!Array.isArray(body))
      return {
        created: current.variable(await variables.create(ctx, params.idOrName, body, upsert)),
        failed: [],
      }
    const { created, failed } = await variables.createAll(ctx, params.idOrName, body, upsert)
    return { created: created.map((one) => current.variable(one)), failed: failed.map(current.failure) }
  }),
  route(
    api.listVariables,
    async (ctx, { params, query: { decrypt = false, gitBranch, customEnvironmentId } }) => {
      const found = (await variables.list(ctx, params.idOrName)).filter(
        (one) =>
          (gitBranch === undefined || one.gitBranch === gitBranch) &&
          (customEnvironmentId === undefined || environmentsOf(one).includes(customEnvironmentId)),
      )
      return { envs: found.map((one) => current.variable(one, decrypt ? variables.reveal(one) : undefined)) }
    },
  ),
  route(api.getVariable, async (ctx, { params }) => {
    const found = await variables.get(ctx, params.idOrName, params.id)
    return current.variable(found, variables.reveal(found))
  }),
  route(api.updateVariable, async (ctx, { params, body }) =>
    current.variable(await variables.update(ctx, params.idOrName, params.id, body)),
  ),
  route(api.removeVariable, async (ctx, { params, query }) =>
    current.variable(await variables.remove(ctx, params.idOrName, params.id, query.customEnvironmentId)),
  ),
]
