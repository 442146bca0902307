import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Application } from '../application/application.ts'
import type { Project } from '../project/project.ts'
import type { User } from '../user/user.ts'
import { createAuthorizations } from './authorizations.ts'

test('who lets an application in again finds all projects that it has, whenever they were last changed', async () => {
  const named = (name: string) => ({ id: `prj_${name}`, name }) as Project
  const stores = {
    projects: {
      list: async () => ({ items: [named('new'), named('chosen')] }),
      byIdOrName: async (_ownerId: string, id: string) => (id === 'prj_old' ? named('old') : undefined),
    },
    teams: { listFor: async () => ({ items: [] }) },
    installations: {
      ofApplication: async () => ({
        projectSelection: 'selected',
        projects: ['prj_old', 'prj_chosen', 'prj_deleted'],
      }),
    },
  } as unknown as Parameters<typeof createAuthorizations>[0]['stores']
  const { choices } = createAuthorizations({ stores } as Parameters<typeof createAuthorizations>[0])
  const { projects } = await choices({ id: 'user' } as User, {} as Application, null)
  assert.deepEqual(
    projects.map(({ name }) => name),
    ['new', 'chosen', 'old'],
  )
})
