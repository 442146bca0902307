import { scaleInstances } from '#contract/api/deployment.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { usageError } from '../exit.ts'
import { DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'

const readInstances = (text: string): number => {
  if (!/^\d{1,4}$/.test(text)) throw new TypeError(`"${text}" should be a number of instances`)
  return Number(text)
}

export const command = defineCommand({
  doing: 'scale the deployment',
  arguments: {
    deployment: required(DEPLOYMENT),
    min: required('minimum number of running instances', readInstances),
    max: required('maximum number of instances', readInstances),
  },
  examples: [
    ['scale dpl_7Y2h… 1 5', 'between one and five instances'],
    ['scale dpl_7Y2h… 0 5', 'scale to zero without requests'],
  ],
  hints: SEE,
  async run(cli, { deployment, min, max }) {
    if (max < min) throw usageError('<max> should not be less than <min>.')
    const api = await folderApi(cli)
    const { id } = await findDeployment(api, deployment)
    const scale = await api.call(scaleInstances, { params: { id }, body: { min, max } })
    cli.out.show(scale, () => `${id} runs ${scale.min} to ${scale.max} instances.`)
  },
})
