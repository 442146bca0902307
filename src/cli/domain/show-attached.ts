import type { Static } from 'typebox'
import type { getProjectDomain } from '#contract/api/project-domain.ts'
import type { Cli } from '../cli.ts'
import { plainText } from '../plain-text.ts'

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
      ? `sends visitors to ${plainText(redirect)}`
      : gitBranch !== null
        ? `shows the branch ${plainText(gitBranch)} of ${plainText(project)}`
        : customEnvironmentId !== null
          ? `shows ${plainText(environment ?? customEnvironmentId)} of ${plainText(project)}`
          : `shows the production of ${plainText(project)}`
  out.show(domain, () =>
    verified
      ? `${name} ${shows}. See what DNS says of it: aloft domains inspect ${plainText(domain.apexName)}`
      : [
          `${name} waits for a proof that it is yours.`,
          ...verification.map(
            ({ domain: host, value }) =>
              `  create a TXT record on ${plainText(host)} that holds ${plainText(value)}`,
          ),
          `Then run: aloft domains verify ${name} --project ${plainText(project)}`,
        ].join('\n'),
  )
}
