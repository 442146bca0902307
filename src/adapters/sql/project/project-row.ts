import type { Selectable } from 'kysely'
import { linkKey, repoNumber } from '#core/project/git-link.ts'
import { DEFAULT_BUILD_SETTINGS, type Project } from '#core/project/project.ts'
import { DEFAULT_DETAILS, type ProjectDetails } from '#core/project/project-details.ts'
import { flag } from '../database/columns.ts'
import type { ProjectTable } from '../tables.ts'

export const PROJECT = [
  'id',
  'owner_id',
  'name',
  'default_host',
  'directory_listing',
  'build',
  'details',
  'created_at',
  'updated_at',
] as const

type ProjectRow = Pick<Selectable<ProjectTable>, (typeof PROJECT)[number]>

/** Settings that came up after a row was written have their defaults. */
export const toDetails = (text: string | null): ProjectDetails => ({
  ...DEFAULT_DETAILS,
  ...(text === null ? {} : JSON.parse(text)),
})

export const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  defaultHost: row.default_host,
  directoryListing: row.directory_listing === 1,
  build: { ...DEFAULT_BUILD_SETTINGS, ...(row.build === null ? {} : JSON.parse(row.build)) },
  details: toDetails(row.details),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** The details, and what of them projects are looked up by. */
export const fromDetails = (details: ProjectDetails) => ({
  details: JSON.stringify(details),
  repo: details.link === null ? null : linkKey(details.link),
  repo_number: details.link === null ? null : repoNumber(details.link),
  git_fork_protection: flag(details.gitForkProtection),
})
