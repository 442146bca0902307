/** Versions of Node.js that a project can be set to build and run with, the newest first. */
export const PROJECT_NODE_VERSIONS = [
  '24.x',
  '22.x',
  '20.x',
  '18.x',
  '16.x',
  '14.x',
  '12.x',
  '10.x',
  '8.10.x',
] as const
export type ProjectNodeVersion = (typeof PROJECT_NODE_VERSIONS)[number]

/** What our own clients make new projects with: today's frameworks need it. The API's default is an older one. */
export const NEW_PROJECT_NODE_VERSION: ProjectNodeVersion = '24.x'
