import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs, PUBLIC } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

/** What git itself asks for. Whoever calls is told by HTTP's basic scheme, which git speaks. */
const door = { gen: 'current', access: PUBLIC, limit: 'upload', page: 'by-accept' } as const

export const gitRefs = endpoint({
  ...door,
  on: 'GET /git/:account/:repository/info/refs',
  summary: 'Tell git what a repository holds',
  query: Type.Object({ service: Type.Optional(Type.String({ maxLength: 100 })) }),
  reply: 'raw',
})

export const gitUploadPack = endpoint({
  ...door,
  on: 'POST /git/:account/:repository/git-upload-pack',
  summary: 'Send git what it fetches',
  body: 'raw',
  reply: 'raw',
})

export const gitReceivePack = endpoint({
  ...door,
  on: 'POST /git/:account/:repository/git-receive-pack',
  summary: 'Take what git pushes',
  body: 'raw',
  reply: 'raw',
})

export const gitLfsBatch = endpoint({
  ...door,
  on: 'POST /git/:account/:repository/info/lfs/objects/batch',
  summary: 'Tell Git LFS that its objects are not stored here',
  body: 'raw',
  reply: 'raw',
})

const common = { gen: 'current', access: needs('project', 'deployment'), teamBySlug: true } as const

const Push = Type.Object({
  id: Type.String(),
  projectId: Type.String(),
  source: Type.String({ description: 'How it came: `git`, `ssh`, `hook`, `poll`, `webhook` or `again`.' }),
  ref: Type.String(),
  branch: Nullable(Type.String()),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
  author: Nullable(Type.String()),
  message: Nullable(Type.String()),
  fork: Type.Boolean({ description: 'Whether it comes from a fork: then it gets no variables.' }),
  pullRequest: Nullable(Type.Object({ number: Type.Integer(), url: Nullable(Type.String()) })),
  state: Type.String({
    description:
      '`receiving`, `queued`, `waiting`, `held`, `deployed`, `done`, `skipped` or `failed`; the last four are final.',
  }),
  reason: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  notes: Type.Array(Type.String()),
  deploymentId: Nullable(Type.String()),
  createdAt: Time,
  stateAt: Time,
})

export const listPushes = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/pushes',
  summary: 'List the pushes of a project, with the deployment that each led to or why there is none',
  limit: 'read',
  query: Type.Object(pageQuery),
  reply: Type.Object({ pushes: Type.Array(Push), pagination: PaginationSchema }),
})

export const getPush = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/pushes/:id',
  summary: 'Get a push',
  limit: 'read',
  reply: Push,
})

export const approvePush = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/pushes/:id/approve',
  summary: 'Deploy a push from a fork that was held for approval',
  description: 'The commit of this push alone: the next one of the pull request is held again.',
  limit: 'create-deployment',
  status: 202,
  reply: Push,
})

export const runPushAgain = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/pushes/:id/run-again',
  summary: 'Deploy the commit of a push once more, or one that was held for approval',
  limit: 'create-deployment',
  status: 202,
  reply: Push,
})

const Project = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })
const hooks = { ...common, access: needs('project') } as const

export const createDeployHook = endpoint({
  ...hooks,
  on: 'POST /v2/projects/:idOrName/deploy-hooks',
  summary: 'Make an address that deploys a branch whenever it is called',
  description: 'Answers the project; `link.deployHooks` has the new hook with its `url`, which is a secret.',
  limit: 'write',
  status: 201,
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    ref: Type.String({ minLength: 1, maxLength: 250, description: 'The branch.' }),
  }),
  reply: Project,
  noStore: true,
})

export const listDeployHooks = endpoint({
  ...hooks,
  on: 'GET /v2/projects/:idOrName/deploy-hooks',
  summary: 'List the deploy hooks of a project with their addresses',
  limit: 'read',
  reply: Type.Object({
    deployHooks: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        ref: Type.String(),
        createdAt: Time,
        url: Type.String(),
      }),
    ),
  }),
  noStore: true,
})

export const deleteDeployHook = endpoint({
  ...hooks,
  on: 'DELETE /v2/projects/:idOrName/deploy-hooks/:id',
  summary: 'Revoke a deploy hook: its address does nothing any more',
  limit: 'write',
  reply: Project,
})

