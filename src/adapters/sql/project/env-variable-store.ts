import type { Selectable } from 'kysely'
import type { EnvVariable } from '#core/env-variable/env-variable.ts'
import type { EnvVariableStore } from '#core/env-variable/env-variable-store.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, EnvVariableTable } from '../tables.ts'

const VARIABLE = [
  'id',
  'project_id',
  'key',
  'type',
  'configuration_id',
  'details',
  'created_at',
  'value',
] as const

/** What has no column of its own. */
type Details = Omit<
  EnvVariable,
  'id' | 'projectId' | 'key' | 'type' | 'value' | 'configurationId' | 'createdAt'
>

const toVariable = (row: Selectable<EnvVariableTable>): EnvVariable => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  projectId: row.project_id,
  key: row.key,
  type: row.type,
  value: row.value,
  configurationId: row.configuration_id,
  createdAt: row.created_at,
})

function fromVariable({
  id,
  projectId,
  key,
  type,
  value,
  configurationId,
  createdAt,
  ...details
}: EnvVariable) {
  return {
    id,
    project_id: projectId,
    key,
    type,
    configuration_id: configurationId,
    details: JSON.stringify(details satisfies Details),
    created_at: createdAt,
    value,
  }
}

const selectOf = prepare<{ projectId: string }>()((db, { projectId }) =>
  db
    .selectFrom('env_variables')
    .select(VARIABLE)
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

const selectOfSecret = prepare<{ ownerId: string; secretId: string }>()((db, { ownerId, secretId }) =>
  db
    .selectFrom('env_variables')
    .innerJoin('projects', 'projects.id', 'env_variables.project_id')
    .select(VARIABLE.map((column) => `env_variables.${column}` as const))
    .where('projects.owner_id', '=', ownerId)
    .where('env_variables.type', '=', 'secret')
    .where('env_variables.value', '=', secretId),
)

export function createEnvVariableStore(db: Db): EnvVariableStore {
  return {
    list: async (projectId) => (await selectOf(db, { projectId })).map(toVariable),

    ofSecret: async (ownerId, secretId) => (await selectOfSecret(db, { ownerId, secretId })).map(toVariable),

    async save(variable) {
      const { id: _id, project_id: _project, ...change } = fromVariable(variable)
      await db
        .insertInto('env_variables')
        .values(fromVariable(variable))
        .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
        .execute()
    },

    async delete(id) {
      await db.deleteFrom('env_variables').where('id', '=', id).execute()
    },

    async deleteOf(configurationId) {
      await db.deleteFrom('env_variables').where('configuration_id', '=', configurationId).execute()
    },
  }
}
