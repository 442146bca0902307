import { hostsOf } from '#client/hosts.ts'
import { siteAddress } from '#client/site-address.ts'
import { defineCommand, optional } from '../command.ts'
import { readProven } from '../domain/proven.ts'
import { openBrowser } from '../open-browser.ts'
import { plainText } from '../output/plain-text.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from './choose-deployment.ts'
import { findDeployment, SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'open the deployment',
  about: 'Prints the URL and, on a terminal, opens it in a browser.',
  arguments: { deployment: optional(CHOSEN_DEPLOYMENT) },
  examples: [
    ['open', 'open the live deployment'],
    ['open dpl_7Y2h…', 'open a deployment'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { out } = cli
    const { api, id, isOfProject } = await chooseDeployment(cli, given.deployment)
    const deployment = await findDeployment(api, id)
    // The alias is what people know; a deployment that was named is opened at its own address.
    const host = isOfProject ? hostsOf(deployment, await readProven(api, [deployment]))[0] : deployment.url
    const address = host ? siteAddress(cli.baseUrl, host) : id
    out.show({ id, url: address }, () => plainText(address))
    if (out.seen && !out.json) openBrowser(address)
  },
})