export const callDeployHook = endpoint({
  gen: 'current',
  access: PUBLIC,
  on: 'POST /v1/integrations/deploy/:projectId/:hookId',
  summary: 'Deploy what the branch of a deploy hook holds; the address is the secret',
  limit: 'create-deployment',
  body: 'raw',
  status: 201,
  reply: Type.Object({
    job: Type.Object({ id: Type.String(), state: Type.String(), createdAt: Time }),
  }),
})

const Source = Type.Object({
  url: Nullable(Type.String({ description: 'The repository elsewhere; null where pushes come here.' })),
  pushUrl: Type.String({ description: 'Where `git push` deploys the project without any other host.' }),
  productionBranch: Nullable(Type.String()),
  publicKey: Nullable(Type.String({ description: 'The deploy key to add to a repository over SSH.' })),
  webhookUrl: Nullable(Type.String({ description: 'What the host is to call after a push; a secret.' })),
  webhookSecret: Type.Optional(
    Type.String({
      description:
        'What the host is to sign its calls with. Only in the answer to the connection that made it, and never again.',
    }),
  ),
  connectionId: Nullable(Type.String({ description: 'The connected Git host that it is read through.' })),
  repository: Nullable(Type.String({ description: 'Its name at that host: `owner/name`.' })),
  webhook: Nullable(
    Type.Object(
      {
        state: Type.String({
          description:
            '`working`: a delivery of it came; `waiting`: the host was asked for one; `untested`: the host has no way to make one; `failed`: see `problem`.',
        }),
        heardAt: Nullable(Time),
        problem: Nullable(Type.String()),
      },
      { description: 'The webhook that was made at the connected Git host.' },
    ),
  ),
  checkedAt: Nullable(Time),
  problem: Nullable(Type.String({ description: 'Why the repository could not be read the last time.' })),
})

export const getSource = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/git',
  summary: 'Tell where the code of a project comes from',
  limit: 'read',
  reply: Source,
  noStore: true,
})

export const connectSource = endpoint({
  ...common,
  on: 'PUT /v1/projects/:idOrName/git',
  summary: 'Deploy a project from a repository elsewhere',
  description:
    'By https with a token that may read it, or by SSH: then the answer has the public key to add as a deploy key. The repository is asked every few minutes, and at once when its host calls `webhookUrl`.',
  limit: 'write',
  slow: true,
  body: Type.Object({
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    connectionId: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'In the place of `url` and `token`: a connected Git host. Its webhook is then made there, and tried.',
      }),
    ),
    repository: Type.Optional(Type.String({ maxLength: 400, description: '`owner/name` at that host.' })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    host: Type.Optional(
      Type.Enum(['github', 'gitlab', 'gitea', 'bitbucket'] as const, {
        description:
          'Which API the host speaks, where its name does not tell: a GitHub Enterprise, GitLab, Gitea or Forgejo of one’s own. It is then told what came of each push.',
      }),
    ),
  }),
  reply: Source,
  noStore: true,
})

export const disconnectSource = endpoint({
  ...common,
  on: 'DELETE /v1/projects/:idOrName/git',
  summary: 'Deploy a project no more from a repository elsewhere',
  limit: 'write',
  status: 204,
  reply: 'empty',
})

export const syncSource = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/git/sync',
  summary: 'Ask the repository of a project now what it holds',
  limit: 'write',
  status: 202,
  reply: Type.Object({ queued: Type.Boolean() }),
})

export const callSource = endpoint({
  gen: 'current',
  access: PUBLIC,
  on: 'POST /v1/git/called/:projectId/:token',
  summary: 'Tell that something was pushed to a repository: what it holds is then asked for',
  description:
    'For the webhooks of any host. Of pushes nothing that is sent is believed; deliveries about pull requests have to be signed. Where it is signed (`x-hub-signature-256`, `x-gitlab-token`, `x-gitea-signature`, `x-forgejo-signature`, `x-hub-signature`), a wrong signature is refused, and of a delivery that came before `queued` is false.',
  limit: 'write',
  body: 'raw',
  status: 202,
  reply: Type.Object({ queued: Type.Boolean() }),
})
