import * as api from '#contract/api/deployment.ts'
import type { RawReply } from '#contract/endpoint.ts'
import { mapPage } from '#contract/page.ts'
import type { Context } from '#core/access/context.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { Deployments } from '#core/deployment/deployments.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as earliest from './earliest.ts'
import { fileTree } from './file-tree.ts'
import * as legacy from './legacy.ts'
import { readList } from './read-list.ts'

export function deploymentRoutes(deployments: Deployments): readonly Route[] {
  const readable = (ctx: Context, id: string) => deployments.find(ctx, id, 'read')

  async function list<T>(
    ctx: Context,
    query: Parameters<typeof readList>[0],
    show: (d: Deployment, instances: number) => T,
  ) {
    const { page, filter } = readList(query)
    const found = await deployments.list(ctx, page, filter)
    const running = await deployments.countInstances(found.items)
    return {
      deployments: mapPage(found, (d) => show(d, running.get(d.id) ?? 0)),
      pagination: found.pagination,
    }
  }

  async function content(ctx: Context, id: string, fileId: string): Promise<RawReply> {
    const { size, body } = await deployments.content(ctx, id, fileId)
    return {
      type: 'application/octet-stream',
      body,
      headers: { 'content-length': String(size), 'x-content-type-options': 'nosniff' },
    }
  }

  const tree = async (ctx: Context, id: string, { modes } = { modes: true }) =>
    fileTree(await deployments.tree(ctx, id), { modes })

  async function show<T>(
    ctx: Context,
    id: string,
    present: (d: Deployment, instances: number) => T,
  ): Promise<T> {
    const deployment = await readable(ctx, id)
    const running = await deployments.countInstances([deployment])
    return present(deployment, running.get(deployment.id) ?? 0)
  }

  const remove = async (ctx: Context, id: string) => current.deleted(await deployments.remove(ctx, id))

  return [
    route(api.createDeployment, async (ctx, { body, query }) => {
      const made = await deployments.create(ctx, current.readCreate(body, query))
      return current.deployment(made.deployment)
    }),
    route(api.redeployDeployment, async (ctx, { params, body }) => {
      const made = await deployments.redeploy(ctx, params.id, current.readRedeploy(body))
      return current.deployment(made.deployment)
    }),
    route(api.cancelDeployment, async (ctx, { params }) => ({
      ...current.deployment(await deployments.cancel(ctx, params.id)),
      aliasFinal: null,
    })),
    route(api.listDeployments, (ctx, { query }) => list(ctx, query, current.listItem)),
    route(api.getDeployment, async (ctx, { params }) => current.deployment(await readable(ctx, params.id))),
    route(api.deleteDeployment, (ctx, { params }) => remove(ctx, params.id)),
    route(api.listFiles, (ctx, { params }) => tree(ctx, params.id)),
    route(api.getFile, (ctx, { params }) => content(ctx, params.id, params.fileId)),
    route(api.listBuilds, async (ctx, { params }) => {
      const deployment = await readable(ctx, params.id)
      const regions = await deployments.regionsOf(deployment)
      return { builds: deployment.buildRuns.map((run) => current.build(deployment, run, regions)) }
    }),
    route(api.getOutput, async (ctx, { params }) =>
      current.output(await deployments.output(ctx, params.id), await deployments.instances(ctx, params.id)),
    ),
    route(api.listInstances, async (ctx, { params }) => {
      const deployment = await deployments.find(ctx, params.id, 'read')
      const running = await deployments.instances(ctx, params.id)
      return { instances: running.map((instance) => current.instance(deployment, instance)) }
    }),
    route(api.scaleInstances, (ctx, { params, body }) =>
      deployments.rescale(ctx, params.id, { min: body.min, max: body.max }),
    ),

    route(api.legacyCreate, async (ctx, { body }) => {
      const { command, warnings } = legacy.readCreate(body)
      return legacy.created(await deployments.create(ctx, command), warnings)
    }),
    route(api.legacyList, (ctx, { query }) => list(ctx, query, legacy.listItem)),
    route(api.legacyGet, (ctx, { params }) => show(ctx, params.id, legacy.single)),
    route(api.legacy.deleteDeployment, (ctx, { params }) => remove(ctx, params.id)),
    route(api.legacy.listFiles, (ctx, { params }) => tree(ctx, params.id)),
    route(api.legacy.getFile, (ctx, { params }) => content(ctx, params.id, params.fileId)),

    route(api.earliest.createDeployment, async (ctx, { body }) => {
      const made = await deployments.create(ctx, earliest.readCreate(body))
      return earliest.created(made.deployment)
    }),
    route(api.earliest.listDeployments, (ctx, { query }) => list(ctx, query, earliest.listItem)),
    route(api.earliest.getDeployment, (ctx, { params }) => show(ctx, params.id, earliest.single)),
    route(api.earliest.deleteDeployment, (ctx, { params }) => remove(ctx, params.id)),
    route(api.earliest.listFiles, (ctx, { params }) => tree(ctx, params.id, { modes: false })),
    route(api.earliest.getFile, (ctx, { params }) => content(ctx, params.id, params.fileId)),
  ]
}
