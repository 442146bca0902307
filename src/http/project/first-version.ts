import type { Project } from '#core/project/project.ts'

/** The shape of the first version. */
export const project = (p: Project) => ({
  id: p.id,
  name: p.name,
  accountId: p.ownerId,
  createdAt: p.createdAt,
  updatedAt: p.updatedAt,
})
