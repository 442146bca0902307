import { listInstances } from '#contract/api/deployment.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { showList } from '../output/show-list.ts'
import { DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'list the instances',
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [['instances dpl_7Y2h…', 'running instances of its functions']],
  hints: SEE,
  async run(cli, given) {
    const api = await folderApi(cli)
    const { id } = await findDeployment(api, given.deployment)
    const answer = await api.call(listInstances, { params: { id } })
    showList(cli, answer, {
      items: answer.instances,
      head: ['ID', 'URL'],
      row: ({ uid, url }) => [uid, url],
      empty: 'No running instances: functions start with the next request.',
    })
  },
})
