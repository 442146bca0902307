import { scaleInstances } from '#contract/api/deployment.ts'
import { defineCommand, required } from '../command.ts'
import { usageError } from '../exit.ts'
import { DEPLOYMENT, findDeployment, folderApi, SEE } from './folder-api.ts'

const readInstances = (text: string): number => {
  if (!/^\d{1,4}$/.test(text)) throw new TypeError(`"${text}" should be a number of instances`)
  return Number(text)
}

export const command = defineCommand({
  doing: 'scale the deployment',
  team: true,
  arguments: {
    deployment: required(DEPLOYMENT),
    min: required('how many instances run always', readInstances),
    max: required('how many at the most', readInstances),
  },
  examples: [
    ['scale dpl_7Y2h… 1 5', 'one always, five at the most'],
    ['scale dpl_7Y2h… 0 5', 'none while nobody visits'],
  ],
  hints: SEE,
  async run(cli, { deployment, min, max }) {
    if (max < min) throw usageError('<max> should not be less than <min>.')
    const { api } = await folderApi(cli)
    const { id } = await findDeployment(api, deployment)
    const scale = await api.call(scaleInstances, { params: { id }, body: { min, max } })
    cli.out.show(scale, () => `${id} runs ${scale.min} to ${scale.max} instances.`)
  },
})
