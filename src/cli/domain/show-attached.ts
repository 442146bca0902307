import type { Static } from 'typebox'
import type { getProjectDomain } from '#contract/api/project-domain.ts'
import type { Cli } from '../cli.ts'
import { plainText } from '../output/plain-text.ts'

/** What a domain of a project shows, or what it waits for. */
export function showAttached(
  { out }: Cli,
  domain: Static<typeof getProjectDomain.reply>,
  project: string,
  environment?: string,
): void {
  const { verified, verification = [], redirect, gitBranch, customEnvironmentId } = domain
  const name = plainText(domain.name)
  const shows =
    redirect !== null
      ? `redirects to ${plainText(redirect)}`
      : gitBranch !== null
        ? `serves the branch ${plainText(gitBranch)} of ${plainText(project)}`
        : customEnvironmentId !== null
          ? `serves ${plainText(environment ?? customEnvironmentId)} of ${plainText(project)}`
          : `serves the production deployment of ${plainText(project)}`
  out.show(domain, () =>
    verified
      ? `${name} ${shows}. Check its DNS: aloft domains inspect ${plainText(domain.apexName)}`
      : [
          `${name} is not verified yet.`,
          ...verification.map(
            ({ domain: host, value }) =>
              `  create a TXT record on ${plainText(host)} with the value ${plainText(value)}`,
          ),
          `Then run: aloft domains verify ${name} --project ${plainText(project)}`,
        ].join('\n'),
  )
}
