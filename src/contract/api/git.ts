import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs, PUBLIC } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

/** What git itself asks for. Whoever calls is told by HTTP's basic scheme, which git speaks. */
const askedByGit = { access: PUBLIC, limit: 'upload', page: 'by-accept' } as const

export const gitRefs = endpoint({
  ...askedByGit,
  on: 'GET /git/:account/:repository/info/refs',
  summary: 'List the refs of a repository, for git',
  query: Type.Object({ service: Type.Optional(Type.String({ maxLength: 100 })) }),
  reply: 'raw',
})

export const gitUploadPack = endpoint({
  ...askedByGit,
  on: 'POST /git/:account/:repository/git-upload-pack',
  summary: 'Serve a fetch, for git',
  body: 'raw',
  reply: 'raw',
})

export const gitReceivePack = endpoint({
  ...askedByGit,
  on: 'POST /git/:account/:repository/git-receive-pack',
  summary: 'Receive a push, for git',
  body: 'raw',
  reply: 'raw',
})

export const gitLfsBatch = endpoint({
  ...askedByGit,
  on: 'POST /git/:account/:repository/info/lfs/objects/batch',
  summary: 'Refuse Git LFS objects, which are not stored here',
  body: 'raw',
  reply: 'raw',
})

const common = { access: needs('project', 'deployment'), teamBySlug: true } as const

const Push = Type.Object({
  id: Type.String(),
  projectId: Type.String(),
  source: Type.String({
    description: 'Origin of the push: `git`, `ssh`, `hook`, `poll`, `webhook` or `again`.',
  }),
  ref: Type.String(),
  branch: Nullable(Type.String()),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
  author: Nullable(Type.String()),
  message: Nullable(Type.String()),
  fork: Type.Boolean({ description: 'Whether it comes from a fork; if so, it gets no variables.' }),
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
  summary: 'List the pushes of a project with their deployment, or the reason why there is none',
  query: Type.Object(pageQuery),
  reply: Type.Object({ pushes: Type.Array(Push), pagination: PaginationSchema }),
})

export const getPush = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/pushes/:id',
  summary: 'Get a push',
  reply: Push,
})

export const approvePush = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/pushes/:id/approve',
  summary: 'Approve and deploy a push from a fork',
  description:
    'Approves only the commit of this push: the next push to the pull request needs approval again.',
  limit: 'create-deployment',
  status: 202,
  reply: Push,
})

export const runPushAgain = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/pushes/:id/run-again',
  summary: 'Deploy the commit of a push again, or one that is held for approval',
  limit: 'create-deployment',
  status: 202,
  reply: Push,
})

const Project = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })
const hooks = { ...common, access: needs('project') } as const

export const createDeployHook = endpoint({
  ...hooks,
  on: 'POST /v2/projects/:idOrName/deploy-hooks',
  summary: 'Create a deploy hook: a URL that deploys a branch when called',
  description:
    'Returns the project; `link.deployHooks` contains the new hook with its `url`, which is a secret.',
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
  summary: 'List the deploy hooks of a project with their URLs',
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
  summary: 'Revoke a deploy hook; its URL stops working',
  reply: Project,
})

export const callDeployHook = endpoint({
  access: PUBLIC,
  on: 'POST /v1/integrations/deploy/:projectId/:hookId',
  summary: 'Deploy the branch of a deploy hook; the URL is the secret',
  limit: 'create-deployment',
  body: 'raw',
  status: 201,
  reply: Type.Object({
    job: Type.Object({ id: Type.String(), state: Type.String(), createdAt: Time }),
  }),
})

const Source = Type.Object({
  url: Nullable(
    Type.String({
      description: 'The connected repository; null if the project is pushed to this installation.',
    }),
  ),
  pushUrl: Type.String({ description: 'URL for `git push` without another host.' }),
  productionBranch: Nullable(Type.String()),
  publicKey: Nullable(Type.String({ description: 'The deploy key to add to a repository over SSH.' })),
  webhookUrl: Nullable(
    Type.String({ description: 'Webhook URL that the host calls after a push; a secret.' }),
  ),
  webhookSecret: Type.Optional(
    Type.String({
      description:
        'Secret that signs webhook deliveries. Returned only once, when the repository is connected.',
    }),
  ),
  connectionId: Nullable(Type.String({ description: 'The connected Git host that it uses.' })),
  repository: Nullable(Type.String({ description: 'Its name at that host: `owner/name`.' })),
  webhook: Nullable(
    Type.Object(
      {
        state: Type.String({
          description:
            '`working`: a delivery arrived; `waiting`: a test delivery was requested; `untested`: the host cannot send test deliveries; `failed`: see `problem`.',
        }),
        heardAt: Nullable(Time),
        problem: Nullable(Type.String()),
      },
      { description: 'The webhook at the connected Git host.' },
    ),
  ),
  checkedAt: Nullable(Time),
  problem: Nullable(Type.String({ description: 'Why the repository could not be read last time.' })),
})

export const getSource = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/git',
  summary: 'Get the Git source of a project',
  reply: Source,
  noStore: true,
})

export const connectSource = endpoint({
  ...common,
  on: 'PUT /v1/projects/:idOrName/git',
  summary: 'Connect a project to a Git repository',
  description:
    'Over https with a token that can read it, or over SSH; then the response contains the public key to add as a deploy key. The repository is checked every few minutes, and immediately when its host calls `webhookUrl`.',
  slow: true,
  body: Type.Object({
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    connectionId: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'A connected Git host, instead of `url` and `token`. The webhook is then created and tested there.',
      }),
    ),
    repository: Type.Optional(Type.String({ maxLength: 400, description: '`owner/name` at that host.' })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    host: Type.Optional(
      Type.Enum(['github', 'gitlab', 'gitea', 'bitbucket'] as const, {
        description:
          'Type of a self-hosted GitHub Enterprise, GitLab, Gitea or Forgejo, if its name does not tell. Results of pushes are then reported to it.',
      }),
    ),
  }),
  reply: Source,
  noStore: true,
})

export const disconnectSource = endpoint({
  ...common,
  on: 'DELETE /v1/projects/:idOrName/git',
  summary: 'Disconnect a project from its Git repository',
  status: 204,
  reply: 'empty',
})

export const syncSource = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/git/sync',
  summary: 'Check the repository of a project for changes now',
  status: 202,
  reply: Type.Object({ queued: Type.Boolean() }),
})

export const callSource = endpoint({
  access: PUBLIC,
  on: 'POST /v1/git/called/:projectId/:token',
  summary: 'Receive webhook deliveries of a repository, which is then checked for changes',
  description:
    'For webhooks of any host. The content of push deliveries is not trusted; deliveries about pull requests must be signed. If a delivery is signed (`x-hub-signature-256`, `x-gitlab-token`, `x-gitea-signature`, `x-forgejo-signature`, `x-hub-signature`), a wrong signature is refused, and `queued` is false for a repeated delivery.',
  body: 'raw',
  status: 202,
  reply: Type.Object({ queued: Type.Boolean() }),
})
